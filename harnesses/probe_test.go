package harnesses_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

const (
	ready = "  - {reply: {text: ready}}\n"
	fails = "  - {reply: {status: 401, error: {message: no such key}}}\n"
	// asksTwice makes two requests and ends its turn with how the second was answered.
	asksTwice = "echo ready; echo ask; read -r answer; echo ask; read -r answer; echo end $answer; read -r more\n"
)

// verdicts are a report's checks as "code status".
// The machine's confinement is TestAProbeSaysWhetherTheProgramIsConfined's.
func verdicts(report harnesses.Report) []string {
	list := make([]string, 0, len(report.Checks))
	for _, check := range report.Checks {
		if check.Code != "confinement" {
			list = append(list, check.Code+" "+check.Status)
		}
	}
	return list
}

func TestAProbeSaysWhetherTheProgramIsConfined(t *testing.T) {
	t.Parallel()
	report := probe(t, &driver{}, program(t, "1.2.3", asks), harnesses.Ask{})
	confined, why := process.Confinement()
	want := "the program reaches nothing but the server's proxy"
	if !confined {
		want = why
	}
	holds(t, "the check", message(report, "confinement"), want)
}

// orWarned is the status of a report on a machine that confines no program.
func orWarned(status string) string {
	if confined, _ := process.Confinement(); !confined && status == harnesses.Pass {
		return harnesses.Warn
	}
	return status
}

// message is what a report's check of a code says, with its hint.
func message(report harnesses.Report, code string) string {
	for _, check := range report.Checks {
		if check.Code == code {
			return check.Message + " | " + check.Hint
		}
	}
	return ""
}

func probe(t *testing.T, d *driver, path string, ask harnesses.Ask) harnesses.Report {
	t.Helper()
	before := time.Now().Add(-time.Second)
	report, err := harnesses.New(d.known(path)).Probe(t.Context(), "small", ask)
	if err != nil {
		t.Fatal(err)
	}
	if report.TestedAt.Before(before) || report.TestedAt.Location() != time.UTC {
		t.Errorf("tested at %s", report.TestedAt)
	}
	return report
}

