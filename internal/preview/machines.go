package preview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Where control planes and MachineDeployments say of what template their machines are made, in either version of Cluster API.
var (
	templateRefs = []field.Path[map[string]any]{
		field.At[map[string]any]("spec", "machineTemplate", "spec", "infrastructureRef"), field.At[map[string]any]("spec", "machineTemplate", "infrastructureRef"),
		field.At[map[string]any]("spec", "template", "spec", "infrastructureRef"),
	}
	templateSpec      = field.At[map[string]any]("spec", "template", "spec")
	templateVersion   = field.At[string]("spec", "template", "spec", "version")
	specVersion       = field.At[string]("spec", "version")
	specClusterName   = field.At[string]("spec", "clusterName")
	specVMSize        = field.At[string]("spec", "vmSize")
	specSSHKey        = field.At[string]("spec", "sshPublicKey")
	specRole          = field.At[string]("spec", "systemAssignedIdentityRole", "name")
	specOldRole       = field.At[string]("spec", "roleAssignmentName")
	specIdentity      = field.At[string]("spec", "identity")
	specProviderID    = field.At[string]("spec", "providerID")
	statusProviderID  = field.At[string]("status", "providerID")
	controlPlaneRef   = field.At[map[string]any]("spec", "controlPlaneRef")
	infrastructureRef = field.At[map[string]any]("spec", "infrastructureRef")
)

// exampleKey stands for the SSH key that the webhook makes where a manifest has none: ssh-rsa preview, in base64.
const exampleKey = "c3NoLXJzYSBwcmV2aWV3"

// machineSuffix ends the names of the machines that stand for all that are made of a template.
const machineSuffix = "-preview"

// newMachineSuffix ends those of the machines that a cluster makes beside the ones that it has.
const newMachineSuffix = "-new"

// machineName returns the name of the machine that stands for those of a control plane or MachineDeployment.
func (p *Preview) machineName(owner *unstructured.Unstructured) string {
	if p.cluster == nil {
		return owner.GetName() + machineSuffix
	}
	name := owner.GetName() + newMachineSuffix
	for slices.ContainsFunc(p.objects, func(o *unstructured.Unstructured) bool { return o.GetName() == name }) {
		name += newMachineSuffix
	}
	return name
}

// addMachines adds a machine for each control plane and MachineDeployment that makes some of an AzureMachineTemplate, as the manifests have
// none of their own.
func (p *Preview) addMachines() error {
	for _, o := range p.objects {
		template := p.templateOf(o)
		count, ok := p.machinesToMake(o)
		if template == nil || !ok {
			continue
		}
		machine := &unstructured.Unstructured{Object: map[string]any{"spec": templateSpec.Value(template)}}
		machine = machine.DeepCopy()
		machine.SetGroupVersionKind(composite.AzureMachine.GroupVersionKind)
		machine.SetNamespace(o.GetNamespace())
		machine.SetName(p.machineName(o))
		machine.SetAnnotations(field.At[map[string]string]("spec", "template", "metadata", "annotations").Value(template))
		meta.AddAnnotations(machine, template.GetAnnotations())
		machine.SetUID(uid(machine))
		if err := setDefaults(machine); err != nil {
			return err
		}
		if err := p.tell(machine, v1alpha1.FactsOfMachine{
			Name: machine.GetName(), Version: cmp.Or(templateVersion.Value(o), specVersion.Value(o)), ControlPlane: o.GetKind() != machineDeployment,
			Owner: v1alpha1.FactsOfOwner{Kind: ownerKind(o), Name: o.GetName()},
		}, p.clusterOf(o)); err != nil {
			return err
		}
		p.objects = append(p.objects, machine)
		p.counts[machine.GetUID()] = count
		p.composed[machine.GetUID()] = map[string]*unstructured.Unstructured{}
	}
	return nil
}

const machineDeployment = "MachineDeployment"

func ownerKind(o *unstructured.Unstructured) string {
	if o.GetKind() == machineDeployment {
		return v1alpha1.OwnerMachineDeployment
	}
	return v1alpha1.OwnerControlPlane
}

// templateOf returns the AzureMachineTemplate of which an object makes machines; nil when it makes none of such.
func (p *Preview) templateOf(o *unstructured.Unstructured) *unstructured.Unstructured {
	group := o.GroupVersionKind().Group
	if group != clusterv1.GroupVersion.Group && !strings.HasSuffix(group, "controlplane.cluster.x-k8s.io") || strings.HasSuffix(o.GetKind(), "Template") {
		return nil
	}
	for _, path := range templateRefs {
		ref := path.Value(o)
		if ref["kind"] != composite.AzureMachineTemplate.Kind {
			continue
		}
		for _, template := range p.objects {
			if template.GroupVersionKind().GroupKind() == composite.AzureMachineTemplate.GroupKind() && template.GetNamespace() == o.GetNamespace() && template.GetName() == ref["name"] {
				return template
			}
		}
	}
	return nil
}

// clusterOf returns the name of the Cluster that a control plane or a MachineDeployment is of.
func (p *Preview) clusterOf(o *unstructured.Unstructured) string {
	for _, c := range p.objects {
		if ref := controlPlaneRef.Value(c); c.GetKind() == "Cluster" && ref["kind"] == o.GetKind() && ref["name"] == o.GetName() {
			return c.GetName()
		}
	}
	return cmp.Or(specClusterName.Value(o), o.GetLabels()[clusterv1.ClusterNameLabel])
}

