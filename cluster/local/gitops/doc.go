// Package gitops says what Argo CD and Flux make of objects by the checks in examples/gitops: the one runs Lua, the other CEL. Both engines are
// theirs; what Argo CD has around its engine is written here after its documentation.
package gitops
