package harnesses

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
)

// Verdicts of a check and of a whole probe.
const (
	Pass = "pass"
	Warn = "warn"
	Fail = "fail"
)

// Check is one thing that a probe looked at. Code is stable; Hint says what to do.
type Check struct {
	Code    string
	Status  string
	Message string
	Hint    string
}

// Report is what a probe found. CostUSD is nil where nothing was sent, or nobody knows what it cost.
type Report struct {
	Status   string
	Checks   []Check
	TestedAt time.Time
	CostUSD  *run.USD
}

// Ask says what to try a harness with. Model makes one request where Live is set; Key says that the model's key is there
// ("": it needs none), and KeyName what it is called.
type Ask struct {
	Live    bool
	Model   run.Model
	BaseURL string
	APIKey  string
	KeyName string
	// Lacks says why the model cannot be used, "" where it can.
	Lacks string
	// Client makes the request; Cap bounds what it may cost, where the model has a price.
	Client *models.Client
	Cap    run.USD
}

// probeWait bounds a probe, its clean-up left out.
const probeWait = 60 * time.Second

// Probe tries a harness: its program, version, protocol and key, and with Live one smallest request under the cap. It
// runs in a private folder and says of its own clean-up whether it is certain.
func (r *Registry) Probe(ctx context.Context, id string, ask Ask) (Report, error) {
	report := Report{TestedAt: time.Now().UTC()}
	bound, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	if id == Pi {
		report.add(Check{Code: "program", Status: Pass, Message: "the server's own loop: there is no program to find"})
		report.key(ask)
		if ask.Live && report.Status != Fail {
			report.direct(bound, ask)
		}
		return report, nil
	}
	p, known := r.Program(id)
	if !known {
		return report, run.Errorf(run.ErrNotFound, "there is no harness %q", id)
	}
	path, lacking := p.Find()
	if lacking != "" {
		report.add(Check{Code: "program", Status: Fail, Message: lacking, Hint: p.Install})
		return report, nil
	}
	report.add(Check{Code: "program", Status: Pass, Message: "found at " + path})
	if !report.version(bound, p, path) {
		return report, nil // it is not the program, or does not answer: it is not started
	}
	report.key(ask)
	report.confinement()
	if ask.Live && report.Status != Fail {
		report.live(bound, p, path, ask)
	} else {
		report.protocol(p.greet(bound, path))
	}
	return report, nil
}

func (r *Report) add(check Check) {
	r.Checks = append(r.Checks, check)
	if r.Status == "" || check.Status == Fail || check.Status == Warn && r.Status == Pass {
		r.Status = check.Status
	}
}

// version notes the program's version, and is false where it says none.
func (r *Report) version(ctx context.Context, p Program, path string) bool {
	version, err := p.version(ctx, path)
	switch {
	case err != nil:
		r.add(Check{Code: "version", Status: Fail, Message: "the program does not say its version: " + err.Error(), Hint: p.Install})
	case !p.tried(version):
		r.add(Check{
			Code: "version", Status: Warn, Message: fmt.Sprintf("version %s was not tried with this build", version),
			Hint: fmt.Sprintf("versions from %s up to, but not %s, were tried", p.From, p.Below),
		})
	default:
		r.add(Check{Code: "version", Status: Pass, Message: "version " + version})
	}
	return err == nil
}

// confinement warns where the program has more networks than its proxy's.
func (r *Report) confinement() {
	if ok, why := process.Confinement(); ok {
		r.add(Check{Code: "confinement", Status: Pass, Message: "the program reaches nothing but the server's proxy"})
	} else {
		r.add(Check{
			Code: "confinement", Status: Warn, Message: "the program is not confined: " + why,
			Hint: "let this user make user and network namespaces",
		})
	}
}

