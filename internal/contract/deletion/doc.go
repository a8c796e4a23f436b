// Package deletion deletes what a composite resource has composed, in the order that Azure asks for, before the composite resource.
//
// Crossplane leaves deletion to garbage collection, which knows no order and lets the composite resource go first. See
// docs/contract.md, "Deletion".
package deletion

import "github.com/crossplane-capz/crossplane-capz/internal/field"

// crossplaneFinalizer is on every composite resource that Crossplane may still compose for: create one more object, or change one.
const crossplaneFinalizer = "composite.apiextensions.crossplane.io"

// statusTags is of ASO objects.
var statusTags = field.At[map[string]any]("status", "tags")
