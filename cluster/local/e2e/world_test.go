package e2e

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// fieldOwner is the field manager of what the person in a scenario applies.
const fieldOwner = "person"

// A world is where one scenario takes place: a namespace, and the subscription that its credential is for.
type world struct {
	*environment

	t            *testing.T
	begun        time.Time
	namespace    string
	subscription string
	// killed are the components that are killed on the way.
	killed []string
	// family is what the cluster is written by.
	family *family
	// seen are the ASO objects that were there after the last step.
	seen map[objectKey]metav1.PartialObjectMetadata
	// going are the removals that the steps so far have asked for.
	going []removal
	// injected are the names of the faults that the scenario has injected.
	injected map[string]bool
	// recorder keeps the lives of the objects, if that is asked for.
	recorder *recorder
	// drifts is set where somebody changes in Azure what is asked for otherwise.
	drifts bool
	// noted are what a step has to remember for a later one.
	noted map[string]any
}

func newWorld(t *testing.T, scenario string, killed ...string) *world {
	return newWorldOn(suite, t, scenario, killed...)
}

// newWorldOn is newWorld on a management cluster. Worlds of one name on two of them share namespace and subscription.
func newWorldOn(e *environment, t *testing.T, scenario string, killed ...string) *world {
	round := "calm"
	if len(killed) > 0 {
		round = killed[0] // The names of all would be too long for a namespace.
	}
	namespace := scenario + "-" + round
	return &world{
		environment: e, killed: killed, family: asoFamily, t: t, begun: time.Now(), namespace: namespace,
		subscription: uuid.NewSHA1(uuid.NameSpaceURL, []byte(namespace)).String(),
		seen:         map[objectKey]metav1.PartialObjectMetadata{}, injected: map[string]bool{}, noted: map[string]any{},
	}
}

// kills reports whether a component is killed on the way.
func (w *world) kills(component string) bool { return slices.Contains(w.killed, component) }

func (w *world) logf(format string, args ...any) {
	w.t.Helper()
	w.t.Logf("%s %6.1fs  %s", time.Now().Format(time.TimeOnly), time.Since(w.begun).Seconds(), fmt.Sprintf(format, args...))
}

// enter makes the namespace with the credential that ASO takes for everything in it.
func (w *world) enter() error {
	return w.persist(func(w *world) error {
		err := w.client.Create(w.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
		return client.IgnoreAlreadyExists(w.client.Create(w.ctx, w.credential("aso-credential")))
	}, time.Minute)
}

// credential returns a Secret as ASO reads it, with a service principal that the simulated Entra accepts.
func (w *world) credential(name string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name},
		StringData: map[string]string{
			"AZURE_SUBSCRIPTION_ID": w.subscription,
			"AZURE_TENANT_ID":       "00000000-0000-0000-0000-000000000002",
			"AZURE_CLIENT_ID":       "00000000-0000-0000-0000-000000000003",
			"AZURE_CLIENT_SECRET":   w.planted("client secret"),
		},
	}
}

// planted returns a secret that is looked for after the run in everything that was written in it. It is another in each run and
// scenario, and always the same for the same use; what encodings change is in it.
func (w *world) planted(use string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s", seed(), w.namespace, use))
	return fmt.Sprintf("%x~\"&+/%%=%x", sum[:8], sum[8:16])
}

// tidy takes away what a failed scenario leaves, as far as that does not need waiting: it would only cost the others.
func (w *world) tidy() {
	// The suite's own context may be over already.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), 10*time.Second)
	defer cancel()
	var errs []error
	errs = append(errs, w.clearFaults(ctx))
	if w.t.Failed() {
		errs = append(errs, w.client.DeleteAllOf(ctx, object(clusterKind, w.namespace, ""), client.InNamespace(w.namespace)))
	}
	if err := errors.Join(errs...); err != nil {
		w.logf("tidy: %v", err)
	}
}

func object(gvk schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gvk)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}

