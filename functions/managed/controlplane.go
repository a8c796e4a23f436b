package managed

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/agentpool"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/managed/aks"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// ControlPlane composes AzureManagedControlPlane: an AKS cluster, the network that it is in and what is attached to it.
type ControlPlane struct{}

// Compose implements composer.Composer.
func (ControlPlane) Compose(in *composer.Request) (*composer.Result, error) {
	status := capi.ReadControlPlaneStatus(in)
	c, err := readControlPlane(in)
	if err != nil {
		return &composer.Result{Status: status.Result()}, err
	}
	resources := c.resources(in)
	managed := plan.First(resources, aso.ManagedCluster)
	observations, err := plan.Observe(in, resources)
	if err != nil {
		return nil, err
	}
	resources = aroundExisting(in, resources, managed)
	_ = plan.RefuseRenaming(in, resources, retained) // What it refuses says so itself.

	p := plan.Plan{Resources: resources, Cluster: c.cluster.GetName(), Paused: capi.Paused(in, c.cluster), Gate: c.gate, Retain: plan.OfKinds(retained...)}
	out, err := p.Make(in, observations)
	if err != nil {
		return nil, err
	}
	setControlPlaneStatus(status, c.cp, managed.Live(in))
	if err := status.AnnounceVersion(in, c.cluster); err != nil {
		return nil, err
	}
	credential := capi.CredentialOf(c.cp)
	conditions := append([]composer.Condition{
		credential.Readiness(out, status.Condition(out, composer.ConditionReady)),
		credential.Root(out, status.Condition(out, composer.ConditionAvailable)),
		out.Condition(),
		credential.Condition(),
		capi.PausedCondition(p.Paused),
	}, slices.Concat(out.KindConditions(in), capi.HealthConditions(in, c.cluster), headerConditions(in))...)
	return credential.Result(in, out, status.Result(), conditions...), nil
}

// controlPlaneInputs is what the composer reads.
type controlPlaneInputs struct {
	cp      *v1beta1.AzureManagedControlPlane
	cluster *unstructured.Unstructured
	pools   []aks.Pool
	// poolWaits says what is missing of the pools, gate of the credential.
	poolWaits []string
	gate      string
	// lacksPools is true when the topology names a pool that has no MachinePool.
	lacksPools bool
}

// readControlPlane reads all that there is to read at once: Crossplane asks a function no more than a handful of times.
func readControlPlane(in *composer.Request) (*controlPlaneInputs, error) {
	c := &controlPlaneInputs{cp: &v1beta1.AzureManagedControlPlane{}}
	if err := capi.Read(in.XR, c.cp); err != nil {
		return nil, err
	}
	cluster, err := capi.OwnerCluster(in)
	if err != nil && !errors.Is(err, composer.ErrPending) {
		return nil, err
	}
	c.cluster = cluster
	name := c.cp.Labels[clusterv1.ClusterNameLabel]
	if cluster != nil {
		name = cluster.GetName()
	}
	var poolsErr, gateErr error
	if name != "" {
		if !agentpool.HandoverOf(createdOf(in, aso.ManagedCluster)).Done() {
			c.pools, c.poolWaits, poolsErr = poolsOf(in, name, c.cp.Status.AutoUpgradeVersion)
			c.lacksPools, _ = capi.LacksPools(in, cluster) // It reads what poolsOf does.
		}
		c.gate, gateErr = capi.AwaitedCredential(in, c.cp.Spec.SubscriptionID, c.cp.Spec.IdentityRef, name)
	}
	return c, errors.Join(err, poolsErr, gateErr)
}

