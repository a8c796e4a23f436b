package takeover

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
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

// TestOthersWriteStatus has a controller write its condition anew whenever the status is written without it: the status is written once, and the rest comes
// through.
func TestOthersWriteStatus(t *testing.T) {
	w := machinesWalk(t, machinesOfCAPZ)
	ctx := context.Background()
	inner, ok := w.Client.(client.WithWatch)
	if !ok {
		t.Fatal("the fake cannot be intercepted")
	}
	say := func() error {
		xr := w.object(t, composite.AzureCluster.GroupVersionKind, "c")
		err := statusConditions.Set(xr, []any{map[string]any{"type": "SaidAnew", "status": "True", "reason": "Said"}})
		return errors.Join(err, inner.Status().Update(ctx, xr))
	}
	if err := say(); err != nil {
		t.Fatal(err)
	}
	written := 0
	w.Client = interceptor.NewClient(inner, interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, name string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			err := c.SubResource(name).Patch(ctx, o, p, opts...)
			if o.GetName() == "c" {
				written++
				err = errors.Join(err, say())
			}
			return err
		},
	})
	w.steps(t, w.stepsTo(), "hold", "hand over ASO objects", "hand over")
	xr := w.object(t, composite.AzureCluster.GroupVersionKind, "c")
	if !slices.Contains(xr.GetFinalizers(), names.Finalizer) || xr.GetAnnotations()[stateAnnotation] != "" || written != 1 {
		t.Errorf("finalizers %v, annotations %v, after %d writes of the status; want it handed over after one", xr.GetFinalizers(), xr.GetAnnotations(), written)
	}
}
