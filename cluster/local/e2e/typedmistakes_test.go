package e2e

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A typedRefusal is a change that the API server must not take, and the words that its answer must have.
type typedRefusal struct {
	kind    schema.GroupVersionKind
	object  string
	field   string
	value   any
	words   []string
	removes bool
}

var typedRefusals = []typedRefusal{
	{kind: typedControlPlaneKind, object: clusterName, field: "spec.location", value: "northeurope", words: []string{"spec.location"}},
	{kind: typedControlPlaneKind, object: clusterName, field: "spec.dnsPrefix", value: "another", words: []string{"spec.dnsPrefix"}},
	{kind: typedControlPlaneKind, object: clusterName, field: "spec.version", value: "v1.32.0", words: []string{"spec.version", "v1.32.0"}},
	{kind: typedControlPlaneKind, object: clusterName, field: "spec.oidcIssuerProfile.enabled", value: false, words: []string{"oidcIssuerProfile"}},
	{kind: typedPoolKind, object: userPool, field: "spec.sku", value: "Standard_D8s_v5", words: []string{"spec.sku"}},
	{kind: typedPoolKind, object: systemPool, field: "spec.mode", value: "User", words: []string{"spec.mode", "System"}},
	{kind: typedPoolKind, object: systemPool, removes: true, words: []string{"last System pool", clusterName}},
	{kind: poolKind, object: systemPool, removes: true, words: []string{"last System pool", clusterName}},
	{kind: poolKind, object: userPool, field: "spec.template.spec.version", value: newer, words: []string{"spec.template.spec.version", newer, version}},
	{
		kind: clusterKind, object: clusterName, field: "spec.clusterNetwork.services.cidrBlocks", value: []any{"10.0.0.0/16", "fd00::/108"},
		words: []string{"spec.clusterNetwork.services.cidrBlocks", "fd00::/108", "AKS takes one at most"},
	},
}

// attempt makes the change; it is an error when the API server takes it, or answers with other words.
func (r typedRefusal) attempt(w *world) error {
	var err error
	if r.removes {
		err = w.client.Delete(w.ctx, object(r.kind, w.namespace, r.object))
	} else {
		err = w.set(r.kind, r.object, r.field, r.value)
	}
	if err == nil {
		return fmt.Errorf("the API server takes %s=%v of %s %s", r.field, r.value, r.kind.Kind, r.object)
	}
	for _, word := range r.words {
		if !strings.Contains(err.Error(), word) {
			return fmt.Errorf("the refusal of %s=%v of %s %s does not say %q: %w", r.field, r.value, r.kind.Kind, r.object, word, err)
		}
	}
	return nil
}

// refusedOfTyped makes all of them.
func refusedOfTyped(w *world) error {
	for _, r := range typedRefusals {
		if err := r.attempt(w); err != nil {
			return err
		}
	}
	return nil
}
