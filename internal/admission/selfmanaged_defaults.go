package admission

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// SelfManagedDefaultsPath is where the defaults of the self-managed kinds are served; package/generate/webhooks.yaml.tmpl has it too.
const SelfManagedDefaultsPath = "/default-azure"

// The self-managed kinds, as requests name them.
var (
	clusterKind         = composite.AzureCluster.Kind
	machineKind         = composite.AzureMachine.Kind
	clusterTemplateKind = composite.AzureClusterTemplate.Kind
	machineTemplateKind = composite.AzureMachineTemplate.Kind
	machinePoolKind     = composite.AzureMachinePool.Kind
)

// The parts of these that have defaults.
var (
	wholeSpec         = field.At[map[string]any]("spec")
	templateSpec      = field.At[map[string]any]("spec", "template", "spec")
	templateSSHKey    = field.At[string]("spec", "template", "spec", "sshPublicKey")
	poolTemplate      = field.At[map[string]any]("spec", "template")
	poolSSHKey        = field.At[string]("spec", "template", "sshPublicKey")
	specIdentity      = field.At[string]("spec", "identity")
	specRoleName      = field.At[string]("spec", "systemAssignedIdentityRole", "name")
	systemAssigned    = string(v1beta1.VMIdentitySystemAssigned)
	specRoleOfMachine = field.At[map[string]any]("spec", "systemAssignedIdentityRole")
)

// fillSelfManaged writes the defaults of an object of the self-managed kinds; old is empty when it is new.
func (d *Defaulter) fillSelfManaged(kind string, obj, old *unstructured.Unstructured) error {
	switch kind {
	case clusterKind:
		d.fillSubscription(obj, old)
		return fillTyped(obj, wholeSpec, func(spec *v1beta1.AzureClusterSpec) { defaulting.Cluster(obj.GetName(), spec) })
	case clusterTemplateKind:
		return fillTyped(obj, templateSpec, defaulting.ClusterTemplate)
	case machineTemplateKind:
		if err := fillTyped(obj, templateSpec, func(spec *v1beta1.AzureMachineTemplateResourceSpec) {
			defaulting.MachineTemplate(&spec.AzureMachineClassSpec)
		}); err != nil {
			return err
		}
		return d.fillMachineKey(obj, old, templateSpec, templateSSHKey)
	case machinePoolKind:
		if err := fillTyped(obj, wholeSpec, defaulting.MachinePool); err != nil {
			return err
		}
		fillRoleName(obj, old)
		return d.fillMachineKey(obj, old, poolTemplate, poolSSHKey)
	}
	if err := fillTyped(obj, wholeSpec, func(spec *v1beta1.AzureMachineSpec) { defaulting.Machine(&spec.AzureMachineClassSpec) }); err != nil {
		return err
	}
	fillRoleName(obj, old)
	return d.fillMachineKey(obj, old, wholeSpec, specSSHPublicKey)
}

// fillMachineKey generates a key where there is none, as Azure wants one of every Linux machine, and keeps it afterwards.
func (d *Defaulter) fillMachineKey(obj, old *unstructured.Unstructured, spec field.Path[map[string]any], path field.Path[string]) error {
	if !spec.Has(obj) {
		return nil
	}
	key, _, err := path.Get(obj)
	if err != nil || key != "" {
		return nil //nolint:nilerr // The schema refuses what is no text.
	}
	if key = path.Value(old); key == "" {
		generate := d.newKey
		if generate == nil {
			generate = newSSHKey
		}
		if key, err = generate(); err != nil {
			return err
		}
	}
	set(obj, path, key)
	return nil
}

// fillRoleName makes up the name of the role assignment of the identity that Azure makes, and keeps it afterwards: it cannot be found
// again in Azure by anything else.
func fillRoleName(obj, old *unstructured.Unstructured) {
	if specIdentity.Value(obj) != systemAssigned || !specRoleOfMachine.Has(obj) || specRoleName.Value(obj) != "" {
		return
	}
	name := specRoleName.Value(old)
	if name == "" {
		name = string(uuid.NewUUID())
	}
	set(obj, specRoleName, name)
}
