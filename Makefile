.DEFAULT_GOAL := help
SHELL := /bin/bash

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
TOOL := go tool -modfile=lint/go.mod
# Packages quick to build with the race detector; the embedded engine is not one of them.
RACE ?= ./client/... ./run/...
DATA ?= .data
PORT ?= 8080
FUZZTIME ?= 20s

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "%-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: ## Start a server on ./.data (DATA=, PORT=)
	go run ./cmd/agentrun serve --data $(DATA) --port $(PORT)

.PHONY: build
build: ## Build the one binary into bin/agentrun
	go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/agentrun ./cmd/agentrun

.PHONY: test
test: ## Run every test, the end-to-end ones included
	go test -timeout 20m ./...
	go test -race -timeout 10m $(RACE)

.PHONY: harness-clis
harness-clis: ## Fetch the pinned Claude Code and Codex into ./.harness, for tests (npm; Linux on x86_64)
	.ci/harness-clis

.PHONY: test-harness
test-harness: harness-clis ## Run the tests that drive the real Claude Code and Codex
	go test -timeout 30m ./harnesses/...
	go test -timeout 30m -parallel 2 -run Harness ./e2e

.PHONY: lint
lint: ## Check format, linters and the determinism of workflow code
	@files="$$($(TOOL) gofumpt -l .)"; [ -z "$$files" ] || { echo "not gofumpt's format (make format):"; echo "$$files"; exit 1; }
	$(TOOL) golangci-lint run ./...
	@if [ -d workflows ]; then set -x; $(TOOL) workflowcheck ./workflows/...; fi

.PHONY: format
format: ## Rewrite the Go files in gofumpt's format, imports in order
	$(TOOL) golangci-lint fmt ./...

.PHONY: generate
generate: ## Make the generated files again
	go generate ./...

.PHONY: bench
bench: ## Measure speed beside its baselines; prints a table (minutes; ONLY=fsync,steps)
	go run ./bench $(if $(ONLY),-only $(ONLY))

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (20s) each
	.ci/fuzz $(FUZZTIME)
