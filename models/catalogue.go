package models

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// Env is what the environment says of models (contract §4). The keys' values are not part of it.
type Env struct {
	// BaseURL, Model and API are AGENT_MODEL_BASE_URL, AGENT_MODEL and AGENT_MODEL_API ("responses" or "chat").
	BaseURL string
	Model   string
	API     string
	// AnthropicBaseURL is ANTHROPIC_BASE_URL.
	AnthropicBaseURL string
	// TypeSafeBaseURL is TYPESAFE_BASE_URL.
	TypeSafeBaseURL string
	// Has tells whether a secret is set.
	Has func(name string) bool
}

// The secrets of the built-in providers.
const (
	keyOpenAI    = "AGENT_MODEL_API_KEY"
	keyAnthropic = "ANTHROPIC_API_KEY"
)

// The built-in providers and their public addresses.
const (
	providerOpenAI    = "openai"
	providerAnthropic = "anthropic"
	providerFaux      = "faux"

	urlOpenAI    = "https://api.openai.com/v1"
	urlAnthropic = "https://api.anthropic.com"
)

// unlisted is the source of a model that is known by its name alone.
const unlisted = "unlisted"

// LoadOptions say what a catalogue is made of.
type LoadOptions struct {
	// ModelsFile is the owner's models.json; it need not be there.
	ModelsFile string
	Env        Env
	// Faux are the scripted gateway's models and FauxURL is its address: with it, every model is one of them.
	Faux    []run.Model
	FauxURL string
}

// Endpoint is where a provider is reached. KeyName names its secret ("": it takes none).
type Endpoint struct {
	BaseURL string
	KeyName string
}

// supplier is one provider of models.
type supplier struct {
	name    string
	api     string
	baseURL string
	key     string
	// custom providers take models that nobody listed, by their name alone.
	custom bool
}

// Catalogue knows every model of a server, its price and limits, and where it is reached. It never changes once loaded.
type Catalogue struct {
	env       Env
	source    string
	providers map[string]supplier
	models    map[string]run.Model
	preferred string
	faux      []run.Model
}

