package engine

import (
	"fmt"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"
)

// retention is how long Temporal keeps the history of a closed workflow. The journal keeps the run itself.
const retention = 7 * 24 * time.Hour

// The search attributes by which the Temporal UI filters workflows. Set them only where Engine.Searchable.
var (
	// AgentRunAgent is the id of the agent.
	AgentRunAgent = temporal.NewSearchAttributeKeyKeyword("AgentRunAgent")
	// AgentRunHarness is the harness of the run's agent.
	AgentRunHarness = temporal.NewSearchAttributeKeyKeyword("AgentRunHarness")
	// AgentRunStatus is the status of the run.
	AgentRunStatus = temporal.NewSearchAttributeKeyKeyword("AgentRunStatus")
)

// searchAttributes are all of them, as the server takes them.
func searchAttributes() map[string]enums.IndexedValueType {
	all := map[string]enums.IndexedValueType{}
	for _, key := range []temporal.SearchAttributeKeyKeyword{AgentRunAgent, AgentRunHarness, AgentRunStatus} {
		all[key.GetName()] = enums.INDEXED_VALUE_TYPE_KEYWORD
	}
	return all
}

// createNamespace writes the namespace into the database of a server that is not started yet, unless it is there: over
// the API a new namespace takes seconds to be seen by every service.
func (d *database) createNamespace() error {
	namespace, err := sqlite.NewNamespaceConfig(clusterName, Namespace, false, searchAttributes())
	if err != nil {
		return fmt.Errorf("engine namespace: %w", err)
	}
	namespace.Detail.Config.Retention = durationpb.New(retention)
	// The library deals the table's columns out at random; the indexes are of these.
	namespace.Detail.Config.CustomSearchAttributeAliases = map[string]string{
		"Keyword01": AgentRunAgent.GetName(), "Keyword02": AgentRunHarness.GetName(), "Keyword03": AgentRunStatus.GetName(),
	}
	if err := sqlite.CreateNamespaces(sqlConfig(d.path), namespace); err != nil {
		return fmt.Errorf("engine namespace: %w", err)
	}
	return nil
}
