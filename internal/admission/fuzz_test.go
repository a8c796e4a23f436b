package admission

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/test/hostile"
)

// handlers are all that the API server asks, with the kind that each is asked about.
func handlers(t *testing.T) map[string]admission.Handler {
	r := rules(t, from[clusterv1.Cluster](t, ruleCluster), from[v1beta1.AzureManagedControlPlane](t, ruleControlPlane),
		from[v1beta1.AzureManagedMachinePool](t, rulePool), from[clusterv1.MachinePool](t, ruleMachinePool))
	scoped := func() Scope { return Scope{Namespace: "default"} }
	return map[string]admission.Handler{
		"AzureASOManagedCluster": &Claimer{Scope: scoped}, "AKSCluster": &PlatformClaimer{}, controlPlaneKind: &Defaulter{SubscriptionID: "s"}, managedPoolKind: &Defaulter{Scope: scoped},
		managedPoolTemplateKind: &Defaulter{}, "Cluster": r.handler(r.cluster), "MachinePool": r.handler(r.machinePool), controlPlaneKind + "/rules": r.handler(r.controlPlane),
		managedPoolKind + "/rules": r.handler(r.managedPool), "CompositeResourceDefinition": &Guard{Reader: r.Reader}, "AzureManagedCluster": &RemadeGuard{},
		"Cluster/topology": &TopologyVersion{Reader: r.Reader},
		clusterKind:        &Defaulter{}, clusterTemplateKind: &Defaulter{}, machineKind: &Defaulter{newKey: noKey}, machineTemplateKind: &Defaulter{Scope: scoped, newKey: noKey},
		machineKind + "/rules": r.handler(machine), machineTemplateKind + "/rules": r.handler(machine),
	}
}

// noKey saves the time that it takes to make a key.
func noKey() (string, error) { return "key", nil }

var operations = []admissionv1.Operation{admissionv1.Create, admissionv1.Update, admissionv1.Delete}

// withstands asks every handler, and checks the answers: each is one, and a patch fits the object that it is for.
func withstands(t *testing.T, raw, old []byte, operation admissionv1.Operation) {
	t.Helper()
	for of, handler := range handlers(t) {
		kind, _, _ := strings.Cut(of, "/")
		req := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
			Operation: operation, Namespace: "default", Name: "cp", Kind: metav1.GroupVersionKind{Kind: kind}, Object: runtime.RawExtension{Raw: raw}, OldObject: runtime.RawExtension{Raw: old},
			Options: runtime.RawExtension{Raw: old},
		}}
		if operation == admissionv1.Create {
			req.OldObject.Raw = nil
		}
		response := handler.Handle(context.Background(), req)
		if !response.Allowed && (response.Result == nil || response.Result.Message == "") {
			t.Errorf("%s: refused without a word", of)
		}
		if len(response.Patches) == 0 {
			continue
		}
		text, err := json.Marshal(response.Patches)
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		patch, err := jsonpatch.DecodePatch(text)
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		if _, err := patch.Apply(raw); err != nil {
			t.Errorf("%s: patch %s does not fit %s: %v", of, text, raw, err)
		}
	}
}

// FuzzObjects asks about objects that are odd, new and changed.
func FuzzObjects(f *testing.F) {
	for what := range 256 {
		f.Add(uint8(what), []byte{byte(what / 3), byte(what), byte(what)}, []byte{byte(what), byte(what / 7), byte(what * 3)})
	}
	texts := []string{ruleCluster, ruleControlPlane, rulePool, ruleMachinePool, selfManagedCluster, selfManagedTemplate, selfManagedMachine}
	f.Fuzz(func(t *testing.T, which uint8, now, before []byte) {
		base := map[string]any{}
		if err := yaml.Unmarshal([]byte(texts[int(which)%len(texts)]), &base); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(hostile.Object(base, now))
		if err != nil {
			t.Fatal(err)
		}
		old, err := json.Marshal(hostile.Object(base, before))
		if err != nil {
			t.Fatal(err)
		}
		withstands(t, raw, old, operations[int(which/4)%len(operations)])
	})
}

// FuzzRaw asks about what need not be an object.
func FuzzRaw(f *testing.F) {
	for _, s := range []string{"", "{}", "null", "[]", "1", `{"metadata": null}`, `{"metadata": []}`, `{"metadata": {"annotations": 1}}`, `{"spec": null}`, `{"metadata": {}, "metadata": {"labels": {}}}`, "{", `{"a": 1e400}`, `{"metADAtA": {}}`} {
		f.Add(uint8(len(s)), []byte(s), []byte("{}"))
		f.Add(uint8(len(s)), []byte("{}"), []byte(s))
	}
	f.Fuzz(func(t *testing.T, which uint8, raw, old []byte) {
		withstands(t, raw, old, operations[int(which)%len(operations)])
	})
}
