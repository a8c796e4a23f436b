package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

const (
	// upgraded is the version that the packages are updated to.
	upgraded = "v0.2.0"
	// slow is how long Azure takes for an AKS cluster that is provisioned while the packages are updated.
	slow = 60 * time.Second
	// newField is what the updated definition of the control plane has besides.
	newField = "addedByUpgrade"
)

// TestPackageUpgrade updates all packages while one cluster is up and another is being provisioned.
func TestPackageUpgrade(t *testing.T) {
	takeTurn(t)
	files := buildUpgrade(t)
	running, provisioning := newWorld(t, "upgraded-running"), newWorld(t, "upgraded-provisioning")
	for _, w := range []*world{running, provisioning} {
		defer w.tidy()
		if err := w.enter(); err != nil {
			t.Fatal(err)
		}
	}
	take(t, running, up("aks-aso"))
	take(t, provisioning, step{
		name: "begin to provision",
		act: all(
			func(w *world) error { return w.azure.SetLatency(w.ctx, managedClusterType, slow) },
			applyExample("aks-aso"),
		),
		expect: []expectation{inAzure("/managedClusters/my-cluster", "properties.provisioningState", "Creating")},
	})
	begun := time.Now()
	for _, p := range packages {
		update(t, running, p, files[p.source])
	}
	if missing := provisioning.missing([]expectation{available}); len(missing) == 0 {
		t.Error("the second cluster was up before the packages were updated: nothing was shown about one in the middle")
	}
	running.logf("all packages are updated (%s)", time.Since(begun).Round(time.Second))
	if err := running.azure.SetLatency(running.ctx, managedClusterType, latency.of(managedClusterType)); err != nil {
		t.Fatal(err)
	}

	take(t, provisioning, step{
		name: "provision to the end", expect: []expectation{available, contractKept, kubeconfigWorks, changedOnce},
	})
	take(t, running, step{
		name:   "stay as before",
		expect: []expectation{available, contractKept, kubeconfigWorks, unchangedSince(begun)},
	})
	take(t, running, step{
		name: "use what is new",
		act:  func(w *world) error { return w.set(controlPlaneKind, clusterName, "spec."+newField, "yes") },
		expect: []expectation{
			field(controlPlaneKind, clusterName, "spec."+newField, "yes"), available, unchangedSince(begun),
		},
	})
	take(t, running, down)
	take(t, provisioning, down)
}

const managedClusterType = "Microsoft.ContainerService/managedClusters"

// take takes one step and ends the test when it fails.
func take(t *testing.T, w *world, s step) {
	t.Helper()
	begun := time.Now()
	if err := w.run(s); err != nil {
		w.fail(fmt.Errorf("%s, step %q: %w", w.namespace, s.name, err))
	}
	w.logf("%s: done (%s)", s.name, time.Since(begun).Round(100*time.Millisecond))
}

// update pushes a package's new version and updates it with Crossplane's CLI.
func update(t *testing.T, w *world, p packageObject, file string) {
	t.Helper()
	reference := xpkg.Repository + p.source + ":" + upgraded
	take(t, w, step{
		name: "update " + p.source,
		act: func(w *world) error {
			if err := w.stack.Push(w.ctx, file, p.source+":"+upgraded); err != nil {
				return err
			}
			_, err := w.stack.CrossplaneCLI(w.ctx, "xpkg", "update", strings.ToLower(p.kind.Kind), reference, p.name())
			return err
		},
		expect: []expectation{func(w *world) []string { return w.installedAt(p, upgraded) }},
	})
}

// buildUpgrade builds the packages of the next version, in which a definition has one more field, and returns the file of
// each.
func buildUpgrade(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	configuration := filepath.Join(dir, "configuration")
	if err := os.CopyFS(configuration, os.DirFS(filepath.Join(suite.root, "package", "configuration"))); err != nil {
		t.Fatal(err)
	}
	if err := addField(filepath.Join(configuration, "azureasomanagedcontrolplanes", "definition.yaml")); err != nil {
		t.Fatal(err)
	}
	built, err := xpkg.Builder{
		Root: suite.root, Out: filepath.Join(dir, "packages"), Version: upgraded, Configuration: configuration,
		Platforms: []v1.Platform{{OS: runtime.GOOS, Architecture: runtime.GOARCH}},
	}.Build(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range built {
		files[f.Package] = f.Path
	}
	return files
}

// addField adds an optional field to spec in every version of a definition, and a label to its CRD.
func addField(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(raw, &u.Object); err != nil {
		return err
	}
	if err := unstructured.SetNestedField(u.Object, "yes", "spec", "metadata", "labels", "example.org/upgraded"); err != nil {
		return err
	}
	versions, _, err := unstructured.NestedSlice(u.Object, "spec", "versions")
	if err != nil {
		return err
	}
	for _, version := range versions {
		field := map[string]any{"type": "string", "description": "Comes with the next version."}
		err := unstructured.SetNestedMap(version.(map[string]any), field, "schema", "openAPIV3Schema", "properties", "spec", "properties", newField)
		if err != nil {
			return err
		}
	}
	if err := unstructured.SetNestedSlice(u.Object, versions, "spec", "versions"); err != nil {
		return err
	}
	if raw, err = yaml.Marshal(u.Object); err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o600)
}

// unchangedSince expects that Azure was asked for nothing that changes or deletes anything.
func unchangedSince(since time.Time) expectation {
	return func(w *world) []string {
		requests, err := w.requests(since, http.MethodPut, http.MethodPatch, http.MethodDelete)
		if err != nil {
			return []string{err.Error()}
		}
		var changes []string
		for _, r := range requests {
			if r.Changed || r.Method == http.MethodDelete {
				changes = append(changes, fmt.Sprintf("%s %s was sent at %s", r.Method, r.Path, r.Time.Format(time.TimeOnly)))
			}
		}
		return changes
	}
}

// changedOnce expects that every resource was changed by the request that created it only, and that none was deleted.
func changedOnce(w *world) []string {
	requests, err := w.requests(w.begun, http.MethodPut, http.MethodPatch, http.MethodDelete)
	if err != nil {
		return []string{err.Error()}
	}
	changed := map[string]int{}
	var more []string
	for _, r := range requests {
		if r.Method == http.MethodDelete {
			more = append(more, fmt.Sprintf("DELETE %s was sent", r.Path))
		}
		if !r.Changed {
			continue
		}
		if changed[r.Path]++; changed[r.Path] == 2 {
			more = append(more, fmt.Sprintf("%s %s has changed what was created", r.Method, r.Path))
		}
	}
	if len(changed) == 0 {
		more = append(more, "Azure was asked for nothing")
	}
	return more
}
