package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/models/faux"
	"github.com/agentrun/agentrun/secrets"
)

// temporalKey is the API key of a Temporal cluster.
const temporalKey = "TEMPORAL_API_KEY"

// keyNames are the variables that hold secrets (contract §4): read once, kept in memory, inherited by no child.
func keyNames() []string {
	return []string{
		"AGENT_MODEL_API_KEY", "ANTHROPIC_API_KEY", "PARALLEL_API_KEY", "TYPESAFE_API_KEY",
		"BROWSERBASE_API_KEY", "BROWSERBASE_PROJECT_ID", temporalKey,
	}
}

// openModels takes the keys out of the environment and reads the catalogue, or starts the scripted gateway.
func (s *server) openModels(context.Context) error {
	file := s.data.join("models.json")
	names, err := models.KeyNames(file)
	if err != nil {
		return err
	}
	if s.vault, err = secrets.Take(append(keyNames(), names...)...); err != nil {
		return err
	}
	judge, err := takeAddress("TYPESAFE_BASE_URL")
	if err != nil {
		return err
	}
	options := models.LoadOptions{ModelsFile: file, Env: models.Env{
		BaseURL: os.Getenv("AGENT_MODEL_BASE_URL"), Model: os.Getenv("AGENT_MODEL"), API: os.Getenv("AGENT_MODEL_API"),
		AnthropicBaseURL: os.Getenv("ANTHROPIC_BASE_URL"), TypeSafeBaseURL: judge, Has: s.vault.Has,
	}}
	if s.flags.Faux != "" {
		if options.FauxURL, err = s.startFaux(); err != nil {
			return err
		}
		options.Faux = s.gateway.Models()
	}
	s.catalogue, err = models.Load(options)
	return err
}

// takeAddress moves an address out of the environment: no child needs it. It is no secret, and texts may show it.
func takeAddress(name string) (string, error) {
	address := strings.TrimSpace(os.Getenv(name))
	if err := os.Unsetenv(name); err != nil {
		return "", fmt.Errorf("take %s out of the environment: %w", name, err)
	}
	return address, nil
}

// startFaux starts the scripted gateway on a loopback port of its own.
func (s *server) startFaux() (url string, err error) {
	script, err := faux.Load(s.flags.Faux)
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("the scripted gateway: %w", err)
	}
	if s.gateway, err = faux.New(script, faux.Options{}); err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.background.Go(func() error { return ignoreClosed(s.gateway.Serve(ctx, listener)) })
	s.onStop(func(context.Context) error { cancel(); return nil })
	return "http://" + listener.Addr().String(), nil
}
