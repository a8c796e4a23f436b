package templates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// fieldOwner is the field manager of what is applied.
const fieldOwner = "crossplane-capz-templates"

// A world is where one template takes place: a namespace, and the subscription that its credential is for.
type world struct {
	*Runner

	template                Template
	namespace, subscription string
	// cluster is the name of the Cluster. The management cluster reaches all of them by their names, so that no two have the same.
	cluster string
	// applied are the objects that the API server has taken, leftOut those of kinds that it does not have.
	applied, leftOut []*unstructured.Unstructured
}

func (r *Runner) newWorld(t Template) *world {
	namespace := "template-" + t.Name()
	subscription := uuid.NewSHA1(uuid.NameSpaceURL, []byte(namespace)).String()
	return &world{Runner: r, template: t, namespace: namespace, subscription: subscription, cluster: "cluster-" + subscription[:4]}
}

// enter makes the namespace, the Secrets that the template names, and what its users have in Azure before.
func (w *world) enter(ctx context.Context) error {
	if err := w.prepareAzure(ctx); err != nil {
		return err
	}
	err := w.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}})
	if client.IgnoreAlreadyExists(err) != nil {
		return err
	}
	return client.IgnoreAlreadyExists(w.Client.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: secretName},
		// As ASO reads it, and as an AzureClusterIdentity does.
		StringData: map[string]string{
			"AZURE_SUBSCRIPTION_ID": w.subscription, "AZURE_TENANT_ID": variables["AZURE_TENANT_ID"],
			"AZURE_CLIENT_ID": variables["AZURE_CLIENT_ID"], "AZURE_CLIENT_SECRET": w.Password, "clientSecret": w.Password,
		},
	}))
}

// apply applies the template as clusterctl writes it.
func (w *world) apply(ctx context.Context) error {
	for _, file := range w.template.files() {
		manifests, err := w.Stack.Clusterctl(ctx, w.template.assignments(w), "generate", "cluster", w.cluster, "--from", file,
			"--target-namespace", w.namespace, "--kubernetes-version", w.template.version(),
			"--control-plane-machine-count", variables["CONTROL_PLANE_MACHINE_COUNT"], "--worker-machine-count", variables["WORKER_MACHINE_COUNT"])
		if err != nil {
			return err
		}
		objects, err := kubeyaml.Parse([]byte(manifests))
		if err != nil {
			return err
		}
		for _, u := range objects {
			if err := w.applyOne(ctx, u); err != nil {
				return fmt.Errorf("apply %s %s: %w", u.GetKind(), u.GetName(), err)
			}
		}
	}
	return nil
}

// applyOne applies an object, or notes that its kind is not there.
func (w *world) applyOne(ctx context.Context, u *unstructured.Unstructured) error {
	err := w.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()), client.FieldOwner(fieldOwner), client.ForceOwnership)
	if meta.IsNoMatchError(err) {
		w.leftOut = append(w.leftOut, u)
		return nil
	}
	if err == nil {
		w.applied = append(w.applied, u)
	}
	return err
}

// list returns the objects of a kind in the namespace; none if the kind is not there.
func (w *world) list(ctx context.Context, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(gvk)
	if err := w.Client.List(ctx, l, client.InNamespace(w.namespace)); err != nil && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("list %s: %w", gvk.Kind, err)
	}
	return l.Items, nil
}

// leave deletes the Cluster, as Cluster API asks its users to, then all else that was applied, and sees that nothing is left of it, in Azure
// too, but what was there before. The namespace stays: to delete one costs more than to bring a template up.
func (w *world) leave(ctx context.Context) error {
	isCluster := func(u *unstructured.Unstructured) bool {
		return u.GroupVersionKind().GroupKind() == clusterKind.GroupKind()
	}
	clusters := slices.DeleteFunc(slices.Clone(w.applied), func(u *unstructured.Unstructured) bool { return !isCluster(u) })
	others := slices.DeleteFunc(slices.Clone(w.applied), isCluster)
	// What others refer to comes first in a template, so that it goes last.
	slices.Reverse(others)
	if err := w.defineControlPlanes(ctx); err != nil {
		return err
	}
	for _, objects := range [][]*unstructured.Unstructured{clusters, others} {
		if err := w.remove(ctx, objects); err != nil {
			return err
		}
	}
	return w.azureLeft(ctx)
}

// defineControlPlanes has the API server know the kinds of control planes that were left out, without anything that serves them: Cluster API
// deletes no Cluster whose control plane is of a kind that it cannot find.
func (w *world) defineControlPlanes(ctx context.Context) error {
	for _, u := range w.leftOut {
		kind := u.GetKind()
		if !strings.HasSuffix(kind, "ControlPlane") {
			continue
		}
		singular := strings.ToLower(kind)
		crd := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{
				"name":   singular + "s." + u.GroupVersionKind().Group,
				"labels": map[string]any{"cluster.x-k8s.io/v1beta1": u.GroupVersionKind().Version},
			},
			"spec": map[string]any{
				"group": u.GroupVersionKind().Group, "scope": "Namespaced",
				"names": map[string]any{"kind": kind, "listKind": kind + "List", "plural": singular + "s", "singular": singular},
				"versions": []any{map[string]any{
					"name": u.GroupVersionKind().Version, "served": true, "storage": true,
					"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
				}},
			},
		}}
		if err := w.Client.Create(ctx, crd); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("define %s: %w", kind, err)
		}
	}
	return nil
}

// remove deletes objects, and returns when they are gone. What is refused, such as a ClusterClass that seems to be in use still, is tried again.
func (w *world) remove(ctx context.Context, objects []*unstructured.Unstructured) error {
	err := w.await(ctx, func(ctx context.Context) (left []string, err error) {
		for _, u := range objects {
			now := u.DeepCopy()
			err := w.Client.Get(ctx, client.ObjectKeyFromObject(u), now)
			if err == nil && now.GetDeletionTimestamp() == nil {
				err = w.Client.Delete(ctx, now, client.PropagationPolicy(metav1.DeletePropagationBackground))
			}
			switch {
			case apierrors.IsNotFound(err):
			case err != nil:
				left = append(left, err.Error())
			default:
				left = append(left, staying(now))
			}
		}
		return left, nil
	})
	if err != nil {
		return fmt.Errorf("what was deleted stays: %w", err)
	}
	return nil
}

// azureLeft returns an error if Azure has anything that was not there before.
func (w *world) azureLeft(ctx context.Context) error {
	all, err := w.Azure.Resources(ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return err
	}
	var errs []error
	for _, r := range all {
		if !w.prepared(r.ID) {
			errs = append(errs, errors.New("Azure still has "+r.ID))
		}
	}
	return errors.Join(errs...)
}

// await returns when nothing is missing any more, or an error that says what is when the runner's patience is over.
func (w *world) await(ctx context.Context, missing func(context.Context) ([]string, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, w.Patience, fmt.Errorf("not within %s", w.Patience))
	defer cancel()
	var lacks []string
	for {
		now, err := missing(ctx)
		switch {
		case err == nil && len(now) == 0:
			return nil
		case ctx.Err() != nil: // The look was cut short: what was missing before says more.
		case err != nil:
			lacks = append(now, err.Error())
		default:
			lacks = now
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", context.Cause(ctx), strings.Join(lacks, "; "))
		case <-time.After(checkInterval):
		}
	}
}
