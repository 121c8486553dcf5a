package engine

import (
	"net/url"

	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
)

const (
	frontend = primitives.FrontendService
	history  = primitives.HistoryService
	matching = primitives.MatchingService

	clusterName = "active"
	disabled    = "disabled"
)

// services are the ones started. The fourth, Temporal's own worker, serves schedules, batch jobs, worker deployments and
// the scavengers of large clusters: nothing that runs here, for a fifth of the memory and of the start.
var services = []string{string(frontend), string(history), string(matching)}

// serverConfig is the static configuration. There is no metrics, pprof, HTTP API or gossip port.
func serverConfig(state *database, ports ports) *config.Config {
	return &config.Config{
		Global: config.Global{
			Membership: config.Membership{BroadcastAddress: loopback},
		},
		Persistence: config.Persistence{
			DefaultStore:     sqliteplugin.PluginName,
			VisibilityStore:  sqliteplugin.PluginName,
			NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{
				sqliteplugin.PluginName: {SQL: sqlConfig(state.path)},
			},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {
					Enabled:                true,
					InitialFailoverVersion: 1,
					RPCAddress:             ports.address(frontend),
					ClusterID:              state.record.ClusterID,
				},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: ports.address(frontend)},
		Services: map[string]config.Service{
			string(frontend): ports.service(frontend),
			string(history):  ports.service(history),
			string(matching): ports.service(matching),
		},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: disabled},
			Visibility: config.VisibilityArchival{State: disabled},
		},
		NamespaceDefaults: config.NamespaceDefaults{
			Archival: config.ArchivalNamespaceDefaults{
				History:    config.HistoryArchivalNamespaceDefaults{State: disabled},
				Visibility: config.VisibilityArchivalNamespaceDefaults{State: disabled},
			},
		},
	}
}

// sqlConfig opens the database as write-ahead log without an fsync a commit: a power cut may cost the last moments, which
// the journal has. More than one connection is slower and meets "database is locked".
func sqlConfig(path string) *config.SQL {
	return &config.SQL{
		PluginName: sqliteplugin.PluginName,
		// The plugin puts the name into a file: URI as it stands.
		DatabaseName: (&url.URL{Path: path}).EscapedPath(),
		MaxConns:     1,
		MaxIdleConns: 1,
		ConnectAttributes: map[string]string{
			"mode": "rwc",
			// With a leading underscore, as the driver spells its own options, these would be ignored.
			"journal_mode": "wal",
			"synchronous":  "1",
			"busy_timeout": "10000",
			// A burst may grow the log; it is cut back to 64 MiB after that.
			"journal_size_limit": "67108864",
		},
	}
}
