package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/durationpb"
)

// TestAClusterInPlaceOfTheEmbeddedEngine lets one server's engine be the cluster of another: it runs there, in a
// namespace of its own, and survives the loss of its worker.
func TestAClusterInPlaceOfTheEmbeddedEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	host := start(t, setup{dir: dir, flags: []string{"--faux", "default", "--engine-token-file", filepath.Join(dir, "engine-token")}})
	connection := host.engine()
	_, err := connection.WorkflowService().RegisterNamespace(t.Context(), &workflowservice.RegisterNamespaceRequest{
		Namespace: "night", WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	address, token := host.engineAddress(), host.engineToken()
	refused := launchRefused(t, setup{dir: t.TempDir(), flags: []string{"--faux", "default", "--temporal", address, "--temporal-namespace", "night"}})
	if !strings.Contains(refused, address) {
		t.Errorf("refused without the cluster's address: %s", refused)
	}

	g := newGateway(t, sixSteps)
	guest := start(t, setup{
		dir: t.TempDir(), env: append(g.env(), "TEMPORAL_API_KEY="+token),
		flags: []string{"--temporal", address, "--temporal-namespace", "night"},
	})
	guest.agent("a", nil)
	guest.price()
	guest = guest.restarted()
	id := guest.ask("a", "Go.", "1")
	guest.checkSixSteps(g, guest.completes(id), false)
	var status enums.WorkflowExecutionStatus
	eventually(t, 10*time.Second, func() string { return "the cluster shows the run completed" }, func() bool {
		list, err := connection.WorkflowService().ListWorkflowExecutions(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: "night", Query: "WorkflowId = '" + id + "'",
		})
		if err != nil || len(list.GetExecutions()) != 1 {
			return false
		}
		status = list.GetExecutions()[0].GetStatus()
		return status == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	})
}
