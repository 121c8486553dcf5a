// Package cases tests workflow documents without a model: a case is a JSON file with a document, an input, scripted
// answers and what must come out. Run interprets the document on the scripted answers and says, one Problem each, what
// came out otherwise.
//
// The answers are a Script, which any host may answer from: the one here (Host), or a durable one that is to be shown to
// give the same results. It holds no rule of the language; those are package dsl's.
package cases
