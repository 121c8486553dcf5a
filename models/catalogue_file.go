package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// maxModelsFile bounds models.json.
const maxModelsFile = 1 << 20

// modelsFile is the owner's models.json (docs/models.md).
type modelsFile struct {
	Default   string          `json:"default"`
	Providers []providerEntry `json:"providers"`
	Models    []modelEntry    `json:"models"`
}

type providerEntry struct {
	Name    string `json:"name"`
	API     string `json:"api"`
	BaseURL string `json:"base_url"`
	KeyEnv  string `json:"key_env"`
}

type modelEntry struct {
	ID            string      `json:"id"`
	API           string      `json:"api"`
	Prices        *priceEntry `json:"prices"`
	ContextWindow int64       `json:"context_window"`
	MaxOutput     int64       `json:"max_output"`
	MinOutput     int64       `json:"min_output"`
	NoOutputLimit bool        `json:"no_output_limit"`
	Reasoning     *bool       `json:"reasoning"`
	Efforts       []string    `json:"efforts"`
}

// priceEntry is in USD per million tokens.
type priceEntry struct {
	Input      *run.USD `json:"input"`
	CacheRead  *run.USD `json:"cache_read"`
	CacheWrite *run.USD `json:"cache_write"`
	Output     *run.USD `json:"output"`
}

// fault says what is wrong with the prices, or "".
func (p priceEntry) fault() string {
	if p.Input == nil || p.Output == nil {
		return "input and output are needed"
	}
	for _, price := range []*run.USD{p.Input, p.CacheRead, p.CacheWrite, p.Output} {
		if price != nil && *price < 0 {
			return "prices are USD per million tokens and not negative"
		}
	}
	return ""
}

var (
	providerName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	modelID      = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}/\S{1,200}$`)
	variableName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,99}$`)
)

