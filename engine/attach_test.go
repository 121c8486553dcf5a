package engine

import (
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/types/known/durationpb"
)

// elsewhere is a namespace of the shared engine that was made without us, as on a cluster of the owner's.
func elsewhere(t *testing.T) Connection {
	t.Helper()
	connection := shared.Connection()
	connection.Namespace = "elsewhere-" + strings.ToLower(t.Name())
	_, err := shared.service.RegisterNamespace(within(t), &workflowservice.RegisterNamespaceRequest{
		Namespace: connection.Namespace, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	return connection
}

func TestAttachAddsWhatANamespaceLacks(t *testing.T) {
	t.Parallel()
	connection := elsewhere(t)
	for _, round := range []string{"attributes missing", "attributes there"} {
		engine, err := Attach(within(t), connection, AttachOptions{Public: "/t"})
		if err != nil {
			t.Fatal(round, err)
		}
		if !engine.Searchable() {
			t.Errorf("%s: not searchable", round)
		}
		if engine.Failed() != nil {
			t.Errorf("%s: a cluster of others cannot fail this process", round)
		}
		if err := engine.Check(within(t)); err != nil {
			t.Errorf("%s: %v", round, err)
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Errorf("%s: stop: %v", round, err)
		}
	}
	c, err := Dial(within(t), connection, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	eventually(t, "a workflow with search attributes starts", func() bool {
		_, err = c.ExecuteWorkflow(within(t), client.StartWorkflowOptions{
			ID: "attached", TaskQueue: "nobody",
			TypedSearchAttributes: temporal.NewSearchAttributes(AgentRunAgent.ValueSet("clerk")),
		}, steps, 0)
		return err == nil
	})
	eventually(t, "the workflow is found", func() bool { return len(listed(t, c, `AgentRunAgent="clerk"`)) == 1 })
}

func TestAttachIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Connection)
		want   string
	}{
		"no such namespace": {
			func(c *Connection) { c.Namespace = "nowhere" }, "temporal operator namespace create -n nowhere",
		},
		"a wrong token":         {func(c *Connection) { c.Token = "guess" }, "unauthorized"},
		"nobody there":          {func(c *Connection) { c.Address = "127.0.0.1:1" }, "127.0.0.1:1"},
		"TLS where is none":     {func(c *Connection) { c.TLS = &TLSConfig{} }, "tls"},
		"a file that is not":    {func(c *Connection) { c.TLS = &TLSConfig{CA: "/no/such.pem"} }, "/no/such.pem"},
		"a wrong path of UI":    {nil, "letters, digits"},
		"an address that isn't": {func(c *Connection) { c.Address = "dns://%zz" }, "dns://%zz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection, options := shared.Connection(), AttachOptions{}
			if c.change != nil {
				c.change(&connection)
			} else {
				options.Public = "/<b>"
			}
			engine, err := Attach(within(t), connection, options)
			if err == nil {
				_ = engine.Stop(t.Context())
				t.Fatal("attached")
			}
			if !strings.Contains(strings.ToLower(err.Error()), c.want) {
				t.Errorf("%v; want it to say %q", err, c.want)
			}
		})
	}
}
