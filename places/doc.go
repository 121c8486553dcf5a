// Package places owns where a run's tools act. A Workspace is the run's work/ directory: a real directory on which no
// name can leave it, in which every write is whole, and of which links, devices and dotfiles are no part.
//
// It must not know tools, the journal or HTTP: it neither decides what to write nor records that it was written.
package places
