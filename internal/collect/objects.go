package collect

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/pager"
)

// parallel is how many lists are read at a time.
const parallel = 8

// readObjects reads the objects of all kinds that are collected, and of them selects those that are asked for.
func (c *collector) readObjects(ctx context.Context) error {
	kinds := c.collected()
	type answer struct {
		objects []*unstructured.Unstructured
		unread  []Unread
	}
	answers := make([]answer, len(kinds))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, k := range kinds {
		c.progress(fmt.Sprintf("reading objects: %d of %d kinds", i+1, len(kinds)))
		group.Go(func() error {
			answers[i].objects, answers[i].unread = c.list(groupCtx, k, c.options.Namespace)
			return groupCtx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, a := range answers {
		c.objects = append(c.objects, a.objects...)
		c.report.NotRead = append(c.report.NotRead, a.unread...)
	}
	if c.options.Cluster != "" {
		if c.objects = ofCluster(c.objects, c.options.Namespace, c.options.Cluster); c.objects == nil {
			return c.noCluster()
		}
	}
	c.addOwners(ctx)
	c.addIdentities(ctx)
	return nil
}

// noCluster says that the Cluster is not there, or why that is not known.
func (c *collector) noCluster() error {
	for _, u := range c.report.NotRead {
		if u.of == clusterKind.GroupKind() {
			return fmt.Errorf("cannot read Clusters: %s", u.Why)
		}
	}
	return fmt.Errorf("there is no Cluster %q in namespace %q; -n names another", c.options.Cluster, c.options.Namespace)
}

// list returns the objects of a kind in a namespace, or in all. Where not all may be read it returns those of the home namespace.
func (c *collector) list(ctx context.Context, k kind, namespace string) (found []*unstructured.Unstructured, unread []Unread) {
	if !k.namespaced {
		namespace = ""
	}
	found, err := c.listIn(ctx, k, namespace)
	if apierrors.IsForbidden(err) && k.namespaced && namespace == "" && c.options.Home != "" {
		var inHome error
		if found, inHome = c.listIn(ctx, k, c.options.Home); inHome == nil {
			return found, []Unread{{What: fmt.Sprintf("%s in namespaces other than %s", k, c.options.Home), Why: err.Error(), of: k.GroupKind()}}
		}
	}
	if err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) && !apierrors.IsMethodNotSupported(err) {
		unread = []Unread{{What: k.String(), Why: err.Error(), of: k.GroupKind()}}
	}
	return found, unread
}

func (c *collector) listIn(ctx context.Context, k kind, namespace string) ([]*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	client := c.Dynamic.Resource(k.gvr()).Namespace(namespace)
	pages := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) { return client.List(ctx, options) }))
	err := pages.EachListItem(ctx, metav1.ListOptions{}, func(o runtime.Object) error {
		if object, ok := o.(*unstructured.Unstructured); ok {
			found = append(found, object)
		}
		return nil
	})
	return found, err
}

// ownersUp is how far what the objects are composed by is followed.
const ownersUp = 3

// addOwners adds what the objects are owned by and is of no kind that is collected: composite resources of a platform team's own.
func (c *collector) addOwners(ctx context.Context) {
	known := map[types.UID]bool{}
	for _, o := range c.objects {
		known[o.GetUID()] = true
	}
	for begin, level := 0, 0; level < ownersUp; level++ {
		end := len(c.objects)
		for _, o := range c.objects[begin:end] {
			for _, ref := range o.GetOwnerReferences() {
				gv, err := schema.ParseGroupVersion(ref.APIVersion)
				if err != nil || wanted(gv.Group) || known[ref.UID] {
					continue
				}
				known[ref.UID] = true
				c.addObject(ctx, gv.WithKind(ref.Kind), o.GetNamespace(), ref.Name)
			}
		}
		begin = end
	}
}

// addObject adds an object that others refer to.
func (c *collector) addObject(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) {
	o, err := c.Reader.Get(ctx, gvk, namespace, name)
	if err != nil {
		c.unread(fmt.Sprintf("%s %s", gvk.Kind, name), err)
	} else if o != nil {
		c.objects = append(c.objects, o)
	}
}
