package containerservice

import (
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
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
func containerServiceProtocol() arm.Protocol {
	return arm.Protocol{
		Create:            arm.Answer{Status: 201, AsyncOperation: true, State: arm.StateCreating},
		Update:            arm.Answer{Status: 200, AsyncOperation: true, State: arm.StateUpdating},
		Remove:            arm.Answer{Status: 202, AsyncOperation: true, Location: true, State: arm.StateDeleting, NoBody: true},
		Operations:        arm.OperationsSegment,
		Results:           "operationresults",
		OperationsVersion: "2025-03-01",
	}
}

func managedClusterType() *arm.ResourceType {
	p := containerServiceProtocol()
	p.Statuses = map[arm.Change][]string{
		arm.Create: {"InProgress", "ProvisioningNetworkResources", "ProvisioningControlPlane", "CreatingAgentPools"},
		arm.Update: {"InProgress", "ProvisioningNetworkResources", "ProvisioningControlPlane", "ReconcilingDNS"},
	}
	return &arm.ResourceType{
		Name:      TypeManagedCluster,
		Tracked:   true,
		Protocol:  p,
		Validate:  validateManagedCluster,
		Apply:     applyManagedCluster,
		Stored:    storePools,
		Settle:    settleManagedCluster,
		View:      viewManagedCluster,
		Deletable: managedClusterDeletable,
		Removed:   managedClusterRemoved,
		Missing:   managedClusterMissing,
		Actions: map[string]func(*arm.Service, *arm.Resource) (any, *arm.Error){
			"listclusteradmincredential": adminCredential,
			"listclusterusercredential":  userCredential,
		},
	}
}

// forgetting is how long after a cluster's deletion ARM still asks AKS for it.
const forgetting = 10 * time.Minute

// managedClusterMissing is ARM's error, or that of AKS itself for a while after the cluster's deletion.
func managedClusterMissing(id arm.ID, s *arm.Service, _ string) *arm.Error {
	if !s.Operations.RemovedSince(id.Path, s.Clock.Now().Add(-forgetting)) {
		return arm.ResourceNotFound(id)
	}
	return &arm.Error{
		Status: http.StatusNotFound, Code: "NotFound", Subcode: "GetManagedCluster_NotFound_HCPServerError",
		Message: "Could not find managed cluster resource: " + id.Name + " in subscription: " + id.Subscription + ", resourceGroup: " + id.ResourceGroup + ".",
		Details: []arm.Detail{{Code: "Unspecified", Message: "rpc error: code = NotFound desc = Managed Cluster not found"}},
	}
}

func operationNotAllowed(format string, args ...any) *arm.Error {
	return arm.Conflict("OperationNotAllowed", format, args...)
}

// busy refuses a change while another operation runs on the cluster, https://aka.ms/aks-pending-operation.
func busy(s *arm.Service, path string, below bool) *arm.Error {
	op := s.Operations.RunningOn(path, below)
	if op == nil {
		return nil
	}
	return operationNotAllowed("Operation is not allowed: Another operation (%s) is in progress, please wait for it to finish before starting a new operation. See https://aka.ms/aks-pending-operation for more details",
		strings.ToUpper(string(op.Change[0]))+string(op.Change[1:]))
}

func validateManagedCluster(p *arm.Put) *arm.Error {
	if e := busy(p.Service, p.ID.Path, true); e != nil {
		return e
	}
	profiles := fields.Objects(p.Requested, "properties", "agentPoolProfiles")
	if p.Existing == nil {
		if e := validateNewCluster(p, profiles); e != nil {
			return e
		}
	}
	if e := validateClusterProperties(p, profiles); e != nil {
		return e
	}
	present := presentVersion(p.Existing)
	version, e := resolveVersion(fields.Text(p.Requested, "properties", "kubernetesVersion"), present)
	if e != nil {
		return e
	}
	if present != nil {
		if e := checkUpgrade("managed cluster "+p.ID.Name, *present, version); e != nil {
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

func validateNewCluster(p *arm.Put, profiles []map[string]any) *arm.Error {
	hosted := hostsSystemPool(p.Requested)
	if len(profiles) == 0 && !hosted {
		return arm.BadRequest("InvalidParameter", "Required parameter agentPoolProfiles is missing (null). At least one agent pool must be specified.")
	}
	if fields.Text(p.Requested, "properties", "dnsPrefix") == "" && fields.Text(p.Requested, "properties", "fqdnSubdomain") == "" {
		return arm.BadRequest("InvalidParameter", "Required parameter dnsPrefix is missing (null).")
	}
	if hosted || definesSystemPool(p.Requested) {
		return nil
	}
	return arm.BadRequest("MustDefineAtLeastOneSystemPool", "Must define at least one system pool.")
}

func definesSystemPool(cluster map[string]any) bool {
	return slices.ContainsFunc(fields.Objects(cluster, "properties", "agentPoolProfiles"), func(profile map[string]any) bool {
		return strings.EqualFold(fields.Text(profile, "mode"), "System")
	})
}

// hostsSystemPool reports whether AKS runs what needs a System pool on nodes of its own, which are no pool of the cluster: where the
// cluster says so, and without it for an AKS Automatic cluster with no System pool (AKS documentation, "Overview of Azure Kubernetes
// Service (AKS) Automatic clusters with managed system node pools").
func hostsSystemPool(cluster map[string]any) bool {
	if hosted, given := fields.At(cluster, "properties", "hostedSystemProfile", "enabled").(bool); given {
		return hosted
	}
	return strings.EqualFold(fields.Text(cluster, "sku", "name"), automatic) && !definesSystemPool(cluster)
}

// automatic is the name of the SKU of AKS Automatic.
const automatic = "Automatic"

// presentVersion is the version that an existing cluster runs, or nil.
func presentVersion(r *arm.Resource) *kubernetesVersion {
	if r == nil {
		return nil
	}
	v, e := resolveVersion(fields.Text(r.Body, "properties", "currentKubernetesVersion"), nil)
	if e != nil {
		return nil // only versions that were once accepted are stored
	}
	return &v
}

// applyManagedCluster keeps of an existing cluster what the request does not give, and adds what AKS decides itself.
func applyManagedCluster(p *arm.Put) *arm.Error {
	properties := fields.Child(p.Result, "properties")
	delete(properties, "agentPoolProfiles")
	version, e := resolveVersion(fields.Text(properties, "kubernetesVersion"), presentVersion(p.Existing))
	if e != nil {
		return e
	}
	if p.Existing != nil {
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
	p.Changed = true // AKS starts an operation for every PUT
	p.Result["type"] = "Microsoft.ContainerService/ManagedClusters"
	p.Result["id"] = arm.LowerResourceGroups(p.Resource.ID)
	return applyIdentity(p)
}

func keepManagedCluster(p *arm.Put, properties map[string]any) {
	old := fields.Clone(p.Existing.Body)
	forgetReplaced(old, p.Requested)
	delete(fields.Child(old, "properties"), "agentPoolProfiles")
	if p.Requested["sku"] != nil {
		delete(old, "sku")
		fields.Fill(p.Result, map[string]any{"sku": p.Requested["sku"]})
	}
	fields.Fill(p.Result, old)
	applyAddons(properties)
	if fields.Text(p.Requested, "properties", "kubernetesVersion") == "" {
		properties["kubernetesVersion"] = fields.Text(old, "properties", "kubernetesVersion")
	}
}

func newManagedCluster(p *arm.Put, properties map[string]any) *arm.Error {
	defaults, err := fields.Decode(managedClusterDefaults)
	if err != nil {
		return arm.InternalError(err)
	}
	more := map[string]any{
		"nodeResourceGroup": fmt.Sprintf("MC_%s_%s_%s", p.ID.ResourceGroup, p.ID.Name, arm.NormalLocation(fields.Text(p.Requested, fields.Location))),
		"resourceUID":       strings.ReplaceAll(uuid.NewString(), "-", "")[:24],
	}
	if strings.EqualFold(fields.Text(p.Requested, "sku", "name"), automatic) {
		more["hostedSystemProfile"] = map[string]any{"enabled": hostsSystemPool(p.Requested)}
		more["nodeProvisioningProfile"] = map[string]any{"mode": "Auto", "defaultNodePools": "Auto"}
	}
	fields.Fill(properties, more)
	fields.Fill(p.Result, defaults)
	applyNetworkProfile(fields.Child(properties, "networkProfile"))
	if properties["linuxProfile"] != nil && fields.Text(properties, "networkProfile", "networkPluginMode") != "overlay" {
		fields.Fill(properties, map[string]any{"windowsProfile": map[string]any{"adminUsername": "azureuser", "enableCSIProxy": true}})
	}
	applyAddons(properties)
	return nil
}

// applyNetworkProfile fills in what follows from the network plugin and the load balancer.
func applyNetworkProfile(network map[string]any) {
	plugin := fields.Text(network, "networkPlugin")
	if plugin == "" {
		fields.Fill(network, map[string]any{"networkPlugin": "azure", "networkPluginMode": "overlay"})
	}
	if plugin != "azure" || fields.Text(network, "networkPluginMode") == "overlay" {
		fields.Fill(network, map[string]any{"podCidr": "10.244.0.0/16"})
		fields.Fill(network, map[string]any{"podCidrs": []any{network["podCidr"]}})
	}
	fields.Fill(network, map[string]any{"serviceCidrs": []any{network["serviceCidr"]}})
	if fields.Text(network, "outboundType") == "loadBalancer" && strings.EqualFold(fields.Text(network, "loadBalancerSku"), "standard") {
		if !chosenAddresses(network) {
			fields.Fill(network, map[string]any{"loadBalancerProfile": map[string]any{"managedOutboundIPs": map[string]any{"count": int64(1)}}})
		}
		fields.Fill(network, map[string]any{"loadBalancerProfile": map[string]any{"backendPoolType": "nodeIPConfiguration"}})
	}
}

// applyAddons shows each add-on's configuration, null if it has none.
func applyAddons(properties map[string]any) {
	for name := range fields.Child(fields.Clone(properties), "addonProfiles") {
		addon := fields.Child(fields.Child(properties, "addonProfiles"), name)
		fields.Fill(addon, map[string]any{"config": nil})
	}
}

// settleAddons gives each enabled add-on the identity that it runs with.
func settleAddons(r *arm.Resource) {
	properties := r.Properties()
	for name := range fields.Child(fields.Clone(properties), "addonProfiles") {
		addon := fields.Child(fields.Child(properties, "addonProfiles"), name)
		if enabled, _ := addon["enabled"].(bool); enabled {
			fields.Fill(addon, map[string]any{"identity": nodeIdentity(r, strings.ToLower(name)+"-"+r.Name)})
		}
	}
}

// nodeIdentity describes a managed identity in the cluster's node resource group.
func nodeIdentity(r *arm.Resource, name string) map[string]any {
	return map[string]any{
		"resourceId": arm.LowerResourceGroups(nodeGroupPath(r)) + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/" + name,
		"clientId":   uuid.NewString(), "objectId": uuid.NewString(),
	}
}

// settleManagedCluster ends a successful create or update: pools, addresses, the node resource group and the API server.
func settleManagedCluster(s *arm.Service, r *arm.Resource) error {
	properties := r.Properties()
	network := fields.Child(properties, "networkProfile")
	if balancer, ok := network["loadBalancerProfile"].(map[string]any); ok {
		fields.Fill(balancer, map[string]any{"effectiveOutboundIPs": []any{map[string]any{
			"id": nodeGroupPath(r) + "/providers/Microsoft.Network/publicIPAddresses/" + uuid.NewString()}}})
	}
	fields.Fill(properties, map[string]any{"identityProfile": map[string]any{"kubeletidentity": nodeIdentity(r, r.Name+"-agentpool")}})
	settleAddons(r)
	r.Body["eTag"] = uuid.NewString()
	if err := s.Store.Put(r); err != nil {
		return err
	}
	if err := ensureNodeGroup(s, r); err != nil {
		return err
	}
	for _, pool := range s.Store.Children(r.ID, TypeAgentPool) {
		if s.Operations.RunningOn(pool.ID, false) != nil {
			continue
		}
		if err := settlePool(s, pool); err != nil {
			return err
		}
	}
	return applyWorkload(s, r)
}

func nodeGroupPath(r *arm.Resource) string {
	return "/subscriptions/" + r.Identity().Subscription + "/resourceGroups/" + fields.Text(r.Body, "properties", "nodeResourceGroup")
}

func ensureNodeGroup(s *arm.Service, r *arm.Resource) error {
	path := nodeGroupPath(r)
	if s.Store.Get(path) != nil {
		return nil
	}
	name := fields.Text(r.Body, "properties", "nodeResourceGroup")
	return s.Store.Put(&arm.Resource{ID: path, Type: arm.TypeResourceGroup, Name: name, Created: s.Clock.Now(), Body: map[string]any{
		"id": path, "name": name, "type": arm.TypeResourceGroup, fields.Location: r.Location(), "managedBy": r.ID,
		fields.Properties: map[string]any{fields.State: arm.StatusSucceeded},
	}})
}

// applyWorkload makes the cluster's API server follow its settled pools.
func applyWorkload(s *arm.Service, r *arm.Resource) error {
	id := r.Identity()
	c := workload.Cluster{
		ID:                    r.ID,
		Name:                  r.Name,
		FQDN:                  fields.Text(r.Body, "properties", "fqdn"),
		PrivateFQDN:           fields.Text(r.Body, "properties", "privateFQDN"),
		Location:              arm.NormalLocation(r.Location()),
		Subscription:          id.Subscription,
		TenantID:              s.TenantOf(id.Subscription),
		Cloud:                 s.Tenants.CloudOf(id.Subscription).Name,
		NodeResourceGroup:     fields.Text(r.Body, "properties", "nodeResourceGroup"),
		Version:               fields.Text(r.Body, "properties", "currentKubernetesVersion"),
		LocalAccountsDisabled: fields.Bool(r.Body, "properties", "disableLocalAccounts"),
		Entra:                 fields.At(r.Body, "properties", "aadProfile") != nil,
	}
	for _, pool := range s.Store.Children(r.ID, TypeAgentPool) {
		if p, ok := workloadPool(pool); ok {
			c.Pools = append(c.Pools, p)
		}
	}
	return s.Clusters.Apply(c)
}

func viewManagedCluster(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := fields.Clone(r.Body)
	var profiles []any
	for _, pool := range s.Store.Children(r.ID, TypeAgentPool) {
		profile := fields.Clone(pool.Properties())
		profile["name"] = pool.Name
		if r.ProvisioningState() != arm.StatusSucceeded && pool.ProvisioningState() == arm.StatusSucceeded {
			profile["provisioningState"] = r.ProvisioningState()
		}
		profiles = append(profiles, profile)
	}
	fields.Child(body, "properties")["agentPoolProfiles"] = profiles
	dropEmptyMap(body, "tags")
	fields.Hide(body, managedClusterFields, apiVersion)
	return body
}

func managedClusterDeletable(s *arm.Service, r *arm.Resource) *arm.Error {
	op := s.Operations.RunningOn(r.ID, false)
	if op == nil || op.Change == arm.Remove {
		return nil
	}
	return busy(s, r.ID, false)
}

// managedClusterRemoved takes the API server and the node resource group away with the cluster.
func managedClusterRemoved(s *arm.Service, r *arm.Resource) error {
	if err := s.Clusters.Remove(r.ID); err != nil {
		return err
	}
	if group := s.Store.Get(nodeGroupPath(r)); group != nil {
		return s.Remove(group)
	}
	return nil
}

func adminCredential(s *arm.Service, r *arm.Resource) (any, *arm.Error) {
	if fields.Bool(r.Body, "properties", "disableLocalAccounts") {
		return nil, arm.BadRequest("BadRequest", "Getting static credential is not allowed because this cluster is set to disable local accounts.")
	}
	return credential(s, r, workload.Admin)
}

func userCredential(s *arm.Service, r *arm.Resource) (any, *arm.Error) {
	return credential(s, r, workload.User)
}

func credential(s *arm.Service, r *arm.Resource, kind workload.Kind) (any, *arm.Error) {
	config, err := s.Clusters.Kubeconfig(r.ID, kind)
	if err != nil {
		return nil, &arm.Error{Status: http.StatusConflict, Code: "ControlPlaneNotFound", Message: "The control plane of managed cluster " + r.Name + " is not running yet."}
	}
	return map[string]any{"kubeconfigs": []any{map[string]any{"name": string(kind), "value": config}}}, nil
}
