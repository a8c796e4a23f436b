// Package catalogue says what the simulated Azure has: the resource types of each provider, and what else can be listed.
package catalogue

import (
	"slices"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/access"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/compute"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/containerservice"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/databases"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// NewService restores Azure Resource Manager with all of its providers from a journal, and the provider of virtual machines, which a host
// runs; nil boots nothing, and each machine counts as provisioned at once. Types and lists are not to be given.
func NewService(o arm.Options, host power.Host) (*arm.Service, *compute.Provider, error) {
	machines, err := compute.New(o.Journal, host)
	if err != nil {
		return nil, nil, err
	}
	o.Types = slices.Concat(
		arm.ResourceGroupTypes(),
		networking.Types(),
		machines.Types(containerservice.NodeResources),
		containerservice.Types(),
		access.Types(),
		databases.Types(),
	)
	o.Lists = map[string]arm.List{
		"microsoft.compute/skus":                  machines.ListSKUs,
		"microsoft.authorization/roledefinitions": access.ListRoles,
	}
	service, err := arm.NewService(o)
	return service, machines, err
}
