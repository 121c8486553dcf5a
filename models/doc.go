// Package models owns the talk with model providers: one attempt at one request in the provider's protocol (OpenAI
// Responses, Anthropic Messages, Chat Completions, TypeSafe's System One), what an answer used, how an attempt failed, and
// the catalogue of models with their prices and limits.
//
// It must not retry, journal, count money against a cap or choose what happens next: a caller that repeats an attempt
// records it first. It reads neither the environment nor a key store; whoever calls brings the address and the key.
package models
