package e2e

import (
	"path/filepath"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// plannedScenario has each edit planned by kubectl capz before it is applied. What Azure is sent then is what the plan has said.
var plannedScenario = &scenario{
	name: "planned", calmOnly: true,
	steps: []step{
		up("aks-aso"),
		planned("change nothing", nil),
		planned("scale a pool", nil, inObject("MachinePool", userPool, "spec.replicas", int64(3))),
		planned("tag the cluster and label a pool", nil,
			inResource("AzureASOManagedControlPlane", clusterName, "spec.tags", map[string]any{"team": "blue"}),
			inResource("AzureASOManagedMachinePool", userPool, "spec.nodeLabels", map[string]any{"example.org/workload": "batch"})),
		planned("upgrade all", nil,
			inObject("AzureASOManagedControlPlane", clusterName, "spec.version", newer),
			inObject("MachinePool", systemPool, "spec.template.spec.version", newer),
			inObject("MachinePool", userPool, "spec.template.spec.version", newer)),
		planned("give a pool another name", poolGone,
			inResource("AzureASOManagedMachinePool", userPool, "metadata.name", "other"),
			inResource("AzureASOManagedMachinePool", userPool, "spec.azureName", "other")),
		down,
	},
}

// Edits that stay from step to step, as in a folder of manifests, and what the plan before the last one said.
const (
	notedEdits = "edits"
	notedPlan  = "plan of "
)

// planned is a step that plans changes of the example, with those of the steps before, and applies them.
func planned(name string, goes []removal, edits ...change) step {
	return step{
		name: name, goes: goes, lasts: 20 * time.Second,
		act: func(w *world) error {
			all, _ := w.noted[notedEdits].([]change)
			if w.noted[notedPlan+name] == nil {
				all = append(all, edits...)
				w.noted[notedEdits] = all
			}
			objects, err := kubeyaml.Read(filepath.Join(w.root, "examples", "aks-aso"))
			for _, c := range all {
				if err == nil {
					objects, err = c(objects)
				}
			}
			if err != nil {
				return err
			}
			if w.noted[notedPlan+name] == nil {
				said, err := w.plan(fieldOwner, objects...)
				if err != nil {
					return err
				}
				w.noted[notedPlan+name] = said
			}
			return w.apply(objects...)
		},
		expect: []expectation{asNoted(name), available},
		stays:  []expectation{asNoted(name)}, staysFor: 3 * time.Second,
	}
}

// asNoted expects that Azure has been sent what the noted plan said.
func asNoted(name string) expectation {
	return func(w *world) []string {
		said, ok := w.noted[notedPlan+name].(*saying)
		if !ok {
			return []string{"there is no plan"}
		}
		return said.holds(w)
	}
}

// inObject is a change of a field of an object.
func inObject(kind, name, field string, value any) change {
	return inOne(kind, name, func(u *unstructured.Unstructured) error { return setField(u.Object, field, value) })
}

// inResource is a change of a field of the first ASO object in an object.
func inResource(kind, name, field string, value any) change {
	return inOne(kind, name, inEntry(field, value))
}

func inOne(kind, name string, alter func(*unstructured.Unstructured) error) change {
	return each(func(u *unstructured.Unstructured) error {
		if u.GetKind() != kind || u.GetName() != name {
			return nil
		}
		return alter(u)
	})
}
