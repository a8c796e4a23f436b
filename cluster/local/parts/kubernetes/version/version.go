// Package version has the binary call itself another release of Kubernetes: variable KUBERNETES_VERSION, such as v1.35.6. The code is the same.
// Machines of the simulated Azure are upgraded from one to another.
package version

import (
	"os"
	"strings"
	_ "unsafe" // For go:linkname.
)

// variable names the environment variable that says the version.
const variable = "KUBERNETES_VERSION"

// What the linker sets in k8s.io/component-base/version. The linker has a variable of another package shared by this name; Go initializes
// packages in the order of their paths, as soon as what they import is initialized, so that this one comes before all that read it.
var (
	//go:linkname gitVersion k8s.io/component-base/version.gitVersion
	gitVersion string
	//go:linkname gitMinor k8s.io/component-base/version.gitMinor
	gitMinor string
)

func init() {
	v := os.Getenv(variable)
	parts := strings.Split(v, ".")
	if len(parts) < 3 {
		return
	}
	gitVersion, gitMinor = v, parts[1]
}
