package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
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
				said, err := w.plan(objects)
				if err != nil {
					return err
				}
				w.noted[notedPlan+name] = said
			}
			return w.apply(objects...)
		},
		expect: []expectation{asPlanned(name), available},
		stays:  []expectation{asPlanned(name)}, staysFor: 3 * time.Second,
	}
}

// plannedResource is a resource in what kubectl capz plan --output json prints.
type plannedResource struct{ Type, AzureName string }

// A saying is what a plan has said at a time.
type saying struct {
	at     time.Time
	writes map[string]bool
}

// plan returns what kubectl capz plan says of objects.
func (w *world) plan(objects []*unstructured.Unstructured) (saying, error) {
	var manifests bytes.Buffer
	for _, o := range objects {
		o = o.DeepCopy()
		o.SetNamespace(w.namespace)
		raw, err := o.MarshalJSON()
		if err != nil {
			return saying{}, err
		}
		fmt.Fprintf(&manifests, "---\n%s\n", raw)
	}
	said := saying{at: time.Now(), writes: map[string]bool{}}
	out, changes, err := w.kubectlCapz(&manifests, "plan",
		"--server-side", "--force-conflicts", "--field-manager", fieldOwner, "--filename", "-", "--output", "json")
	if err != nil {
		return said, err
	}
	plan := struct {
		Changes []struct {
			Action             string
			Resource, Replaces plannedResource
		}
	}{}
	if err := json.Unmarshal(out, &plan); err != nil {
		return said, fmt.Errorf("kubectl capz plan: %w: %s", err, out)
	}
	for _, item := range plan.Changes {
		switch item.Action {
		case "create", "change":
			said.writes[writeOf(http.MethodPut, item.Resource)] = true
		case "delete":
			said.writes[writeOf(http.MethodDelete, item.Resource)] = true
		case "replace":
			said.writes[writeOf(http.MethodPut, item.Resource)] = true
			said.writes[writeOf(http.MethodDelete, item.Replaces)] = true
		}
	}
	if (len(said.writes) > 0) != changes {
		return said, fmt.Errorf("kubectl capz plan ends as if there were changes: %v, and says %v", changes, slices.Sorted(maps.Keys(said.writes)))
	}
	w.logf("the plan: %v", slices.Sorted(maps.Keys(said.writes)))
	return said, nil
}

// writeOf returns the method and the end of the path of a request that writes a resource.
func writeOf(method string, r plannedResource) string {
	return strings.ToLower(fmt.Sprintf("%s %s/%s", method, r.Type[strings.LastIndex(r.Type, "/")+1:], r.AzureName))
}

// asPlanned expects that Azure has been sent what was planned, and nothing else that changes anything.
func asPlanned(name string) expectation {
	return func(w *world) []string {
		said, ok := w.noted[notedPlan+name].(saying)
		if !ok {
			return []string{"there is no plan"}
		}
		requests, err := w.requests(said.at, http.MethodPut, http.MethodPatch, http.MethodDelete)
		if err != nil {
			return []string{err.Error()}
		}
		sent := map[string]bool{}
		for _, r := range requests {
			segments := strings.Split(r.Path, "/")
			if r.Changed || r.Method == http.MethodDelete {
				sent[strings.ToLower(r.Method+" "+strings.Join(segments[len(segments)-2:], "/"))] = true
			}
		}
		var missing []string
		for want := range said.writes {
			if !sent[want] {
				missing = append(missing, "the plan has "+want+", which Azure has not been sent")
			}
		}
		for got := range sent {
			if !said.writes[got] {
				missing = append(missing, "Azure has been sent "+got+", which the plan did not have")
			}
		}
		return missing
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
