package main

import (
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// cli is the grammar: one field a command, each in the file of its name.
type cli struct {
	Serve  serveCmd  `cmd:"" help:"Start a server: the API, the engine, the record and its workers."`
	Worker workerCmd `cmd:"" help:"The worker role; a server starts its own."`
	Faux   fauxCmd   `cmd:"" help:"The scripted model gateway, to test agents without a model."`
	Demo   demoCmd   `cmd:"" help:"Show the product in half a minute: no key, no network."`
	Run    runCmd    `cmd:"" help:"Ask an agent, watch it work and print its answer."`
	Agents agentsCmd `cmd:"" help:"Make, change and list agents."`
	Runs   runsCmd   `cmd:"" help:"List runs, read them and steer them."`

	Workflow workflowCmd `cmd:"" help:"Write, check and test workflow documents; no server needed."`

	Version kong.VersionFlag `help:"Print the version and quit."`
}

// version is set by the build (make build); a plain go build has the module's version instead.
var version string

func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