// get returns an object; nil when it does not exist.
func (w *world) get(gvk schema.GroupVersionKind, name string) (*unstructured.Unstructured, error) {
	u := object(gvk, w.namespace, name)
	err := w.client.Get(w.ctx, client.ObjectKeyFromObject(u), u)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", gvk.Kind, name, err)
	}
	return u, nil
}

// list returns the objects of a kind in the scenario's namespace.
func (w *world) list(gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(gvk)
	if err := w.client.List(w.ctx, l, client.InNamespace(w.namespace)); err != nil {
		return nil, fmt.Errorf("list %s: %w", gvk.Kind, err)
	}
	return l.Items, nil
}

// create creates an object; that it exists already is fine.
func (w *world) create(o client.Object) error {
	return client.IgnoreAlreadyExists(w.client.Create(w.ctx, o))
}

// apply applies objects as kubectl does on the server's side.
func (w *world) apply(objects ...*unstructured.Unstructured) error {
	for _, u := range objects {
		u = u.DeepCopy()
		u.SetNamespace(w.namespace)
		err := w.client.Apply(w.ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner), client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("apply %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	return nil
}

// edit changes an object as `kubectl edit` does.
func (w *world) edit(gvk schema.GroupVersionKind, name string, change func(*unstructured.Unstructured) error) error {
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		u := object(gvk, w.namespace, name)
		if err := w.client.Get(w.ctx, client.ObjectKeyFromObject(u), u); err != nil {
			return fmt.Errorf("edit %s %s: %w", gvk.Kind, name, err)
		}
		if err := change(u); err != nil {
			return err
		}
		return w.client.Update(w.ctx, u, client.FieldOwner(fieldOwner))
	})
}

// set sets one field of an object, given as in "spec.template.spec.version"; a nil value takes it away.
func (w *world) set(gvk schema.GroupVersionKind, name, field string, value any) error {
	return w.edit(gvk, name, func(u *unstructured.Unstructured) error {
		return setField(u.Object, field, value)
	})
}

// setResource sets one field of an entry of spec.resources; a nil value takes it away.
func (w *world) setResource(gvk schema.GroupVersionKind, name string, entry string, field string, value any) error {
	return w.edit(gvk, name, func(u *unstructured.Unstructured) error {
		return editEntry(u, entry, func(e map[string]any) error { return setField(e, field, value) })
	})
}

// annotate sets an annotation of an object, or takes it away when the value is nil.
func (w *world) annotate(gvk schema.GroupVersionKind, name, annotation string, value *string) error {
	return w.edit(gvk, name, func(u *unstructured.Unstructured) error {
		annotations := u.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		delete(annotations, annotation)
		if value != nil {
			annotations[annotation] = *value
		}
		u.SetAnnotations(annotations)
		return nil
	})
}

// remove deletes an object as kubectl does, without waiting. That it is gone already is fine.
func (w *world) remove(gvk schema.GroupVersionKind, name string) error {
	return client.IgnoreNotFound(w.client.Delete(w.ctx, object(gvk, w.namespace, name), client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// setField sets a field, given as in "spec.version", or takes it away when the value is nil.
func setField(obj map[string]any, field string, value any) error {
	fields := strings.Split(field, ".")
	if value == nil {
		unstructured.RemoveNestedField(obj, fields...)
		return nil
	}
	return unstructured.SetNestedField(obj, value, fields...)
}

// annotateNamespace sets an annotation of the scenario's namespace; an empty value takes it away.
func (w *world) annotateNamespace(annotation, value string) error {
	namespace := &corev1.Namespace{}
	if err := w.client.Get(w.ctx, client.ObjectKey{Name: w.namespace}, namespace); err != nil {
		return err
	}
	if namespace.Annotations == nil {
		namespace.Annotations = map[string]string{}
	}
	delete(namespace.Annotations, annotation)
	if value != "" {
		namespace.Annotations[annotation] = value
	}
	return w.client.Update(w.ctx, namespace)
}
