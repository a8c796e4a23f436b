package asomanaged

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/agentpool"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// setAgentPoolProfiles gives a new ManagedCluster the pools that it is created with: AKS does not create a cluster
// without a System pool, unless it hosts that itself. Later they are handed over to objects of their own. The error is ErrPending when a pool
// has to be read first.
func setAgentPoolProfiles(in *composer.Request, cluster *unstructured.Unstructured, managed *plan.Resource) error {
	const because = "because agent pools are defined by AzureASOManagedMachinePools"
	if managed.Err = managed.RequireAbsent(agentpool.SpecProfiles, because); managed.Err != nil {
		return nil //nolint:nilerr // It is the resource's.
	}
	observed := plan.Created(in, managed.Name())
	handover := agentpool.HandoverOf(observed)
	managed.Doubt = agentpool.Doubt(observed)
	if handover.Done() {
		return nil
	}
	pools, err := readPools(in, cluster, managed)
	if err != nil {
		return err
	}
	pools.profiles = handover.Uncounted(pools.profiles)
	if handover.Separate(managed.Object, pools.profiles, len(pools.waits) == 0, pools.comingUp) {
		managed.Release(observed, agentpool.SpecProfiles.Names()...)
		return nil
	}
	for _, wait := range pools.waits {
		managed.After = append(managed.After, plan.Precondition{Description: wait})
	}
	if profiles := handover.Profiles(pools.profiles, len(pools.waits) == 0); len(profiles) > 0 {
		managed.Err = managed.SetField(agentpool.SpecProfiles, profiles, because)
	}
	return nil
}

// pools are those of a cluster.
type pools struct {
	// profiles has one for each pool that is known, waits what has to be waited for, in words.
	profiles []any
	waits    []string
	// comingUp is true when the object of one of them is not ready.
	comingUp bool
}

// readPools reads the pools of the cluster.
func readPools(in *composer.Request, cluster *unstructured.Unstructured, managed *plan.Resource) (pools, error) {
	machinePools, err := capi.MachinePools(in, cluster.GetName())
	if err != nil {
		return pools{}, err
	}
	found := pools{}
	var pending error
	for _, machinePool := range machinePools {
		name, ours := capi.InfrastructureOf(machinePool, composite.AzureASOManagedMachinePool)
		if !ours || machinePool.GetDeletionTimestamp() != nil {
			continue
		}
		pool, err := in.Get("pool/"+name, composite.AzureASOManagedMachinePool.GroupVersionKind, name)
		if err == nil {
			err = found.add(in, managed, machinePool, pool, name)
		}
		if err != nil && !errors.Is(err, composer.ErrPending) {
			return pools{}, err
		}
		pending = errors.Join(pending, err)
	}
	lacks, err := capi.LacksPools(in, cluster)
	switch {
	case err != nil:
		return pools{}, err
	case len(found.waits) > 0:
	case lacks && aso.HostsSystemPool(managed.Object):
		found.waits = []string{fmt.Sprintf("the MachinePools exist that spec.topology of Cluster %s names", cluster.GetName())}
	case len(found.profiles) == 0 && !aso.HostsSystemPool(managed.Object):
		found.waits = []string{fmt.Sprintf("a MachinePool with an AzureASOManagedMachinePool exists for Cluster %s, as AKS creates no cluster without a pool", cluster.GetName())}
	}
	return found, pending
}

// add adds one pool.
func (p *pools) add(in *composer.Request, managed *plan.Resource, machinePool, pool *unstructured.Unstructured, name string) error {
	profile, wait, err := agentPoolProfile(in, managed, machinePool, pool, name)
	switch {
	case err != nil:
		return err
	case wait != "":
		p.waits = append(p.waits, wait)
		return nil
	}
	p.profiles = append(p.profiles, profile)
	p.comingUp = p.comingUp || !plan.ReportsReady(pool, aso.ManagedClustersAgentPool)
	return nil
}

// agentPoolProfile returns the profile of one pool, or what has to be waited for.
func agentPoolProfile(in *composer.Request, managed *plan.Resource, machinePool, pool *unstructured.Unstructured, name string) (map[string]any, string, error) {
	if pool == nil {
		return nil, fmt.Sprintf("AzureASOManagedMachinePool %s exists, which MachinePool %s refers to", name, machinePool.GetName()), nil
	}
	agentPool := plan.First(plan.FromSpec(pool), aso.ManagedClustersAgentPool)
	if agentPool == nil {
		return nil, fmt.Sprintf("AzureASOManagedMachinePool %s has a ManagedClustersAgentPool in spec.resources", name), nil
	}
	blocked := agentPool.Err
	if blocked == nil {
		blocked = setAgentPool(machinePool, agentPool, &agentpool.Counting{MachinePool: machinePool, ByAKS: []string{v1beta1.ReplicasManagedByAKS}})
	}
	if blocked != nil {
		return nil, fmt.Sprintf("AzureASOManagedMachinePool %s is fixed: %s", name, blocked.Message), nil //nolint:nilerr // It is the pool's.
	}
	profile := agentpool.Profile(agentPool.Object)
	if agentPool.Object.GetAPIVersion() == managed.Object.GetAPIVersion() {
		return profile, "", nil
	}
	unknown, err := unknownProfileField(in, managed, profile)
	if err != nil || unknown == "" {
		return profile, "", err
	}
	return nil, fmt.Sprintf("AzureASOManagedMachinePool %s and the ManagedCluster use one API version: %s.spec.%s of %s is not a field of agentPoolProfiles in %s, and would be lost",
		name, agentPool.Source, unknown, agentPool.Object.GetAPIVersion(), managed.Object.GetAPIVersion()), nil
}

// unknownProfileField returns the path of a field that the ManagedCluster's version of agentPoolProfiles lacks.
func unknownProfileField(in *composer.Request, managed *plan.Resource, profile map[string]any) (string, error) {
	served, _, err := in.Schema(managed.Object.GroupVersionKind())
	if err != nil || served == nil {
		return "", err
	}
	items := within(served, "properties", "spec", "properties", "agentPoolProfiles", "items")
	return strings.TrimPrefix(unknownField(items, profile), "."), nil
}

// unknownField returns the path, within value, of the first field that the schema lacks.
func unknownField(schema *structpb.Struct, value any) string {
	switch v := value.(type) {
	case map[string]any:
		properties := within(schema, "properties")
		if properties == nil {
			return ""
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			property := within(properties, name)
			if property == nil {
				return "." + name
			}
			if unknown := unknownField(property, v[name]); unknown != "" {
				return "." + name + unknown
			}
		}
	case []any:
		for i := range v {
			if unknown := unknownField(within(schema, "items"), v[i]); unknown != "" {
				return fmt.Sprintf("[%d]%s", i, unknown)
			}
		}
	}
	return ""
}

func within(s *structpb.Struct, fields ...string) *structpb.Struct {
	for _, name := range fields {
		s = s.GetFields()[name].GetStructValue()
	}
	return s
}
