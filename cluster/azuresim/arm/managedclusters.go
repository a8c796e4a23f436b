package arm

import (
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

// Resource types of Azure Kubernetes Service.
const (
	TypeManagedCluster           = "Microsoft.ContainerService/managedClusters"
	TypeAgentPool                = "Microsoft.ContainerService/managedClusters/agentPools"
	TypeMaintenanceConfiguration = "Microsoft.ContainerService/managedClusters/maintenanceConfigurations"
	TypeTrustedAccessRoleBinding = "Microsoft.ContainerService/managedClusters/trustedAccessRoleBindings"
)

//go:embed managedclusters.json
var managedClusterDefaults []byte

// containerServiceProtocol is what AKS answers: no Retry-After, Location for deletion only.
func containerServiceProtocol() protocol {
	return protocol{
		create:            answer{status: 201, asyncOperation: true, state: stateCreating},
		update:            answer{status: 200, asyncOperation: true, state: stateUpdating},
		remove:            answer{status: 202, asyncOperation: true, location: true, state: stateDeleting, noBody: true},
		operations:        operationsSegment,
		results:           "operationresults",
		operationsVersion: "2025-03-01",
	}
}

func managedClusterType() *resourceType {
	p := containerServiceProtocol()
	p.statuses = map[change][]string{
		create: {"InProgress", "ProvisioningNetworkResources", "ProvisioningControlPlane", "CreatingAgentPools"},
		update: {"InProgress", "ProvisioningNetworkResources", "ProvisioningControlPlane", "ReconcilingDNS"},
	}
	return &resourceType{
		name:      TypeManagedCluster,
		tracked:   true,
		protocol:  p,
		validate:  validateManagedCluster,
		apply:     applyManagedCluster,
		stored:    storePools,
		settle:    settleManagedCluster,
		view:      viewManagedCluster,
		deletable: managedClusterDeletable,
		removed:   managedClusterRemoved,
		missing:   managedClusterMissing,
		actions: map[string]func(*Service, *Resource) (any, *Error){
			"listclusteradmincredential": adminCredential,
			"listclusterusercredential":  userCredential,
		},
	}
}

// forgetting is how long after a cluster's deletion ARM still asks AKS for it.
const forgetting = 10 * time.Minute

// managedClusterMissing is ARM's error, or that of AKS itself for a while after the cluster's deletion.
func managedClusterMissing(id ID, s *Service, _ string) *Error {
	if !s.operations.removedSince(id.Path, s.clock.Now().Add(-forgetting)) {
		return resourceNotFound(id)
	}
	return &Error{
		Status: http.StatusNotFound, Code: "NotFound", Subcode: "GetManagedCluster_NotFound_HCPServerError",
		Message: "Could not find managed cluster resource: " + id.Name + " in subscription: " + id.Subscription + ", resourceGroup: " + id.ResourceGroup + ".",
		Details: []Detail{{Code: "Unspecified", Message: "rpc error: code = NotFound desc = Managed Cluster not found"}},
	}
}

func operationNotAllowed(format string, args ...any) *Error {
	return conflict("OperationNotAllowed", format, args...)
}

// busy refuses a change while another operation runs on the cluster, https://aka.ms/aks-pending-operation.
func busy(s *Service, path string, below bool) *Error {
	op := s.operations.runningOn(path, below)
	if op == nil {
		return nil
	}
	return operationNotAllowed("Operation is not allowed: Another operation (%s) is in progress, please wait for it to finish before starting a new operation. See https://aka.ms/aks-pending-operation for more details",
		strings.ToUpper(string(op.Change[0]))+string(op.Change[1:]))
}

func validateManagedCluster(p *put) *Error {
	if e := busy(p.service, p.id.Path, true); e != nil {
		return e
	}
	profiles := objects(p.requested, "properties", "agentPoolProfiles")
	if p.existing == nil {
		if e := validateNewCluster(p, profiles); e != nil {
			return e
		}
	}
	if e := validateClusterProperties(p, profiles); e != nil {
		return e
	}
	present := presentVersion(p.existing)
	version, e := resolveVersion(text(p.requested, "properties", "kubernetesVersion"), present)
	if e != nil {
		return e
	}
	if present != nil {
		if e := checkUpgrade("managed cluster "+p.id.Name, *present, version); e != nil {
			return e
		}
	}
	for _, profile := range profiles {
		if e := validatePool(p, profile, version); e != nil {
			return e
		}
	}
	return nil
}

func validateNewCluster(p *put, profiles []map[string]any) *Error {
	hosted := hostsSystemPool(p.requested)
	if len(profiles) == 0 && !hosted {
		return badRequest("InvalidParameter", "Required parameter agentPoolProfiles is missing (null). At least one agent pool must be specified.")
	}
	if text(p.requested, "properties", "dnsPrefix") == "" && text(p.requested, "properties", "fqdnSubdomain") == "" {
		return badRequest("InvalidParameter", "Required parameter dnsPrefix is missing (null).")
	}
	if hosted || definesSystemPool(p.requested) {
		return nil
	}
	return badRequest("MustDefineAtLeastOneSystemPool", "Must define at least one system pool.")
}

func definesSystemPool(cluster map[string]any) bool {
	return slices.ContainsFunc(objects(cluster, "properties", "agentPoolProfiles"), func(profile map[string]any) bool {
		return strings.EqualFold(text(profile, "mode"), "System")
	})
}

// hostsSystemPool reports whether AKS runs what needs a System pool on nodes of its own, which are no pool of the cluster: where the
// cluster says so, and without it for an AKS Automatic cluster with no System pool (AKS documentation, "Overview of Azure Kubernetes
// Service (AKS) Automatic clusters with managed system node pools").
func hostsSystemPool(cluster map[string]any) bool {
	if hosted, given := at(cluster, "properties", "hostedSystemProfile", "enabled").(bool); given {
		return hosted
	}
	return strings.EqualFold(text(cluster, "sku", "name"), automatic) && !definesSystemPool(cluster)
}

// automatic is the name of the SKU of AKS Automatic.
const automatic = "Automatic"

// presentVersion is the version that an existing cluster runs, or nil.
func presentVersion(r *Resource) *kubernetesVersion {
	if r == nil {
		return nil
	}
	v, e := resolveVersion(text(r.Body, "properties", "currentKubernetesVersion"), nil)
	if e != nil {
		return nil // only versions that were once accepted are stored
	}
	return &v
}

// applyManagedCluster keeps of an existing cluster what the request does not give, and adds what AKS decides itself.
func applyManagedCluster(p *put) *Error {
	properties := child(p.result, "properties")
	delete(properties, "agentPoolProfiles")
	version, e := resolveVersion(text(properties, "kubernetesVersion"), presentVersion(p.existing))
	if e != nil {
		return e
	}
	if p.existing != nil {
		keepManagedCluster(p, properties)
	} else if e := newManagedCluster(p, properties); e != nil {
		return e
	}
	applyEmptied(properties)
	applyHostNames(p, properties)
	applyIssuer(p, properties)
	if _, given := properties["kubernetesVersion"]; !given {
		properties["kubernetesVersion"] = version.alias
	}
	properties["currentKubernetesVersion"] = version.String()
	p.changed = true // AKS starts an operation for every PUT
	p.result["type"] = "Microsoft.ContainerService/ManagedClusters"
	p.result["id"] = lowerResourceGroups(p.resource.ID)
	return applyIdentity(p)
}

// lowerResourceGroups spells that segment as AKS does.
func lowerResourceGroups(id string) string {
	return strings.Replace(id, "/resourceGroups/", "/resourcegroups/", 1)
}

func keepManagedCluster(p *put, properties map[string]any) {
	old := clone(p.existing.Body)
	forgetReplaced(old, p.requested)
	delete(child(old, "properties"), "agentPoolProfiles")
	if p.requested["sku"] != nil {
		delete(old, "sku")
		fill(p.result, map[string]any{"sku": p.requested["sku"]})
	}
	fill(p.result, old)
	applyAddons(properties)
	if text(p.requested, "properties", "kubernetesVersion") == "" {
		properties["kubernetesVersion"] = text(old, "properties", "kubernetesVersion")
	}
}

func newManagedCluster(p *put, properties map[string]any) *Error {
	defaults, err := decode(managedClusterDefaults)
	if err != nil {
		return internalError(err)
	}
	more := map[string]any{
		"nodeResourceGroup": fmt.Sprintf("MC_%s_%s_%s", p.id.ResourceGroup, p.id.Name, normalLocation(text(p.requested, "location"))),
		"resourceUID":       strings.ReplaceAll(uuid.NewString(), "-", "")[:24],
	}
	if strings.EqualFold(text(p.requested, "sku", "name"), automatic) {
		more["hostedSystemProfile"] = map[string]any{"enabled": hostsSystemPool(p.requested)}
		more["nodeProvisioningProfile"] = map[string]any{"mode": "Auto", "defaultNodePools": "Auto"}
	}
	fill(properties, more)
	fill(p.result, defaults)
	applyNetworkProfile(child(properties, "networkProfile"))
	if properties["linuxProfile"] != nil && text(properties, "networkProfile", "networkPluginMode") != "overlay" {
		fill(properties, map[string]any{"windowsProfile": map[string]any{"adminUsername": "azureuser", "enableCSIProxy": true}})
	}
	applyAddons(properties)
	return nil
}

// applyNetworkProfile fills in what follows from the network plugin and the load balancer.
func applyNetworkProfile(network map[string]any) {
	plugin := text(network, "networkPlugin")
	if plugin == "" {
		fill(network, map[string]any{"networkPlugin": "azure", "networkPluginMode": "overlay"})
	}
	if plugin != "azure" || text(network, "networkPluginMode") == "overlay" {
		fill(network, map[string]any{"podCidr": "10.244.0.0/16"})
		fill(network, map[string]any{"podCidrs": []any{network["podCidr"]}})
	}
	fill(network, map[string]any{"serviceCidrs": []any{network["serviceCidr"]}})
	if text(network, "outboundType") == "loadBalancer" && strings.EqualFold(text(network, "loadBalancerSku"), "standard") {
		if !chosenAddresses(network) {
			fill(network, map[string]any{"loadBalancerProfile": map[string]any{"managedOutboundIPs": map[string]any{"count": int64(1)}}})
		}
		fill(network, map[string]any{"loadBalancerProfile": map[string]any{"backendPoolType": "nodeIPConfiguration"}})
	}
}

// applyAddons shows each add-on's configuration, null if it has none.
func applyAddons(properties map[string]any) {
	for name := range child(clone(properties), "addonProfiles") {
		addon := child(child(properties, "addonProfiles"), name)
		fill(addon, map[string]any{"config": nil})
	}
}

// settleAddons gives each enabled add-on the identity that it runs with.
func settleAddons(r *Resource) {
	properties := r.properties()
	for name := range child(clone(properties), "addonProfiles") {
		addon := child(child(properties, "addonProfiles"), name)
		if enabled, _ := addon["enabled"].(bool); enabled {
			fill(addon, map[string]any{"identity": nodeIdentity(r, strings.ToLower(name)+"-"+r.Name)})
		}
	}
}

// nodeIdentity describes a managed identity in the cluster's node resource group.
func nodeIdentity(r *Resource, name string) map[string]any {
	return map[string]any{
		"resourceId": lowerResourceGroups(nodeGroupPath(r)) + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/" + name,
		"clientId":   uuid.NewString(), "objectId": uuid.NewString(),
	}
}

// settleManagedCluster ends a successful create or update: pools, addresses, the node resource group and the API server.
func settleManagedCluster(s *Service, r *Resource) error {
	properties := r.properties()
	network := child(properties, "networkProfile")
	if balancer, ok := network["loadBalancerProfile"].(map[string]any); ok {
		fill(balancer, map[string]any{"effectiveOutboundIPs": []any{map[string]any{
			"id": nodeGroupPath(r) + "/providers/Microsoft.Network/publicIPAddresses/" + uuid.NewString()}}})
	}
	fill(properties, map[string]any{"identityProfile": map[string]any{"kubeletidentity": nodeIdentity(r, r.Name+"-agentpool")}})
	settleAddons(r)
	r.Body["eTag"] = uuid.NewString()
	if err := s.store.put(r); err != nil {
		return err
	}
	if err := s.ensureNodeGroup(r); err != nil {
		return err
	}
	for _, pool := range s.store.children(r.ID, TypeAgentPool) {
		if s.operations.runningOn(pool.ID, false) != nil {
			continue
		}
		if err := s.settlePool(pool); err != nil {
			return err
		}
	}
	return s.applyWorkload(r)
}

func nodeGroupPath(r *Resource) string {
	return "/subscriptions/" + r.id().Subscription + "/resourceGroups/" + text(r.Body, "properties", "nodeResourceGroup")
}

func (s *Service) ensureNodeGroup(r *Resource) error {
	path := nodeGroupPath(r)
	if s.store.get(path) != nil {
		return nil
	}
	name := text(r.Body, "properties", "nodeResourceGroup")
	return s.store.put(&Resource{ID: path, Type: TypeResourceGroup, Name: name, Created: s.clock.Now(), Body: map[string]any{
		"id": path, "name": name, "type": TypeResourceGroup, "location": r.location(), "managedBy": r.ID,
		fieldProperties: map[string]any{fieldState: statusSucceeded},
	}})
}

// applyWorkload makes the cluster's API server follow its settled pools.
func (s *Service) applyWorkload(r *Resource) error {
	id := r.id()
	c := workload.Cluster{
		ID:                    r.ID,
		Name:                  r.Name,
		FQDN:                  text(r.Body, "properties", "fqdn"),
		PrivateFQDN:           text(r.Body, "properties", "privateFQDN"),
		Location:              normalLocation(r.location()),
		Subscription:          id.Subscription,
		TenantID:              s.tenantOf(id.Subscription),
		Cloud:                 s.tenants.CloudOf(id.Subscription).Name,
		NodeResourceGroup:     text(r.Body, "properties", "nodeResourceGroup"),
		Version:               text(r.Body, "properties", "currentKubernetesVersion"),
		LocalAccountsDisabled: boolean(r.Body, "properties", "disableLocalAccounts"),
		Entra:                 at(r.Body, "properties", "aadProfile") != nil,
	}
	for _, pool := range s.store.children(r.ID, TypeAgentPool) {
		if p, ok := workloadPool(pool); ok {
			c.Pools = append(c.Pools, p)
		}
	}
	return s.clusters.Apply(c)
}

func viewManagedCluster(s *Service, r *Resource, apiVersion string) map[string]any {
	body := clone(r.Body)
	var profiles []any
	for _, pool := range s.store.children(r.ID, TypeAgentPool) {
		profile := clone(pool.properties())
		profile["name"] = pool.Name
		if r.provisioningState() != statusSucceeded && pool.provisioningState() == statusSucceeded {
			profile["provisioningState"] = r.provisioningState()
		}
		profiles = append(profiles, profile)
	}
	child(body, "properties")["agentPoolProfiles"] = profiles
	dropEmptyMap(body, "tags")
	hideFields(body, managedClusterFields, apiVersion)
	return body
}

func managedClusterDeletable(s *Service, r *Resource) *Error {
	op := s.operations.runningOn(r.ID, false)
	if op == nil || op.Change == remove {
		return nil
	}
	return busy(s, r.ID, false)
}

// managedClusterRemoved takes the API server and the node resource group away with the cluster.
func managedClusterRemoved(s *Service, r *Resource) error {
	if err := s.clusters.Remove(r.ID); err != nil {
		return err
	}
	if group := s.store.get(nodeGroupPath(r)); group != nil {
		return s.erase(group)
	}
	return nil
}

func adminCredential(s *Service, r *Resource) (any, *Error) {
	if boolean(r.Body, "properties", "disableLocalAccounts") {
		return nil, badRequest("BadRequest", "Getting static credential is not allowed because this cluster is set to disable local accounts.")
	}
	return credential(s, r, workload.Admin)
}

func userCredential(s *Service, r *Resource) (any, *Error) {
	return credential(s, r, workload.User)
}

func credential(s *Service, r *Resource, kind workload.Kind) (any, *Error) {
	config, err := s.clusters.Kubeconfig(r.ID, kind)
	if err != nil {
		return nil, &Error{Status: http.StatusConflict, Code: "ControlPlaneNotFound", Message: "The control plane of managed cluster " + r.Name + " is not running yet."}
	}
	return map[string]any{"kubeconfigs": []any{map[string]any{"name": string(kind), "value": config}}}, nil
}
