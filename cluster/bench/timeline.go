package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The groups whose objects a timeline follows.
const (
	capiGroup  = "cluster.x-k8s.io"
	infraGroup = "infrastructure.cluster.x-k8s.io"
	asoSuffix  = ".azure.com"
)

// notFollowed are kinds that stay when a Cluster goes.
var notFollowed = []string{"azureclusteridentities", "clusterclasses"}

// An event is what became of one object.
type event struct {
	object *unstructured.Unstructured
	// came is when it was first seen, changed when it last differed, gone when it was no longer; zero while it is there.
	came, changed, gone time.Time
}

type objectKey struct {
	gk              schema.GroupKind
	namespace, name string
}

// A timeline follows all objects of Clusters, and knows when each came and went.
type timeline struct {
	stop    context.CancelFunc
	mu      sync.Mutex
	objects map[objectKey]*event
	last    time.Time
	changed chan struct{}
}

// follow begins a timeline. It returns when it has caught up.
func follow(ctx context.Context, config *rest.Config) (*timeline, error) {
	resources, err := followed(ctx, config)
	if err != nil {
		return nil, err
	}
	dyn, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	t := &timeline{objects: map[objectKey]*event{}, changed: make(chan struct{}, 1), last: time.Now()}
	ctx, t.stop = context.WithCancel(ctx)
	factory := dynamicinformer.NewDynamicSharedInformerFactory(dyn, 0)
	for _, r := range resources {
		if _, err := factory.ForResource(r).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(o any) { t.note(o, false) }, UpdateFunc: func(_, o any) { t.note(o, false) }, DeleteFunc: func(o any) { t.note(o, true) },
		}); err != nil {
			return nil, err
		}
	}
	factory.Start(ctx.Done())
	for r, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			return nil, fmt.Errorf("%s cannot be followed", r)
		}
	}
	return t, nil
}

func (t *timeline) end() { t.stop() }

// followed returns the resources of a timeline in the versions that they are stored in, so that following them converts nothing.
func followed(ctx context.Context, config *rest.Config) ([]schema.GroupVersionResource, error) {
	s := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(s); err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: s})
	if err != nil {
		return nil, err
	}
	crds := &apiextensionsv1.CustomResourceDefinitionList{}
	if err := c.List(ctx, crds); err != nil {
		return nil, err
	}
	var all []schema.GroupVersionResource
	for i := range crds.Items {
		spec := &crds.Items[i].Spec
		if !isFollowed(spec.Group, spec.Names.Plural) {
			continue
		}
		for _, v := range spec.Versions {
			if v.Storage {
				all = append(all, schema.GroupVersionResource{Group: spec.Group, Version: v.Name, Resource: spec.Names.Plural})
			}
		}
	}
	return all, nil
}

func isFollowed(group, plural string) bool {
	for _, name := range notFollowed {
		if plural == name {
			return false
		}
	}
	return group == capiGroup || group == infraGroup && !strings.HasSuffix(plural, "templates") || strings.HasSuffix(group, asoSuffix)
}

func (t *timeline) note(o any, gone bool) {
	now := time.Now()
	if final, ok := o.(cache.DeletedFinalStateUnknown); ok {
		o = final.Obj
	}
	u, ok := o.(*unstructured.Unstructured)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := objectKey{u.GroupVersionKind().GroupKind(), u.GetNamespace(), u.GetName()}
	e := t.objects[key]
	if e == nil || !e.gone.IsZero() {
		e = &event{came: now}
		t.objects[key] = e
	}
	e.object, e.changed = u, now
	if gone {
		e.gone = now
	}
	t.last = now
	select {
	case t.changed <- struct{}{}:
	default:
	}
}

// look calls do with what there is and was in a namespace, and with when that last changed.
func (t *timeline) look(do func(objects map[objectKey]*event, last time.Time)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	do(t.objects, t.last)
}

// await returns when the objects first were as wanted: the time of the change that made them so.
func (t *timeline) await(ctx context.Context, what string, met func(map[objectKey]*event) bool) (time.Time, error) {
	for {
		var at time.Time
		t.look(func(objects map[objectKey]*event, last time.Time) {
			if met(objects) {
				at = last
			}
		})
		if !at.IsZero() {
			return at, nil
		}
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("waited for %s: %w", what, ctx.Err())
		case <-t.changed:
		}
	}
}

// quiet returns when nothing has changed for a while, or the patience is over.
func (t *timeline) quiet(ctx context.Context, while, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		var last time.Time
		t.look(func(_ map[objectKey]*event, at time.Time) { last = at })
		if time.Since(last) > while {
			return nil
		}
		if err := sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	return nil
}
