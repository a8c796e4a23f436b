package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"golang.org/x/sync/errgroup"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// A standing is many clusters of two pools that are all up: copies of the objects of one. Only provider-capz and function-capz act on
// them. The API server is there with ASO, which converts the versions of its objects and leaves the copies alone; Crossplane, Cluster
// API and garbage collection are not running.
type standing struct {
	size int
	// idle is how long they are left alone once provider-capz has seen them all.
	idle time.Duration
}

const (
	standingName = "bench-00000"
	// elsewhere is the namespace of an ASO that is not there, to which the copies are left.
	elsewhere = "elsewhere"
	// stillCPU is how many seconds provider-capz takes for each cluster in stillFor when it has seen all there is.
	stillCPU = 0.002
	// callers is how many calls of the function are under way at once, as with Crossplane's workers.
	callers = 4
	// keptWebhooks begins the names of the webhooks whose server is running.
	keptWebhooks = "azureserviceoperator-"
)

func (s standing) run(ctx context.Context, a *arena) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(s.size)*2*time.Second+s.idle+2*patience)
	defer cancel()
	recorded, err := a.recorded(ctx)
	if err != nil {
		return err
	}
	a.timeline.end() // It would have all of the copies, too.
	for _, component := range []string{stack.Crossplane, stack.CAPI, stack.ControllerManager, stack.Provider} {
		if err := a.stack.Stop(component); err != nil {
			return err
		}
	}
	if err := a.withoutWebhooks(ctx); err != nil {
		return err
	}
	g, copying := errgroup.WithContext(ctx)
	g.SetLimit(appliers)
	for i := 1; i < s.size; i++ {
		g.Go(func() error { return a.copy(copying, recorded, fmt.Sprintf("bench-%05d", i)) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	// What provider-capz writes for a cluster that is new to it comes first.
	if _, err := s.startProvider(ctx, a); err != nil {
		return err
	}
	if err := a.stack.Stop(stack.Provider); err != nil {
		return err
	}
	if err := s.takeProvider(ctx, a); err != nil {
		return err
	}
	return s.takeFunction(ctx, a)
}

// withoutWebhooks has nobody asked any more who is not running.
func (a *arena) withoutWebhooks(ctx context.Context) error {
	validating, mutating := &admissionv1.ValidatingWebhookConfigurationList{}, &admissionv1.MutatingWebhookConfigurationList{}
	if err := errors.Join(a.client.List(ctx, validating), a.client.List(ctx, mutating)); err != nil {
		return err
	}
	var all []client.Object
	for i := range validating.Items {
		all = append(all, &validating.Items[i])
	}
	for i := range mutating.Items {
		all = append(all, &mutating.Items[i])
	}
	for _, configuration := range all {
		if strings.HasPrefix(configuration.GetName(), keptWebhooks) {
			continue
		}
		if err := a.client.Delete(ctx, configuration); err != nil {
			return err
		}
	}
	return nil
}

// recorded returns the objects of a cluster that is up, what refers to others after them.
func (a *arena) recorded(ctx context.Context) ([]*unstructured.Unstructured, error) {
	if err := a.prepare(ctx); err != nil {
		return nil, err
	}
	clusters, err := a.clusters(ctx, fleetFlavor, standingName)
	if err != nil {
		return nil, err
	}
	if err := a.apply(ctx, clusters); err != nil {
		return nil, err
	}
	if _, err := a.timeline.await(ctx, "the MachinePools to have their nodes", equipped(fleetPools)); err != nil {
		return nil, err
	}
	if err := a.timeline.quiet(ctx, settleBefore, patience); err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	a.timeline.look(func(objects map[objectKey]*event, _ time.Time) {
		for _, e := range inOrder(objects) {
			if e.gone.IsZero() {
				all = append(all, e.object)
			}
		}
	})
	secrets := &corev1.SecretList{}
	if err := a.client.List(ctx, secrets, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	for i := range secrets.Items {
		if !strings.HasPrefix(secrets.Items[i].Name, standingName) {
			continue
		}
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&secrets.Items[i])
		if err != nil {
			return nil, err
		}
		secret := &unstructured.Unstructured{Object: content}
		secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		all = append(all, secret)
	}
	return all, nil
}

// copy makes the objects of another cluster that is up.
func (a *arena) copy(ctx context.Context, recorded []*unstructured.Unstructured, name string) error {
	uids := map[types.UID]types.UID{}
	// Which object an owner comes before is not known: those that are made first learn of theirs in the end.
	made := make([]*unstructured.Unstructured, len(recorded))
	for i, o := range recorded {
		text, err := o.MarshalJSON()
		if err != nil {
			return err
		}
		made[i] = &unstructured.Unstructured{}
		if err := made[i].UnmarshalJSON([]byte(strings.ReplaceAll(string(text), standingName, name))); err != nil {
			return err
		}
		status := made[i].Object["status"]
		if group, found, _ := unstructured.NestedString(o.Object, "status", "nodeResourceGroup"); found {
			// All have the Nodes of the one that there is in Azure, which are labelled so.
			_ = unstructured.SetNestedField(made[i].Object, group, "status", "nodeResourceGroup")
		}
		clean(made[i])
		if err := a.client.Create(ctx, made[i]); err != nil {
			return fmt.Errorf("%s %s: %w", made[i].GetKind(), made[i].GetName(), err)
		}
		uids[o.GetUID()] = made[i].GetUID()
		if status == nil {
			continue
		}
		made[i].Object["status"] = status
		if err := a.client.Status().Update(ctx, made[i]); err != nil {
			return fmt.Errorf("status of %s %s: %w", made[i].GetKind(), made[i].GetName(), err)
		}
	}
	for i, o := range recorded {
		owners := slices.Clone(o.GetOwnerReferences())
		if len(owners) == 0 {
			continue
		}
		for n := range owners {
			owners[n].UID = uids[owners[n].UID]
			owners[n].Name = strings.ReplaceAll(owners[n].Name, standingName, name)
		}
		before := made[i].DeepCopy()
		made[i].SetOwnerReferences(owners)
		if err := a.client.Patch(ctx, made[i], client.MergeFrom(before)); err != nil {
			return fmt.Errorf("owners of %s %s: %w", made[i].GetKind(), made[i].GetName(), err)
		}
	}
	return nil
}

// clean takes away what is the recorded object's own, and has no ASO act on the copy.
func clean(o *unstructured.Unstructured) {
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "ownerReferences"} {
		unstructured.RemoveNestedField(o.Object, "metadata", field)
	}
	delete(o.Object, "status")
	if strings.HasSuffix(o.GroupVersionKind().Group, asoSuffix) {
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations["serviceoperator.azure.com/operator-namespace"] = elsewhere
		o.SetAnnotations(annotations)
	}
}

// startProvider starts provider-capz and returns what has been taken when it has seen everything.
func (s standing) startProvider(ctx context.Context, a *arena) (map[string]usage, error) {
	if err := a.stack.Start(ctx, stack.Provider); err != nil {
		return nil, err
	}
	return a.still(ctx, func(taken map[string]usage) bool {
		return taken[stack.Provider].cpu < stillCPU*float64(s.size)
	}, stack.Provider, stack.APIServer, stack.Etcd)
}

// takeProvider notes what it takes provider-capz to see all clusters once it starts, and to do nothing then.
func (s standing) takeProvider(ctx context.Context, a *arena) error {
	begun := time.Now()
	at, err := s.startProvider(ctx, a)
	if err != nil {
		return err
	}
	a.takeSeconds("provider: started and still", time.Since(begun)-stillFor)
	provider := at[stack.Provider]
	a.take("provider: cpu", provider.cpu, "CPU s")
	a.take("provider: requests", provider.requests, "requests")
	a.take("provider: memory", provider.peak/(1<<20), "MiB")
	for _, name := range []string{stack.APIServer, stack.Etcd} {
		a.take("memory of "+name, at[name].resident/(1<<20), "MiB")
	}
	if err := sleep(ctx, s.idle); err != nil {
		return err
	}
	after, err := a.usages(ctx, stack.Provider)
	if err != nil {
		return err
	}
	idle := after[stack.Provider].since(provider)
	a.take("provider: idle cpu", idle.cpu, "CPU s")
	a.take("provider: idle requests", idle.requests, "requests")
	return nil
}

// takeFunction notes what it takes function-capz to compose each composite resource of so many clusters once, as Crossplane has it do
// when it starts. The requests are those of one cluster, again and again: the function keeps nothing from one call for the next.
func (s standing) takeFunction(ctx context.Context, a *arena) (err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	function, _, err := serveOwn(ctx, a.root, dir)
	if err != nil {
		return err
	}
	defer function.end()
	clusters, err := a.clusters(ctx, fleetFlavor, standingName)
	if err != nil {
		return err
	}
	if _, err := preview.Make(ctx, function, clusters[0]); err != nil {
		return err
	}
	before, err := usageOf(function.process.PID)
	if err != nil {
		return err
	}
	begun := time.Now()
	g, calling := errgroup.WithContext(ctx)
	g.SetLimit(callers)
	for range s.size {
		for _, req := range function.requests() {
			g.Go(func() error {
				return function.connection.Invoke(calling, function.method, req, &fnv1.RunFunctionResponse{})
			})
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	a.takeSeconds("function: all composed once", time.Since(begun))
	after, err := usageOf(function.process.PID)
	if err != nil {
		return err
	}
	a.take("function: calls", float64(s.size*len(function.last)), "calls")
	a.take("function: cpu", after.since(before).cpu, "CPU s")
	a.take("function: memory", after.peak/(1<<20), "MiB")
	return nil
}
