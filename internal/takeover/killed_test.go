package takeover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

var errKilled = errors.New("killed")

// killedAt has a walk end at one of its writes: before it, or after it when nobody has heard of it. It returns the number of the writes until then.
func (w *Walk) killedAt(t *testing.T, write int, after bool) *int {
	t.Helper()
	inner, ok := w.Client.(client.WithWatch)
	if !ok {
		t.Fatal("the fake cannot be intercepted")
	}
	count, mu := 0, sync.Mutex{}
	guard := func(do func() error) error {
		mu.Lock() // Independent changes are made at the same time.
		defer mu.Unlock()
		count++
		if count == write && !after {
			return errKilled
		}
		err := do()
		if count == write && err == nil {
			return errKilled
		}
		return err
	}
	w.Client = interceptor.NewClient(inner, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return guard(func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if definedBy(o, xrdKind.Kind) {
				return c.Update(ctx, o, opts...) // The test's own, which plays Crossplane.
			}
			return guard(func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return guard(func() error { return c.Patch(ctx, o, p, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, name string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return guard(func() error { return c.SubResource(name).Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return guard(func() error { return c.Delete(ctx, o, opts...) })
		},
	})
	return &count
}

// restarted takes steps, again from the first one when it is killed.
func (w *Walk) restarted(t *testing.T, way []walk.Step, wanted ...string) {
	t.Helper()
	for restart := true; restart; {
		restart = false
		for _, s := range way {
			if !slices.Contains(wanted, s.Name) {
				continue
			}
			s.Awaited = nil
			if _, err := w.Take(context.Background(), false, s); errors.Is(err, errKilled) {
				restart = true
				break
			} else if err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
		}
	}
}

// seen returns the objects that change hands, and those of CAPZ, as they are.
func (w *Walk) seen(t *testing.T) map[string]any {
	t.Helper()
	kinds := append([]schema.GroupVersionKind{
		controlPlane().GroupVersionKind(), composite.AzureCluster.GroupVersionKind, composite.AzureMachine.GroupVersionKind, composite.AzureMachinePool.GroupVersionKind, poolMachineKind,
		aso.NetworkSecurityGroup.GroupVersionKind(), aso.VirtualMachine.GroupVersionKind(), deploymentKind, definitionKind, configMapKind, {Group: "resources.azure.com", Version: "v1api20200601", Kind: "ResourceGroup"},
	}, webhookKinds...)
	all := map[string]any{}
	for _, kind := range kinds {
		found, err := w.List(context.Background(), kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range found {
			unstructured.RemoveNestedField(o.Object, "metadata", "resourceVersion")
			all[o.GetKind()+" "+o.GetName()] = o.Object
		}
	}
	return all
}

// thereAndBack goes there, with Crossplane taking the definition over in the middle, and back, and returns what there is at both ends.
func (w *Walk) thereAndBack(t *testing.T) (there, back map[string]any) {
	t.Helper()
	before := []string{"keep", "stop CAPZ", "remove webhooks", "hold"}
	w.restarted(t, w.stepsTo(), before...)
	w.controller(t, xrdKind.Kind)
	w.restarted(t, w.stepsTo(), append(before, "hand over ASO objects", "hand over")...)
	there = w.seen(t)
	var way []string
	for _, s := range w.stepsBack() {
		if s.Name != "uninstall" {
			way = append(way, s.Name)
		}
	}
	w.restarted(t, w.stepsBack(), way...)
	return there, w.seen(t)
}

// TestKilledAtEachWrite has a walk end at each write, there and back, and go on when it is started again.
func TestKilledAtEachWrite(t *testing.T) {
	killedAtEachWrite(t, 10, func() (*Walk, life) {
		w := walkOf(t)
		return w, w.thereAndBack
	})
}

// A life goes there and back, and returns what there is at both ends.
type life func(*testing.T) (there, back map[string]any)

// killedAtEachWrite has a life come to the same ends as without it, whichever of its writes it is killed at. There are at least so many of these.
func killedAtEachWrite(t *testing.T, fewest int, start func() (*Walk, life)) {
	t.Helper()
	_, live := start()
	there, back := live(t)
	for _, after := range []bool{false, true} {
		for write := 1; ; write++ {
			w, live := start()
			count := w.killedAt(t, write, after)
			gotThere, gotBack := live(t)
			if *count < write { // No more writes.
				if write < fewest {
					t.Errorf("there and back takes %d writes only", *count)
				}
				break
			}
			when := fmt.Sprintf("killed at write %d (after it: %t)", write, after)
			if diff := cmp.Diff(there, gotThere); diff != "" {
				t.Errorf("%s, there (-want +got):\n%s", when, diff)
			}
			if diff := cmp.Diff(back, gotBack); diff != "" {
				t.Errorf("%s, back (-want +got):\n%s", when, diff)
			}
		}
	}
}

// machinesThereAndBack is thereAndBack for virtual machines, with this project composing what CAPZ made in Azure itself in the middle.
func (w *Walk) machinesThereAndBack(t *testing.T, other client.Client) (there, back map[string]any) {
	t.Helper()
	w.restarted(t, w.stepsTo(), "hold", "hand over ASO objects", "hand over")
	there = w.seen(t)
	create(t, other, composedHere)
	w.restarted(t, w.stepsBack(), "hold", "detach", "let go", "hand back ASO objects", "hand back")
	return there, w.seen(t)
}

// TestMachinesKilledAtEachWrite is TestKilledAtEachWrite for virtual machines.
func TestMachinesKilledAtEachWrite(t *testing.T) {
	killedAtEachWrite(t, 15, func() (*Walk, life) {
		w := machinesWalk(t, machinesOfCAPZ)
		other := w.Client // That of others is not killed.
		return w, func(t *testing.T) (there, back map[string]any) { return w.machinesThereAndBack(t, other) }
	})
}
