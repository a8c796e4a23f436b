package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

const (
	// machineVersion is the version of Kubernetes that images of machines have here.
	machineVersion = "v1.36.3"
	// bootedSize is that of machines that boot, unbootedSize that of machines that count as provisioned at once and boot nothing.
	bootedSize   = "Standard_D2s_v5"
	unbootedSize = "Standard_D4s_v5"
	// machinePatience is how long a benchmark with machines may take, and machineEach how long besides for each of many.
	machinePatience = 25 * time.Minute
	machineEach     = 5 * time.Second
	// identityGroup has the identity that CAPZ's templates give the machines of the control plane, which is there before.
	identityGroup    = "/resourceGroups/capz-ci"
	machineIdentity  = identityGroup + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/cloud-provider-user-identity"
	deploymentFlavor = ""
	poolFlavor       = "machinepool"
	// firstDeployment is what the name of the template's MachineDeployment has after the Cluster's.
	firstDeployment = "md-0"
	// controlPlanes is how many machines the control plane has by the template's own default.
	controlPlanes = 1
)

// prepareMachines makes the namespace, and what users of CAPZ's templates of machines have in Azure before.
func (a *arena) prepareMachines(ctx context.Context) error {
	if err := a.prepare(ctx); err != nil {
		return err
	}
	for _, r := range []struct{ path, version string }{{identityGroup, "2020-06-01"}, {machineIdentity, "2023-01-31"}} {
		if err := a.stack.PutInAzure(ctx, "/subscriptions/"+subscription+r.path, r.version, `{"location":"westeurope"}`); err != nil {
			return err
		}
	}
	var err error
	a.before, err = a.inAzure(ctx)
	return err
}

// machineCluster returns the manifests of a cluster by CAPZ's template, as it stands, with so many workers of a size.
func (a *arena) machineCluster(ctx context.Context, flavor, size string, workers int) ([]*unstructured.Unstructured, error) {
	clusters, err := a.generate(ctx, flavor, generation{version: machineVersion, size: size, workers: workers}, clusterName)
	if err != nil {
		return nil, err
	}
	return clusters[0], nil
}

// bringUpControlPlane returns when a cluster by CAPZ's template has its control plane, no workers, and nothing changes any more. The
// template's MachineDeployment, and what belongs to it, is there once more for each of the copies.
func (a *arena) bringUpControlPlane(ctx context.Context, flavor string, copies ...string) error {
	if err := a.prepareMachines(ctx); err != nil {
		return err
	}
	cluster, err := a.machineCluster(ctx, flavor, unbootedSize, 0)
	if err != nil {
		return err
	}
	if cluster, err = withCopies(cluster, firstDeployment, copies...); err != nil {
		return err
	}
	if err := a.apply(ctx, [][]*unstructured.Unstructured{cluster}); err != nil {
		return err
	}
	if _, err := a.timeline.await(ctx, "the Nodes of the control plane to be Ready", conditioned("Machine", "NodeReady", controlPlanes)); err != nil {
		return err
	}
	return a.timeline.quiet(ctx, settleBefore, 2*time.Minute)
}

// inAzure returns the identifiers of what there is in the subscription, in lower case.
func (a *arena) inAzure(ctx context.Context) (map[string]bool, error) {
	all, err := a.azure.Resources(ctx, "/subscriptions/"+subscription)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, r := range all {
		ids[strings.ToLower(r.ID)] = true
	}
	return ids, nil
}

// defaultFlavor is CAPZ's default flavor where Azure takes its time, with as many workers as the template has by itself: until their Nodes are
// Ready, and until nothing is left.
type defaultFlavor struct{ workers int }

