package sides

import (
	"context"
	"fmt"
	"slices"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/clusterfacts"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

// SelfManagedOurs is the side of this project for self-managed clusters.
type SelfManagedOurs struct {
	// Schemas are by the plurals of the kinds.
	Schemas map[string]*schema.Schema
}

// NewSelfManagedOurs reads the schemas from the Configuration package.
func NewSelfManagedOurs(root string) (*SelfManagedOurs, error) {
	read, err := schemas(func(plural string) string { return xrd(root, plural) })
	return &SelfManagedOurs{Schemas: read}, err
}

func xrd(root, plural string) string {
	return fmt.Sprintf("%s/package/configuration/%s/definition.yaml", root, plural)
}

// Admit applies the spec as a user would: schema, defaults, rules. An error is a refusal.
func (o *SelfManagedOurs) Admit(ctx context.Context, s *specs.SelfManaged) ([]*unstructured.Unstructured, error) {
	cluster, err := o.make(ctx, s, clusters, s.AzureCluster)
	if err != nil {
		return nil, err
	}
	all := []*unstructured.Unstructured{cluster}
	for _, m := range s.Machines {
		machine, err := o.make(ctx, s, machines, m.Object)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name(), err)
		}
		all = append(all, machine)
	}
	return all, nil
}

// make creates an object, of its template where the spec has such.
func (o *SelfManagedOurs) make(ctx context.Context, s *specs.SelfManaged, plural string, object map[string]any) (*unstructured.Unstructured, error) {
	if s.OfTemplates {
		template := specs.TemplateOf(object)
		o.Schemas[templates[plural]].Prune(template) // Templates do not have all.
		admitted, err := admit(ctx, o.Schemas[templates[plural]], template, nil)
		if err != nil {
			return nil, fmt.Errorf("template: %w", err)
		}
		object = specs.MadeOf(admitted.Object, object)
	}
	return admit(ctx, o.Schemas[plural], object, nil)
}

// Sent returns what is sent to Azure for the objects of a spec: what ASO makes of the objects that the composers compose, from the first
// look into Azure until all is there, and then once more.
func (o *SelfManagedOurs) Sent(ctx context.Context, s *specs.SelfManaged, admitted []*unstructured.Unstructured) (created, running *Sent, err error) {
	w, err := newSelfManagedWorld(s, admitted)
	if err != nil {
		return nil, nil, err
	}
	p, err := preview.MakeIn(ctx, w.found, function{facts: w.facts}, w.manifests)
	if err != nil {
		return nil, nil, err
	}
	failures := map[string]string{}
	for _, problem := range p.Problems {
		failures[problem.Kind+"/"+problem.Name] = problem.Message
	}
	wanted, err := p.Wanted()
	if err != nil {
		return nil, nil, err
	}
	if created, err = w.sent(p.Resources, wanted, failures); err != nil {
		return nil, nil, err
	}
	running, err = w.sent(writtenAgain(p.Resources, wanted), wanted, failures)
	return created, running, err
}

// writtenAgain returns the objects as ASO has written them last: what it only reads by now stays as it was written, and what is wanted no
// more is gone.
func writtenAgain(written, wanted []*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for _, before := range written {
		i := slices.IndexFunc(wanted, func(o *unstructured.Unstructured) bool {
			return o.GroupVersionKind().GroupKind() == before.GroupVersionKind().GroupKind() && o.GetName() == before.GetName()
		})
		switch {
		case i < 0:
		case wanted[i].GetAnnotations()[aso.AnnotationReconcilePolicy] == aso.PolicySkip:
			all = append(all, before)
		default:
			all = append(all, wanted[i])
		}
	}
	return all
}

