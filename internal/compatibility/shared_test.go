package compatibility

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// repository begins the paths of this project's own modules, whose versions say nothing.
const repository = "github.com/crossplane-capz/crossplane-capz"

// sharing are groups of modules that build the same packages. A package is compiled once for all modules of a group only where they require the same
// versions of everything it imports: when they did not, make test compiled a third more.
var sharing = [][]string{
	{
		".", "package/signing", "cluster/local", "cluster/compat", "cluster/compat/capz", "cluster/bench", "cluster/breaking", "cluster/signatures",
		"cluster/telemetry", "cluster/local/parts/aso", "cluster/local/parts/capi", "cluster/local/parts/capz",
	},
	{"cluster/local/parts/crossplane", "cluster/local/parts/crossplane-cli"},
}

// TestModulesShareVersions shows that modules that build the same packages require the same versions.
func TestModulesShareVersions(t *testing.T) {
	for _, modules := range sharing {
		newest, requirer := map[string]string{}, map[string]string{}
		required := map[string]map[string]string{}
		for _, module := range modules {
			versions, err := requirements(filepath.Join(checkout, module, "go.mod"))
			if err != nil {
				t.Fatal(err)
			}
			maps.DeleteFunc(versions, func(path, _ string) bool { return strings.HasPrefix(path, repository) })
			required[module] = versions
			for path, version := range versions {
				if semver.Compare(version, newest[path]) > 0 {
					newest[path], requirer[path] = version, module
				}
			}
		}
		for module, versions := range required {
			for path, version := range versions {
				if version != newest[path] {
					t.Errorf("%s requires %s %s, want %s, which %s requires: run `go get %[2]s@%[4]s && go mod tidy` in %[1]s",
						module, path, version, newest[path], requirer[path])
				}
			}
		}
	}
}
