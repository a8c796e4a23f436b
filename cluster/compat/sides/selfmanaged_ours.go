package sides

import (
	"context"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
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
	cluster, err := admit(ctx, o.Schemas[clusters], s.AzureCluster, nil)
	if err != nil {
		return nil, err
	}
	all := []*unstructured.Unstructured{cluster}
	for _, m := range s.Machines {
		machine, err := admit(ctx, o.Schemas[machines], m.Object, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name(), err)
		}
		all = append(all, machine)
	}
	return all, nil
}

// Sent returns what is sent to Azure for the objects of a spec: what ASO makes of the objects that the composers compose, from the first
// look into Azure until all is there.
func (o *SelfManagedOurs) Sent(ctx context.Context, s *specs.SelfManaged, admitted []*unstructured.Unstructured) (*Sent, error) {
	manifests, err := selfManagedManifests(s, admitted)
	if err != nil {
		return nil, err
	}
	p, err := preview.Make(ctx, function{}, manifests)
	if err != nil {
		return nil, err
	}
	sent := &Sent{Resources: arm.Resources{}, Failures: map[string]string{}}
	for _, problem := range p.Problems {
		sent.Failures[problem.Kind+"/"+problem.Name] = problem.Message
	}
	secrets, err := protectedSettings(s, admitted)
	if err != nil {
		return nil, err
	}
	objects := arm.Objects{Subscription: specs.Subscription, SecretMaps: secrets}
	for _, resource := range p.Resources {
		typed, err := arm.Typed(resource)
		if err != nil {
			return nil, err
		}
		objects.All = append(objects.All, typed)
	}
	return sent, objects.Add(sent.Resources)
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

// selfManagedManifests returns all that a user applies, and what provider-capz tells of it.
func selfManagedManifests(s *specs.SelfManaged, admitted []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	const core = "cluster.x-k8s.io/v1beta2"
	clusterSpec := map[string]any{"infrastructureRef": map[string]any{"apiGroup": composite.InfrastructureGroup, "kind": composite.AzureCluster.Kind, "name": s.Cluster}}
	if s.APIServerPort != 0 {
		clusterSpec["clusterNetwork"] = map[string]any{"apiServerPort": int64(s.APIServerPort)}
	}
	all := []*unstructured.Unstructured{
		object(core, "Cluster", s.Cluster, clusterSpec),
		object(composite.InfrastructureGroup+"/v1beta1", "AzureClusterIdentity", "identity", map[string]any{
			"type": "WorkloadIdentity", "clientID": "c", "tenantID": "t", "allowedNamespaces": map[string]any{}}),
		withZones(s, admitted[0]),
	}
	for i, m := range s.Machines {
		machine, err := runtime.DefaultUnstructuredConverter.ToUnstructured(machineOf(s, m))
		if err != nil {
			return nil, err
		}
		o := &unstructured.Unstructured{Object: machine}
		o.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("Machine"))
		_ = unstructured.SetNestedField(o.Object, s.Cluster, "spec", "clusterName")
		_ = unstructured.SetNestedStringMap(o.Object, map[string]string{"apiGroup": composite.InfrastructureGroup, "kind": composite.AzureMachine.Kind, "name": m.Name()}, "spec", "infrastructureRef")
		xr := admitted[i+1].DeepCopy()
		if err := tellMachine(s, m, xr); err != nil {
			return nil, err
		}
		all = append(all, o, xr)
	}
	return all, nil
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

// tellMachine writes onto an AzureMachine what provider-capz tells of it before its virtual machine is created.
func tellMachine(s *specs.SelfManaged, m specs.Machine, xr *unstructured.Unstructured) error {
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
	text, err := facts.Encode()
	if err != nil {
		return err
	}
	meta.AddAnnotations(xr, map[string]string{v1alpha1.AnnotationMachineFacts: text})
	return nil
}

// sizeOf returns what Azure offers of the size of a machine.
func sizeOf(s *specs.SelfManaged, m specs.Machine) v1alpha1.FactsOfSize {
	name, _ := m.Spec()["vmSize"].(string)
	facts := v1alpha1.FactsOfSize{Name: name, Known: true, FaultDomains: int64(s.FaultDomains)}
	for _, size := range specs.Sizes() {
		if size.Name == name {
			facts.Offered, facts.VCPUs, facts.MemoryGiB, facts.Zones, facts.UltraSSDZones = true, int64(size.VCPUs), size.MemoryGiB, s.Zones, size.UltraSSDZones
			facts.AcceleratedNetworking, facts.EphemeralOSDisk, facts.EncryptionAtHost = size.AcceleratedNetworking, size.EphemeralOSDisk, size.EncryptionAtHost
			facts.ConfidentialComputingType, facts.TrustedLaunchDisabled, facts.Architecture = size.ConfidentialComputingType, size.TrustedLaunchDisabled, size.Architecture
		}
	}
	return facts
}