// resources returns the resources that the control plane stands for. The pools of the ManagedCluster are its own until ASO has taken up
// their objects.
func (c *controlPlaneInputs) resources(in *composer.Request) []*plan.Resource {
	observed := createdOf(in, aso.ManagedCluster)
	handover := agentpool.HandoverOf(observed)
	live := liveCluster(observed)
	live.HasPools = false
	resources := aks.ControlPlane(c.cp, clusterOf(c.cluster), c.pools, live)
	plan.KeepNames(in, resources)
	managed := plan.First(resources, aso.ManagedCluster)
	if c.lacksPools && aso.HostsSystemPool(managed.Object) {
		// Nothing else keeps AKS from making the cluster before Cluster API has made them.
		c.poolWaits = append(c.poolWaits, fmt.Sprintf("the MachinePools exist that spec.topology of Cluster %s names", c.cluster.GetName()))
	}
	wanted, known := handover.Uncounted(agentpool.SpecProfiles.Value(managed.Object)), managed.Err == nil && len(managed.After)+len(c.poolWaits) == 0
	if handover.Separate(managed.Object, wanted, known, c.poolsComeUp()) {
		live.HasPools = true
		resources = aks.ControlPlane(c.cp, clusterOf(c.cluster), c.pools, live)
		plan.KeepNames(in, resources)
		managed = plan.First(resources, aso.ManagedCluster)
		managed.Release(observed, agentpool.SpecProfiles.Names()...)
		managed.Outstanding = agentpool.Outstanding(observed)
	} else {
		for _, wait := range c.poolWaits {
			managed.After = append(managed.After, plan.Precondition{Description: wait})
		}
		if profiles := handover.Profiles(wanted, known || managed.Err != nil); len(profiles) > 0 {
			_ = agentpool.SpecProfiles.Set(managed.Object, profiles)
		}
	}
	managed.Doubt = agentpool.Doubt(observed)
	aks.ResetTakenOut(managed, observed)
	managed.Reference = existingReference(in, v1beta1.AnnotationManagedCluster)
	return resources
}

// poolsComeUp reports whether all pools are known, and the object of one of them is not ready.
func (c *controlPlaneInputs) poolsComeUp() bool {
	return len(c.poolWaits) == 0 && slices.ContainsFunc(c.pools, func(p aks.Pool) bool {
		return !slices.ContainsFunc(p.XR.Status.Resources, func(r v1beta1.ResourceStatus) bool { return r.Ready && is(r, aso.ManagedClustersAgentPool) })
	})
}

// is reports whether a status is that of a resource of a kind.
func is(r v1beta1.ResourceStatus, kind aso.Kind) bool {
	return schema.GroupKind{Group: r.Resource.Group, Kind: r.Resource.Kind} == kind.GroupKind()
}

// existingReference returns what the annotation of the composite resource says of an object of the user's own.
func existingReference(in *composer.Request, annotation string) plan.ExistingReference {
	name, set := in.XR.GetAnnotations()[annotation]
	return plan.ExistingReference{Name: name, Path: "metadata.annotations[" + annotation + "]", Cleared: set && name == ""}
}

// createdOf returns the composed object of a kind of which there is one at most, unless that is held.
func createdOf(in *composer.Request, kind aso.Kind) *unstructured.Unstructured {
	for _, name := range slices.Sorted(maps.Keys(in.Observed)) {
		if o := in.Observed[name]; o.GroupVersionKind().GroupKind() == kind.GroupKind() && !aso.Held(o) {
			return o
		}
	}
	return nil
}

// statusVersion is a field of the status of a ManagedCluster.
var statusVersion = field.At[string]("status", "currentKubernetesVersion")

// liveCluster returns what Azure says of the ManagedCluster.
func liveCluster(managed *unstructured.Unstructured) aks.LiveCluster {
	return aks.LiveCluster{
		Version: statusVersion.Value(managed), HasPools: len(agentpool.StatusProfiles.Value(managed)) > 0,
		Provisioned: aso.StatusProvisioningState.Value(managed) == "Succeeded" && !aso.Lost(managed),
	}
}

// retained are the kinds that a cluster stands on. Which resources of them it has never changes: a field that named one may have been
// changed all the same, where the API server did not see to it.
var retained = []schema.GroupKind{
	aso.ResourceGroup.GroupKind(), aso.VirtualNetwork.GroupKind(), aso.VirtualNetworksSubnet.GroupKind(), aso.ManagedCluster.GroupKind(),
}
