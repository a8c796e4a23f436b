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

// longest is as many characters as a version in a status may have.
const longest = 256

// Valid reports whether the text is a version, with or without a v.
func Valid(version string) bool { return len(version) < longest && semver.IsValid(WithV(version)) }

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

// NotBelow returns, as AKS writes it, the version that is asked for, or the one that runs where that is higher: AKS may have upgraded by
// itself, and goes back to no older version. One without a patch number is below none of its patches (AKS documentation, "Supported
// Kubernetes versions": alias minor version). What is empty or no version is returned as it is.
func NotBelow(asked, runs string) string {
	asked, runs = WithoutV(asked), WithoutV(runs)
	if !Valid(asked) || !Valid(runs) || strings.HasPrefix(runs, asked+".") {
		return asked
	}
	return Higher(asked, runs)
}
