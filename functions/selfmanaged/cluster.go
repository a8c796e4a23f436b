package selfmanaged

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/compute"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/network"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Cluster composes AzureCluster: the network of a self-managed cluster, its load balancers and what is attached to them.
type Cluster struct{}

// Compose implements composer.Composer.
func (Cluster) Compose(in *composer.Request) (*composer.Result, error) {
	if _, external := in.XR.GetAnnotations()[clusterv1.ManagedByAnnotation]; external {
		return externallyManaged(in)
	}
	status := capi.ReadInfrastructureStatus(in)
	c, err := readCluster(in)
	if err != nil {
		return &composer.Result{Status: status.Result()}, err
	}
	network := network.Of(c.xr, c.owner(), c.live(in))
	sets, setsKnown := c.availabilitySets(in)
	resources := append(network.Resources(), sets...)
	observations, err := plan.Observe(in, resources)
	if err != nil {
		return nil, err
	}
	// The names of all others follow from those, so that nothing is done.
	if refused := cmp.Or(plan.RefuseRenaming(in, resources, retained), anotherSubscription(in, c.xr)); refused != nil {
		return &composer.Result{Status: status.Result()}, refused
	}
	p := plan.Plan{Resources: resources, Cluster: c.cluster.GetName(), Paused: capi.Paused(in, c.cluster), Gate: c.gate, Retain: retains(setsKnown)}
	out, err := p.Make(in, observations)
	if err != nil {
		return nil, err
	}
	endpoint := c.endpoint(network, out)
	if out.Ready() && c.reachable() {
		status.SetProvisioned()
	}
	credential := capi.CredentialOf(in.XR)
	conditions := append([]composer.Condition{
		credential.Readiness(out, status.Condition(out, c.waitsForEndpoint())),
		out.Condition(),
		credential.Condition(),
		capi.PausedCondition(p.Paused),
		credential.Root(out, c.infrastructureReady(out)),
	}, append(out.KindConditions(in), tagsConditions(in, resources)...)...)
	return credential.Result(in, out, c.status(status, endpoint), conditions...), nil
}

// retained are the kinds that a cluster stands on. Which resources of them it has never changes but by additions: a field that named one may
// have been changed all the same, where the API server did not see to it.
var retained = []schema.GroupKind{
	aso.ResourceGroup.GroupKind(), aso.VirtualNetwork.GroupKind(), aso.LoadBalancer.GroupKind(), aso.PrivateDnsZone.GroupKind(),
}

// retains returns which objects stay for as long as the cluster does: those of the kinds retained, but for the load balancer by which nodes reach
// the world, and availability sets while it is not known which of them machines are in.
func retains(setsKnown bool) func(*unstructured.Unstructured) bool {
	kinds := slices.Clone(retained)
	if !setsKnown {
		kinds = append(kinds, aso.AvailabilitySet.GroupKind())
	}
	ofKinds := plan.OfKinds(kinds...)
	return func(observed *unstructured.Unstructured) bool {
		return ofKinds(observed) && !network.OfNodes(observed)
	}
}

// availabilitySets returns the availability sets that machines of the cluster are in, as provider-capz tells: no machine can own one that others
// are in too. Not known without ClusterFacts.
func (c *clusterInputs) availabilitySets(in *composer.Request) (resources []*plan.Resource, known bool) {
	sets, known := in.AvailabilitySets()
	azure := c.xr.DeepCopy()
	defaulting.Cluster(azure.Name, &azure.Spec)
	cluster := compute.Cluster{Namespace: c.cluster.GetNamespace(), Name: c.cluster.GetName(), Azure: azure}
	for _, set := range sets {
		r := compute.AvailabilitySet(set, cluster)
		if live := in.Observed[r.Name()]; live != nil {
			// Azure does not change it (Azure documentation, "Availability sets").
			if was := faultDomains.Value(live); was > 0 && int64(set.FaultDomains) != was {
				set.FaultDomains = int32(was) //nolint:gosec // A number of fault domains.
				r = compute.AvailabilitySet(set, cluster)
			}
		}
		resources = append(resources, r)
	}
	return resources, known
}

