package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A poison is an entry of spec.resources that the API server takes, though no person would write it, and what is said of it.
type poison struct {
	name string
	// entries of spec.resources, as JSON.
	entries string
	says    []string
}

// odd is a ResourceGroup with the name and spec, given as JSON.
func odd(name, spec string) string {
	return `{"apiVersion": "resources.azure.com/v1api20200601", "kind": "ResourceGroup", "metadata": {"name": ` + name + `}, "spec": ` + spec + `}`
}

func deep(levels int) string {
	return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
}

var poisons = []poison{
	{name: "deep", entries: odd(`"deep"`, deep(1000)), says: []string{"spec.resources[0] has more than 100 levels of fields within fields"}},
	{name: "deepest", entries: odd(`"deepest"`, deep(9900)), says: []string{"recursion"}},
	{name: "large", entries: odd(`"large"`, `{"location": "`+strings.Repeat("a", 1400<<10)+`"}`), says: []string{"large"}},
	{name: "many", entries: strings.TrimSuffix(strings.Repeat(odd(`"MANY"`, "{}")+",", 256), ","), says: []string{`spec.resources[0].metadata.name is "MANY", but must be`}},
	{name: "named", entries: odd(`"a\u0000\u202e"`, "{}") + "," + odd(`"sound"`, `{"location": "westeurope"}`), says: []string{`spec.resources[0].metadata.name is "a\x00\u202e", but must be`}},
	{name: "sound", entries: odd(`"well"`, `{"location": "westeurope"}`)},
}

// manifest has the Cluster with the poison in its infrastructure.
func (p poison) manifest() ([]*unstructured.Unstructured, error) {
	objects, err := parse(strings.ReplaceAll(`
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedCluster
metadata: {name: NAME}
spec: {}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedControlPlane
metadata: {name: NAME}
spec: {version: v1.33.6, resources: []}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: NAME}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedCluster, name: NAME}
  controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedControlPlane, name: NAME}
`, "NAME", p.name))
	if err != nil {
		return nil, err
	}
	var resources []any
	if err := json.Unmarshal([]byte("["+p.entries+"]"), &resources); err != nil {
		return nil, err
	}
	objects[0].Object["spec"] = map[string]any{"resources": resources}
	return objects, nil
}

// poisoned creates everything at once.
func poisoned(w *world) error {
	for _, p := range poisons {
		objects, err := p.manifest()
		if err != nil {
			return err
		}
		for _, o := range objects {
			o.SetNamespace(w.namespace)
			if err := w.create(o); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return nil
}

func poisonAnswers() []expectation {
	answers := []expectation{
		entry(asoClusterKind, "named", "ResourceGroup/sound", true, "", ""),
		entry(asoClusterKind, "sound", "ResourceGroup/well", true, "", ""),
	}
	for _, p := range poisons {
		for _, text := range p.says {
			answers = append(answers, says(asoClusterKind, p.name, text))
		}
	}
	return answers
}

// mostTries is how often Crossplane and provider-capz may ask the API server about the namespace within restFor: what cannot
// succeed is tried again, but not at once.
const (
	mostTries = 100
	restFor   = 10 * time.Second
)

// atRest expects that little is asked of the API server about the scenario's namespace for a while.
func atRest(w *world) []string {
	since := time.Now()
	time.Sleep(restFor)
	log, err := os.Open(w.stack.AuditLog())
	if err != nil {
		return []string{err.Error()}
	}
	defer log.Close()
	asked := map[string]int{}
	all := 0
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break // The last line may still be on its way.
		}
		event := auditv1.Event{}
		if !bytes.Contains(line, []byte(w.namespace)) || json.Unmarshal(line, &event) != nil || event.StageTimestamp.Time.Before(since) || event.ObjectRef == nil {
			continue
		}
		all++
		asked[event.User.Username+" "+event.Verb+" "+event.ObjectRef.Resource+" "+event.ObjectRef.Name]++
	}
	w.logf("%d requests within %s: %v", all, restFor, asked)
	if all > mostTries {
		return []string{fmt.Sprintf("%d requests within %s: %v", all, restFor, asked)}
	}
	return nil
}

// hostile has objects that nobody thought of beside one that is as it should be, which must not notice.
var hostile = &scenario{
	name: "hostile", calmOnly: true,
	steps: []step{
		{name: "objects that nobody thought of", act: poisoned, expect: poisonAnswers()},
		{name: "nothing is tried again and again", expect: []expectation{atRest}},
		{
			name: "what is sound can be changed",
			act: func(w *world) error {
				return w.setResource(asoClusterKind, "sound", "ResourceGroup/well", "spec.tags", map[string]any{"odd": "e\u0301"})
			},
			expect: []expectation{inAzure("/resourceGroups/well", "tags.odd", "e\u0301")},
		},
		{
			name: "delete",
			act: func(w *world) error {
				return w.client.DeleteAllOf(w.ctx, object(clusterKind, w.namespace, ""), client.InNamespace(w.namespace))
			},
			expect: []expectation{nothingLeft, azureEmpty, acceptedDeletes}, never: []expectation{compositesOutlive}, deletes: true,
		},
	},
}
