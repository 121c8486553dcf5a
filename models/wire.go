package models

import (
	"net/http"
	"slices"
	"strings"
)

// Wire is a request that another program wrote (a command-line agent), to be passed on as it is but for what the server
// decides. It takes the place of a Request's Instructions, Messages, Tools, Effort, Output and CacheKey.
type Wire struct {
	// Body writes the request's body under an output ceiling (tokens; 0: none of ours). The body asks for a stream. Its
	// error is the attempt's, which is not repeated.
	Body func(ceiling int64) ([]byte, error)
	// Size bounds what Body writes (bytes).
	Size int64
	// Header is passed on beside the provider's own; it never has a credential. What belongs to the program's connection
	// or to the form of its body is left out.
	Header http.Header
	// Digest stands for what is asked, as Digest does for other requests.
	Digest string
	// Tools counts the tools offered.
	Tools int
}

// withheld are the headers of a program's request that say something of its connection, of its body as it was, of the
// answer it can read, or of who pays; withheldKinds are the beginnings of the names of more.
var (
	withheld = []string{
		"Accept", "Authorization", "Connection", "Cookie", "Expect", "Host", "Keep-Alive", "Te", "Trailer",
		"Transfer-Encoding", "Upgrade", "User-Agent", "X-Api-Key",
	}
	withheldKinds = []string{"Accept-", "Content-", "Proxy-"}
)

// passedOn is a copy of the headers to pass on; no request, none.
func (w *Wire) passedOn() http.Header {
	if w == nil {
		return nil
	}
	connection := connectionHeaders(w.Header)
	passed := http.Header{}
	for name, values := range w.Header {
		name = http.CanonicalHeaderKey(name)
		kind := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if slices.Contains(withheld, name) || slices.Contains(connection, name) || slices.ContainsFunc(withheldKinds, kind) {
			continue
		}
		passed[name] = append(passed[name], values...)
	}
	return passed
}

// connectionHeaders are the names that Connection lists: they end at the next hop.
func connectionHeaders(header http.Header) []string {
	var names []string
	for name, values := range header {
		if http.CanonicalHeaderKey(name) != "Connection" {
			continue
		}
		for _, value := range values {
			for listed := range strings.SplitSeq(value, ",") {
				names = append(names, http.CanonicalHeaderKey(strings.TrimSpace(listed)))
			}
		}
	}
	return names
}
