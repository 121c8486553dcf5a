// Command agentrun is the whole product in one binary: a server that keeps agents and their runs, its workers, and the
// command line that talks to it. This package owns flags and wiring; what a command does lives in the packages below.
package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/agentrun/agentrun/run"
)

func main() { os.Exit(execute(os.Args[1:])) }

// execute runs one command line and gives the exit code: 0, 1 for any failure, or what a command says with an
// exitError. The first interrupt cancels the command's context, a second one ends the process at once.
func execute(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	term := &terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	parser, err := newParser(&cli{}, term)
	if err != nil {
		return report(term, err)
	}
	command, err := parser.Parse(args)
	if err != nil {
		return report(term, usageError(err))
	}
	command.BindTo(ctx, (*context.Context)(nil))
	command.Bind(term)
	return report(term, command.Run())
}

// newParser builds the grammar's parser.
func newParser(grammar *cli, term *terminal) (*kong.Kong, error) {
	return kong.New(grammar,
		kong.Name("agentrun"),
		kong.Description("Agent runs that outlive crashes, pay once and stop before their cap."),
		kong.Writers(term.out, term.err),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{"version": versionText(), "statuses": statuses()},
	)
}

func statuses() string {
	all := run.Statuses()
	names := make([]string, 0, len(all))
	for _, status := range all {
		names = append(names, string(status))
	}
	return strings.Join(names, ", ")
}
