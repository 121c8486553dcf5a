package models_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

const judgeID = "typesafe/jev-latest"

func TestTheJudgeNeedsItsKey(t *testing.T) {
	t.Parallel()
	key := has("TYPESAFE_API_KEY")
	builtIn := run.Model{
		ID: judgeID, Name: "jev-latest", Provider: "typesafe", API: models.APIJev, NoOutputLimit: true, Source: "built-in",
	}
	priced := builtIn
	priced.Source, priced.MaxOutput = "models.json", 4096
	priced.Price = &run.Price{
		Input: usd(t, "0.042"), CacheRead: usd(t, "0.042"), CacheWrite: usd(t, "0.042"), Output: usd(t, "0"),
	}
	own := builtIn
	for name, test := range map[string]struct {
		file string
		env  models.Env
		want *run.Model
		at   models.Endpoint
	}{
		"no key":              {},
		"a key":               {env: models.Env{Has: key}, want: &builtIn, at: models.Endpoint{BaseURL: "https://api.typesafe.ai", KeyName: "TYPESAFE_API_KEY"}},
		"a key for others":    {env: models.Env{Has: has("AGENT_MODEL_API_KEY")}},
		"an address":          {env: models.Env{Has: key, TypeSafeBaseURL: "http://gateway/jev/v1/"}, want: &builtIn, at: models.Endpoint{BaseURL: "http://gateway/jev", KeyName: "TYPESAFE_API_KEY"}},
		"prices of the owner": {file: `{"models": [{"id": "typesafe/jev-latest", "prices": {"input": 0.042, "output": 0}, "max_output": 4096}]}`, env: models.Env{Has: key}, want: &priced, at: models.Endpoint{BaseURL: "https://api.typesafe.ai", KeyName: "TYPESAFE_API_KEY"}},
		"a server of one's own, without a key": {
			file: `{"providers": [{"name": "typesafe", "api": "jev", "base_url": "http://localhost:9000"}]}`,
			want: &own, at: models.Endpoint{BaseURL: "http://localhost:9000"},
		},
		"another protocol": {file: `{"models": [{"id": "typesafe/jev-latest", "api": "chat"}]}`, env: models.Env{Has: key}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := load(t, test.file, test.env)
			judge, ok := c.Judge()
			if ok != (test.want != nil) {
				t.Fatalf("a judge: %v, %+v", ok, judge)
			}
			if !ok {
				return
			}
			if diff := cmp.Diff(*test.want, judge); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if at, err := c.EndpointOf(judge); err != nil || at != test.at {
				t.Errorf("it is at %+v, %v", at, err)
			}
		})
	}
}

func TestAJudgeIsNoModelForAgents(t *testing.T) {
	t.Parallel()
	const file = `{"providers": [{"name": "own", "api": "jev", "base_url": "http://localhost:9000"}]}`
	c := load(t, file, models.Env{Has: has("TYPESAFE_API_KEY")})
	for _, id := range []string{judgeID, "own/jev"} {
		available, reason := c.Available(resolve(t, c, id))
		if available || reason != id+" is a judge, not a model for agents" {
			t.Errorf("%s: %v, %q", id, available, reason)
		}
	}
	if _, ok := c.Default(); ok {
		t.Error("somebody is the default model")
	}
	if _, err := c.Resolve("typesafe/jev-lastest"); err == nil || strings.Contains(err.Error(), judgeID) {
		t.Errorf("a name that comes near: %v", err)
	}
	path := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(path, []byte(`{"default": "typesafe/jev-latest"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := models.Load(models.LoadOptions{ModelsFile: path})
	if run.CodeOf(err) != run.ErrInvalid || !strings.Contains(err.Error(), "is a judge, not a model for agents") {
		t.Errorf("a judge as the default model: %v", err)
	}
}

func TestAScriptHasNoJudge(t *testing.T) {
	t.Parallel()
	c, err := models.Load(models.LoadOptions{
		FauxURL: "http://127.0.0.1:1", Env: models.Env{Has: has("TYPESAFE_API_KEY")},
		Faux: []run.Model{{ID: judgeID, Provider: "faux", API: models.APIJev}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if judge, ok := c.Judge(); ok {
		t.Errorf("the judge is %+v", judge)
	}
}

func TestTheJudgesAddressIsChecked(t *testing.T) {
	t.Parallel()
	_, err := models.Load(models.LoadOptions{Env: models.Env{TypeSafeBaseURL: "api.typesafe.ai"}})
	if run.CodeOf(err) != run.ErrInvalid || !strings.Contains(err.Error(), "TYPESAFE_BASE_URL") {
		t.Errorf("got %v", err)
	}
}
