// Package written keeps what a management cluster and its components have written, to be searched for secrets (package leaks) once all
// of these are known.
package written
