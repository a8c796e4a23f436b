// Package version says which release a binary belongs to.
package version

// Version is the release, such as v0.1.0. The build of a package sets it by linker flag; without one it is "unreleased".
var Version = "unreleased"