func (r *Report) key(ask Ask) {
	switch {
	case ask.Lacks != "":
		r.add(Check{Code: "model", Status: Fail, Message: ask.Lacks, Hint: "GET /v2/harnesses/{id}/models lists the models that can answer, and what a model lacks"})
	case ask.KeyName == "":
		r.add(Check{Code: "model", Status: Pass, Message: "model " + ask.Model.ID + " takes no key"})
	default:
		r.add(Check{Code: "model", Status: Pass, Message: "the key of model " + ask.Model.ID + " is set (" + ask.KeyName + ")"})
	}
}

// protocol notes how a session went, and whether anything of it stays.
func (r *Report) protocol(err, left error) {
	if err == nil {
		r.add(Check{Code: "protocol", Status: Pass, Message: "the program starts, and asks for a model as it should"})
	} else {
		r.add(Check{Code: "protocol", Status: Fail, Message: err.Error(), Hint: "docs/harnesses.md says what the program needs"})
	}
	if left == nil {
		r.add(Check{Code: "cleanup", Status: Pass, Message: "nothing of the session is left"})
		return
	}
	r.add(Check{
		Code: "cleanup", Status: Fail, Message: "it is not certain that nothing is left: " + left.Error(),
		Hint: "end and remove what is named",
	})
}

// live has the program make one smallest request.
func (r *Report) live(ctx context.Context, p Program, path string, ask Ask) {
	host := &liveHost{ask: ask, ended: make(chan string, 1)}
	err, left := p.open(ctx, path, ask.Model, host, func(s cli.Session) error {
		select {
		case fault := <-host.ended:
			return turnFault(fault)
		case <-s.Done():
			select {
			case fault := <-host.ended: // its turn was over before
				return turnFault(fault)
			default:
				return fmt.Errorf("it ended: %w", s.Err())
			}
		case <-ctx.Done():
			return errors.New("it came to no answer in time")
		}
	})
	cost, refused := host.result()
	if refused != nil && host.asked() {
		err = nil // the program did its part: it asked, and was told no
	}
	r.protocol(err, left)
	r.spent(cost, refused)
}

func turnFault(fault string) error {
	if fault == "" {
		return nil
	}
	return errors.New(fault)
}

// direct makes one smallest request of the server's own.
func (r *Report) direct(ctx context.Context, ask Ask) {
	host := &liveHost{ask: ask}
	_, err := host.send(ctx, models.Request{
		Model: ask.Model, Instructions: "Answer with one word.",
		Messages: []models.Message{{Role: models.RoleUser, Text: "Say: ready."}},
	})
	r.spent(host.cost, err)
}

func (r *Report) spent(cost *run.USD, err error) {
	r.CostUSD = cost
	if err != nil {
		r.add(Check{Code: "request", Status: Fail, Message: err.Error(), Hint: "check the key, the address and the model's name"})
		return
	}
	r.add(Check{Code: "request", Status: Pass, Message: "the model answered"})
}

// probeOutput is the output ceiling of a probe's request (tokens).
const probeOutput = 1024

// send makes the one request that the cap buys.
func (h *liveHost) send(ctx context.Context, request models.Request) (models.Answer, error) {
	request.BaseURL, request.APIKey = h.ask.BaseURL, h.ask.APIKey
	quote := budget.QuoteFor(h.ask.Model, models.InputBound(request), probeOutput)
	switch grant := budget.Gate(&h.ask.Cap, budget.Ledger{}, quote); grant.Decision {
	case budget.Impossible:
		return models.Answer{}, fmt.Errorf("nothing is sent: %s, so no cap can hold its cost; models.json can say it", grant.Why)
	case budget.Refuse:
		return models.Answer{}, fmt.Errorf("nothing is sent: one request needs up to %s USD, more than the probe's cap of %s",
			grant.Needs, h.ask.Cap)
	default:
		request.MaxOutput = grant.Ceiling
	}
	answer, err := h.ask.Client.Do(ctx, request, nil)
	if price := h.ask.Model.Price; err == nil && price != nil && !answer.NoUsage {
		cost := price.Cost(answer.Usage)
		h.cost = &cost
	}
	return answer, err
}
