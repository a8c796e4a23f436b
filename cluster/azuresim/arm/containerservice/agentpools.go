package containerservice

import (
	_ "embed"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

//go:embed agentpools.json
var agentPoolDefaults []byte

func agentPoolType() *arm.ResourceType {
	p := containerServiceProtocol()
	p.Statuses = map[arm.Change][]string{
		arm.Create: {"CreatingAgentPool", "CreatingAgentPool: 0/1 nodes completed"},
		arm.Update: {"InProgress"},
	}
	return &arm.ResourceType{
		Name:      TypeAgentPool,
		Protocol:  p,
		Validate:  validateAgentPool,
		Apply:     applyAgentPool,
		Settle:    settleAgentPool,
		View:      viewAgentPool,
		Deletable: agentPoolDeletable,
		Removed:   agentPoolRemoved,
		Missing:   agentPoolMissing,
		Occupies:  poolOccupies,
	}
}

// poolOccupies is the address of a pool's first node, if the pool is in the subnet.
func poolOccupies(s *arm.Service, r *arm.Resource, subnet string) []string {
	cluster := s.Store.Get(r.Identity().Parent)
	if cluster == nil || !strings.EqualFold(fields.Text(r.Body, "properties", "vnetSubnetID"), subnet) {
		return nil
	}
	return []string{nodeGroupPath(cluster) + "/providers/Microsoft.Compute/virtualMachineScaleSets/aks-" + r.Name + "-vmss/virtualMachines/0/networkInterfaces/aks-" + r.Name + "-vmss/ipConfigurations/ipconfig1"}
}

func agentPoolMissing(id arm.ID, _ *arm.Service, _ string) *arm.Error {
	cluster, err := arm.ParseID(id.Parent)
	if err != nil {
		return arm.InternalError(err)
	}
	return &arm.Error{
		Status: http.StatusNotFound, Code: "NotFound", Subcode: "GetAgentPool_NotFound_HCPServerError",
		Message: "Could not find the agentpool: " + id.Name + " in subscription: " + id.Subscription + ", resourceGroup: " + id.ResourceGroup + ", resourceName: " + cluster.Name + ".",
		Details: []arm.Detail{{Code: "Unspecified", Message: "rpc error: code = NotFound desc = Agent Pool not found"}},
	}
}

func validateAgentPool(p *arm.Put) *arm.Error {
	cluster := p.Service.Store.Get(p.ID.Parent)
	if e := busy(p.Service, cluster.ID, false); e != nil {
		return e
	}
	if e := busy(p.Service, p.ID.Path, false); e != nil {
		return e
	}
	version := presentVersion(cluster)
	if version == nil {
		return operationNotAllowed("Managed cluster %s has no Kubernetes version.", cluster.Name)
	}
	requested := fields.Child(p.Requested, "properties")
	if p.Existing != nil {
		if e := unchangeable("properties.", fixedOfPool, p.Existing.Properties(), requested); e != nil {
			return e
		}
	}
	if e := validatePool(p, requested, *version); e != nil {
		return e
	}
	if !hostsSystemPool(cluster.Body) && p.Existing != nil && isSystem(p.Existing) && strings.EqualFold(fields.Text(p.Requested, "properties", "mode"), "User") && lastSystemPool(p.Service, p.Existing) {
		return arm.BadRequest("OperationNotAllowed", "There has to be at least one system agent pool. Agent pool %s cannot become a user pool.", p.ID.Name)
	}
	return nil
}

// validatePool checks a pool, be it a resource or a profile of the cluster, whose control plane has that version.
func validatePool(p *arm.Put, profile map[string]any, controlPlane kubernetesVersion) *arm.Error {
	name := fields.Text(profile, "name")
	if name == "" {
		name = p.ID.Name
	}
	if asked := fields.Text(profile, "orchestratorVersion"); asked != "" {
		v, e := resolveVersion(asked, &controlPlane)
		if e != nil {
			return e
		}
		if v.newerThan(controlPlane) {
			return arm.BadRequest("NodePoolMcVersionIncompatible", "Node pool version %s and control plane version %s are incompatible. Minor version of node pool version %d is bigger than control plane version %d, or its patch version is. For more information, please check https://aka.ms/version-skew-policy.",
				v, controlPlane, v.minor, controlPlane.minor)
		}
	}
	if e := validateCount(p, name, profile); e != nil {
		return e
	}
	subnet := fields.Text(profile, "vnetSubnetID")
	if subnet != "" && p.Service.Store.Get(subnet) == nil {
		return arm.BadRequest("InvalidResourceReference", "Resource %s referenced by agent pool %s was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.", subnet, name)
	}
	return nil
}

func isSystem(r *arm.Resource) bool {
	return strings.EqualFold(fields.Text(r.Body, "properties", "mode"), "System")
}

// lastSystemPool tells whether no other pool of the cluster is a system pool.
func lastSystemPool(s *arm.Service, pool *arm.Resource) bool {
	for _, other := range s.Store.Children(pool.Identity().Parent, TypeAgentPool) {
		if other.Key() != pool.Key() && isSystem(other) && other.ProvisioningState() != arm.StateDeleting {
			return false
		}
	}
	return true
}

func applyAgentPool(p *arm.Put) *arm.Error {
	cluster := p.Service.Store.Get(p.ID.Parent)
	var old map[string]any
	if p.Existing != nil {
		old = p.Existing.Properties()
	}
	properties, state, e := poolProperties(fields.Child(p.Requested, "properties"), old, cluster.Body)
	if e != nil {
		return e
	}
	fields.Fill(properties, map[string]any{"enableAutoScaling": false, "eTag": uuid.NewString()})
	if p.Existing != nil {
		fields.Fill(properties, map[string]any{"upgradeStrategy": "Rolling"})
	}
	p.State, p.Changed = state, true // AKS starts an operation for every PUT
	if p.Existing == nil {
		p.State = ""
	}
	p.Result = arm.NewBody(arm.LowerResourceGroups(p.Resource.ID), p.ID.Name, TypeAgentPool, properties)
	return nil
}

// poolProperties makes a pool's properties from the requested ones, those it has and the cluster's,
// and tells the provisioningState of the change.
func poolProperties(requested, old, cluster map[string]any) (map[string]any, string, *arm.Error) {
	defaults, err := fields.Decode(agentPoolDefaults)
	if err != nil {
		return nil, "", arm.InternalError(err)
	}
	properties := fields.Clone(requested)
	delete(properties, "name")
	dropEmptyLists(properties)
	keepCount(properties, old)
	if e := poolVersion(properties, old, cluster); e != nil {
		return nil, "", e
	}
	if old != nil {
		fields.Fill(properties, keptOfPool(old, requested))
	} else {
		fields.Fill(properties, defaults)
		fields.Fill(properties, derivedDefaults(properties, cluster))
	}
	return properties, poolState(old, properties), nil
}

func dropEmptyLists(properties map[string]any) {
	for name, value := range properties {
		if list, ok := value.([]any); ok && len(list) == 0 {
			delete(properties, name)
		}
	}
}

func poolVersion(properties, old, cluster map[string]any) *arm.Error {
	controlPlane, e := resolveVersion(fields.Text(cluster, "properties", "currentKubernetesVersion"), nil)
	if e != nil {
		return e
	}
	asked := fields.Text(properties, "orchestratorVersion")
	present := controlPlane
	if old != nil {
		if present, e = resolveVersion(fields.Text(old, "currentOrchestratorVersion"), nil); e != nil {
			return e
		}
		if asked == "" {
			properties["orchestratorVersion"] = old["orchestratorVersion"]
			properties["currentOrchestratorVersion"] = present.String()
			return nil
		}
	}
	if asked == "" {
		properties["orchestratorVersion"] = fields.Text(cluster, "properties", "kubernetesVersion")
		properties["currentOrchestratorVersion"] = controlPlane.String()
		return nil
	}
	v, e := resolveVersion(asked, &controlPlane)
	if e != nil {
		return e
	}
	if old != nil && present.newerThan(v) {
		return arm.BadRequest("OperationNotAllowed", "Downgrading a node pool from Kubernetes version %s to %s is not allowed.", present, v)
	}
	properties["currentOrchestratorVersion"] = v.String()
	return nil
}

func derivedDefaults(properties, cluster map[string]any) map[string]any {
	derived := map[string]any{"maxPods": int64(250), "osSKU": "Ubuntu", "nodeImageVersion": "AKSUbuntu-2204gen2containerd-202601.13.0"}
	network := func(name string) string { return fields.Text(cluster, "properties", "networkProfile", name) }
	switch {
	case network("networkPlugin") == "azure" && network("networkPluginMode") != "overlay":
		derived["maxPods"] = int64(30)
	case network("networkPlugin") == "kubenet":
		derived["maxPods"] = int64(110)
	}
	if strings.EqualFold(fields.Text(properties, "osType"), "Windows") {
		derived["osSKU"], derived["nodeImageVersion"] = "Windows2022", "AKSWindows-2022-containerd-20348.4529.260114"
	}
	if strings.EqualFold(fields.Text(properties, "osSKU"), "AzureLinux") {
		derived["nodeImageVersion"] = "AKSAzureLinux-V3gen2-202601.13.0"
	}
	return derived
}

// poolState is the provisioningState while the change runs, as AKS names it.
func poolState(old, properties map[string]any) string {
	if old == nil {
		return arm.StateCreating
	}
	before, _ := fields.Number(old, "count")
	after, _ := fields.Number(properties, "count")
	switch {
	case fields.Text(old, "currentOrchestratorVersion") != fields.Text(properties, "currentOrchestratorVersion"):
		return "Upgrading"
	case before != after:
		return "Scaling"
	}
	return arm.StateUpdating
}

// storePools writes the pools that the cluster's request lists; pools that it does not list stay as they are.
func storePools(p *arm.Put) *arm.Error {
	for _, profile := range fields.Objects(p.Requested, "properties", "agentPoolProfiles") {
		path := p.Resource.ID + "/agentPools/" + fields.Text(profile, "name")
		pool := p.Service.Store.Get(path)
		var old map[string]any
		if pool != nil {
			old = pool.Properties()
		} else {
			pool = &arm.Resource{ID: path, Type: TypeAgentPool, Name: fields.Text(profile, "name"), Created: p.Now}
		}
		properties, state, e := poolProperties(profile, old, p.Result)
		if e != nil {
			return e
		}
		if old != nil {
			fields.Fill(properties, map[string]any{"enableAutoScaling": false, "upgradeStrategy": "Rolling"})
		}
		properties["provisioningState"] = state
		pool.APIVersion = p.APIVersion
		pool.Body = arm.NewBody(arm.LowerResourceGroups(path), pool.Name, TypeAgentPool, properties)
		if err := p.Service.Store.Put(pool); err != nil {
			return arm.InternalError(err)
		}
	}
	return nil
}

// settlePool ends a pool's change: empty maps of the request are gone and the etag is new.
func settlePool(s *arm.Service, r *arm.Resource) error {
	properties := r.Properties()
	dropEmptyMap(properties, "tags")
	dropEmptyMap(properties, "nodeLabels")
	properties["provisioningState"] = arm.StatusSucceeded
	properties["eTag"] = uuid.NewString()
	r.Private = map[string]any{privateReady: true}
	return s.Store.Put(r)
}

// privateReady marks a pool that has been ready once, so that it has Nodes.
const privateReady = "ready"

func dropEmptyMap(body map[string]any, name string) {
	if m, ok := body[name].(map[string]any); ok && len(m) == 0 {
		delete(body, name)
	}
}

func settleAgentPool(s *arm.Service, r *arm.Resource) error {
	return settlePoolAndCluster(s, r)
}

func settlePoolAndCluster(s *arm.Service, r *arm.Resource) error {
	if err := settlePool(s, r); err != nil {
		return err
	}
	return applyClusterOf(s, r)
}

func applyClusterOf(s *arm.Service, pool *arm.Resource) error {
	cluster := s.Store.Get(pool.Identity().Parent)
	if cluster == nil {
		return nil
	}
	cluster.Body["eTag"] = uuid.NewString()
	if err := s.Store.Put(cluster); err != nil {
		return err
	}
	return applyWorkload(s, cluster)
}

func viewAgentPool(_ *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := fields.Clone(r.Body)
	dropEmptyMap(fields.Child(body, "properties"), "tags")
	dropEmptyMap(fields.Child(body, "properties"), "nodeLabels")
	fields.Hide(body, prefixed("properties.", agentPoolFields), apiVersion)
	return body
}

func agentPoolDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	cluster := r.Identity().Parent
	if e := busy(s, cluster, false); e != nil {
		return e
	}
	if op := s.Operations.RunningOn(r.ID, false); op != nil && op.Change != arm.Remove {
		return busy(s, r.ID, false)
	}
	if owner := s.Store.Get(cluster); owner != nil && hostsSystemPool(owner.Body) {
		return nil
	}
	if isSystem(r) && lastSystemPool(s, r) {
		return arm.BadRequest("OperationNotAllowed", "There has to be at least one system agent pool. Agent pool %s is the last one and cannot be deleted.", r.Name)
	}
	return nil
}

func agentPoolRemoved(s *arm.Service, r *arm.Resource) error {
	return applyClusterOf(s, r)
}

// workloadPool is what the pool's Nodes are made from; a pool that has never been ready has none.
func workloadPool(r *arm.Resource) (workload.Pool, bool) {
	properties := r.Properties()
	if !fields.Bool(r.Private, privateReady) {
		return workload.Pool{}, false
	}
	count, _ := fields.Number(properties, "count")
	p := workload.Pool{
		Name:      r.Name,
		Mode:      fields.Text(properties, "mode"),
		OSType:    fields.Text(properties, "osType"),
		OSSKU:     fields.Text(properties, "osSKU"),
		VMSize:    fields.Text(properties, "vmSize"),
		Version:   fields.Text(properties, "currentOrchestratorVersion"),
		NodeImage: fields.Text(properties, "nodeImageVersion"),
		Count:     int(count),
		Labels:    map[string]string{},
		Taints:    fields.Texts(properties, "nodeTaints"),
		Zones:     fields.Texts(properties, "availabilityZones"),
	}
	for name := range fields.Child(fields.Clone(properties), "nodeLabels") {
		p.Labels[name] = fields.Text(properties, "nodeLabels", name)
	}
	return p, true
}
