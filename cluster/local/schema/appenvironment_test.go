package schema

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const appExample = checkout + "/examples/platform-full"

// serveAppEnvironments installs the kind of the example, until the test ends.
func serveAppEnvironments(t *testing.T) {
	t.Helper()
	xrd := &xv1.CompositeResourceDefinition{}
	if err := readYAML(filepath.Join(appExample, "definition.yaml"), xrd); err != nil {
		t.Fatal(err)
	}
	crd, err := xcrd.ForCompositeResource(xrd)
	if err != nil {
		t.Fatal(err)
	}
	crd.OwnerReferences = nil
	if err := server.client.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.client.Delete(context.Background(), crd); err != nil {
			t.Error(err)
		}
	})
	if err := awaitServed(t.Context(), crd.Name); err != nil {
		t.Fatal(err)
	}
}

// appEnvironment returns that of the example, changed.
func appEnvironment(t *testing.T, change func(o *unstructured.Unstructured)) *unstructured.Unstructured {
	t.Helper()
	o := readObjects(t, filepath.Join(appExample, "appenvironment.yaml"), nil)[0]
	o.SetNamespace("default")
	change(o)
	return o
}

// set sets a field of a spec, given as in "database.name"; nil takes it away.
func set(path string, value any) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		fields := append([]string{"spec"}, strings.Split(path, ".")...)
		if value == nil {
			unstructured.RemoveNestedField(o.Object, fields...)
			return
		}
		if err := unstructured.SetNestedField(o.Object, value, fields...); err != nil {
			panic(err)
		}
	}
}

// appMistakes are specs that the API server refuses, each with what it says.
var appMistakes = map[string]struct {
	change func(*unstructured.Unstructured)
	want   string
}{
	"LongName":    {func(o *unstructured.Unstructured) { o.SetName(strings.Repeat("a", 21)) }, "must have at most 20 because names in Azure are made from it"},
	"Location":    {set("location", "eastus"), `spec.location: Unsupported value: "eastus": supported values: "westeurope", "northeurope", "swedencentral"`},
	"Size":        {set("size", "huge"), `spec.size: Unsupported value: "huge"`},
	"NoDatabase":  {set("database", nil), "spec.database: Required value"},
	"Password":    {set("database.password", "hunter2"), `unknown field "spec.database.password"`},
	"NoPassword":  {set("database.passwordSecretRef", nil), "spec.database.passwordSecretRef: Required value"},
	"Storage":     {set("database.storageGiB", int64(100)), "spec.database.storageGiB: Unsupported value: 100"},
	"Addresses":   {set("database.allowedAddresses.first", "203.0.113.0/24"), "must be an IPv4 address such as 203.0.113.0"},
	"IPv6":        {set("database.allowedAddresses.last", "2001:db8::1"), "must be an IPv4 address such as 203.0.113.255"},
	"Repository":  {set("gitOps.repository", "example/shop"), `spec.gitOps.repository: Invalid value: "example/shop"`},
	"Version":     {set("version", "latest"), `spec.version: Invalid value: "latest"`},
	"OnDelete":    {set("database.onDelete", "Snapshot"), `spec.database.onDelete: Unsupported value: "Snapshot": supported values: "Keep", "Delete"`},
	"MisspeltOne": {set("locaton", "westeurope"), `unknown field "spec.locaton"`},
}

// appChanges are changes that the API server refuses; one without want is taken.
var appChanges = map[string]struct {
	change func(*unstructured.Unstructured)
	want   string
}{
	"Location":     {set("location", "northeurope"), `spec.location: Invalid value: "northeurope": must stay westeurope because Azure cannot move clusters and databases`},
	"DatabaseName": {set("database.name", "other"), `spec.database.name: Invalid value: "other": must stay shop because another database would take its place`},
	"OlderServer":  {set("database.version", "16"), `spec.database.version: Invalid value: "16": must be 17 or newer because PostgreSQL cannot go back`},
	"SmallerDisk":  {set("database.storageGiB", int64(32)), "spec.database.storageGiB: Invalid value: 32: must be at least what it was because Azure cannot shrink a disk"},
	"LargerDisk":   {set("database.storageGiB", int64(128)), ""},
	"Size":         {set("size", "large"), ""},
	"OnDelete":     {set("database.onDelete", "Delete"), ""},
}

// TestAppEnvironments has the API server check the example's own kind: what it fills in, refuses, and lets nobody change.
func TestAppEnvironments(t *testing.T) {
	serveAppEnvironments(t)
	for name, tc := range appMistakes {
		t.Run("Refuses/"+name, func(t *testing.T) {
			refused(t, server.client.Create(t.Context(), appEnvironment(t, tc.change), client.DryRunAll), tc.want)
		})
	}
	o := appEnvironment(t, set("database.storageGiB", int64(64)))
	create(t, o)
	for path, want := range map[string]string{"gitOps.branch": "main", "database.version": "17", "database.onDelete": "Keep", "database.passwordSecretRef.key": "password"} {
		if got, _, _ := unstructured.NestedString(o.Object, append([]string{"spec"}, strings.Split(path, ".")...)...); got != want {
			t.Errorf("spec.%s is %q, want the default %q", path, got, want)
		}
	}
	for name, tc := range appChanges {
		t.Run("Changes/"+name, func(t *testing.T) {
			changed := o.DeepCopy()
			tc.change(changed)
			err := server.client.Update(t.Context(), changed, client.DryRunAll)
			if tc.want != "" {
				refused(t, err, tc.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}
