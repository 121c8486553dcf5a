package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/agentrun/agentrun/api"
	"github.com/agentrun/agentrun/harnesses"
	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/tools"
)

// workerGrace is how long a server may be without any worker before its health says so: one starts within a second.
const workerGrace = 10 * time.Second

// listen opens the server's own address, last of all: whoever reaches it finds everything behind it.
func (s *server) listen(ctx context.Context) error {
	address := net.JoinHostPort(s.flags.Host, strconv.Itoa(s.flags.Port))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w (another --port may be free; 0 takes any)", address, err)
	}
	port := listener.Addr().(*net.TCPAddr).Port //nolint:forcetypeassert // a TCP listener's
	s.url = "http://" + net.JoinHostPort(s.flags.Host, strconv.Itoa(port))
	face, err := api.New(api.Options{
		Store: s.store, Models: offered{s}, Files: api.NewRunFiles(s.data.workDir, places.Options{}),
		Driver: driver{s}, Deltas: s.feed, Capabilities: s.capabilities(), Harnesses: probes{s}, Engine: s.engineHealth,
		Token: s.token, Loopback: loopback(s.flags.Host), Hosts: s.hosts(),
		Mounts: []api.Mount{{Prefix: uiPath, Handler: s.engine.UI()}},
		Limits: api.Limits{BodyBytes: s.flags.MaxBody}, Log: s.log,
	})
	if err != nil {
		_ = listener.Close()
		return err
	}
	server := api.Listener(face, s.log)
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	s.background.Go(func() error {
		err := ignoreClosed(server.Serve(listener))
		if err != nil {
			s.failed <- err
		}
		return err
	})
	s.onStop(func(ctx context.Context) error {
		face.Close() // live timelines end by themselves no more than this
		brief, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		if err := server.Shutdown(brief); errors.Is(err, context.DeadlineExceeded) {
			return server.Close()
		}
		return nil
	})
	return nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (s *server) hosts() []string {
	hosts := s.flags.AllowHost
	if s.flags.PublicURL != "" {
		hosts = append(hosts, s.flags.PublicURL)
	}
	return hosts
}

func (s *server) engineHealth() string {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.engine.Check(ctx); err != nil {
		return err.Error()
	}
	if silent := s.workerless(); silent > workerGrace {
		return fmt.Sprintf("no worker has been running for %s; the log says why", silent.Round(time.Second))
	}
	return "ok"
}

// level is the log level that workers take over.
func (s *server) level() slog.Level {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.flags.LogLevel)) // the grammar allows only levels
	return level
}

// capabilities says what this server has; but for the programs of its harnesses it does not change while it runs.
func (s *server) capabilities() func() api.Capabilities {
	offers := api.Capabilities{
		Version: versionText(),
		Models:  api.ModelSource{Source: s.catalogue.Source(), Count: s.catalogue.Count()},
		Places:  []api.PlaceOffer{{Mode: run.PlaceRunner, Available: true}},
		Features: map[string]bool{
			"follow_up": true, "pause": true, "stop": true, "structured_output": true, "temporal_ui": true,
			"token_deltas": true, "workflows": true,
		},
		Limits: api.ServerLimits{MaxConcurrentRuns: s.flags.MaxRuns},
	}
	if model, ok := s.catalogue.Default(); ok {
		offers.Models.Default = model.ID
	}
	every := []string{harnesses.Pi}
	for _, program := range s.harnesses.Programs() {
		every = append(every, program.ID)
	}
	for _, tool := range tools.Table() {
		offers.Tools = append(offers.Tools, api.Tool{
			Name: tool.Name, Available: true, Harnesses: every, Replay: tool.Replay,
		})
	}
	offers.Tools = append(offers.Tools, api.Tool{
		Name: "bash", Missing: []string{"a sandbox place"}, Places: []string{run.PlaceSandbox}, Replay: run.ReplayNever,
	})
	for _, box := range []string{"docker", "bwrap", "daytona"} {
		offers.Places = append(offers.Places, api.PlaceOffer{
			Mode: run.PlaceSandbox, Box: box, Reason: "this version runs nothing in boxes",
		})
	}
	return func() api.Capabilities {
		now := offers
		for _, state := range s.harnesses.States(context.Background()) {
			now.Harnesses = append(now.Harnesses, harnessOffer(state))
		}
		return now
	}
}

func harnessOffer(state harnesses.State) api.Harness {
	offer := api.Harness{
		ID: state.ID, Available: state.Available, Reason: state.Reason, Warning: state.Warning, Program: state.Path,
		Version: state.Version, ConfinedReason: state.ConfinedReason, SupportedRunners: state.SupportedRunners,
		DefaultRunner: state.DefaultRunner, ModelAPIs: state.APIs,
	}
	if state.Path != "" {
		offer.Confined = &state.Confined
	}
	return offer
}

// offered is the catalogue as the API sees it.
type offered struct{ *server }

// Model implements api.Catalogue.
func (o offered) Model(id string) (run.Model, run.Offer, bool) {
	model, err := o.catalogue.Resolve(id)
	if err != nil {
		return model, run.Offer{}, false
	}
	available, reason := o.catalogue.Available(model)
	return model, run.Offer{Available: available, Reason: reason}, true
}

// List implements api.Catalogue.
func (o offered) List() []run.Model { return o.catalogue.List() }

// Judge implements api.Catalogue.
func (o offered) Judge() (run.Model, bool) { return o.catalogue.Judge() }

// driver passes on what people ask of runs. The store's own hook has queued what can go on.
type driver struct{ *server }

// Nudge implements api.Driver.
func (d driver) Nudge(runID string, kind run.RowType) {
	r, err := d.store.Run(context.Background(), runID)
	if err != nil {
		d.log.Warn("a run could not be nudged; its worker sees the row at its next step", "run", runID, "error", err)
		return
	}
	d.nudge(r, kind)
}

// Dispatch implements api.Driver.
func (driver) Dispatch() {}
