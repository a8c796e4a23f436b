package asomanaged

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// setAgentPoolProfiles gives a new ManagedCluster the pools that it is created with: AKS does not create a cluster
// without a System pool. Once Azure has them and ASO has taken up the objects of their own, they are left to those, so that each
// has one writer. Earlier that would only keep Azure busy with the cluster, for which ASO has the pools wait; but as soon as one is
// to be another than it was sent it is left to its object at once.
func setAgentPoolProfiles(in *composer.Request, cluster *unstructured.Unstructured, managed *composer.Inline, observed *unstructured.Unstructured) (*composer.Problem, error) {
	const because = "because agent pools are defined by AzureASOManagedMachinePools"
	if problem := managed.RequireAbsent(because, "spec", "agentPoolProfiles"); problem != nil {
		return problem, nil
	}
	created, sent := profilesIn(observed, "status"), profilesIn(observed, "spec")
	if len(created) > 0 && len(sent) == 0 {
		return nil, nil
	}
	profiles, waits, comeUp, err := agentPoolProfiles(in, cluster, managed)
	switch {
	case err != nil:
		return nil, err
	case len(created) > 0 && (len(waits) > 0 || !comeUp || !member.SameProfiles(profiles, sent)):
		managed.Release(observed, "spec", "agentPoolProfiles")
		return nil, nil
	case len(waits) > 0 && observed != nil:
		// A pool that went away while Azure works must not take the others with it.
		profiles = sent
	}
	managed.Waits = append(managed.Waits, waits...)
	if len(profiles) == 0 {
		return nil, nil
	}
	return managed.SetField(profiles, because, "spec", "agentPoolProfiles"), nil
}

// profilesIn returns agentPoolProfiles in a part of a ManagedCluster; none when there is no ManagedCluster.
func profilesIn(managed *unstructured.Unstructured, part string) []any {
	if managed == nil {
		return nil
	}
	profiles, _, _ := unstructured.NestedSlice(managed.Object, part, "agentPoolProfiles")
	return profiles
}

// agentPoolProfiles returns a profile for each pool of the cluster, or what has to be waited for, and whether the object of one
// of them is not ready.
func agentPoolProfiles(in *composer.Request, cluster *unstructured.Unstructured, managed *composer.Inline) (profiles []any, waits []string, comeUp bool, err error) {
	machinePools, err := member.MachinePools(in, cluster.GetName())
	if err != nil {
		return nil, nil, false, err
	}
	pending := false
	for _, machinePool := range machinePools {
		name, ours := poolName(machinePool)
		if !ours || machinePool.GetDeletionTimestamp() != nil {
			continue
		}
		pool, err := in.Get("pool/"+name, asoMachinePoolKind, name)
		if errors.Is(err, composer.ErrPending) {
			pending = true
			continue
		}
		if err != nil {
			return nil, nil, false, err
		}
		profile, wait, err := agentPoolProfile(in, managed, machinePool, pool, name)
		if err != nil {
			return nil, nil, false, err
		}
		if wait != "" {
			waits = append(waits, wait)
			continue
		}
		profiles = append(profiles, profile)
		comeUp = comeUp || !composer.SaysReady(pool, member.AgentPoolKind)
	}
	if pending {
		return nil, nil, false, composer.ErrPending
	}
	if len(profiles) == 0 && len(waits) == 0 {
		waits = []string{fmt.Sprintf("a MachinePool with an AzureASOManagedMachinePool exists for Cluster %s, as AKS creates no cluster without a pool", cluster.GetName())}
	}
	return profiles, waits, comeUp, nil
}

// poolName returns the name of the AzureASOManagedMachinePool that a MachinePool refers to.
func poolName(machinePool *unstructured.Unstructured) (string, bool) {
	ref, _, _ := unstructured.NestedStringMap(machinePool.Object, "spec", "template", "spec", "infrastructureRef")
	return ref["name"], ref["kind"] == asoMachinePoolKind.Kind && ref["apiGroup"] == asoMachinePoolKind.Group && ref["name"] != ""
}

// agentPoolProfile returns the profile of one pool, or what has to be waited for.
func agentPoolProfile(in *composer.Request, managed *composer.Inline, machinePool, pool *unstructured.Unstructured, name string) (map[string]any, string, error) {
	if pool == nil {
		return nil, fmt.Sprintf("AzureASOManagedMachinePool %s exists, which MachinePool %s refers to", name, machinePool.GetName()), nil
	}
	agentPool := composer.First(composer.Inlines(pool), member.AgentPoolKind)
	if agentPool == nil {
		return nil, fmt.Sprintf("AzureASOManagedMachinePool %s has a ManagedClustersAgentPool in spec.resources", name), nil
	}
	problem := agentPool.Problem
	if problem == nil {
		problem = setAgentPool(machinePool, agentPool, nil)
	}
	if problem != nil {
		return nil, fmt.Sprintf("AzureASOManagedMachinePool %s is fixed: %s", name, problem.Message), nil
	}
	profile := member.AgentPoolProfile(agentPool.Object)
	if agentPool.Object.GetAPIVersion() == managed.Object.GetAPIVersion() {
		return profile, "", nil
	}
	field, err := unknownProfileField(in, managed, profile)
	if err != nil || field == "" {
		return profile, "", err
	}
	return nil, fmt.Sprintf("AzureASOManagedMachinePool %s and the ManagedCluster use one API version: %s.spec.%s of %s is not a field of agentPoolProfiles in %s, and would be lost",
		name, agentPool.Path, field, agentPool.Object.GetAPIVersion(), managed.Object.GetAPIVersion()), nil
}

// unknownProfileField returns the path of a field that the ManagedCluster's version of agentPoolProfiles lacks.
func unknownProfileField(in *composer.Request, managed *composer.Inline, profile map[string]any) (string, error) {
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
		for _, field := range slices.Sorted(maps.Keys(v)) {
			property := within(properties, field)
			if property == nil {
				return "." + field
			}
			if unknown := unknownField(property, v[field]); unknown != "" {
				return "." + field + unknown
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
	for _, field := range fields {
		s = s.GetFields()[field].GetStructValue()
	}
	return s
}
