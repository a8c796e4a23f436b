package selfmanaged

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/compute"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged/iam"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Machine composes AzureMachine: one virtual machine, and what it alone uses. provider-capz creates the virtual machine itself, as its
// bootstrap data is secret, and tells in MachineFacts what has become of it.
type Machine struct{}

// reasonWaitingForFacts says that provider-capz has told nothing of a machine yet.
const reasonWaitingForFacts = "WaitingForMachineFacts"

// Compose implements composer.Composer.
func (Machine) Compose(in *composer.Request) (*composer.Result, error) {
	status := readMachineStatus(in)
	m, err := readMachine(in)
	if err != nil {
		return &composer.Result{Status: status.result()}, err
	}
	resources := m.resources(in)
	observations, err := plan.Observe(in, resources)
	if err != nil {
		return nil, err
	}
	p := plan.Plan{
		Resources: resources, Peers: m.peers(in.XR.GetNamespace()), Cluster: m.cluster.Name,
		Paused: capi.Paused(in, m.capiCluster), Gate: m.gate, ReferencesReady: true,
	}
	out, err := p.Make(in, observations)
	if err != nil {
		return nil, err
	}
	status.set(in, m, out)
	conditions := append([]composer.Condition{
		m.credential.Readiness(out, status.condition(out)),
		out.Condition(),
		capi.PausedCondition(p.Paused),
	}, slices.Concat(withDisks(out.KindConditions(in)), m.availabilitySetCondition(), m.identitiesCondition(in, resources), tagsConditions(in, resources))...)
	result := m.credential.Result(in, out, status.result(), conditions...)
	result.Ready = result.Ready && status.FailureReason == nil
	return result, nil
}

// machineInputs is what the composer reads.
type machineInputs struct {
	xr          *v1beta1.AzureMachine
	facts       v1alpha1.MachineFacts
	capiCluster *unstructured.Unstructured
	// azureCluster is what cluster.Azure is read from.
	azureCluster *unstructured.Unstructured
	cluster      compute.Cluster
	credential   capi.Credential
	// gate says what is missing before anything is composed.
	gate string
	// failed is why there will be no virtual machine; nil while there may be one.
	failed *failure
	// networkInterfaces and publicIP are the resources that the addresses come from.
	networkInterfaces []*plan.Resource
	publicIP          *plan.Resource
}

func readMachine(in *composer.Request) (*machineInputs, error) {
	m := &machineInputs{xr: &v1beta1.AzureMachine{}, cluster: compute.Cluster{Azure: &v1beta1.AzureCluster{}}}
	if err := capi.Read(in.XR, m.xr); err != nil {
		return nil, err
	}
	var err error
	if m.capiCluster, err = capi.ClusterOfMachine(in); err != nil {
		return nil, err
	}
	name, err := capi.Reference(in, m.capiCluster, "infrastructureRef", composite.AzureCluster)
	if err != nil {
		return nil, err
	}
	azureCluster, err := in.Get("azurecluster", composite.AzureCluster.GroupVersionKind, name)
	switch {
	case err != nil:
		return nil, err
	case azureCluster == nil:
		return nil, composer.Blockedf(capi.ReasonWaitingForOwner,
			"waits for AzureCluster %q, which spec.infrastructureRef of Cluster %q names and which does not exist", name, m.capiCluster.GetName())
	}
	m.azureCluster = azureCluster
	if err := capi.Read(azureCluster, m.cluster.Azure); err != nil {
		return nil, err
	}
	defaulting.Cluster(azureCluster.GetName(), &m.cluster.Azure.Spec)
	m.cluster.Namespace, m.cluster.Name = in.XR.GetNamespace(), m.capiCluster.GetName()
	if m.cluster.Zones, m.cluster.ZonesKnown = in.FailureDomains(); !m.cluster.ZonesKnown {
		for _, domain := range m.cluster.Azure.Status.FailureDomains { // Those that were known once.
			m.cluster.Zones, m.cluster.ZonesKnown = append(m.cluster.Zones, domain.Name), true
		}
	}
	if err := m.readFacts(); err != nil {
		return nil, err
	}
	m.setGate()
	m.failed = m.failure(in)
	return m, nil
}

// readFacts reads what provider-capz tells of the machine.
func (m *machineInputs) readFacts() error {
	facts, err := v1alpha1.ReadMachineFacts(m.xr.Annotations)
	switch {
	case errors.Is(err, v1alpha1.ErrNoMachineFacts):
		return composer.Blockedf(reasonWaitingForFacts, "waits for provider-capz to say in annotation %s what is to be known of the Machine and of its size", v1alpha1.AnnotationMachineFacts)
	case err != nil:
		return composer.Blockedf(reasonWaitingForFacts, "%v", err)
	case facts.Machine.Name == "":
		return composer.Blockedf(capi.ReasonWaitingForOwner, "waits for a Machine to own it: a Machine in namespace %q must refer to AzureMachine %q", m.xr.Namespace, m.xr.Name)
	}
	m.facts = facts
	return nil
}

