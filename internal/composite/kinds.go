// Package composite knows the composite kinds of this project and the part that each plays for Cluster API. What has to list them
// loops over the catalogue, or is generated from it.
package composite

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Groups of the composite kinds.
const (
	InfrastructureGroup = "infrastructure.cluster.x-k8s.io"
	PlatformGroup       = "platform.capz.crossplane.io"
)

// A Role is the part that a kind plays for Cluster API (CAPI contract, "Provider contracts").
type Role string

// The roles.
const (
	// InfrastructureCluster is what spec.infrastructureRef of a Cluster refers to.
	InfrastructureCluster Role = "InfraCluster"
	// ControlPlane is what spec.controlPlaneRef of a Cluster refers to.
	ControlPlane Role = "ControlPlane"
	// InfrastructureMachinePool is what spec.template.spec.infrastructureRef of a MachinePool refers to.
	InfrastructureMachinePool Role = "InfraMachinePool"
	// InfrastructureMachine is what spec.infrastructureRef of a Machine refers to.
	InfrastructureMachine Role = "InfraMachine"
	// Template is a kind that is only copied from.
	Template Role = "Template"
	// Identity is a kind that says with which credential Azure is reached.
	Identity Role = "Identity"
	// Application is a kind for application teams, which stands for a whole Cluster.
	Application Role = "Application"
)

// A Family is the kinds that describe one sort of cluster together.
type Family string

// The families.
const (
	// ASOManaged are AKS clusters whose Azure resources a user writes as objects of Azure Service Operator (ASO).
	ASOManaged Family = "AzureASOManaged"
	// Managed are AKS clusters that a user describes by fields.
	Managed Family = "AzureManaged"
	// SelfManaged are clusters whose control plane are virtual machines.
	SelfManaged Family = "Azure"
)

// A Kind is one composite kind.
type Kind struct {
	schema.GroupVersionKind

	Role   Role
	Family Family
	// Versions are all that are served, the stored one first; empty for the one of GroupVersionKind alone.
	Versions []string
	// Credential reports that spec.identityRef names the AzureClusterIdentity of a whole Cluster, and that provider-capz says on the
	// object what became of the credential.
	Credential bool
	// Inline reports that spec.resources has ASO objects which the user writes.
	Inline bool
	// ClusterScoped reports that the kind is in no namespace.
	ClusterScoped bool
	// Claim is the kind that stands for it in a namespace, if there is one.
	Claim string
}

const v1beta1, v1alpha1 = "v1beta1", "v1alpha1"

func infrastructure(name string, role Role, family Family) Kind {
	return Kind{GroupVersionKind: schema.GroupVersionKind{Group: InfrastructureGroup, Version: v1beta1, Kind: name}, Role: role, Family: family}
}

func platform(name string) Kind {
	return Kind{GroupVersionKind: schema.GroupVersionKind{Group: PlatformGroup, Version: v1alpha1, Kind: name}, Role: Application}
}

// with returns the kind as the changes leave it.
func (k Kind) with(changes ...func(*Kind)) Kind {
	for _, change := range changes {
		change(&k)
	}
	return k
}

func credential(k *Kind) { k.Credential = true }
func inline(k *Kind)     { k.Inline = true }
func bothVersions(k *Kind) {
	k.Versions = []string{v1beta1, v1alpha1}
}

// The kinds of which parts of this project are about one.
var (
	AzureASOManagedCluster      = infrastructure("AzureASOManagedCluster", InfrastructureCluster, ASOManaged).with(inline, bothVersions)
	AzureASOManagedControlPlane = infrastructure("AzureASOManagedControlPlane", ControlPlane, ASOManaged).with(inline, credential, bothVersions)
	AzureASOManagedMachinePool  = infrastructure("AzureASOManagedMachinePool", InfrastructureMachinePool, ASOManaged).with(inline, bothVersions)

	AzureManagedCluster      = infrastructure("AzureManagedCluster", InfrastructureCluster, Managed)
	AzureManagedControlPlane = infrastructure("AzureManagedControlPlane", ControlPlane, Managed).with(credential)
	AzureManagedMachinePool  = infrastructure("AzureManagedMachinePool", InfrastructureMachinePool, Managed)

	AzureManagedControlPlaneTemplate = infrastructure("AzureManagedControlPlaneTemplate", Template, Managed)
	AzureManagedMachinePoolTemplate  = infrastructure("AzureManagedMachinePoolTemplate", Template, Managed)

	AzureCluster         = infrastructure("AzureCluster", InfrastructureCluster, SelfManaged).with(credential)
	AzureMachine         = infrastructure("AzureMachine", InfrastructureMachine, SelfManaged)
	AzureMachinePool     = infrastructure("AzureMachinePool", InfrastructureMachinePool, SelfManaged)
	AzureClusterTemplate = infrastructure("AzureClusterTemplate", Template, SelfManaged)
	AzureMachineTemplate = infrastructure("AzureMachineTemplate", Template, SelfManaged)

	AzureClusterIdentity = infrastructure("AzureClusterIdentity", Identity, "")

	AKSCluster  = platform("AKSCluster")
	XAKSCluster = platform("XAKSCluster").with(func(k *Kind) { k.ClusterScoped, k.Claim = true, "AKSClusterClaim" })
)

