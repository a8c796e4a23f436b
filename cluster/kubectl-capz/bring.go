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
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

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

func newBringer(config *rest.Config, progress func(string), timeout time.Duration) (*bringer, error) {
	config.QPS, config.Burst = 50, 300 // As kubectl has it.
	config.WarningHandler = rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	served, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	return &bringer{client: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(served)), progress: progress, timeout: timeout}, nil
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

// Fields by which the state of an object is told.
var (
	conditions = field.At[[]any]("status", "conditions")
	generation = field.At[int64]("metadata", "generation")
)

// condition returns status, observed generation and message of a condition of an object.
func condition(o *unstructured.Unstructured, name string) (status string, observed int64, message string) {
	for _, item := range conditions.Value(o) {
		c, _ := item.(map[string]any)
		if c["type"] == name {
			observed, _ = c["observedGeneration"].(int64)
			return field.Text(c["status"]), observed, field.Text(c["message"])
		}
	}
	return "", 0, ""
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
			status, observed, message := condition(live, "Ready")
			if live == nil || status != "True" || observed < generation.Value(live) {
				waits = append(waits, strings.TrimSuffix(o.GetKind()+" "+o.GetName()+": "+message, ": "))
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