// tellMachines has provider-capz say what is to be known of the AzureMachines in the manifests that do not say it themselves.
func (p *Preview) tellMachines() error {
	for _, o := range p.composites() {
		if o.GroupVersionKind().GroupKind() != composite.AzureMachine.GroupKind() || o.GetAnnotations()[v1alpha1.AnnotationMachineFacts] != "" {
			continue
		}
		facts := v1alpha1.FactsOfMachine{Name: o.GetName()}
		cluster := o.GetLabels()[clusterv1.ClusterNameLabel]
		for _, m := range p.objects {
			if ref := infrastructureOfMachine(m); ref["kind"] != o.GetKind() || ref["name"] != o.GetName() || m.GetNamespace() != o.GetNamespace() {
				continue
			}
			_, facts.ControlPlane = m.GetLabels()[clusterv1.MachineControlPlaneLabel]
			facts.Name, facts.Version = m.GetName(), specVersion.Value(m)
			facts.FailureDomain = field.At[string]("spec", "failureDomain").Value(m)
			cluster = cmp.Or(specClusterName.Value(m), cluster)
		}
		if err := p.tell(o, facts, cluster); err != nil {
			return err
		}
	}
	return nil
}

func infrastructureOfMachine(m *unstructured.Unstructured) map[string]any {
	if m.GetKind() != "Machine" || m.GroupVersionKind().Group != clusterv1.GroupVersion.Group {
		return nil
	}
	return infrastructureRef.Value(m)
}

// tell writes facts onto an AzureMachine, of an Azure whose sizes can do everything, and what the webhook would set at random.
func (p *Preview) tell(machine *unstructured.Unstructured, of v1alpha1.FactsOfMachine, cluster string) error {
	var zones []string
	if of.FailureDomain != "" {
		zones = []string{of.FailureDomain}
	}
	facts := v1alpha1.MachineFacts{Machine: of, Size: mightySize(specVMSize.Value(machine), zones)}
	if of.ControlPlane {
		facts.SSHPort = 22
	}
	return settle(machine, cluster, specSSHKey, facts)
}

// mightySize returns what Azure offers of a size that can do everything, in the zones.
func mightySize(name string, zones []string) v1alpha1.FactsOfSize {
	return v1alpha1.FactsOfSize{
		Name: name, Known: true, Offered: true, VCPUs: 1 << 10, MemoryGiB: 1 << 10, UltraSSD: true, Zones: zones, UltraSSDZones: zones,
		AcceleratedNetworking: true, EphemeralOSDisk: true, EncryptionAtHost: true, ConfidentialComputingType: "SNP", Architecture: "x64",
	}
}

// settle writes facts onto an AzureMachine or AzureMachinePool, and what the webhook would set at random.
func settle(xr *unstructured.Unstructured, cluster string, sshKey field.Path[string], facts v1alpha1.MachineFacts) error {
	label(xr, cluster)
	facts.Machine.BootstrapReady = true
	if sshKey.Value(xr) == "" {
		if err := sshKey.Set(xr, exampleKey); err != nil {
			return fmt.Errorf("%s %s: %w", xr.GetKind(), xr.GetName(), err)
		}
	}
	if specIdentity.Value(xr) == "SystemAssigned" && specRole.Value(xr) == "" && specOldRole.Value(xr) == "" {
		if err := specRole.Set(xr, uuid.NewSHA1(uuid.Nil, []byte(xr.GetUID())).String()); err != nil {
			return fmt.Errorf("%s %s: %w", xr.GetKind(), xr.GetName(), err)
		}
	}
	return write(xr, facts)
}

func write(machine *unstructured.Unstructured, facts v1alpha1.MachineFacts) error {
	text, err := facts.Encode()
	if err != nil {
		return err
	}
	meta.AddAnnotations(machine, map[string]string{v1alpha1.AnnotationMachineFacts: text})
	return nil
}

// createMachine has provider-capz create the virtual machine or scale set that is composed for an AzureMachine or AzureMachinePool, and copy
// its provider ID.
func (p *Preview) createMachine(xr *unstructured.Unstructured) error {
	created, ok := map[schema.GroupKind]aso.Kind{
		composite.AzureMachine.GroupKind(): aso.VirtualMachine, composite.AzureMachinePool.GroupKind(): aso.VirtualMachineScaleSet,
	}[xr.GroupVersionKind().GroupKind()]
	if !ok {
		return nil
	}
	facts, err := v1alpha1.ReadMachineFacts(xr.GetAnnotations())
	if err != nil {
		return err
	}
	for _, o := range p.composed[xr.GetUID()] {
		if o.GroupVersionKind().GroupKind() == created.GroupKind() && !looking(o) && !aso.Held(o) {
			facts.Created.State, facts.PrincipalID = v1alpha1.Created, string(xr.GetUID())
			facts.Pool.Listed = created.GroupKind() == aso.VirtualMachineScaleSet.GroupKind()
		}
	}
	if id := statusProviderID.Value(xr); strings.HasPrefix(id, azuremachine.ProviderIDPrefix) {
		if err := specProviderID.Set(xr, id); err != nil {
			return err
		}
	}
	return write(xr, facts)
}
