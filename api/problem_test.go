package api

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestEveryRefusalOfTheDomainHasAStatus(t *testing.T) {
	t.Parallel()
	for code, status := range map[string]int{
		run.ErrInvalid: 422, run.ErrInvalidPath: 400, run.ErrNotFound: 404, run.ErrAgentExists: 409,
		run.ErrAgentNotRunnable: 409, run.ErrRevisionStale: 412, run.ErrPreconditionMissing: 428,
		run.ErrNotContinuable: 409, run.ErrNotArchivable: 409, run.ErrConflict: 409, run.ErrIdempotency: 409,
		run.ErrStaleEpoch: 409, run.ErrFenced: 409, run.ErrHeld: 409, run.ErrStoreFull: 503, run.ErrUnavailable: 503,
		run.ErrTooLarge: 413,
	} {
		problem := newProblem(code, "because")
		if problem.Status != status || problem.Code != code {
			t.Errorf("%s: status %d, want %d", code, problem.Status, status)
		}
		if wait := problem.header.Get("Retry-After"); (status == http.StatusServiceUnavailable) != (wait != "") {
			t.Errorf("%s: Retry-After %q", code, wait)
		}
	}
}

func TestProblemOfKeepsWhatTheCallerCanActOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	refusal := run.Errorf(run.ErrConflict, "run is busy").With("status", "working")
	got := problemOf(t.Context(), b.server.log, fmt.Errorf("while asking: %w", refusal))
	if got.Status != http.StatusConflict || got.Details["status"] != "working" || got.Detail != "run is busy" {
		t.Errorf("%+v", got)
	}
}

func TestProblemOfHidesWhatIsOursAndLogsIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, err := range map[string]error{
		"any error":         errors.New("/var/lib/secret: no such file"),
		"code of no status": run.Errorf("engine_trouble", "/var/lib/secret: no such file"),
	} {
		got := problemOf(t.Context(), b.server.log, err)
		if got.Status != http.StatusInternalServerError || strings.Contains(got.Detail, "secret") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if log := b.log.String(); strings.Count(log, "event=request_failed") != 2 || !strings.Contains(log, "/var/lib/secret") {
		t.Errorf("log: %s", log)
	}
}

func TestAProblemIsWrittenWhole(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	problem := newProblem(run.ErrStoreFull, "no room")
	problem.Errors = []run.Issue{{Path: "a.b", Code: "required", Message: "is required"}}
	problem.write(w)
	want := `{"type":"urn:agentrun:problem:storage_full","title":"Service Unavailable","status":503,"detail":"no room",` +
		`"code":"storage_full","details":{},"errors":[{"path":"a.b","code":"required","message":"is required"}]}` + "\n"
	if diff := cmp.Diff(want, w.Body.String()); diff != "" {
		t.Error(diff)
	}
	if w.Code != 503 || w.Header().Get("Retry-After") != "30" || w.Header().Get("Content-Type") != problemMedia {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}
