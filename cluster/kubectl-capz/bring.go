package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// fieldManager is the name under which this program applies objects.
const fieldManager = "kubectl-capz"

// A bringer brings objects into a cluster.
type bringer struct {
	client   dynamic.Interface
	mapper   meta.RESTMapper
	progress func(string)
	timeout  time.Duration
}

func newBringer(flags *genericclioptions.ConfigFlags, progress func(string), timeout time.Duration) (*bringer, error) {
	config, err := connection(flags)
	if err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	mapper, err := flags.ToRESTMapper()
	return &bringer{client: client, mapper: mapper, progress: progress, timeout: timeout}, err
}

func (b *bringer) resource(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := o.GroupVersionKind()
	mapping, err := b.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("the cluster does not know %s of %s: is crossplane-capz installed there?", kind.Kind, kind.GroupVersion())
	}
	if err != nil {
		return nil, err
	}
	return b.client.Resource(mapping.Resource).Namespace(o.GetNamespace()), nil
}

func (b *bringer) get(ctx context.Context, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, err := b.resource(o)
	if err != nil {
		return nil, err
	}
	live, err := client.Get(ctx, o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

// mayBegin returns an error if somebody else has an object of a name that one is to be brought in by.
func (b *bringer) mayBegin(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		live, err := b.get(ctx, o)
		if err != nil {
			return err
		}
		if live != nil && !slices.ContainsFunc(live.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool { return m.Manager == fieldManager }) {
			return fmt.Errorf("%s %s/%s exists already, and adopt has not brought it in; --name and --pool-name choose other names", o.GetKind(), o.GetNamespace(), o.GetName())
		}
	}
	return nil
}

func (b *bringer) apply(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		b.progress("applying " + o.GetKind() + " " + o.GetName())
		client, err := b.resource(o)
		if err != nil {
			return err
		}
		if _, err := client.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: fieldManager}); err != nil {
			return fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return nil
}

// pollInterval is how often the state of objects is asked for.
const pollInterval = time.Second

// available waits until the composite resources among the objects are Ready. Its error names what is not, and why.
func (b *bringer) available(ctx context.Context, objects []*unstructured.Unstructured, until string) error {
	var waits []string
	err := wait.PollUntilContextTimeout(ctx, pollInterval, b.timeout, true, func(ctx context.Context) (bool, error) {
		waits = nil
		for _, o := range objects {
			if o.GroupVersionKind().Group != v1beta1.GroupVersion.Group {
				continue
			}
			live, err := b.get(ctx, o)
			if err != nil {
				return false, err
			}
			if live == nil {
				waits = append(waits, o.GetKind()+" "+o.GetName())
				continue
			}
			ready := field.Condition(live, "Ready")
			if ready["status"] != "True" || field.Integer(ready["observedGeneration"]) < live.GetGeneration() {
				waits = append(waits, strings.TrimSuffix(o.GetKind()+" "+o.GetName()+": "+field.Text(ready["message"]), ": "))
			}
		}
		b.progress(fmt.Sprintf("waiting until %s: %d to go", until, len(waits)))
		return len(waits) == 0, nil
	})
	if wait.Interrupted(err) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("after %s it is not so that %s; the same command goes on:\n  %s", b.timeout, until, strings.Join(waits, "\n  "))
	}
	return err
}
