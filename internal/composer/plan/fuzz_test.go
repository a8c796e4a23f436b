package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const fuzzedObject = `{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: mc, namespace: ns, generation: 2, labels: {a: b}, annotations: {c: d}},
  spec: {azureName: mc, owner: {name: rg}, list: [{group: network.azure.com, kind: VirtualNetworksSubnet, name: nodes}, {armId: /subscriptions/s/resourceGroups/rg}],
    reference: {armId: /subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/net/subnets/nodes}},
  status: {conditions: [{type: Ready, status: "True", reason: Succeeded, severity: Info, message: m, observedGeneration: 2}]}}`

// FuzzAsApplied shows that nothing is returned as applied which was not observed, whatever the fields say that were applied.
func FuzzAsApplied(f *testing.F) {
	for _, fields := range []string{
		`{}`, `null`, `[]`, `{"f:spec":{}}`, `{"f:spec":{".":{},"f:azureName":{}}}`, `{"f:spec":{"f:list":{"k:{\"a\":1}":{"f:b":{}}}}}`, `{"f:":{}}`, `{"v:1":{}}`, `{"f:spec":1}`, `{`,
		`{"f:metadata":{"f:labels":{"f:a":{}},"f:annotations":{}},"f:status":{}}`, strings.Repeat(`{"f:a":`, 200) + "{}" + strings.Repeat("}", 200),
	} {
		f.Add(fields)
	}
	f.Fuzz(func(t *testing.T, fields string) {
		observed := object(t, fuzzedObject)
		observed.SetManagedFields([]metav1.ManagedFieldsEntry{{
			Manager: ComposedManager + "/x", Operation: metav1.ManagedFieldsOperationApply, APIVersion: observed.GetAPIVersion(), FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields),
		}})
		applied, err := AsApplied(observed)
		if err != nil {
			return
		}
		if path := notWithin(applied.Object, observed.Object); path != "" {
			t.Errorf("%s was never observed", path)
		}
		if applied.GetName() != observed.GetName() || applied.GetNamespace() != observed.GetNamespace() || applied.GroupVersionKind() != observed.GroupVersionKind() {
			t.Errorf("it is another object: %v", applied)
		}
	})
}

// notWithin returns the path of what a has and b has not.
func notWithin(a, b any) string {
	fields, isMap := a.(map[string]any)
	if !isMap {
		if !cmp.Equal(normalized(a), normalized(b)) {
			return "."
		}
		return ""
	}
	others, _ := b.(map[string]any)
	for name, value := range fields {
		if path := notWithin(value, others[name]); path != "" {
			return "." + name + path
		}
	}
	return ""
}
