// Package kubeversion compares versions of Kubernetes, which Cluster API writes with a v and AKS without.
package kubeversion

import (
	"strings"

	"golang.org/x/mod/semver"
)

// WithV returns the version as Cluster API writes it.
func WithV(version string) string { return "v" + WithoutV(version) }

// WithoutV returns the version as AKS writes it.
func WithoutV(version string) string { return strings.TrimPrefix(version, "v") }

// Compare returns a negative number, zero or a positive number as a is lower than, the same as or higher than b. An empty version
// is lower than any other.
func Compare(a, b string) int { return semver.Compare(WithV(a), WithV(b)) }

// Higher returns the higher of two versions as it is written; one may be empty.
func Higher(a, b string) string {
	if Compare(a, b) < 0 {
		return b
	}
	return a
}
