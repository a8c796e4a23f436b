// Package cli tests what people do with the Crossplane CLI and this project's manifests before anything is applied:
// `crossplane resource validate` and `crossplane composition render`. CLI and Crossplane are the real ones, and so is
// function-capz; there is no cluster.
package cli
