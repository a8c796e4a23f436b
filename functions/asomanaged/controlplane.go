package asomanaged

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// ControlPlane composes AzureASOManagedControlPlane: an AKS ManagedCluster and what goes with it.
type ControlPlane struct{}

// Compose implements composer.Composer.
func (ControlPlane) Compose(in *composer.Request) (*composer.Result, error) {
	status := capi.ReadControlPlaneStatus(in)
	c, err := readControlPlane(in)
	if err != nil {
		return &composer.Result{Status: status.Result()}, err
	}
	signsIn := credential{controlPlane: in.XR, name: in.XR.GetName(), cluster: c.cluster.GetName()}
	signsIn.set(in, c.resources)
	p := plan.Plan{Resources: c.resources, Cluster: c.cluster.GetName(), Paused: capi.Paused(in, c.cluster), Peers: []plan.Peer{c.infrastructure}}
	out, err := p.Make(in, c.observations)
	if err != nil {
		return nil, err
	}
	setControlPlaneStatus(status, plan.Created(in, c.managed.Name()))
	if err := status.AnnounceVersion(in, c.cluster); err != nil {
		return nil, err
	}
	reported := signsIn.reported()
	conditions := []composer.Condition{
		reported.Readiness(out, status.Condition(out, composer.ConditionReady)), reported.Root(out, status.Condition(out, composer.ConditionAvailable)),
		out.Condition(), capi.PausedCondition(p.Paused),
	}
	if signsIn.asked() {
		conditions = append(conditions, reported.Condition())
	}
	conditions = append(conditions, capi.HealthConditions(in, c.cluster)...)
	return reported.Result(in, out, status.Result(), conditions...), nil
}

// controlPlaneInputs is what the composer reads.
type controlPlaneInputs struct {
	cluster        *unstructured.Unstructured
	infrastructure plan.Peer
	resources      []*plan.Resource
	observations   *plan.Observations
	// managed is the ManagedCluster among the resources.
	managed *plan.Resource
}

// readControlPlane reads all that there is to read at once: Crossplane asks a function no more than a handful of times.
func readControlPlane(in *composer.Request) (*controlPlaneInputs, error) {
	cluster, err := capi.OwnerCluster(in)
	if err != nil {
		return nil, err
	}
	name, err := capi.Reference(in, cluster, "infrastructureRef", composite.AzureASOManagedCluster)
	if err != nil {
		return nil, err
	}
	c := &controlPlaneInputs{cluster: cluster, resources: plan.FromSpec(in.XR)}
	c.managed = plan.First(c.resources, aso.ManagedCluster)
	if c.managed == nil {
		return nil, composer.Blockedf(reasonMissingResource,
			"spec.resources has no ManagedCluster of group containerservice.azure.com, but an AzureASOManagedControlPlane needs one")
	}
	var observeErr, infraErr, setErr error
	c.observations, observeErr = plan.Observe(in, c.resources)
	c.infrastructure, infraErr = peer(in, "infrastructure", composite.AzureASOManagedCluster, name)
	if c.managed.Err == nil {
		setErr = setManagedCluster(in, cluster, c.managed)
	}
	if err := errors.Join(observeErr, infraErr, setErr); err != nil {
		return nil, err
	}
	return c, nil
}

// peer reads another composite of the Cluster, which need not exist.
func peer(in *composer.Request, requirement string, kind composite.Kind, name string) (plan.Peer, error) {
	xr, err := in.Get(requirement, kind.GroupVersionKind, name)
	return plan.Peer{Kind: kind.Kind, Name: name, XR: xr}, err
}

// Fields of a ManagedCluster that Cluster API decides, or reads.
var (
	kubernetesVersion    = field.At[string]("spec", "kubernetesVersion")
	serviceCIDR          = field.At[string]("spec", "networkProfile", "serviceCidr")
	podCIDR              = field.At[string]("spec", "networkProfile", "podCidr")
	disableLocalAccounts = field.At[bool]("spec", "disableLocalAccounts")
	credentialSecrets    = field.At[map[string]any]("spec", "operatorSpec", "secrets")
	statusPrivateFQDN    = field.At[string]("status", "privateFQDN")
	statusFQDN           = field.At[string]("status", "fqdn")
	statusVersion        = field.At[string]("status", "currentKubernetesVersion")
	specVersion          = field.At[string]("spec", "version")
)

