package harnesses

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/run"
)

// greet starts a program, lets it come up to its first model request, refuses that, and ends it: it tells whether the
// program speaks its protocol. Nothing is sent to any model.
func (p Program) greet(ctx context.Context, path string) (err, left error) {
	mute := &muteHost{asked: make(chan struct{}, 1), ended: make(chan struct{}, 1)}
	return p.open(ctx, path, run.Model{ID: "none/none", Name: "none", API: p.APIs[0], MaxOutput: 1024}, mute, func(s cli.Session) error {
		select {
		case <-mute.asked:
			return nil
		case <-mute.ended:
			return mute.unless(errors.New("it ended its turn without a model request"))
		case <-s.Done():
			return mute.unless(fmt.Errorf("it ended: %w", s.Err()))
		case <-ctx.Done():
			return errors.New("it made no model request in time")
		}
	})
}

// open starts a program in a private folder for as long as use takes. left is what keeps it from being certain that
// nothing of it stays; the folder is then kept, since what is left may still use it.
func (p Program) open(
	ctx context.Context, path string, model run.Model, host cli.Host, use func(cli.Session) error,
) (err, left error) {
	dir, err := os.MkdirTemp(p.Dir, "test-")
	if err != nil {
		return fmt.Errorf("a private folder: %w", err), nil
	}
	defer func() {
		if left != nil {
			left = fmt.Errorf("%w; its private folder %s is kept", left, dir)
			return
		}
		left = os.RemoveAll(dir)
	}()
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return fmt.Errorf("a private folder: %w", err), nil
	}
	confine, _ := process.Confinement()
	session, err := p.Driver.Open(ctx, cli.Spec{
		Program: path, Dir: home, Marker: "test/" + rand.Text(), Confine: confine, Model: model,
		Instructions: "Answer with one word.", Say: "Say: ready.",
	}, host)
	if err != nil {
		if still, is := errors.AsType[*process.LeftError](err); is {
			return err, still
		}
		return err, nil
	}
	err = use(session)
	return err, session.Close()
}

// muteHost refuses everything and notes that it was asked.
type muteHost struct{ asked, ended chan struct{} }

// unless is the fault, and nil where the program had asked before it came to it: both may be heard at once.
func (m *muteHost) unless(fault error) error {
	select {
	case <-m.asked:
		return nil
	default:
		return fault
	}
}

func (m *muteHost) Ask(context.Context, cli.Ask) (cli.Answer, error) {
	noted(m.asked)
	return cli.Answer{}, &cli.Refused{Code: "test", Message: "this was a test of the program: nothing is sent"}
}

func (m *muteHost) Call(context.Context, cli.Call) (cli.Result, error) {
	return cli.Result{}, errors.New("there are no tools here")
}

func (m *muteHost) TurnEnded(string) { noted(m.ended) }

func noted(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}
