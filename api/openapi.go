package api

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
)

const openAPIMedia = "application/openapi+json"

// documentRoute serves the OpenAPI document, which is complete once every other route is there.
func (s *Server) documentRoute() error {
	const path = "/v2/openapi.json"
	s.huma.OpenAPI().AddOperation(&huma.Operation{
		OperationID: "getOpenAPI", Method: http.MethodGet, Path: path, Tags: []string{"server"}, Summary: "This document",
		Security: openSecurity,
		Responses: map[string]*huma.Response{"200": {
			Description: http.StatusText(http.StatusOK),
			Content:     map[string]*huma.MediaType{openAPIMedia: {Schema: &huma.Schema{Type: huma.TypeObject}}},
		}},
	})
	document, err := json.Marshal(s.huma.OpenAPI())
	if err != nil {
		return fmt.Errorf("api: encode the OpenAPI document: %w", err)
	}
	s.document = document
	etag := contentTag(document)
	s.router.GET(path, func(c *gin.Context) {
		c.Header("ETag", etag)
		if matches(c.GetHeader("If-None-Match"), etag) {
			c.Status(http.StatusNotModified)
			return
		}
		c.Data(http.StatusOK, openAPIMedia, document)
	})
	return nil
}