// setManagedCluster sets on the ManagedCluster what Cluster API decides. Its pools come last, as what becomes of them depends on whether
// anything else changes. The error is ErrPending when its pools have to be read first.
func setManagedCluster(in *composer.Request, cluster *unstructured.Unstructured, managed *plan.Resource) error {
	version := specVersion.Value(in.XR)
	managed.Err = setVersion(managed, kubernetesVersion, version, fmt.Sprintf("because spec.version is %q", version),
		statusVersion.Value(plan.Created(in, managed.Name())))
	for _, network := range []struct {
		from string
		of   field.Path[[]string]
		to   field.Path[string]
	}{{"services", capi.ClusterServiceRanges, serviceCIDR}, {"pods", capi.ClusterPodRanges, podCIDR}} {
		// AKS takes one range for each, so only the first of the Cluster counts.
		if ranges := network.of.Value(cluster); managed.Err == nil && len(ranges) > 0 {
			managed.Err = managed.SetField(network.to, ranges[0], fmt.Sprintf(
				"because spec.clusterNetwork.%s.cidrBlocks[0] of Cluster %s/%s is %q", network.from, cluster.GetNamespace(), cluster.GetName(), ranges[0]))
		}
	}
	if managed.Err != nil {
		return nil //nolint:nilerr // It is the resource's.
	}
	if managed.Err = setCredentials(cluster, managed); managed.Err != nil {
		return nil //nolint:nilerr // It is the resource's.
	}
	return setAgentPoolProfiles(in, cluster, managed)
}

// setVersion sets the version that Cluster API asks for, if any. Whoever asks, the user's own ASO object or Cluster API, what runs in Azure
// is never to be lowered: AKS may have upgraded by itself, and refuses every change together with a downgrade.
func setVersion(r *plan.Resource, path field.Path[string], asked, because, runs string) *composer.Blocked {
	if asked != "" {
		if blocked := r.SetField(path, kubeversion.WithoutV(asked), because); blocked != nil {
			return blocked
		}
	}
	written := path.Value(r.Object)
	if kept := kubeversion.NotBelow(written, runs); kept != written {
		_ = path.Set(r.Object, kept) // The parents are maps, as the version is within them.
	}
	return nil
}

// setCredentials has ASO write the admin kubeconfig to a Secret, unless the user chose one. With local accounts
// disabled there is no admin kubeconfig, so the user's it is. The Secret is not <cluster>-kubeconfig: ASO writes
// Secrets without the type that the CAPI contract asks for, and provider-capz makes that one.
func setCredentials(cluster *unstructured.Unstructured, managed *plan.Resource) *composer.Blocked {
	secrets := credentialSecrets.Value(managed.Object)
	admin, hasAdmin := secrets["adminCredentials"].(map[string]any)
	_, hasUser := secrets["userCredentials"].(map[string]any)
	switch {
	case hasAdmin && admin["name"] == cluster.GetName()+"-kubeconfig":
		// CAPI core reads only labelled Secrets, and ASO drops labels that are not in its spec.
		return managed.SetField(field.At[string]("spec", "operatorSpec", "secrets", "adminCredentials", "labels", clusterv1.ClusterNameLabel),
			cluster.GetName(), "because Cluster API finds the kubeconfig by it")
	case hasAdmin || hasUser:
		return nil
	}
	credentials := "adminCredentials"
	if disableLocalAccounts.Value(managed.Object) {
		credentials = "userCredentials"
	}
	return managed.SetField(field.At[map[string]any]("spec", "operatorSpec", "secrets", credentials),
		map[string]any{"name": cluster.GetName() + "-aso-kubeconfig", "key": "value"}, "because the kubeconfig of the cluster is read from it")
}

// setControlPlaneStatus takes over what Azure says of the ManagedCluster. The first body that Azure returns has
// an endpoint and a version already, so only a ready one counts.
func setControlPlaneStatus(status *capi.ControlPlaneStatus, managed *unstructured.Unstructured) {
	if managed == nil || !aso.StateOf(managed).Ready {
		return
	}
	host := statusPrivateFQDN.Value(managed)
	if host == "" {
		host = statusFQDN.Value(managed)
	}
	if version := statusVersion.Value(managed); version != "" {
		status.SetVersion(version)
	}
	if host != "" {
		status.SetInitialized(host)
	}
}
