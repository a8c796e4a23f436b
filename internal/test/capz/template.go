// Package capz has Cluster API Provider Azure's own templates for tests: manifests that go in unchanged.
package capz

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Module is that of CAPZ whose templates these are.
const Module = "sigs.k8s.io/cluster-api-provider-azure@v1.27.0"

// variable is one without another in its default.
var variable = regexp.MustCompile(`\$\{([A-Za-z0-9_]+)(?::?[=-]([^${}]*))?\}`)

// Template returns one of CAPZ's own templates with its variables filled: those that are not given have the template's defaults.
func Template(t testing.TB, name string, variables map[string]string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", Module).Output()
	if err != nil {
		t.Fatalf("CAPZ's templates are read from its Go module, which cannot be had: go mod download %s: %v\n%s", Module, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(module.Dir, "templates", name))
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for variable.MatchString(text) {
		text = variable.ReplaceAllStringFunc(text, func(match string) string {
			of := variable.FindStringSubmatch(match)
			value, known := variables[of[1]]
			switch {
			case known:
				return value
			case len(of[0]) == len("${}")+len(of[1]):
				t.Errorf("%s has a variable that this test does not know: %s", name, of[1])
			}
			return of[2]
		})
	}
	return text
}