func TestProbe(t *testing.T) {
	t.Parallel()
	quick := func(*harnesses.Ask) {}
	live := func(ask *harnesses.Ask) { ask.Live = true }
	for name, test := range map[string]struct {
		version, does, rules string
		change               func(*harnesses.Ask)
		status               string
		checks               []string
		says                 map[string][]string
		requests             int
	}{
		"quick": {
			"1.2.3", asks, ready, quick, "pass",
			[]string{"program pass", "version pass", "model pass", "protocol pass", "cleanup pass"},
			map[string][]string{"program": {"found at /"}, "version": {"1.2.3"}, "model": {"faux/faux-1 takes no key"}},
			0,
		},
		"quick, with a key": {
			"1.2.3", asks, ready, func(ask *harnesses.Ask) { ask.KeyName = "SMALL_API_KEY" }, "pass",
			[]string{"program pass", "version pass", "model pass", "protocol pass", "cleanup pass"},
			map[string][]string{"model": {"the key of model faux/faux-1 is set (SMALL_API_KEY)"}},
			0,
		},
		"quick, a version that was not tried": {
			"2.0.0", asks, ready, quick, "warn",
			[]string{"program pass", "version warn", "model pass", "protocol pass", "cleanup pass"},
			map[string][]string{"version": {"2.0.0 was not tried", "from 1.2.0 up to, but not 2.0.0"}},
			0,
		},
		"quick, no version": {
			"; exit 3", asks, ready, quick, "fail",
			[]string{"program pass", "version fail"},
			map[string][]string{"version": {"does not say its version", "exit status 3", "install the small program"}},
			0,
		},
		"quick, no key": {
			"1.2.3", asks, ready, func(ask *harnesses.Ask) { ask.Lacks = "SMALL_API_KEY is not set" }, "fail",
			[]string{"program pass", "version pass", "model fail", "protocol pass", "cleanup pass"},
			map[string][]string{"model": {"SMALL_API_KEY is not set", "lists the models that can answer"}},
			0,
		},
		"quick, it does not start": {
			"1.2.3", "exit 1\n", ready, quick, "fail",
			[]string{"program pass", "version pass", "model pass", "protocol fail", "cleanup pass"},
			map[string][]string{"protocol": {"it said nothing"}},
			0,
		},
		"quick, it asks for nothing": {
			"1.2.3", "echo ready; echo end; read -r more\n", ready, quick, "fail",
			[]string{"program pass", "version pass", "model pass", "protocol fail", "cleanup pass"},
			map[string][]string{"protocol": {"it ended its turn without a model request"}},
			0,
		},
		"quick, it ends first": {
			"1.2.3", "echo ready\n", ready, quick, "fail",
			[]string{"program pass", "version pass", "model pass", "protocol fail", "cleanup pass"},
			map[string][]string{"protocol": {"it ended: it has gone"}},
			0,
		},
		"live": {
			"1.2.3", asks, ready, live, "pass",
			[]string{"program pass", "version pass", "model pass", "protocol pass", "cleanup pass", "request pass"},
			map[string][]string{"request": {"the model answered"}},
			1,
		},
		"live, no key: nothing is sent": {
			"1.2.3", asks, ready, func(ask *harnesses.Ask) { ask.Live, ask.Lacks = true, "SMALL_API_KEY is not set" }, "fail",
			[]string{"program pass", "version pass", "model fail", "protocol pass", "cleanup pass"},
			nil, 0,
		},
		"live, a bad key": {
			"1.2.3", asks, fails, live, "fail",
			[]string{"program pass", "version pass", "model pass", "protocol pass", "cleanup pass", "request fail"},
			map[string][]string{"request": {"no such key", "check the key"}},
			1,
		},
		"live, the cap does not buy it: nothing is sent": {
			"1.2.3", asks, ready, func(ask *harnesses.Ask) { ask.Live, ask.Cap = true, run.Dollar/1_000_000 }, "fail",
			[]string{"program pass", "version pass", "model pass", "protocol pass", "cleanup pass", "request fail"},
			map[string][]string{"request": {"nothing is sent: one request needs up to 0.00", "the probe's cap of 0.000001"}},
			0,
		},
		"live, a model without a price": {
			"1.2.3", asks, ready, func(ask *harnesses.Ask) { ask.Live, ask.Model.Price = true, nil }, "fail",
			[]string{"program pass", "version pass", "model pass", "protocol pass", "cleanup pass", "request fail"},
			map[string][]string{"request": {"nothing is sent: the model has no known price"}},
			0,
		},
		"live, a second request is not sent": {
			"1.2.3", asksTwice, ready, live, "fail",
			[]string{"program pass", "version pass", "model pass", "protocol fail", "cleanup pass", "request pass"},
			map[string][]string{"protocol": {"refused a test makes one request"}},
			1,
		},
		"live, it asks for nothing": {
			"1.2.3", "echo ready; echo end; read -r more\n", ready, live, "fail",
			[]string{"program pass", "version pass", "model pass", "protocol pass", "cleanup pass", "request fail"},
			map[string][]string{"request": {"the program asked for no model"}},
			0,
		},
		"live, it ends after its answer": {
			"1.2.3", "echo ready; echo ask; read -r answer\n", ready, live, "fail",
			[]string{"program pass", "version pass", "model pass", "protocol fail", "cleanup pass", "request pass"},
			map[string][]string{"protocol": {"it ended: it has gone"}},
			1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, d := newGateway(t, test.rules), &driver{}
			ask := g.ask(models.APIResponses, false)
			test.change(&ask)
			report := probe(t, d, program(t, test.version, test.does), ask)
			if diff := cmp.Diff(test.checks, verdicts(report)); diff != "" || report.Status != orWarned(test.status) {
				t.Errorf("status %s, checks (-want +got):\n%s%+v", report.Status, diff, report.Checks)
			}
			for code, words := range test.says {
				holds(t, "the check "+code, message(report, code), words...)
			}
			sent := g.Requests()
			if len(sent) != test.requests {
				t.Errorf("%d requests were sent, want %d", len(sent), test.requests)
			}
			if paid := len(sent) == 1 && sent[0].Usage != nil && ask.Model.Price != nil; paid != (report.CostUSD != nil) || paid && *report.CostUSD <= 0 {
				t.Errorf("the cost is %v", report.CostUSD)
			}
			if left := d.folders(); len(left) > 0 {
				t.Errorf("folders left: %v", left)
			}
		})
	}
}

func TestAProbeOfAProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	report := probe(t, &driver{}, "/no/such/file", harnesses.Ask{Live: true})
	if diff := cmp.Diff([]string{"program fail"}, verdicts(report)); diff != "" || report.Status != harnesses.Fail {
		t.Errorf("status %s, checks %s", report.Status, diff)
	}
	holds(t, "the check", message(report, "program"), "/no/such/file, which is set by AGENTRUN_SMALL", "install the small program")
}

func TestAProbeOfAHarnessThatIsNotKnown(t *testing.T) {
	t.Parallel()
	_, err := harnesses.New().Probe(t.Context(), "other", harnesses.Ask{})
	if fault, is := errors.AsType[*run.Error](err); !is || fault.Code != run.ErrNotFound {
		t.Errorf("%v", err)
	}
}

