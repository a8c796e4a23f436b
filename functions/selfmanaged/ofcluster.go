package selfmanaged

import (
	"cmp"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/compute"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/iam"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
)

// ofCluster is what machines and pools read of the Cluster that they are of, and what provider-capz tells of them.
type ofCluster struct {
	capiCluster *unstructured.Unstructured
	// azureCluster is what cluster.Azure is read from.
	azureCluster *unstructured.Unstructured
	cluster      compute.Cluster
	credential   capi.Credential
	facts        v1alpha1.MachineFacts
	paused       bool
	// gate says what is missing before anything is composed.
	gate string
}

// readMember reads a machine or pool into its Go type, its Cluster and AzureCluster, and its facts. It belongs to the given kind of Cluster API's.
func readMember(in *composer.Request, xr any, owner string) (*ofCluster, error) {
	if err := capi.Read(in.XR, xr); err != nil {
		return nil, err
	}
	c, err := readClusterOfMachine(in)
	if err != nil {
		return nil, err
	}
	if c.facts, err = readFacts(in.XR, owner); err != nil {
		return nil, err
	}
	c.paused = capi.Paused(in, c.capiCluster)
	c.setGate()
	return c, nil
}

// readClusterOfMachine reads the Cluster of a machine or pool, and its AzureCluster.
func readClusterOfMachine(in *composer.Request) (*ofCluster, error) {
	c := &ofCluster{cluster: compute.Cluster{Azure: &v1beta1.AzureCluster{}}}
	var err error
	if c.capiCluster, err = capi.ClusterOfMachine(in); err != nil {
		return nil, err
	}
	name, err := capi.Reference(in, c.capiCluster, "infrastructureRef", composite.AzureCluster)
	if err != nil {
		return nil, err
	}
	c.azureCluster, err = in.Get("azurecluster", composite.AzureCluster.GroupVersionKind, name)
	switch {
	case err != nil:
		return nil, err
	case c.azureCluster == nil:
		return nil, composer.Blockedf(capi.ReasonWaitingForOwner,
			"waits for AzureCluster %q, which spec.infrastructureRef of Cluster %q names and which does not exist", name, c.capiCluster.GetName())
	}
	if err := capi.Read(c.azureCluster, c.cluster.Azure); err != nil {
		return nil, err
	}
	defaulting.Cluster(c.azureCluster.GetName(), &c.cluster.Azure.Spec)
	c.cluster.Namespace, c.cluster.Name = in.XR.GetNamespace(), c.capiCluster.GetName()
	if c.cluster.Zones, c.cluster.ZonesKnown = in.FailureDomains(); !c.cluster.ZonesKnown {
		for _, domain := range c.cluster.Azure.Status.FailureDomains { // Those that were known once.
			c.cluster.Zones, c.cluster.ZonesKnown = append(c.cluster.Zones, domain.Name), true
		}
	}
	return c, nil
}

// reasonWaitingForFacts says that provider-capz has told nothing of a machine yet.
const reasonWaitingForFacts = "WaitingForMachineFacts"

// readFacts reads what provider-capz tells of a machine or pool, which is of the given kind of Cluster API's.
func readFacts(xr *unstructured.Unstructured, owner string) (v1alpha1.MachineFacts, error) {
	facts, err := v1alpha1.ReadMachineFacts(xr.GetAnnotations())
	switch {
	case errors.Is(err, v1alpha1.ErrNoMachineFacts):
		return facts, composer.Blockedf(reasonWaitingForFacts, "waits for provider-capz to say in annotation %s what is to be known of the %s and of its size", v1alpha1.AnnotationMachineFacts, owner)
	case err != nil:
		return facts, composer.Blockedf(reasonWaitingForFacts, "%v", err)
	case facts.Machine.Name == "":
		return facts, composer.Blockedf(capi.ReasonWaitingForOwner, "waits for a %s to own it: a %[1]s in namespace %q must refer to %s %q", owner, xr.GetNamespace(), xr.GetKind(), xr.GetName())
	}
	return facts, nil
}