// KeyNames are the secrets that a models.json names, to be taken out of the environment before the catalogue is loaded.
func KeyNames(path string) ([]string, error) {
	file, err := readModelsFile(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range file.Providers {
		if entry.KeyEnv != "" {
			names = append(names, entry.KeyEnv)
		}
	}
	return names, nil
}

// readModelsFile reads and checks the file; one that is not there is empty.
func readModelsFile(path string) (modelsFile, error) {
	var file modelsFile
	if path == "" {
		return file, nil
	}
	if found, err := os.Stat(path); err == nil && !found.Mode().IsRegular() {
		return file, run.Errorf(run.ErrInvalid, "%s is not a regular file", path)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil
	}
	if err != nil {
		return file, fmt.Errorf("read the owner's models: %w", err)
	}
	return parseModelsFile(data, path)
}

func parseModelsFile(data []byte, path string) (modelsFile, error) {
	var file modelsFile
	if len(data) > maxModelsFile {
		return file, run.Errorf(run.ErrTooLarge, "%s is larger than %d bytes", path, maxModelsFile)
	}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return file, run.Errorf(run.ErrInvalid, "%s: it must be an object; its form is in docs/models.md", path)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return file, run.Errorf(run.ErrInvalid, "%s: %w; its form is in docs/models.md", path, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return file, run.Errorf(run.ErrInvalid, "%s: there is more than one JSON value in it", path)
	}
	if issues := file.check(); len(issues) > 0 {
		refusal := run.Invalid(issues...)
		refusal.Message = path + " has faults"
		return file, refusal
	}
	return file, nil
}

func (f modelsFile) check() (issues []run.Issue) {
	fault := func(path, code, message string) {
		issues = append(issues, run.Issue{Path: path, Code: code, Message: message})
	}
	known := map[string]bool{providerOpenAI: true, providerAnthropic: true, providerTypeSafe: true}
	for i, entry := range f.Providers {
		path := fmt.Sprintf("providers[%d]", i)
		if !providerName.MatchString(entry.Name) {
			fault(path+".name", "invalid_name", "must be lower-case letters, digits and dashes")
		}
		if !knownAPI(entry.API) {
			fault(path+".api", "unknown_api", `must be "responses", "chat", "messages" or "jev"`)
		}
		if !webAddress(entry.BaseURL) {
			fault(path+".base_url", "invalid_url", "must be an http or https URL")
		}
		if entry.KeyEnv != "" && !variableName.MatchString(entry.KeyEnv) {
			fault(path+".key_env", "invalid_name", "must be the name of an environment variable, never a key")
		}
		known[entry.Name] = true
	}
	for i, entry := range f.Models {
		path := fmt.Sprintf("models[%d]", i)
		if !modelID.MatchString(entry.ID) {
			fault(path+".id", "invalid_id", "must be provider/name")
		} else if name, _ := splitID(entry.ID); !known[name] {
			fault(path+".id", "unknown_provider", fmt.Sprintf("there is no provider %q", name))
		}
		if entry.API != "" && !knownAPI(entry.API) {
			fault(path+".api", "unknown_api", `must be "responses", "chat", "messages" or "jev"`)
		}
		if entry.ContextWindow < 0 || entry.MaxOutput < 0 || entry.MinOutput < 0 {
			fault(path, "negative", "limits are tokens and not negative")
		}
		if entry.Prices != nil {
			if what := entry.Prices.fault(); what != "" {
				fault(path+".prices", "invalid_price", what)
			}
		}
		for j, effort := range entry.Efforts {
			if !slices.Contains(efforts, effort) {
				fault(fmt.Sprintf("%s.efforts[%d]", path, j), "unknown_effort", "must be one of "+strings.Join(efforts, ", "))
			}
		}
	}
	return issues
}

func knownAPI(api string) bool {
	return api == APIResponses || api == APIChat || api == APIMessages || api == APIJev
}

func splitID(id string) (owner, name string) {
	for i := range id {
		if id[i] == '/' {
			return id[:i], id[i+1:]
		}
	}
	return "", id
}

// merge lays the owner's file over what is known.
func (c *Catalogue) merge(file modelsFile) {
	for _, entry := range file.Providers {
		c.providers[entry.Name] = supplier{
			name: entry.Name, api: entry.API, baseURL: entry.BaseURL, key: entry.KeyEnv, custom: true,
		}
	}
	for _, entry := range file.Models {
		c.models[entry.ID] = c.overlay(entry)
	}
	if file.Default != "" {
		c.preferred = file.Default
	}
	if len(file.Models)+len(file.Providers) > 0 && c.source == "catalogue" {
		c.source = "models.json"
	}
}

// overlay is a listed model with the owner's figures over it, or a new one.
func (c *Catalogue) overlay(entry modelEntry) run.Model {
	name, rest := splitID(entry.ID)
	model, listed := c.models[entry.ID]
	if !listed {
		model = run.Model{ID: entry.ID, Name: rest, Provider: name, API: c.providers[name].api}
	}
	model.Source = "models.json"
	if entry.API != "" {
		model.API = entry.API
	}
	if entry.Prices != nil {
		model.Price = entry.Prices.price()
	}
	if entry.ContextWindow > 0 {
		model.ContextWindow = entry.ContextWindow
	}
	if entry.MaxOutput > 0 {
		model.MaxOutput = entry.MaxOutput
	}
	if entry.MinOutput > 0 {
		model.MinOutput = entry.MinOutput
	}
	model.NoOutputLimit = model.NoOutputLimit || entry.NoOutputLimit
	if entry.Reasoning != nil {
		model.Reasoning = *entry.Reasoning
	}
	if len(entry.Efforts) > 0 {
		model.Efforts = entry.Efforts
	}
	return model
}

// price counts cached tokens as fresh ones where the owner does not say.
func (p priceEntry) price() *run.Price {
	price := &run.Price{Input: run.PerMillion(*p.Input), Output: run.PerMillion(*p.Output)}
	price.CacheRead, price.CacheWrite = price.Input, price.Input
	if p.CacheRead != nil {
		price.CacheRead = run.PerMillion(*p.CacheRead)
	}
	if p.CacheWrite != nil {
		price.CacheWrite = run.PerMillion(*p.CacheWrite)
	}
	return price
}