// TestAProbeNamesWhatItLeaves: a clean-up that is not certain fails, says what is left, and removes nothing under it.
func TestAProbeNamesWhatItLeaves(t *testing.T) {
	t.Parallel()
	g := newGateway(t, ready)
	for name, does := range map[string]string{"after its turn": asks, "before it has begun": "exit 1\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &driver{kept: &process.LeftError{Left: []process.Stray{{PID: 4711, Program: "stubborn"}}}}
			report := probe(t, d, program(t, "1.2.3", does), g.ask(models.APIResponses, false))
			kept := d.folders()
			if len(kept) != 1 || report.Status != harnesses.Fail {
				t.Fatalf("status %s, kept %v", report.Status, kept)
			}
			defer func() { _ = os.RemoveAll(kept[0]) }()
			if got := verdicts(report); got[len(got)-1] != "cleanup fail" {
				t.Errorf("checks %v", got)
			}
			holds(t, "the check", message(report, "cleanup"), "not certain", "stubborn (process 4711)", kept[0]+" is kept")
		})
	}
}

// TestAProbeIsBounded: a program that hangs anywhere is ended with the time there is, and leaves nothing.
func TestAProbeIsBounded(t *testing.T) {
	t.Parallel()
	const hangs = "exec sleep 1000\n"
	for name, test := range map[string]struct {
		text, rules string
		live        bool
		check, says string
	}{
		"saying its version":     {"#!/bin/sh\n" + hangs, ready, false, "version fail", "does not say its version"},
		"at its start":           {says + hangs, ready, false, "protocol fail", "it said nothing: context deadline exceeded"},
		"before it asks":         {says + "echo ready\n" + hangs, ready, false, "protocol fail", "no model request in time"},
		"live, before it asks":   {says + "echo ready\n" + hangs, ready, true, "protocol fail", "no answer in time"},
		"live, after its answer": {says + "echo ready; echo ask; read -r answer\n" + hangs, ready, true, "protocol fail", "no answer in time"},
		"live, the model hangs":  {says + asks, "  - {reply: {delay: 60s, text: late}}\n", true, "request fail", "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, d := newGateway(t, test.rules), &driver{}
			path := filepath.Join(t.TempDir(), "program")
			write(t, path, strings.Replace(test.text, "%s", "1.2.3", 1))
			bound, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			began := time.Now()
			report, err := harnesses.New(d.known(path)).Probe(bound, "small", g.ask(models.APIResponses, test.live))
			if took := time.Since(began); err != nil || took > 15*time.Second {
				t.Errorf("%v after %s", err, took)
			}
			got := strings.Join(verdicts(report), ", ")
			holds(t, "the report", got, test.check)
			code, _, _ := strings.Cut(test.check, " ")
			holds(t, "the check", message(report, code), test.says)
			started := test.check != "version fail"
			if left := d.folders(); len(left) > 0 || strings.Contains(got, "cleanup pass") != started || report.Status != harnesses.Fail {
				t.Errorf("status %s, %s, folders left: %v", report.Status, got, left)
			}
		})
	}
}

// TestAProbeOfTheServersOwnLoop has no program to find; the rest is the same.
func TestAProbeOfTheServersOwnLoop(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rules    string
		change   func(*harnesses.Ask)
		checks   []string
		requests int
	}{
		"quick":         {ready, func(*harnesses.Ask) {}, []string{"program pass", "model pass"}, 0},
		"live":          {ready, func(ask *harnesses.Ask) { ask.Live = true }, []string{"program pass", "model pass", "request pass"}, 1},
		"live, bad key": {fails, func(ask *harnesses.Ask) { ask.Live = true }, []string{"program pass", "model pass", "request fail"}, 1},
		"live, the cap": {ready, func(ask *harnesses.Ask) { ask.Live, ask.Cap = true, 1 }, []string{"program pass", "model pass", "request fail"}, 0},
		"live, no key":  {ready, func(ask *harnesses.Ask) { ask.Live, ask.Lacks = true, "no key" }, []string{"program pass", "model fail"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, test.rules)
			ask := g.ask(models.APIResponses, false)
			test.change(&ask)
			report, err := harnesses.New().Probe(t.Context(), harnesses.Pi, ask)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.checks, verdicts(report)); diff != "" || len(g.Requests()) != test.requests {
				t.Errorf("%d requests, checks (-want +got):\n%s%+v", len(g.Requests()), diff, report.Checks)
			}
			if paid := name == "live"; paid != (report.CostUSD != nil) {
				t.Errorf("the cost is %v", report.CostUSD)
			}
		})
	}
}
