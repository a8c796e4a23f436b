package endure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// An act is something that a person does. One that fails is done again, so that it may have been done in part.
type act = func(ctx context.Context, w *world) error

// A look says what is missing.
type look = func(ctx context.Context, w *world) ([]string, error)

// apply applies the family's examples.
func apply(ctx context.Context, w *world) error {
	for _, name := range w.family.examples {
		objects, err := kubeyaml.Read(filepath.Join(w.Root, "examples", name))
		if err != nil {
			return err
		}
		for _, u := range objects {
			if err := w.adapt(u); err != nil {
				return err
			}
			if w.family.name == "platform" && u.GetKind() != teamKind.Kind {
				continue // The platform team's own are there, see world.enter.
			}
			u.SetNamespace(w.life.Name())
			if err := w.applyOne(ctx, u); err != nil {
				return err
			}
		}
	}
	return nil
}

// adapt has an object of an example be in the life's subscription, and small enough to be broken often.
func (w *world) adapt(u *unstructured.Unstructured) error {
	_, asked, _ := unstructured.NestedMap(u.Object, "spec", "identityRef")
	var errs []error
	if u.GetKind() == "AzureManagedControlPlane" || asked {
		errs = append(errs, unstructured.SetNestedField(u.Object, w.subscription, "spec", "subscriptionID"))
	}
	switch u.GetKind() {
	case kubeadmKind.Kind:
		errs = append(errs, unstructured.SetNestedField(u.Object, olderMachines, "spec", "version"))
	case deploymentKind.Kind:
		errs = append(errs, unstructured.SetNestedField(u.Object, olderMachines, "spec", "template", "spec", "version"))
		if len(w.family.examples) > 1 { // The scale set has the workers.
			errs = append(errs, unstructured.SetNestedField(u.Object, int64(0), "spec", "replicas"))
		}
	case poolKind.Kind:
		if w.family.machines {
			errs = append(errs, unstructured.SetNestedField(u.Object, olderMachines, "spec", "template", "spec", "version"))
		}
	}
	return errors.Join(errs...)
}

// all does several things.
func all(acts ...act) act {
	return func(ctx context.Context, w *world) error {
		for _, a := range acts {
			if err := a(ctx, w); err != nil {
				return err
			}
		}
		return nil
	}
}

// both is what is missing of both.
func both(looks ...look) look {
	return func(ctx context.Context, w *world) ([]string, error) {
		var missing []string
		for _, l := range looks {
			lacks, err := l(ctx, w)
			if err != nil {
				return nil, err
			}
			missing = append(missing, lacks...)
		}
		return missing, nil
	}
}

// await waits until nothing is missing. An act that it is in is not done again for what it waits for.
func await(l look) act {
	return func(ctx context.Context, w *world) error { return w.await(ctx, l) }
}

// set sets a field, given as in "spec.version".
func set(gvk schema.GroupVersionKind, name, path string, value any) act {
	return edit(gvk, name, func(u *unstructured.Unstructured) error {
		return unstructured.SetNestedField(u.Object, value, strings.Split(path, ".")...)
	})
}

// setInEntry sets a field of the first ASO object in spec.resources.
func setInEntry(gvk schema.GroupVersionKind, name, path string, value any) act {
	return edit(gvk, name, func(u *unstructured.Unstructured) error {
		entries, _, err := unstructured.NestedSlice(u.Object, "spec", "resources")
		if err != nil || len(entries) == 0 {
			return fmt.Errorf("%s %s has no spec.resources: %w", gvk.Kind, name, err)
		}
		entry, _ := entries[0].(map[string]any)
		return errors.Join(
			unstructured.SetNestedField(entry, value, strings.Split(path, ".")...), unstructured.SetNestedSlice(u.Object, entries, "spec", "resources"),
		)
	})
}

// edit changes an object as kubectl edit does, until nobody has changed it meanwhile.
func edit(gvk schema.GroupVersionKind, name string, change func(*unstructured.Unstructured) error) act {
	return func(ctx context.Context, w *world) error {
		return w.persist(ctx, func(ctx context.Context) error {
			u := object(gvk, w.life.Name(), name)
			if err := w.home.Load().client.Get(ctx, client.ObjectKeyFromObject(u), u); err != nil {
				return err
			}
			if err := change(u); err != nil {
				return err
			}
			return w.home.Load().client.Update(ctx, u, client.FieldOwner(fieldOwner))
		})
	}
}

// remove deletes an object.
func remove(gvk schema.GroupVersionKind, name string) act {
	return func(ctx context.Context, w *world) error {
		return w.persist(ctx, func(ctx context.Context) error {
			err := w.home.Load().client.Delete(ctx, object(gvk, w.life.Name(), name), client.PropagationPolicy(metav1.DeletePropagationBackground))
			return client.IgnoreNotFound(err)
		})
	}
}

// pausedWhile pauses the Cluster, changes something once that has come to all, sees that Azure keeps still, and resumes.
func pausedWhile(change act, still look) act {
	pause := func(paused bool) act { return set(clusterKind, clusterName, "spec.paused", paused) }
	return all(pause(true), await(composites("does not stand still", func(u *unstructured.Unstructured) bool {
		return u.GetAnnotations()["crossplane.io/paused"] == "true"
	})), change, func(ctx context.Context, w *world) error {
		for end := time.Now().Add(holdTime); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(checkInterval) {
			if changed, err := still(ctx, w); err == nil && len(changed) > 0 {
				return fmt.Errorf("%w: Azure was changed while the Cluster was paused: %s", errWrong, strings.Join(changed, "; "))
			}
		}
		return ctx.Err()
	}, pause(false))
}

// object returns an empty object.
func object(gvk schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// applyOne applies an object as kubectl does on the server's side.
func (w *world) applyOne(ctx context.Context, u *unstructured.Unstructured) error {
	return w.persist(ctx, func(ctx context.Context) error {
		err := w.home.Load().client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), client.FieldOwner(fieldOwner), client.ForceOwnership)
		if apierrors.IsInvalid(err) {
			return fmt.Errorf("%w: %w", errWrong, err)
		}
		return err
	})
}