// Load makes the catalogue: the built-in prices, the environment, the owner's file over both; or the scripted gateway's
// models alone. A models.json with faults is refused whole, as a *run.Error with its issues.
func Load(options LoadOptions) (*Catalogue, error) {
	if options.Env.Has == nil {
		options.Env.Has = func(string) bool { return false }
	}
	c := &Catalogue{
		env: options.Env, providers: map[string]supplier{}, models: map[string]run.Model{}, faux: options.Faux,
	}
	if options.FauxURL != "" {
		c.loadFaux(options.FauxURL)
		return c, nil
	}
	if err := c.loadEnvironment(); err != nil {
		return nil, err
	}
	c.loadBuiltIn()
	c.loadJudge()
	c.preferEnvironment()
	file, err := readModelsFile(options.ModelsFile)
	if err != nil {
		return nil, err
	}
	c.merge(file)
	if err := c.checkDefault(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Catalogue) loadFaux(url string) {
	c.source = "faux"
	c.providers[providerFaux] = supplier{name: providerFaux, baseURL: url}
	for _, model := range c.faux {
		c.models[model.ID] = model
	}
	if len(c.faux) > 0 {
		c.preferred = c.faux[0].ID
	}
}

// loadEnvironment sets up the built-in providers and the default model.
func (c *Catalogue) loadEnvironment() error {
	api := cmp.Or(c.env.API, APIResponses)
	if api != APIResponses && api != APIChat {
		return run.Errorf(run.ErrInvalid, "AGENT_MODEL_API is %q; it must be %q or %q", api, APIResponses, APIChat)
	}
	for name, address := range map[string]string{
		"AGENT_MODEL_BASE_URL": c.env.BaseURL, "ANTHROPIC_BASE_URL": c.env.AnthropicBaseURL,
		"TYPESAFE_BASE_URL": c.env.TypeSafeBaseURL,
	} {
		if address != "" && !webAddress(address) {
			return run.Errorf(run.ErrInvalid, "%s is not an http or https URL", name)
		}
	}
	openai := supplier{
		name: providerOpenAI, api: api, baseURL: cmp.Or(strings.TrimSuffix(c.env.BaseURL, "/"), urlOpenAI),
		custom: c.env.BaseURL != "",
	}
	// A server of one's own may take no key; OpenAI's does.
	if c.env.Has(keyOpenAI) || !openai.custom {
		openai.key = keyOpenAI
	}
	c.providers[providerOpenAI] = openai
	c.providers[providerAnthropic] = supplier{
		name: providerAnthropic, api: APIMessages, key: keyAnthropic,
		baseURL: cmp.Or(strings.TrimSuffix(strings.TrimSuffix(c.env.AnthropicBaseURL, "/"), "/v1"), urlAnthropic),
	}
	c.source = "catalogue"
	if c.env.BaseURL != "" || c.env.Model != "" {
		c.source = "environment"
	}
	return nil
}

// preferEnvironment makes AGENT_MODEL the default model. A server of one's own is sent the name as it was written, for
// gateways name models "openai/…" and "anthropic/…" themselves; the figures of a model known by that name are kept.
func (c *Catalogue) preferEnvironment() {
	name, own := c.env.Model, c.providers[providerOpenAI]
	if name == "" {
		return
	}
	short := strings.TrimPrefix(name, providerOpenAI+"/")
	c.preferred = providerOpenAI + "/" + short
	if !own.custom {
		if strings.HasPrefix(name, providerAnthropic+"/") {
			c.preferred = name
		}
		return
	}
	model, listed := c.models[c.preferred]
	if !listed {
		model, listed = c.models[providerAnthropic+"/"+strings.TrimPrefix(name, providerAnthropic+"/")]
	}
	if !listed {
		model.Source = unlisted
	}
	model.ID, model.Name, model.Provider, model.API = c.preferred, name, own.name, own.api
	c.models[c.preferred] = model
}

// Resolve is the model with the id "provider/name"; "" is the host's default. One that nobody knows is refused with the
// ids that come near.
func (c *Catalogue) Resolve(id string) (run.Model, error) {
	if c.source == providerFaux {
		return c.resolveFaux(id)
	}
	if id == "" {
		if c.preferred == "" {
			return run.Model{}, run.Errorf(run.ErrNotFound,
				"the definition names no model and this server has no default one: set AGENT_MODEL, or name a model")
		}
		id = c.preferred
	}
	if model, ok := c.models[id]; ok {
		return model, nil
	}
	name, rest, _ := strings.Cut(id, "/")
	if p, ok := c.providers[name]; ok && rest != "" && (p.custom || id == c.preferred) {
		return run.Model{ID: id, Name: rest, Provider: name, API: p.api, Source: unlisted}, nil
	}
	return run.Model{}, run.Errorf(run.ErrNotFound, "no model is named %q%s", id, c.near(id))
}

// resolveFaux points every model at the scripted gateway: its own by id, any other at its first.
func (c *Catalogue) resolveFaux(id string) (run.Model, error) {
	if model, ok := c.models[id]; ok {
		return model, nil
	}
	if len(c.faux) == 0 {
		return run.Model{}, run.Errorf(run.ErrNotFound, "the script has no model")
	}
	return c.faux[0], nil
}

// Endpoint is where a provider is reached.
func (c *Catalogue) Endpoint(name string) (Endpoint, error) {
	if c.source == providerFaux {
		// A run that was made with a real model goes on with the script: that is what the flag asks for.
		name = providerFaux
	}
	p, ok := c.providers[name]
	if !ok {
		return Endpoint{}, run.Errorf(run.ErrUnavailable, "this server has no provider named %q any more", name)
	}
	return Endpoint{BaseURL: p.baseURL, KeyName: p.key}, nil
}

// EndpointOf is where a model is reached: the scripted gateway's address depends on the model's protocol.
func (c *Catalogue) EndpointOf(model run.Model) (Endpoint, error) {
	endpoint, err := c.Endpoint(model.Provider)
	if err == nil && c.source == providerFaux && model.API != APIMessages {
		endpoint.BaseURL += "/v1"
	}
	return endpoint, err
}

// Default is the model of definitions that name none.
func (c *Catalogue) Default() (run.Model, bool) {
	model, err := c.Resolve("")
	return model, err == nil
}

// Source says where the models come from: "faux", "environment", "models.json" or "catalogue".
func (c *Catalogue) Source() string { return c.source }

// Count is how many models are listed.
func (c *Catalogue) Count() int { return len(c.models) }

// List is every listed model, by id.
func (c *Catalogue) List() []run.Model {
	list := make([]run.Model, 0, len(c.models))
	for _, model := range c.models {
		list = append(list, model)
	}
	slices.SortFunc(list, func(a, b run.Model) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// Available tells whether an agent can use a model now, and if not, why.
func (c *Catalogue) Available(model run.Model) (available bool, reason string) {
	reason = c.lacks(model)
	if isJudge(model) {
		reason = refusal(model)
	}
	return reason == "", reason
}

// lacks says what a model cannot be reached without, or "".
func (c *Catalogue) lacks(model run.Model) string {
	endpoint, err := c.Endpoint(model.Provider)
	if err != nil {
		return err.Error()
	}
	if endpoint.KeyName != "" && !c.env.Has(endpoint.KeyName) {
		return endpoint.KeyName + " is not set"
	}
	return ""
}