// setGate finds out what is missing before anything can be made in Azure.
func (c *ofCluster) setGate() {
	c.credential = capi.CredentialOf(c.cluster.Azure)
	group := c.cluster.Await(aso.ResourceGroup, c.cluster.Azure.Spec.ResourceGroup)
	switch {
	case !c.credential.Usable():
		c.gate = c.credential.Awaited(composite.AzureCluster.Kind, c.cluster.Azure.Name)
	case c.cluster.Azure.Spec.SubscriptionID == "":
		c.gate = fmt.Sprintf("spec.subscriptionID of AzureCluster %s is set, as the IDs of what the machine refers to are built with it", c.cluster.Azure.Name)
	case len(group) > 0:
		c.gate = group[0].Description
	}
}

// role returns the role assignment of the identity that Azure makes for a machine, or for all of a pool; none where Azure makes none.
// Holder says in words what has the identity.
func (c *ofCluster) role(machine *v1beta1.AzureMachine, holder string) []*plan.Resource {
	cluster := typed.Cluster{Namespace: c.cluster.Namespace, Name: c.cluster.Name, Subscription: c.cluster.Azure.Spec.SubscriptionID}
	if role := iam.RoleAssignment(machine, cluster, holder, c.facts.PrincipalID); role != nil {
		return []*plan.Resource{role}
	}
	return nil
}

// outcomes returns what becomes of resources of the Cluster.
func (c *ofCluster) outcomes(in *composer.Request, resources []*plan.Resource) (*plan.Outcomes, error) {
	observations, err := plan.Observe(in, resources)
	if err != nil {
		return nil, err
	}
	p := plan.Plan{
		Resources: resources, Peers: c.peers(in.XR.GetNamespace()), Cluster: c.cluster.Name,
		Paused: c.paused, Gate: c.gate, ReferencesReady: true,
	}
	return p.Make(in, observations)
}

// peers returns the load balancers of the AzureCluster: what lies in one waits for it.
func (c *ofCluster) peers(namespace string) []plan.Peer {
	peer := plan.Peer{Kind: composite.AzureCluster.Kind, Name: c.cluster.Azure.Name, XR: c.azureCluster, Resources: []*unstructured.Unstructured{}}
	for _, s := range c.cluster.Azure.Status.Resources {
		if s.Resource.Group != aso.LoadBalancer.Group || s.Resource.Kind != aso.LoadBalancer.Name {
			continue
		}
		object := &unstructured.Unstructured{Object: map[string]any{}}
		object.SetAPIVersion(s.Resource.Group + "/" + s.Resource.Version)
		object.SetKind(s.Resource.Kind)
		object.SetNamespace(namespace)
		object.SetName(s.Resource.Name)
		peer.Resources = append(peer.Resources, object)
	}
	return []plan.Peer{peer}
}

// knownOf returns what provider-capz tells of what it creates; nil when it has had nothing to do with it.
func knownOf(created v1alpha1.FactsOfCreation) *aso.State {
	message := created.Message
	switch created.State {
	case v1alpha1.Created:
		return &aso.State{Ready: true, Reason: "Succeeded"}
	case v1alpha1.Creating:
		return &aso.State{Reason: aso.ReasonCreating, Message: cmp.Or(message, "is being created")}
	case v1alpha1.CreationFailed:
		return &aso.State{Reason: cmp.Or(created.Reason, "Failed"), Message: message, Failed: true}
	case v1alpha1.Deleted:
		return &aso.State{Reason: aso.ReasonResourceNotFound, Failed: true, Message: "is gone from Azure, where it was; it is not made again, as its bootstrap data may be used once"}
	}
	if created.Reason == "" && message == "" {
		return nil
	}
	return &aso.State{Reason: cmp.Or(created.Reason, aso.ReasonCreating), Message: message}
}