func (f defaultFlavor) run(ctx context.Context, a *arena) error {
	ctx, cancel := context.WithTimeout(ctx, machinePatience)
	defer cancel()
	if err := a.prepareMachines(ctx); err != nil {
		return err
	}
	cluster, err := a.machineCluster(ctx, deploymentFlavor, bootedSize, f.workers)
	if err != nil {
		return err
	}
	slow := admin.Fault{Method: http.MethodPut, Path: "/resourceGroups/[^/]+$", Delay: groupLatency}
	if _, err := a.azure.Inject(ctx, slow); err != nil {
		return err
	}
	taken, err := a.spent(ctx)
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := a.apply(ctx, [][]*unstructured.Unstructured{cluster}); err != nil {
		return err
	}
	for _, stage := range []struct {
		name, what string
		met        func(map[objectKey]*event) bool
	}{
		{"infrastructure", "the infrastructure of the Cluster to be ready", conditioned("Cluster", "InfrastructureReady", 1)},
		{"control plane", "the control plane to be initialized", conditioned("Cluster", "ControlPlaneInitialized", 1)},
		{"nodes", "the Nodes of all machines to be Ready", conditioned("Machine", "NodeReady", controlPlanes+f.workers)},
	} {
		at, err := a.timeline.await(ctx, stage.what, stage.met)
		if err != nil {
			return err
		}
		a.takeSeconds(stage.name, at.Sub(begun))
	}
	if err := taken.take(ctx, ""); err != nil {
		return err
	}
	if taken, err = a.spent(ctx); err != nil {
		return err
	}
	if err := a.delete(ctx, false); err != nil {
		return err
	}
	return taken.take(ctx, "delete ")
}

// scaling is a set of machines that boot nothing, from none to a number of them beside a control plane that is up, and its deletion. It ends
// when each has its provider ID: what boots nothing becomes no Node.
type scaling struct {
	// stand is how long the set is left alone once it is there, in place of its deletion.
	stand time.Duration
	// flavor is that of CAPZ's template.
	flavor string
	// kind is that of the set, by Cluster API's name; set is what its name has after the Cluster's.
	kind, set string
	// copies are the same of further MachineDeployments, which are scaled one after the other.
	copies []string
	// size is that of each set.
	size int
	// provisioned reports whether all of the set's machines are there, by their provider IDs.
	provisioned func(set string, size int) func(map[objectKey]*event) bool
}

func (f scaling) run(ctx context.Context, a *arena) error {
	ctx, cancel := context.WithTimeout(ctx, machinePatience+time.Duration(f.machines())*machineEach)
	defer cancel()
	if err := a.bringUpControlPlane(ctx, f.flavor, f.copies...); err != nil {
		return err
	}
	rest, err := a.besides(ctx, nameOfSet(f.set))
	if err != nil {
		return err
	}
	return f.measure(ctx, a, rest)
}

// nameOfSet returns the whole name of a set of the cluster.
func nameOfSet(set string) string { return clusterName + "-" + set }

// machines are how many there are in all sets.
func (f scaling) machines() int { return f.size * (1 + len(f.copies)) }

func (f scaling) measure(ctx context.Context, a *arena, rest others) error {
	if err := f.measureCreation(ctx, a); err != nil {
		return err
	}
	if f.stand > 0 {
		return f.measureStanding(ctx, a)
	}
	return f.measureDeletion(ctx, a, rest)
}

// object returns a set as far as it takes to name it.
func (f scaling) object(set string) client.Object {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(capiGroup + "/v1beta2")
	o.SetKind(f.kind)
	o.SetNamespace(namespace)
	o.SetName(nameOfSet(set))
	return o
}

func (f scaling) measureCreation(ctx context.Context, a *arena) error {
	taken, err := a.spent(ctx)
	if err != nil {
		return err
	}
	begun := time.Now()
	var at time.Time
	for _, set := range append([]string{f.set}, f.copies...) {
		patch := client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, f.size))
		if err := a.client.Patch(ctx, f.object(set), patch); err != nil {
			return err
		}
		name := nameOfSet(set)
		if at, err = a.timeline.await(ctx, fmt.Sprintf("%d machines of %s to have provider IDs", f.size, name), f.provisioned(name, f.size)); err != nil {
			return err
		}
		fmt.Fprintf(a.log, "  %s is there after %v\n", name, at.Sub(begun).Round(time.Second))
	}
	a.takeSeconds("provisioned", at.Sub(begun))
	return taken.take(ctx, "")
}

