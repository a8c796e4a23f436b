// Package journal logs what a controller does: one line for each object that it writes, each request to Azure that changes something, each Event,
// and each refusal of its webhooks. Names of fields are logged, their values never are. See docs/logs.md.
package journal
