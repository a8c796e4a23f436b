// Package aso knows the objects of Azure Service Operator (ASO): their kinds, what they are called in Azure, what they refer to,
// and what ASO says about them.
package aso

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:generate go run ./generate ../../cluster/local/parts/aso kinds_generated.go

// A Kind is one kind of ASO that this project composes or has rights to. Catalogue returns all of them.
type Kind struct {
	Group, Name string
	// Version is the one that typed composite kinds are composed in; empty for kinds that only users write.
	Version string
	// Ownership is how it is found out whose a resource is that Azure has already.
	Ownership Ownership
	// Parent is the reference to the resource that it lies in, whose owner may decide; empty for spec.owner.
	Parent string
	// ParentInStatus is the field of status where Azure repeats the ID of Parent. A resource that has another one there lies elsewhere.
	ParentInStatus string
	// New reports that Azure cannot have had the resource if its parent was made for the Cluster.
	New bool
	// Lifecycle is the one that a resource of the kind may have instead of Managed.
	Lifecycle Lifecycle
	// Condition is the type of the condition about all objects of the kind, named as CAPZ names it.
	Condition string
}

// An Ownership is how it is found out whose a resource is that Azure has already. The zero value is none, with
// which no binary starts.
type Ownership int

const (
	undeclared Ownership = iota
	// ByTag means that the resource is the Cluster's if it has the Cluster's tag.
	ByTag
	// OfParent means that the resource has no tags, and is the Cluster's if the resource is that it lies in.
	OfParent
)

// GroupKind returns group and name of the kind.
func (k Kind) GroupKind() schema.GroupKind { return schema.GroupKind{Group: k.Group, Kind: k.Name} }

// ARM returns the type that the kind has in Azure Resource Manager (ARM), such as Microsoft.Network/virtualNetworks/subnets.
func (k Kind) ARM() string { return TypeOf(k.GroupKind()) }

// APIVersion returns the version of Azure's API that the kind is composed for, such as 2024-03-01; empty for a kind that only users write.
func (k Kind) APIVersion() string {
	date := strings.TrimPrefix(strings.TrimPrefix(k.Version, "v1api"), "v")
	if len(date) != len("20060102") {
		return ""
	}
	return date[:4] + "-" + date[4:6] + "-" + date[6:]
}

// GroupVersionKind returns the kind in the version that it is composed in.
func (k Kind) GroupVersionKind() schema.GroupVersionKind { return k.GroupKind().WithVersion(k.Version) }

// check returns what is wrong with the declaration of a kind.
func (k Kind) check() error {
	known, ok := sources[k.GroupKind().String()]
	switch {
	case !ok:
		return fmt.Errorf("%s is no kind of Azure Service Operator", k.GroupKind())
	case k.Ownership == undeclared:
		return fmt.Errorf("%s declares no Ownership: it must say how somebody else's resource is recognized", k.GroupKind())
	case k.Ownership == ByTag && !known.tagged:
		return fmt.Errorf("%s has no tags, so its Ownership must be OfParent", k.GroupKind())
	case k.Lifecycle != Managed && (k.Ownership != ByTag || k.APIVersion() == ""):
		return fmt.Errorf("%s has a Lifecycle, so it must have a Version, and its Ownership must be ByTag: who removes a resource looks at its tags", k.GroupKind())
	}
	return nil
}

// IsASO reports whether an API group is one of ASO's.
func IsASO(group string) bool { return strings.HasSuffix(group, ".azure.com") }

// OwnerKind returns the kind that an ASO resource of the given kind is owned by: a resource group, unless ASO's sources say otherwise.
func OwnerKind(kind schema.GroupKind) schema.GroupKind {
	if owner := sources[kind.String()].owner; owner != "" {
		return schema.ParseGroupKind(owner)
	}
	return ResourceGroup.GroupKind()
}

// TypeOf returns the type in ARM of any kind of ASO; empty for a kind that the sources of ASO do not have.
func TypeOf(kind schema.GroupKind) string { return sources[kind.String()].arm }

// source is what ASO's sources say of a kind.
type source struct {
	arm, owner string
	tagged     bool
	// polled are the types in Azure of what ASO reads to find out the end of operations.
	polled []string
}
