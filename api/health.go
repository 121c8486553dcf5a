package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

const healthy = "ok"

// healthTimeout bounds one look at the server's parts.
const healthTimeout = 5 * time.Second

// Health is how the server is. Each check is "ok" or the reason it is not.
type Health struct {
	Status string       `json:"status" example:"ok"`
	Checks HealthChecks `json:"checks"`
}

// HealthChecks are the parts that are looked at.
type HealthChecks struct {
	Store  string `json:"store" example:"ok"`
	Disk   string `json:"disk" example:"ok"`
	Engine string `json:"engine" example:"ok"`
}

type healthOutput struct{ Body Health }

func (s *Server) healthRoutes() {
	register(s, huma.Operation{
		OperationID: "getHealth", Method: http.MethodGet, Path: "/v2/health", Tags: []string{"server"},
		Summary: "How the server is", Security: openSecurity,
		Description: "503 names the failing check in details.checks.",
	}, s.getHealth)
}

func (s *Server) getHealth(ctx context.Context, _ *struct{}) (*healthOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	found := s.store.Check(ctx)
	checks := HealthChecks{Store: found.Store, Disk: found.Disk, Engine: healthy}
	if s.engine != nil {
		checks.Engine = s.engine()
	}
	var failing []string
	for _, check := range []struct{ name, state string }{
		{"store", checks.Store}, {"disk", checks.Disk}, {"engine", checks.Engine},
	} {
		if check.state != healthy {
			failing = append(failing, check.name+": "+check.state)
		}
	}
	if len(failing) == 0 {
		return &healthOutput{Body: Health{Status: healthy, Checks: checks}}, nil
	}
	problem := newProblem(codeUnhealthy, strings.Join(failing, "; "))
	problem.Details["checks"] = checks
	return nil, problem
}