// protectedSettings are the Secrets that provider-capz writes for the extensions of machines, by name.
func protectedSettings(s *specs.SelfManaged, admitted []*unstructured.Unstructured) (map[string]map[string]string, error) {
	secrets := map[string]map[string]string{}
	for i, m := range s.Machines {
		xr := &v1beta1.AzureMachine{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(admitted[i+1].Object, xr); err != nil {
			return nil, err
		}
		for _, extension := range m.Extensions() {
			secrets[azuremachine.ProtectedSettingsSecret(azuremachine.Name(xr), extension.Name)] = extension.ProtectedSettings
		}
	}
	return secrets, nil
}

// A selfManagedWorld is the management cluster, and the Azure, that a spec comes to.
type selfManagedWorld struct {
	spec      *specs.SelfManaged
	cluster   *v1beta1.AzureCluster
	manifests []*unstructured.Unstructured
	// facts are what provider-capz tells of the Cluster.
	facts *fnv1.Resources
	// secrets are those that the ASO objects refer to as a whole.
	secrets map[string]map[string]string
}

func newSelfManagedWorld(s *specs.SelfManaged, admitted []*unstructured.Unstructured) (*selfManagedWorld, error) {
	w := &selfManagedWorld{spec: s, cluster: &v1beta1.AzureCluster{}}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(admitted[0].Object, w.cluster)
	if err != nil {
		return nil, err
	}
	if w.secrets, err = protectedSettings(s, admitted); err != nil {
		return nil, err
	}
	told := v1alpha1.ClusterFactsSpec{Format: v1alpha1.ClusterFactsFormat, FailureDomains: s.Zones, FailureDomainsKnown: true}
	w.manifests = w.clusterManifests(admitted[0])
	for i, m := range s.Machines {
		xr := admitted[i+1].DeepCopy()
		set, err := w.tellMachine(m, xr)
		if err != nil {
			return nil, err
		}
		if set != "" && !slices.ContainsFunc(told.AvailabilitySets, func(known v1alpha1.AvailabilitySetFacts) bool { return known.Name == set }) {
			told.AvailabilitySets = append(told.AvailabilitySets, v1alpha1.AvailabilitySetFacts{Name: set, FaultDomains: int32(s.FaultDomains)}) //nolint:gosec // A number of fault domains.
		}
		machine, err := machineManifest(s, m)
		if err != nil {
			return nil, err
		}
		w.manifests = append(w.manifests, machine, xr)
	}
	w.facts, err = factsOf(s.Cluster, told)
	return w, err
}

// sent returns what ASO makes of objects. Those that are wanted may be referred to.
func (w *selfManagedWorld) sent(written, wanted []*unstructured.Unstructured, failures map[string]string) (*Sent, error) {
	sent := &Sent{Resources: arm.Resources{}, Failures: failures}
	objects := arm.Objects{Subscription: specs.Subscription, SecretMaps: w.secrets}
	var err error
	if objects.All, err = typedObjects(written); err != nil {
		return nil, err
	}
	if objects.Read, err = typedObjects(wanted); err != nil {
		return nil, err
	}
	return sent, objects.Add(sent.Resources)
}

func typedObjects(objects []*unstructured.Unstructured) ([]genruntime.ARMMetaObject, error) {
	var all []genruntime.ARMMetaObject
	for _, o := range objects {
		typed, err := arm.Typed(o)
		if err != nil {
			return nil, err
		}
		all = append(all, typed)
	}
	return all, nil
}

// found returns what ASO tells of a resource that is the user's.
func (w *selfManagedWorld) found(o *unstructured.Unstructured) map[string]any {
	if !w.spec.OwnNetwork {
		return nil
	}
	name, _, _ := unstructured.NestedString(o.Object, "spec", "azureName")
	switch o.GetKind() {
	case aso.VirtualNetwork.Name, aso.VirtualNetworksSubnet.Name, aso.NetworkSecurityGroup.Name, aso.RouteTable.Name:
	case aso.ResourceGroup.Name:
		if name != w.cluster.Spec.NetworkSpec.Vnet.ResourceGroup {
			return nil
		}
	default:
		return nil
	}
	status := map[string]any{"name": name}
	for _, field := range []string{"addressSpace", "addressPrefix", "addressPrefixes"} {
		if value, set, _ := unstructured.NestedFieldCopy(o.Object, "spec", field); set {
			status[field] = value
		}
	}
	return status
}

// factsOf returns the ClusterFacts of a Cluster.
func factsOf(cluster string, told v1alpha1.ClusterFactsSpec) (*fnv1.Resources, error) {
	facts := &v1alpha1.ClusterFacts{Spec: told}
	facts.Name, facts.Namespace = cluster, specs.Namespace
	facts.SetGroupVersionKind(clusterfacts.Kind)
	content, err := resource.AsStruct(facts)
	return &fnv1.Resources{Items: []*fnv1.Resource{{Resource: content}}}, err
}

// clusterManifests returns the Cluster, its identity and its AzureCluster.
func (w *selfManagedWorld) clusterManifests(azureCluster *unstructured.Unstructured) []*unstructured.Unstructured {
	s := w.spec
	clusterSpec := map[string]any{"infrastructureRef": map[string]any{"apiGroup": composite.InfrastructureGroup, "kind": composite.AzureCluster.Kind, "name": s.Cluster}}
	if s.APIServerPort != 0 {
		clusterSpec["clusterNetwork"] = map[string]any{"apiServerPort": int64(s.APIServerPort)}
	}
	return []*unstructured.Unstructured{
		object(clusterv1.GroupVersion.String(), "Cluster", s.Cluster, clusterSpec),
		object(composite.InfrastructureGroup+"/v1beta1", "AzureClusterIdentity", "identity", map[string]any{
			"type": "WorkloadIdentity", "clientID": "c", "tenantID": "t", "allowedNamespaces": map[string]any{}}),
		withZones(s, azureCluster),
	}
}

// machineManifest returns the Machine that an AzureMachine is of.
func machineManifest(s *specs.SelfManaged, m specs.Machine) (*unstructured.Unstructured, error) {
	machine, err := runtime.DefaultUnstructuredConverter.ToUnstructured(machineOf(s, m))
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{Object: machine}
	o.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
	_ = unstructured.SetNestedField(o.Object, s.Cluster, "spec", "clusterName")
	_ = unstructured.SetNestedStringMap(o.Object, map[string]string{"apiGroup": composite.InfrastructureGroup, "kind": composite.AzureMachine.Kind, "name": m.Name()}, "spec", "infrastructureRef")
	return o, nil
}

// withZones returns the AzureCluster, with the zones of its location.
func withZones(s *specs.SelfManaged, cluster *unstructured.Unstructured) *unstructured.Unstructured {
	domains := []any{}
	for _, zone := range s.Zones {
		domains = append(domains, map[string]any{"name": zone, "controlPlane": true})
	}
	cluster = cluster.DeepCopy()
	cluster.Object["status"] = map[string]any{"failureDomains": domains}
	return cluster
}

// tellMachine writes onto an AzureMachine what provider-capz tells of it before its virtual machine is created, and returns the availability
// set that it is in.
func (w *selfManagedWorld) tellMachine(m specs.Machine, xr *unstructured.Unstructured) (availabilitySet string, err error) {
	s := w.spec
	facts := v1alpha1.MachineFacts{SSHPort: m.SSHPort, Size: sizeOf(s, m), Machine: v1alpha1.FactsOfMachine{
		Name: m.Name(), FailureDomain: m.FailureDomain, Version: m.Version, ControlPlane: m.ControlPlane, BootstrapReady: true}}
	switch {
	case m.ControlPlane:
		facts.Machine.Owner = v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerControlPlane, Name: "control-plane"}
	case m.Deployment != "":
		facts.Machine.Owner = v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerMachineDeployment, Name: m.Deployment}
	case m.Set != "":
		facts.Machine.Owner = v1alpha1.FactsOfOwner{Kind: v1alpha1.OwnerMachineSet, Name: m.Set}
	}
	typed := &v1beta1.AzureMachine{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(xr.Object, typed); err != nil {
		return "", err
	}
	facts.Machine.AvailabilitySet = azuremachine.AvailabilitySet(s.Cluster, w.cluster, typed, facts.Machine, s.Zones)
	text, err := facts.Encode()
	if err != nil {
		return "", err
	}
	meta.AddAnnotations(xr, map[string]string{v1alpha1.AnnotationMachineFacts: text})
	return facts.Machine.AvailabilitySet, nil
}