// setGate finds out what is missing before anything can be made in Azure.
func (m *machineInputs) setGate() {
	m.credential = capi.CredentialOf(m.cluster.Azure)
	group := m.cluster.Await(aso.ResourceGroup, m.cluster.Azure.Spec.ResourceGroup)
	switch {
	case !m.credential.Usable():
		m.gate = m.credential.Awaited(composite.AzureCluster.Kind, m.cluster.Azure.Name)
	case m.cluster.Azure.Spec.SubscriptionID == "":
		m.gate = fmt.Sprintf("spec.subscriptionID of AzureCluster %s is set, as the IDs of what the machine refers to are built with it", m.cluster.Azure.Name)
	case len(group) > 0:
		m.gate = group[0].Description
	}
}

// resources returns what the machine consists of, with what is known of it.
func (m *machineInputs) resources(in *composer.Request) []*plan.Resource {
	resources := compute.Resources(m.xr, m.facts, m.cluster, m.live(in))
	if role := iam.RoleAssignment(m.xr, typed.Cluster{Namespace: m.cluster.Namespace, Name: m.cluster.Name, Subscription: m.cluster.Azure.Spec.SubscriptionID},
		m.facts.PrincipalID); role != nil {
		resources = append(resources, role)
	}
	for _, r := range resources {
		switch {
		case r.Is(aso.VirtualMachine):
			r.Known = m.known()
			m.failForSize(r)
		case r.Is(aso.NetworkInterface):
			m.networkInterfaces = append(m.networkInterfaces, r)
		case r.Is(aso.PublicIPAddress):
			m.publicIP = r
		}
	}
	if m.failed != nil {
		for _, r := range resources {
			r.After = append(r.After, plan.Precondition{OfObject: true, Description: "the Machine is replaced, as this one has failed"})
		}
	}
	return resources
}

// peers returns the load balancers of the AzureCluster: what lies in one waits for it.
func (m *machineInputs) peers(namespace string) []plan.Peer {
	peer := plan.Peer{Kind: composite.AzureCluster.Kind, Name: m.cluster.Azure.Name, XR: m.azureCluster, Resources: []*unstructured.Unstructured{}}
	for _, s := range m.cluster.Azure.Status.Resources {
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

// live returns what Azure has of the machine.
func (m *machineInputs) live(in *composer.Request) compute.Live {
	live := compute.Live{Failed: m.failed != nil}
	for _, observed := range in.Observed {
		if observed.GroupVersionKind().GroupKind() != aso.PublicIPAddress.GroupKind() || aso.Held(observed) {
			continue // One that is held is not made yet: its zones may not have been known.
		}
		live.PublicIP, live.PublicIPZones = true, specZones.Value(observed)
		if aso.StatusID.Value(observed) != "" {
			live.PublicIPZones = statusZones.Value(observed) // As it was found.
		}
	}
	return live
}

// Fields of ASO objects that the composer reads.
var (
	specZones        = field.At[[]string]("spec", "zones")
	statusZones      = field.At[[]string]("status", "zones")
	statusIPAddress  = field.At[string]("status", "ipAddress")
	ipConfigurations = field.At[[]any]("status", "ipConfigurations")
)

// known returns what provider-capz tells of the virtual machine; nil when it has had nothing to do with it.
func (m *machineInputs) known() *aso.State {
	created := m.facts.Created
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

// addresses returns the addresses of the machine, in the order of its network interfaces: its name, then of each the private and public ones.
func (m *machineInputs) addresses(in *composer.Request) []any {
	address := func(kind, value string) any { return map[string]any{"type": kind, "address": value} }
	all := []any{address("InternalDNS", azuremachine.Name(m.xr))}
	for _, r := range m.networkInterfaces {
		live := r.Live(in)
		if live == nil {
			continue
		}
		for _, c := range field.Maps(ipConfigurations.Value(live)) {
			if private := field.Text(c["privateIPAddress"]); private != "" {
				all = append(all, address("InternalIP", private))
			}
			if _, public := c["publicIPAddress"].(map[string]any); public && m.publicIP != nil {
				if ip := statusIPAddress.Value(m.publicIP.Live(in)); ip != "" {
					all = append(all, address("ExternalIP", ip))
				}
			}
		}
	}
	return all
}
