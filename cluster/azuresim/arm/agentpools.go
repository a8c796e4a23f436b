package arm

import (
	_ "embed"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

//go:embed agentpools.json
var agentPoolDefaults []byte

func agentPoolType() *resourceType {
	p := containerServiceProtocol()
	p.statuses = map[change][]string{
		create: {"CreatingAgentPool", "CreatingAgentPool: 0/1 nodes completed"},
		update: {"InProgress"},
	}
	return &resourceType{
		name:      TypeAgentPool,
		protocol:  p,
		validate:  validateAgentPool,
		apply:     applyAgentPool,
		settle:    settleAgentPool,
		view:      viewAgentPool,
		deletable: agentPoolDeletable,
		removed:   agentPoolRemoved,
		missing:   agentPoolMissing,
	}
}

func agentPoolMissing(id ID, _ *Service, _ string) *Error {
	cluster, err := ParseID(id.Parent)
	if err != nil {
		return internalError(err)
	}
	return &Error{
		Status: http.StatusNotFound, Code: "NotFound", Subcode: "GetAgentPool_NotFound_HCPServerError",
		Message: "Could not find the agentpool: " + id.Name + " in subscription: " + id.Subscription + ", resourceGroup: " + id.ResourceGroup + ", resourceName: " + cluster.Name + ".",
		Details: []Detail{{Code: "Unspecified", Message: "rpc error: code = NotFound desc = Agent Pool not found"}},
	}
}

func validateAgentPool(p *put) *Error {
	cluster := p.service.store.get(p.id.Parent)
	if e := busy(p.service, cluster.ID, false); e != nil {
		return e
	}
	if e := busy(p.service, p.id.Path, false); e != nil {
		return e
	}
	version := presentVersion(cluster)
	if version == nil {
		return operationNotAllowed("Managed cluster %s has no Kubernetes version.", cluster.Name)
	}
	requested := child(p.requested, "properties")
	if p.existing != nil {
		if e := unchangeable("properties.", fixedOfPool, p.existing.properties(), requested); e != nil {
			return e
		}
	}
	if e := validatePool(p, requested, *version); e != nil {
		return e
	}
	if !hostsSystemPool(cluster.Body) && p.existing != nil && isSystem(p.existing) && strings.EqualFold(text(p.requested, "properties", "mode"), "User") && lastSystemPool(p.service, p.existing) {
		return badRequest("OperationNotAllowed", "There has to be at least one system agent pool. Agent pool %s cannot become a user pool.", p.id.Name)
	}
	return nil
}

// validatePool checks a pool, be it a resource or a profile of the cluster, whose control plane has that version.
func validatePool(p *put, profile map[string]any, controlPlane kubernetesVersion) *Error {
	name := text(profile, "name")
	if name == "" {
		name = p.id.Name
	}
	if asked := text(profile, "orchestratorVersion"); asked != "" {
		v, e := resolveVersion(asked, &controlPlane)
		if e != nil {
			return e
		}
		if v.newerThan(controlPlane) {
			return badRequest("NodePoolMcVersionIncompatible", "Node pool version %s and control plane version %s are incompatible. Minor version of node pool version %d is bigger than control plane version %d, or its patch version is. For more information, please check https://aka.ms/version-skew-policy.",
				v, controlPlane, v.minor, controlPlane.minor)
		}
	}
	if e := validateCount(p, name, profile); e != nil {
		return e
	}
	subnet := text(profile, "vnetSubnetID")
	if subnet != "" && p.service.store.get(subnet) == nil {
		return badRequest("InvalidResourceReference", "Resource %s referenced by agent pool %s was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.", subnet, name)
	}
	return nil
}

func isSystem(r *Resource) bool {
	return strings.EqualFold(text(r.Body, "properties", "mode"), "System")
}

// lastSystemPool tells whether no other pool of the cluster is a system pool.
func lastSystemPool(s *Service, pool *Resource) bool {
	for _, other := range s.store.children(pool.id().Parent, TypeAgentPool) {
		if other.key() != pool.key() && isSystem(other) && other.provisioningState() != stateDeleting {
			return false
		}
	}
	return true
}

func applyAgentPool(p *put) *Error {
	cluster := p.service.store.get(p.id.Parent)
	var old map[string]any
	if p.existing != nil {
		old = p.existing.properties()
	}
	properties, state, e := poolProperties(child(p.requested, "properties"), old, cluster.Body)
	if e != nil {
		return e
	}
	fill(properties, map[string]any{"enableAutoScaling": false, "eTag": uuid.NewString()})
	if p.existing != nil {
		fill(properties, map[string]any{"upgradeStrategy": "Rolling"})
	}
	p.state, p.changed = state, true // AKS starts an operation for every PUT
	if p.existing == nil {
		p.state = ""
	}
	p.result = newBody(lowerResourceGroups(p.resource.ID), p.id.Name, TypeAgentPool, properties)
	return nil
}

// poolProperties makes a pool's properties from the requested ones, those it has and the cluster's,
// and tells the provisioningState of the change.
func poolProperties(requested, old, cluster map[string]any) (map[string]any, string, *Error) {
	defaults, err := decode(agentPoolDefaults)
	if err != nil {
		return nil, "", internalError(err)
	}
	properties := clone(requested)
	delete(properties, "name")
	dropEmptyLists(properties)
	keepCount(properties, old)
	if e := poolVersion(properties, old, cluster); e != nil {
		return nil, "", e
	}
	if old != nil {
		fill(properties, keptOfPool(old, requested))
	} else {
		fill(properties, defaults)
		fill(properties, derivedDefaults(properties, cluster))
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

func poolVersion(properties, old, cluster map[string]any) *Error {
	controlPlane, e := resolveVersion(text(cluster, "properties", "currentKubernetesVersion"), nil)
	if e != nil {
		return e
	}
	asked := text(properties, "orchestratorVersion")
	present := controlPlane
	if old != nil {
		if present, e = resolveVersion(text(old, "currentOrchestratorVersion"), nil); e != nil {
			return e
		}
		if asked == "" {
			properties["orchestratorVersion"] = old["orchestratorVersion"]
			properties["currentOrchestratorVersion"] = present.String()
			return nil
		}
	}
	if asked == "" {
		properties["orchestratorVersion"] = text(cluster, "properties", "kubernetesVersion")
		properties["currentOrchestratorVersion"] = controlPlane.String()
		return nil
	}
	v, e := resolveVersion(asked, &controlPlane)
	if e != nil {
		return e
	}
	if old != nil && present.newerThan(v) {
		return badRequest("OperationNotAllowed", "Downgrading a node pool from Kubernetes version %s to %s is not allowed.", present, v)
	}
	properties["currentOrchestratorVersion"] = v.String()
	return nil
}

func derivedDefaults(properties, cluster map[string]any) map[string]any {
	derived := map[string]any{"maxPods": int64(250), "osSKU": "Ubuntu", "nodeImageVersion": "AKSUbuntu-2204gen2containerd-202601.13.0"}
	network := func(name string) string { return text(cluster, "properties", "networkProfile", name) }
	switch {
	case network("networkPlugin") == "azure" && network("networkPluginMode") != "overlay":
		derived["maxPods"] = int64(30)
	case network("networkPlugin") == "kubenet":
		derived["maxPods"] = int64(110)
	}
	if strings.EqualFold(text(properties, "osType"), "Windows") {
		derived["osSKU"], derived["nodeImageVersion"] = "Windows2022", "AKSWindows-2022-containerd-20348.4529.260114"
	}
	if strings.EqualFold(text(properties, "osSKU"), "AzureLinux") {
		derived["nodeImageVersion"] = "AKSAzureLinux-V3gen2-202601.13.0"
	}
	return derived
}

// poolState is the provisioningState while the change runs, as AKS names it.
func poolState(old, properties map[string]any) string {
	if old == nil {
		return stateCreating
	}
	before, _ := number(old, "count")
	after, _ := number(properties, "count")
	switch {
	case text(old, "currentOrchestratorVersion") != text(properties, "currentOrchestratorVersion"):
		return "Upgrading"
	case before != after:
		return "Scaling"
	}
	return stateUpdating
}

// storePools writes the pools that the cluster's request lists; pools that it does not list stay as they are.
func storePools(p *put) *Error {
	for _, profile := range objects(p.requested, "properties", "agentPoolProfiles") {
		path := p.resource.ID + "/agentPools/" + text(profile, "name")
		pool := p.service.store.get(path)
		var old map[string]any
		if pool != nil {
			old = pool.properties()
		} else {
			pool = &Resource{ID: path, Type: TypeAgentPool, Name: text(profile, "name"), Created: p.now}
		}
		properties, state, e := poolProperties(profile, old, p.result)
		if e != nil {
			return e
		}
		if old != nil {
			fill(properties, map[string]any{"enableAutoScaling": false, "upgradeStrategy": "Rolling"})
		}
		properties["provisioningState"] = state
		pool.APIVersion = p.apiVersion
		pool.Body = newBody(lowerResourceGroups(path), pool.Name, TypeAgentPool, properties)
		if err := p.service.store.put(pool); err != nil {
			return internalError(err)
		}
	}
	return nil
}

// settlePool ends a pool's change: empty maps of the request are gone and the etag is new.
func (s *Service) settlePool(r *Resource) error {
	properties := r.properties()
	dropEmptyMap(properties, "tags")
	dropEmptyMap(properties, "nodeLabels")
	properties["provisioningState"] = statusSucceeded
	properties["eTag"] = uuid.NewString()
	r.Private = map[string]any{privateReady: true}
	return s.store.put(r)
}

// privateReady marks a pool that has been ready once, so that it has Nodes.
const privateReady = "ready"

func dropEmptyMap(body map[string]any, name string) {
	if m, ok := body[name].(map[string]any); ok && len(m) == 0 {
		delete(body, name)
	}
}

func settleAgentPool(s *Service, r *Resource) error {
	return s.settlePoolAndCluster(r)
}

func (s *Service) settlePoolAndCluster(r *Resource) error {
	if err := s.settlePool(r); err != nil {
		return err
	}
	return s.applyClusterOf(r)
}

func (s *Service) applyClusterOf(pool *Resource) error {
	cluster := s.store.get(pool.id().Parent)
	if cluster == nil {
		return nil
	}
	cluster.Body["eTag"] = uuid.NewString()
	if err := s.store.put(cluster); err != nil {
		return err
	}
	return s.applyWorkload(cluster)
}

func viewAgentPool(_ *Service, r *Resource, apiVersion string) map[string]any {
	body := clone(r.Body)
	dropEmptyMap(child(body, "properties"), "tags")
	dropEmptyMap(child(body, "properties"), "nodeLabels")
	hideFields(body, prefixed("properties.", agentPoolFields), apiVersion)
	return body
}

func agentPoolDeletable(s *Service, r *Resource) *Error {
	cluster := r.id().Parent
	if e := busy(s, cluster, false); e != nil {
		return e
	}
	if op := s.operations.runningOn(r.ID, false); op != nil && op.Change != remove {
		return busy(s, r.ID, false)
	}
	if owner := s.store.get(cluster); owner != nil && hostsSystemPool(owner.Body) {
		return nil
	}
	if isSystem(r) && lastSystemPool(s, r) {
		return badRequest("OperationNotAllowed", "There has to be at least one system agent pool. Agent pool %s is the last one and cannot be deleted.", r.Name)
	}
	return nil
}

func agentPoolRemoved(s *Service, r *Resource) error {
	return s.applyClusterOf(r)
}

// workloadPool is what the pool's Nodes are made from; a pool that has never been ready has none.
func workloadPool(r *Resource) (workload.Pool, bool) {
	properties := r.properties()
	if !boolean(r.Private, privateReady) {
		return workload.Pool{}, false
	}
	count, _ := number(properties, "count")
	p := workload.Pool{
		Name:      r.Name,
		Mode:      text(properties, "mode"),
		OSType:    text(properties, "osType"),
		OSSKU:     text(properties, "osSKU"),
		VMSize:    text(properties, "vmSize"),
		Version:   text(properties, "currentOrchestratorVersion"),
		NodeImage: text(properties, "nodeImageVersion"),
		Count:     int(count),
		Labels:    map[string]string{},
		Taints:    texts(properties, "nodeTaints"),
		Zones:     texts(properties, "availabilityZones"),
	}
	for name := range child(clone(properties), "nodeLabels") {
		p.Labels[name] = text(properties, "nodeLabels", name)
	}
	return p, true
}

// texts returns the strings in the list at path.
func texts(body map[string]any, path ...string) []string {
	list, _ := at(body, path...).([]any)
	var found []string
	for _, item := range list {
		if s, ok := item.(string); ok {
			found = append(found, s)
		}
	}
	return found
}
