// Package api owns the face of a server: the /v2 routes and their OpenAPI document, who may call them, the one shape of
// every error, live timelines, and the guard before whatever else a server shows under its own address.
//
// It must not know Temporal or SQL, drive runs, or keep anything that a restart has to find again: what is durable is the
// store's. A handler checks what came in, asks, and puts the answer into the contract's shape.
package api
