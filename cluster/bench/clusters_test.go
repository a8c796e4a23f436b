package main

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// TestWithPools shows that each further pool is one of its own, in Cluster API and in Azure.
func TestWithPools(t *testing.T) {
	wanted := []string{"pool0", "pool1", "pool2", "pool3"}
	for example, azureName := range map[string][]string{"aks": {"spec", "name"}, "aks-aso": {"spec", "azureName"}} {
		t.Run(example, func(t *testing.T) {
			objects, err := kubeyaml.Read(filepath.Join("..", "..", "examples", example))
			if err != nil {
				t.Fatal(err)
			}
			all, err := withPools(objects, len(wanted))
			if err != nil {
				t.Fatal(err)
			}
			var inAzure, referred []string
			for _, u := range all {
				switch u.GetKind() {
				case "MachinePool":
					name, _, _ := unstructured.NestedString(u.Object, "spec", "template", "spec", "infrastructureRef", "name")
					referred = append(referred, name)
				case "AzureManagedMachinePool", "AzureASOManagedMachinePool":
					content := u.Object
					if resources, found, _ := unstructured.NestedSlice(content, "spec", "resources"); found {
						content, _ = resources[0].(map[string]any)
					}
					name, _, _ := unstructured.NestedString(content, azureName...)
					if u.GetName() != "my-cluster-"+name {
						t.Errorf("%s is %s in Azure", u.GetName(), name)
					}
					inAzure = append(inAzure, name)
				}
			}
			if diff := cmp.Diff(wanted, inAzure); diff != "" {
				t.Errorf("in Azure, -want +got:\n%s", diff)
			}
			for i, name := range referred {
				if name != "my-cluster-"+wanted[i] {
					t.Errorf("MachinePool %d refers to %s", i, name)
				}
			}
			if len(referred) != len(wanted) {
				t.Errorf("%d MachinePools, want %d", len(referred), len(wanted))
			}
		})
	}
}

// TestWithCopies shows that a copy of a set has objects of its own, which refer to each other, and that all else is there once.
func TestWithCopies(t *testing.T) {
	object := func(kind, name string, spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "g/v1", "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec}}
	}
	set := func(name string) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{
			object("MachineDeployment", name, map[string]any{"replicas": int64(0), "infrastructureRef": map[string]any{"name": name}}),
			object("AzureMachineTemplate", name, map[string]any{"vmSize": unbootedSize}),
		}
	}
	cluster := object("Cluster", clusterName, map[string]any{"paused": false})
	got, err := withCopies(slices.Concat([]*unstructured.Unstructured{cluster}, set("bench-md-0")), firstDeployment, "md-1", "md-2")
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Concat([]*unstructured.Unstructured{cluster}, set("bench-md-0"), set("bench-md-1"), set("bench-md-2"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
