package takeover

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func azureCluster(status map[string]any) *unstructured.Unstructured {
	return controlPlane(func(u *unstructured.Unstructured) {
		u.SetKind("AzureCluster")
		u.SetFinalizers([]string{azureClusterFinalizer})
		if status != nil {
			u.Object["status"] = status
		}
	})
}

func TestStatus(t *testing.T) {
	byName := func() map[string]any {
		return map[string]any{"2": map[string]any{"controlPlane": true}, "1": map[string]any{"controlPlane": false, "attributes": map[string]any{"a": "b"}}}
	}
	list := []any{
		map[string]any{"name": "1", "controlPlane": false, "attributes": map[string]any{"a": "b"}}, map[string]any{"name": "2", "controlPlane": true},
	}
	cases := map[string]struct {
		status, there, back map[string]any
	}{
		"None":            {},
		"FailureDomains":  {status: map[string]any{"ready": true, "failureDomains": byName()}, there: map[string]any{"ready": true, "failureDomains": list}, back: map[string]any{"ready": true, "failureDomains": byName()}},
		"NoFailureDomain": {status: map[string]any{"failureDomains": map[string]any{}}, there: map[string]any{"failureDomains": []any{}}, back: map[string]any{"failureDomains": map[string]any{}}},
		"OfNoDetail": {status: map[string]any{"failureDomains": map[string]any{"1": map[string]any{}}}, there: map[string]any{"failureDomains": []any{map[string]any{"name": "1"}}},
			back: map[string]any{"failureDomains": map[string]any{"1": map[string]any{}}}},
		"Conditions": {
			status: map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}, map[string]any{"type": "VNetReady", "status": "True"}}},
			there:  map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "TakenOver"}}},
			back:   map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "TakenOver"}}},
		},
		"ReasonOfItsOwn": {
			status: map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": "Failed"}}},
			there:  map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": "Failed"}}},
			back:   map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "False", "reason": "Failed"}}},
		},
		"Held": {
			status: map[string]any{"conditions": []any{map[string]any{"type": "Synced", "status": "False", "reason": "ReconcilePaused"}, map[string]any{"type": "VNetReady", "status": "True"}}},
			there:  map[string]any{"conditions": []any{map[string]any{"type": "Synced", "status": "False", "reason": "ReconcilePaused"}}},
			back:   map[string]any{},
		},
		"NoReady": {status: map[string]any{"conditions": []any{map[string]any{"type": "VNetReady", "status": "True"}}}, there: map[string]any{}, back: map[string]any{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			original := azureCluster(c.status)
			before := original.DeepCopy()
			there, err := statusFor(original)
			if err != nil {
				t.Fatal(err)
			}
			again, err := statusFor(there)
			if err != nil {
				t.Fatal(err)
			}
			back, err := statusBack(there)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []struct {
				what string
				want map[string]any
				got  *unstructured.Unstructured
			}{{"there", c.there, there}, {"there once more", c.there, again}, {"back", c.back, back}} {
				got, _ := d.got.Object["status"].(map[string]any)
				if diff := cmp.Diff(d.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", d.what, diff)
				}
			}
			if diff := cmp.Diff(before, original); diff != "" {
				t.Errorf("the original is changed (-want +got):\n%s", diff)
			}
		})
	}
}
