// Package portal fills in the software template of examples/portal, as a portal does: the form holds what is entered against its schema, and the
// skeleton becomes a manifest.
package portal
