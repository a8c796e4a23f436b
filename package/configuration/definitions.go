// Package configuration has the definitions of the composite kinds, for tools that check manifests without a cluster.
package configuration

import "embed"

// Definitions has a file PLURAL/definition.yaml for each composite kind: its CompositeResourceDefinition.
//
//go:embed */definition.yaml
var Definitions embed.FS

// Compositions has a file PLURAL/composition.yaml for each kind for application teams, whose Composition has an input.
//
//go:embed aksclusters/composition.yaml xaksclusters/composition.yaml
var Compositions embed.FS