var catalogue = []Kind{
	AzureASOManagedCluster, AzureASOManagedControlPlane, AzureASOManagedMachinePool,
	AzureManagedCluster, AzureManagedControlPlane, AzureManagedMachinePool,
	infrastructure("AzureASOManagedClusterTemplate", Template, ASOManaged).with(bothVersions),
	infrastructure("AzureASOManagedControlPlaneTemplate", Template, ASOManaged).with(bothVersions),
	infrastructure("AzureASOManagedMachinePoolTemplate", Template, ASOManaged).with(bothVersions),
	infrastructure("AzureManagedClusterTemplate", Template, Managed),
	AzureManagedControlPlaneTemplate,
	AzureManagedMachinePoolTemplate,
	AzureCluster, AzureMachine, AzureMachinePool, AzureClusterTemplate, AzureMachineTemplate,
	AzureClusterIdentity, AKSCluster, XAKSCluster,
}

// Catalogue returns every composite kind.
func Catalogue() []Kind { return slices.Clone(catalogue) }

// Groups returns the API groups of the catalogue, in order.
func Groups() []string {
	var groups []string
	for _, k := range catalogue {
		groups = append(groups, k.Group)
	}
	slices.Sort(groups)
	return slices.Compact(groups)
}

// Select returns the kinds of the catalogue for which all conditions hold.
func Select(conditions ...func(Kind) bool) []Kind {
	return slices.DeleteFunc(Catalogue(), func(k Kind) bool {
		return slices.ContainsFunc(conditions, func(holds func(Kind) bool) bool { return !holds(k) })
	})
}

// Is returns the condition that a kind plays one of the roles.
func Is(roles ...Role) func(Kind) bool {
	return func(k Kind) bool { return slices.Contains(roles, k.Role) }
}

// InContract reports whether objects of Cluster API refer to objects of the kind, which have to keep one of its contracts then.
func InContract(k Kind) bool {
	return Is(InfrastructureCluster, ControlPlane, InfrastructureMachinePool, InfrastructureMachine)(k)
}

// Of returns the condition that a kind belongs to the family.
func Of(family Family) func(Kind) bool { return func(k Kind) bool { return k.Family == family } }

// Lookup returns the kind of the catalogue with the group and the name, in whatever version; not ok when it has none.
func Lookup(kind schema.GroupKind) (found Kind, ok bool) {
	i := slices.IndexFunc(catalogue, func(k Kind) bool { return k.GroupKind() == kind })
	if i < 0 {
		return Kind{}, false
	}
	return catalogue[i], true
}

// Claimed returns the kind that a claim of the group and name stands for; not ok when it is no claim.
func Claimed(claim schema.GroupKind) (found Kind, ok bool) {
	i := slices.IndexFunc(catalogue, func(k Kind) bool { return k.Group == claim.Group && k.Claim != "" && k.Claim == claim.Kind })
	if i < 0 {
		return Kind{}, false
	}
	return catalogue[i], true
}

// Referred returns the kind with one of the roles that a reference of Cluster API means; not ok when it means none.
func Referred(ref clusterv1.ContractVersionedObjectReference, roles ...Role) (found Kind, ok bool) {
	k, ok := Lookup(schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind})
	return k, ok && ref.Name != "" && Is(roles...)(k)
}

// Sibling returns the kind of the same family that plays another role; not ok when there is none.
func (k Kind) Sibling(role Role) (found Kind, ok bool) {
	for _, other := range catalogue {
		if k.Family != "" && other.Family == k.Family && other.Role == role {
			return other, true
		}
	}
	return Kind{}, false
}

// Plural returns the name of the kind's resource.
func (k Kind) Plural() string { return plural(k.Kind) }

// ClaimPlural returns the name of the resource of the kind's claim; empty when it has none.
func (k Kind) ClaimPlural() string {
	if k.Claim == "" {
		return ""
	}
	return plural(k.Claim)
}

// plural returns the name of the resource of a kind. Those of this project are regular.
func plural(kind string) string {
	name := strings.ToLower(kind)
	if stem, found := strings.CutSuffix(name, "y"); found {
		return stem + "ies"
	}
	return name + "s"
}

// GroupResource returns the kind's resource.
func (k Kind) GroupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.Plural()}
}

// Served returns the versions that are served.
func (k Kind) Served() []string {
	if len(k.Versions) > 0 {
		return k.Versions
	}
	return []string{k.Version}
}

// IsGroup reports whether an API group is one of the catalogue's.
func IsGroup(group string) bool { return slices.Contains(Groups(), group) }