// sizeOf returns what Azure offers of the size of a machine.
func sizeOf(s *specs.SelfManaged, m specs.Machine) v1alpha1.FactsOfSize {
	name, _ := m.Spec()["vmSize"].(string)
	return offered(s, name)
}

// offered returns what Azure offers of a size.
func offered(s *specs.SelfManaged, name string) v1alpha1.FactsOfSize {
	facts := v1alpha1.FactsOfSize{Name: name, Known: true, FaultDomains: int64(s.FaultDomains)}
	for _, size := range specs.Sizes() {
		if size.Name == name {
			facts.Offered, facts.VCPUs, facts.MemoryGiB, facts.Zones, facts.UltraSSDZones = true, int64(size.VCPUs), size.MemoryGiB, s.Zones, size.UltraSSDZones
			if len(s.Zones) == 0 {
				facts.UltraSSDZones = nil
			}
			facts.AcceleratedNetworking, facts.EphemeralOSDisk, facts.EncryptionAtHost = size.AcceleratedNetworking, size.EphemeralOSDisk, size.EncryptionAtHost
			facts.ConfidentialComputingType, facts.TrustedLaunchDisabled, facts.Architecture = size.ConfidentialComputingType, size.TrustedLaunchDisabled, size.Architecture
		}
	}
	return facts
}