var faultDomains = field.At[int64]("spec", "platformFaultDomainCount")

// anotherSubscription refuses another subscription than the one that the cluster is in.
func anotherSubscription(in *composer.Request, xr *v1beta1.AzureCluster) *composer.Blocked {
	for _, name := range slices.Sorted(maps.Keys(in.Observed)) {
		id := aso.ParseID(in.Observed[name].GetAnnotations()[aso.AnnotationResourceID])
		if id != nil && in.Observed[name].GroupVersionKind().GroupKind() == aso.ResourceGroup.GroupKind() && !strings.EqualFold(id.SubscriptionID, xr.Spec.SubscriptionID) {
			return composer.Blockedf(composer.ReasonImmutableField, "spec.subscriptionID is %q, but must stay %q, which the cluster is in", xr.Spec.SubscriptionID, id.SubscriptionID)
		}
	}
	return nil
}

// externallyManaged leaves the infrastructure to whoever the annotation is of (CAPI contract, InfraCluster: "externally managed").
func externallyManaged(in *composer.Request) (*composer.Result, error) {
	if len(in.Observed) > 0 {
		return nil, composer.Blockedf(composer.ReasonIncompatibleValue,
			"metadata.annotations[%s] is there, but must be absent: resources have been made for this object, and nobody else could take care of them", clusterv1.ManagedByAnnotation)
	}
	return &composer.Result{Ready: true, Status: map[string]any{}}, nil
}

// clusterInputs is what the composer reads.
type clusterInputs struct {
	xr      *v1beta1.AzureCluster
	cluster *unstructured.Unstructured
	// gate says what is missing of the credential.
	gate string
	// zones are those of the location, once they are known.
	zones      []string
	zonesKnown bool
}

// readCluster reads all that there is to read at once: Crossplane asks a function no more than a handful of times.
func readCluster(in *composer.Request) (*clusterInputs, error) {
	c := &clusterInputs{xr: &v1beta1.AzureCluster{}}
	if err := capi.Read(in.XR, c.xr); err != nil {
		return nil, err
	}
	if c.xr.Spec.SubscriptionID == "" {
		return nil, composer.Blockedf(composer.ReasonInvalidResource,
			"spec.subscriptionID is empty, but must be set: it cannot be told from the credential, and the IDs in Azure are built with it")
	}
	cluster, err := capi.OwnerCluster(in)
	if err != nil && !errors.Is(err, composer.ErrPending) {
		return nil, err
	}
	c.cluster = cluster
	name := c.xr.Labels[clusterv1.ClusterNameLabel]
	if cluster != nil {
		name = cluster.GetName()
	}
	var gateErr error
	if name != "" {
		c.gate, gateErr = capi.AwaitedCredential(in, c.xr.Spec.SubscriptionID, c.xr.Spec.IdentityRef, name)
	}
	if c.zones, c.zonesKnown = in.FailureDomains(); !c.zonesKnown {
		for _, domain := range c.xr.Status.FailureDomains { // Those that were known once.
			c.zones, c.zonesKnown = append(c.zones, domain.Name), true
		}
	}
	return c, errors.Join(err, gateErr)
}

var clusterAPIServerPort = field.At[int64]("spec", "clusterNetwork", "apiServerPort")

// owner returns what of the Cluster decides about its resources.
func (c *clusterInputs) owner() network.Cluster {
	return network.Cluster{Namespace: c.cluster.GetNamespace(), Name: c.cluster.GetName(),
		APIServerPort: int32(clusterAPIServerPort.Value(c.cluster))} //nolint:gosec // The API server has checked the range.
}

func (c *clusterInputs) live(in *composer.Request) network.Live {
	return network.Live{Zones: c.zones, ZonesKnown: c.zonesKnown, Composed: in.Observed, Frontends: v1alpha1.ReadAddedFrontends(c.xr.Annotations)}
}
