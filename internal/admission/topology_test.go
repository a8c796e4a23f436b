package admission

import (
	"encoding/json"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"
)

// TestTopologyVersion shows when Cluster API is told not to check a version, and that the next change takes that back.
func TestTopologyVersion(t *testing.T) {
	const annotation, ours, users = "unsafe.topology.cluster.x-k8s.io/disable-update-version-check", "provider-capz", ""
	absent := "absent"
	for name, tc := range map[string]struct {
		kind, runs, asked, before, wanted string
		// has is the annotation's value before, want afterwards.
		has, want string
	}{
		"an ordinary upgrade":           {runs: "v1.33.6", asked: "v1.33.6", before: "v1.33.6", wanted: "v1.34.3", has: absent, want: absent},
		"a downgrade":                   {runs: "v1.33.6", asked: "v1.33.6", before: "v1.33.6", wanted: "v1.32.9", has: absent, want: absent},
		"refused by AKS, taken back":    {runs: "v1.33.6", asked: "v1.34.99", before: "v1.34.99", wanted: "v1.33.6", has: absent, want: ours},
		"of typed kinds":                {kind: "AzureManagedControlPlane", runs: "v1.33.6", asked: "v1.34.99", before: "v1.34.99", wanted: "v1.33.6", has: absent, want: ours},
		"upgraded by AKS, and raised":   {runs: "v1.33.6", asked: "v1.33.4", before: "v1.33.4", wanted: "v1.33.6", has: absent, want: ours},
		"that was before":               {runs: "v1.33.6", asked: "v1.33.6", before: "v1.33.6", wanted: "v1.34.3", has: ours, want: absent},
		"that was before, and is again": {runs: "v1.33.6", asked: "v1.34.99", before: "v1.34.99", wanted: "v1.33.6", has: ours, want: ours},
		"the user's own":                {runs: "v1.33.6", asked: "v1.33.6", before: "v1.33.6", wanted: "v1.32.9", has: users, want: users},
		"the user's own, and needed":    {runs: "v1.33.6", asked: "v1.34.99", before: "v1.34.99", wanted: "v1.33.6", has: users, want: users},
		"another kind of control plane": {kind: "KubeadmControlPlane", before: "v1.34.99", wanted: "v1.33.6", has: absent, want: absent},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.kind == "" {
				tc.kind = "AzureASOManagedControlPlane"
			}
			controlPlane := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"version": tc.asked}, "status": map[string]any{"version": tc.runs}}}
			controlPlane.SetGroupVersionKind(schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: tc.kind})
			controlPlane.SetNamespace("default")
			controlPlane.SetName("cp")
			cluster := func(version string) []byte {
				u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
					"topology":        map[string]any{"version": version, "unheardOf": "kept"},
					"controlPlaneRef": map[string]any{"apiGroup": "infrastructure.cluster.x-k8s.io", "kind": tc.kind, "name": "cp"},
				}}}
				if tc.has != absent {
					u.SetAnnotations(map[string]string{annotation: tc.has})
				}
				raw, err := json.Marshal(u.Object)
				if err != nil {
					t.Fatal(err)
				}
				return raw
			}
			v := &TopologyVersion{Reader: fake.NewClientBuilder().WithScheme(runtime.NewScheme()).WithObjects(controlPlane).Build()}
			response := v.Handle(t.Context(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Operation: admissionv1.Update, Namespace: "default",
				Object: runtime.RawExtension{Raw: cluster(tc.wanted)}, OldObject: runtime.RawExtension{Raw: cluster(tc.before)},
			}})
			if !response.Allowed {
				t.Fatal(response.Result.Message)
			}
			got := &unstructured.Unstructured{Object: map[string]any{}}
			if err := yaml.Unmarshal(patchedBy(t, cluster(tc.wanted), response), &got.Object); err != nil {
				t.Fatal(err)
			}
			value, has := got.GetAnnotations()[annotation]
			if !has {
				value = absent
			}
			if value != tc.want {
				t.Errorf("annotation is %q, want %q", value, tc.want)
			}
			if kept, _, _ := unstructured.NestedString(got.Object, "spec", "topology", "unheardOf"); kept != "kept" {
				t.Errorf("the rest is changed: %v", got.Object)
			}
		})
	}
}

// patchedBy returns the object as a response leaves it.
func patchedBy(t *testing.T, raw []byte, response admission.Response) []byte {
	t.Helper()
	if len(response.Patches) == 0 {
		return raw
	}
	text, err := json.Marshal(response.Patches)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = patch.Apply(raw); err != nil {
		t.Fatal(err)
	}
	return raw
}
