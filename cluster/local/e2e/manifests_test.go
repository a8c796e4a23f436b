package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// The names that all examples have in common. They have two pools of two nodes each, but where their README says else.
const (
	clusterName = "my-cluster"
	systemPool  = "my-cluster-pool0"
	userPool    = "my-cluster-pool1"
	version     = "v1.33.6"
)

// A change alters the objects of an example before they are applied.
type change func(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error)

// applyExample applies a folder of examples/, changed.
func applyExample(name string, changes ...change) func(*world) error {
	return func(w *world) error {
		objects, err := kubeyaml.Read(filepath.Join(w.root, "examples", name))
		if err != nil {
			return err
		}
		for _, c := range changes {
			if objects, err = c(objects); err != nil {
				return err
			}
		}
		return w.apply(objects...)
	}
}

// without leaves objects out that hold reports true for.
func without(drop func(*unstructured.Unstructured) bool) change {
	return func(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
		return slices.DeleteFunc(objects, drop), nil
	}
}

// named reports whether an object has that name.
func named(name string) func(*unstructured.Unstructured) bool {
	return func(u *unstructured.Unstructured) bool { return u.GetName() == name }
}

// onePool leaves out the second pool of an example: a scenario that does not need it is faster.
var onePool = without(named(userPool))

// withEntry adds an entry to spec.resources of one object.
func withEntry(gvk schema.GroupVersionKind, name, entry string) change {
	return each(func(u *unstructured.Unstructured) error {
		if u.GetKind() != gvk.Kind || u.GetName() != name {
			return nil
		}
		return addEntry(u, entry)
	})
}

// each changes every object.
func each(alter func(*unstructured.Unstructured) error) change {
	return func(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
		for _, u := range objects {
			if err := alter(u); err != nil {
				return nil, fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
			}
		}
		return objects, nil
	}
}

// entries returns spec.resources.
func entries(u *unstructured.Unstructured) ([]any, error) {
	list, _, err := unstructured.NestedSlice(u.Object, "spec", "resources")
	return list, err
}

// addEntry adds an entry, given in YAML, to spec.resources; one of its kind and name is replaced.
func addEntry(u *unstructured.Unstructured, entry string) error {
	added := map[string]any{}
	if err := yaml.Unmarshal([]byte(entry), &added); err != nil {
		return err
	}
	list, err := entries(u)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(e any) bool { return entryName(e) == entryName(added) })
	return unstructured.SetNestedSlice(u.Object, append(list, added), "spec", "resources")
}

// dropEntry takes an entry, named as in "VirtualNetwork/services", out of spec.resources.
func dropEntry(u *unstructured.Unstructured, name string) error {
	list, err := entries(u)
	if err != nil {
		return err
	}
	return unstructured.SetNestedSlice(u.Object, slices.DeleteFunc(list, func(e any) bool { return entryName(e) == name }), "spec", "resources")
}

// editEntry changes an entry, named as in "VirtualNetwork/services", of spec.resources.
func editEntry(u *unstructured.Unstructured, name string, alter func(map[string]any) error) error {
	list, err := entries(u)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(e any) bool { return entryName(e) == name })
	if at < 0 {
		return fmt.Errorf("%s %s has no %s", u.GetKind(), u.GetName(), name)
	}
	if err := alter(list[at].(map[string]any)); err != nil {
		return err
	}
	return unstructured.SetNestedSlice(u.Object, list, "spec", "resources")
}

func entryName(entry any) string {
	m, _ := entry.(map[string]any)
	u := unstructured.Unstructured{Object: m}
	return u.GetKind() + "/" + u.GetName()
}

// pool returns the MachinePool and AzureASOManagedMachinePool of one more pool of mode User.
func pool(name string, replicas int) ([]*unstructured.Unstructured, error) {
	return parse(fmt.Sprintf(`
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata:
  name: %[1]s
spec:
  clusterName: my-cluster
  replicas: %[2]d
  template:
    spec:
      clusterName: my-cluster
      version: %[3]s
      bootstrap:
        dataSecretName: ""
      infrastructureRef:
        apiGroup: infrastructure.cluster.x-k8s.io
        kind: AzureASOManagedMachinePool
        name: %[1]s
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedMachinePool
metadata:
  name: %[1]s
spec:
  resources:
  - apiVersion: containerservice.azure.com/v1api20250801
    kind: ManagedClustersAgentPool
    metadata:
      name: %[1]s
    spec:
      azureName: %[4]s
      owner:
        name: my-cluster
      mode: User
      type: VirtualMachineScaleSets
      vmSize: Standard_D2s_v5
`, name, replicas, version, strings.TrimPrefix(name, clusterName+"-")))
}

// parse reads objects from YAML.
func parse(text string) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	for _, document := range strings.Split(text, "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			return nil, err
		}
		if len(u.Object) > 0 {
			objects = append(objects, u)
		}
	}
	return objects, nil
}
