package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/dynamic/fake"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

const oldManifest = "# kept\napiVersion: infrastructure.cluster.x-k8s.io/v1alpha1\nkind: AzureASOManagedCluster\nmetadata:\n  name: a\n"

func TestMigrateFiles(t *testing.T) {
	cases := map[string]struct {
		files     map[string]string
		write     bool
		err       error
		out, told string
		want      map[string]string
	}{
		"old, and left so":  {files: map[string]string{"a.yaml": oldManifest}, err: errChanges, out: "a.yaml:2: AzureASOManagedCluster: infrastructure.cluster.x-k8s.io/v1alpha1 -> infrastructure.cluster.x-k8s.io/v1beta1\n1 places to be written", want: map[string]string{"a.yaml": oldManifest}},
		"written":           {files: map[string]string{"b/a.yml": oldManifest}, write: true, out: "1 places written", want: map[string]string{"b/a.yml": strings.ReplaceAll(oldManifest, "v1alpha1", "v1beta1")}},
		"up to date":        {files: map[string]string{"a.yaml": "kind: Other\n"}, out: "0 places"},
		"a template beside": {files: map[string]string{"a.yaml": oldManifest, "t.yaml": "{{ if }}\n: :"}, write: true, err: errShown, told: "t.yaml: left as it is", want: map[string]string{"a.yaml": strings.ReplaceAll(oldManifest, "v1alpha1", "v1beta1"), "t.yaml": "{{ if }}\n: :"}},
		"no manifest":       {files: map[string]string{"a.txt": oldManifest}, write: true, want: map[string]string{"a.txt": oldManifest}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, content := range c.files {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			streams, _, out, told := genericiooptions.NewTestIOStreams()
			o := &migrateOptions{IOStreams: streams, config: genericclioptions.NewConfigFlags(true), files: []string{dir}, write: c.write}
			if err := o.run(t.Context(), nil); !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if !strings.Contains(out.String(), c.out) || !strings.Contains(told.String(), c.told) {
				t.Errorf("printed %q and %q, want %q and %q", out, told, c.out, c.told)
			}
			for file, want := range c.want {
				got, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil || string(got) != want {
					t.Errorf("%s is %q (%v), want %q", file, got, err, want)
				}
				if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Mode().Perm() != 0o640 {
					t.Errorf("%s has mode %v (%v)", file, info.Mode(), err)
				}
			}
		})
	}
}

func TestMigrateStream(t *testing.T) {
	streams, in, out, _ := genericiooptions.NewTestIOStreams()
	in.WriteString(oldManifest)
	o := &migrateOptions{IOStreams: streams, config: genericclioptions.NewConfigFlags(true), files: []string{"-"}}
	if err := o.run(t.Context(), nil); err != nil || out.String() != strings.ReplaceAll(oldManifest, "v1alpha1", "v1beta1") {
		t.Error(err, out)
	}
}

func crd(kind, plural string, stored ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural + "." + v1beta1.GroupVersion.Group},
		"spec": map[string]any{
			"names":    map[string]any{"kind": kind, "plural": plural},
			"versions": []any{map[string]any{"name": "v1alpha1"}, map[string]any{"name": "v1beta1", "storage": true}},
		},
		"status": map[string]any{"storedVersions": stored},
	}}
}

func TestMigrateStored(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.GroupVersion.String(), "kind": "AzureASOManagedCluster", "metadata": map[string]any{"name": "a", "namespace": "ns"},
	}}
	notStoring := crd("AzureASOManagedControlPlane", "azureasomanagedcontrolplanes", "v1alpha1")
	notStoring.Object["spec"].(map[string]any)["versions"] = []any{map[string]any{"name": "v1alpha1", "storage": true}} //nolint:forcetypeassert // It is a test's.
	cases := map[string]struct {
		crd     *unstructured.Unstructured
		updates int
		out     string
		err     string
	}{
		"stored in both":         {crd: crd("AzureASOManagedCluster", "azureasomanagedclusters", "v1alpha1", "v1beta1"), updates: 1, out: "AzureASOManagedCluster: 1 stored in v1beta1\n"},
		"up to date":             {crd: crd("AzureASOManagedCluster", "azureasomanagedclusters", "v1beta1"), out: "AzureASOManagedCluster: all are stored in v1beta1\n"},
		"another kind":           {crd: crd("AzureCluster", "azureclusters", "v1beta1", "v1alpha1")},
		"not of this definition": {crd: notStoring, err: "does not store v1beta1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
				crds: "CustomResourceDefinitionList", v1beta1.GroupVersion.WithResource("azureasomanagedclusters"): "AzureASOManagedClusterList",
			}, c.crd.DeepCopy(), object.DeepCopy())
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			o := &migrateOptions{IOStreams: streams, telling: telling{to: &bytes.Buffer{}}}
			err := o.migrateStored(t.Context(), client)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			updates := 0
			for _, action := range client.Actions() {
				if action.GetVerb() == "update" {
					updates++
				}
			}
			if err != nil || updates != c.updates || out.String() != c.out {
				t.Errorf("%v, %d updates, %q; want %d and %q", err, updates, out, c.updates, c.out)
			}
		})
	}
}