// measureStanding notes what it takes that the set is there and nothing changes.
func (f scaling) measureStanding(ctx context.Context, a *arena) error {
	if err := a.timeline.quiet(ctx, 10*time.Second, 10*time.Minute); err != nil {
		return err
	}
	if _, err := a.atRest(ctx, f.machines()); err != nil {
		return err
	}
	return a.takeAtRest(ctx, f.stand, "standing ")
}

func (f scaling) measureDeletion(ctx context.Context, a *arena, rest others) error {
	if err := a.timeline.quiet(ctx, 5*time.Second, time.Minute); err != nil {
		return err
	}
	taken, err := a.spent(ctx)
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := a.client.Delete(ctx, f.object(f.set), client.PropagationPolicy("Background")); err != nil {
		return err
	}
	gone, err := a.timeline.await(ctx, f.kind+" to be gone", rest.alone)
	if err != nil {
		return err
	}
	if gone, err = a.emptied(ctx, gone, rest.inAzure); err != nil {
		return err
	}
	a.takeSeconds("deleted", gone.Sub(begun))
	return taken.take(ctx, "delete ")
}

// others are what there is besides a set of machines, in Kubernetes and in Azure.
type others struct {
	objects map[objectKey]bool
	inAzure map[string]bool
}

// besides returns all that there is now but what has the name of a set, or begins with it.
func (a *arena) besides(ctx context.Context, set string) (others, error) {
	rest := others{objects: map[objectKey]bool{}, inAzure: map[string]bool{}}
	a.timeline.look(func(objects map[objectKey]*event, _ time.Time) {
		for k, e := range objects {
			if e.gone.IsZero() && !strings.HasPrefix(k.name, set) {
				rest.objects[k] = true
			}
		}
	})
	ids, err := a.inAzure(ctx)
	for id := range ids {
		if !strings.Contains(id, "/"+set) {
			rest.inAzure[id] = true
		}
	}
	return rest, err
}

// alone reports whether there is nothing but the others.
func (o others) alone(objects map[objectKey]*event) bool {
	for k, e := range objects {
		if e.gone.IsZero() && !o.objects[k] {
			return false
		}
	}
	return true
}

// conditioned reports whether so many of Cluster API's objects of a kind have a condition that is True.
func conditioned(kind, condition string, count int) func(map[objectKey]*event) bool {
	return func(objects map[objectKey]*event) bool {
		return count == countOf(objects, kind, func(u *unstructured.Unstructured) bool { return isTrue(u, condition) })
	}
}

// deployed reports whether a MachineDeployment has so many Machines whose infrastructure is provisioned, each with its provider ID.
func deployed(set string, size int) func(map[objectKey]*event) bool {
	return func(objects map[objectKey]*event) bool {
		return size == countOf(objects, "Machine", func(u *unstructured.Unstructured) bool {
			provisioned, _, _ := unstructured.NestedBool(u.Object, "status", "initialization", "infrastructureProvisioned")
			id, _, _ := unstructured.NestedString(u.Object, "spec", "providerID")
			return u.GetLabels()["cluster.x-k8s.io/deployment-name"] == set && provisioned && id != ""
		})
	}
}

// pooled reports whether an AzureMachinePool has so many provider IDs, and its MachinePool as many Machines. CAPZ has no instance count as ready
// without its Node, so that Cluster API takes over neither the provider IDs nor that the instances are there.
func pooled(set string, size int) func(map[objectKey]*event) bool {
	return func(objects map[objectKey]*event) bool {
		machines := countOf(objects, "Machine", func(u *unstructured.Unstructured) bool {
			return u.GetLabels()["cluster.x-k8s.io/pool-name"] == set
		})
		listed := countIn(objects, infraGroup, "AzureMachinePool", func(u *unstructured.Unstructured) bool {
			ids, _, _ := unstructured.NestedSlice(u.Object, "spec", "providerIDList")
			return u.GetName() == set && len(ids) == size
		})
		return size == machines && listed == 1
	}
}
