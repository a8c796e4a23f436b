package machines

import (
	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// SignIn is as whom Azure's cloud provider signs in on machines.
type SignIn struct {
	// ManagedIdentity is an identity of the machine: the one with the client ID of a user-assigned one, or its own.
	ManagedIdentity bool
	UserAssignedID  string
	// ClientID and ClientSecret are of a service principal.
	ClientID, ClientSecret string
}

// cloudProviderConfig are settings of Azure's cloud provider (cloud-provider-azure documentation, "Cluster config").
type cloudProviderConfig struct {
	Cloud                        string `json:"cloud"`
	TenantID                     string `json:"tenantId"`
	SubscriptionID               string `json:"subscriptionId"`
	AADClientID                  string `json:"aadClientId,omitempty"`
	AADClientSecret              string `json:"aadClientSecret,omitempty"`
	ResourceGroup                string `json:"resourceGroup"`
	SecurityGroupName            string `json:"securityGroupName"`
	SecurityGroupResourceGroup   string `json:"securityGroupResourceGroup"`
	Location                     string `json:"location"`
	ExtendedLocationType         string `json:"extendedLocationType,omitempty"`
	ExtendedLocationName         string `json:"extendedLocationName,omitempty"`
	VMType                       string `json:"vmType"`
	VnetName                     string `json:"vnetName"`
	VnetResourceGroup            string `json:"vnetResourceGroup"`
	SubnetName                   string `json:"subnetName"`
	RouteTableName               string `json:"routeTableName"`
	LoadBalancerSKU              string `json:"loadBalancerSku"`
	LoadBalancerName             string `json:"loadBalancerName"`
	MaximumLoadBalancerRuleCount int    `json:"maximumLoadBalancerRuleCount"`
	UseManagedIdentityExtension  bool   `json:"useManagedIdentityExtension"`
	UseInstanceMetadata          bool   `json:"useInstanceMetadata"`
	EnableVMSSFlexNodes          bool   `json:"enableVmssFlexNodes,omitempty"`
	UserAssignedIdentityID       string `json:"userAssignedIdentityID,omitempty"`

	rateLimit
	backOff

	RouteRateLimit                  *rateLimit `json:"routeRateLimit,omitempty"`
	SubnetsRateLimit                *rateLimit `json:"subnetsRateLimit,omitempty"`
	InterfaceRateLimit              *rateLimit `json:"interfaceRateLimit,omitempty"`
	RouteTableRateLimit             *rateLimit `json:"routeTableRateLimit,omitempty"`
	LoadBalancerRateLimit           *rateLimit `json:"loadBalancerRateLimit,omitempty"`
	PublicIPAddressRateLimit        *rateLimit `json:"publicIPAddressRateLimit,omitempty"`
	SecurityGroupRateLimit          *rateLimit `json:"securityGroupRateLimit,omitempty"`
	VirtualMachineRateLimit         *rateLimit `json:"virtualMachineRateLimit,omitempty"`
	StorageAccountRateLimit         *rateLimit `json:"storageAccountRateLimit,omitempty"`
	DiskRateLimit                   *rateLimit `json:"diskRateLimit,omitempty"`
	SnapshotRateLimit               *rateLimit `json:"snapshotRateLimit,omitempty"`
	VirtualMachineScaleSetRateLimit *rateLimit `json:"virtualMachineScaleSetRateLimit,omitempty"`
	VirtualMachineSizesRateLimit    *rateLimit `json:"virtualMachineSizesRateLimit,omitempty"`
	AvailabilitySetRateLimit        *rateLimit `json:"availabilitySetRateLimit,omitempty"`
}

// rateLimit is how often the cloud provider calls Azure (the same, "Per client rate limiting").
type rateLimit struct {
	CloudProviderRateLimit            bool    `json:"cloudProviderRateLimit,omitempty"`
	CloudProviderRateLimitQPS         float32 `json:"cloudProviderRateLimitQPS,omitempty"`
	CloudProviderRateLimitBucket      int     `json:"cloudProviderRateLimitBucket,omitempty"`
	CloudProviderRateLimitQPSWrite    float32 `json:"cloudProviderRateLimitQPSWrite,omitempty"`
	CloudProviderRateLimitBucketWrite int     `json:"cloudProviderRateLimitBucketWrite,omitempty"`
}

// backOff is how the cloud provider tries again.
type backOff struct {
	CloudProviderBackoff         bool    `json:"cloudProviderBackoff,omitempty"`
	CloudProviderBackoffRetries  int     `json:"cloudProviderBackoffRetries,omitempty"`
	CloudProviderBackoffExponent float64 `json:"cloudProviderBackoffExponent,omitempty"`
	CloudProviderBackoffDuration int     `json:"cloudProviderBackoffDuration,omitempty"`
	CloudProviderBackoffJitter   float64 `json:"cloudProviderBackoffJitter,omitempty"`
}

// What is the same for every cluster, as CAPZ has it.
const (
	vmType           = "vmss"
	loadBalancerSKU  = "Standard"
	maximumRules     = 250
	rateLimitOfAll   = "defaultRateLimit"
	usualEnvironment = "AzurePublicCloud"
)

// CloudProviderConfig returns the settings of Azure's cloud provider in a Cluster, for JSON. The spec has its defaults.
func CloudProviderConfig(spec v1beta1.AzureClusterSpec, tenantID string, signIn SignIn) any {
	c := cloudProviderConfig{
		Cloud: spec.AzureEnvironment, TenantID: tenantID, SubscriptionID: spec.SubscriptionID, Location: spec.Location,
		ResourceGroup: spec.ResourceGroup, VnetName: spec.NetworkSpec.Vnet.Name, VnetResourceGroup: spec.NetworkSpec.Vnet.ResourceGroup,
		SecurityGroupResourceGroup: spec.NetworkSpec.Vnet.ResourceGroup,
		VMType:                     vmType, LoadBalancerSKU: loadBalancerSKU, MaximumLoadBalancerRuleCount: maximumRules, UseInstanceMetadata: true, EnableVMSSFlexNodes: true,
		UseManagedIdentityExtension: signIn.ManagedIdentity, UserAssignedIdentityID: signIn.UserAssignedID,
		AADClientID: signIn.ClientID, AADClientSecret: signIn.ClientSecret,
	}
	if c.Cloud == "" {
		c.Cloud = usualEnvironment
	}
	if spec.ExtendedLocation != nil {
		c.ExtendedLocationType, c.ExtendedLocationName = spec.ExtendedLocation.Type, spec.ExtendedLocation.Name
	}
	if subnet := nodeSubnet(spec.NetworkSpec.Subnets); subnet != nil {
		c.SubnetName, c.SecurityGroupName, c.RouteTableName = subnet.Name, subnet.SecurityGroup.Name, subnet.RouteTable.Name
	}
	if lb := spec.NetworkSpec.NodeOutboundLB; lb != nil {
		c.LoadBalancerName = lb.Name
	}
	if spec.CloudProviderConfigOverrides != nil {
		c.override(*spec.CloudProviderConfigOverrides)
	}
	return c
}

// nodeSubnet returns the first subnet that nodes are in; nil for none.
func nodeSubnet(subnets v1beta1.Subnets) *v1beta1.SubnetSpec {
	for i := range subnets {
		if role := subnets[i].Role; role == v1beta1.SubnetNode || role == v1beta1.SubnetCluster {
			return &subnets[i]
		}
	}
	return nil
}

// override takes over what the AzureCluster says beside.
func (c *cloudProviderConfig) override(with v1beta1.CloudProviderConfigOverrides) {
	limits := map[string]**rateLimit{
		"routeRateLimit": &c.RouteRateLimit, "subnetsRateLimit": &c.SubnetsRateLimit, "interfaceRateLimit": &c.InterfaceRateLimit,
		"routeTableRateLimit": &c.RouteTableRateLimit, "loadBalancerRateLimit": &c.LoadBalancerRateLimit,
		"publicIPAddressRateLimit": &c.PublicIPAddressRateLimit, "securityGroupRateLimit": &c.SecurityGroupRateLimit,
		"virtualMachineRateLimit": &c.VirtualMachineRateLimit, "storageAccountRateLimit": &c.StorageAccountRateLimit,
		"diskRateLimit": &c.DiskRateLimit, "snapshotRateLimit": &c.SnapshotRateLimit,
		"virtualMachineScaleSetRateLimit": &c.VirtualMachineScaleSetRateLimit, "virtualMachineSizesRateLimit": &c.VirtualMachineSizesRateLimit,
		"availabilitySetRateLimit": &c.AvailabilitySetRateLimit,
	}
	for _, given := range with.RateLimits {
		limit := rateLimit{
			CloudProviderRateLimit: given.Config.CloudProviderRateLimit, CloudProviderRateLimitBucket: given.Config.CloudProviderRateLimitBucket,
			CloudProviderRateLimitBucketWrite: given.Config.CloudProviderRateLimitBucketWrite,
		}
		if qps := given.Config.CloudProviderRateLimitQPS; qps != nil {
			limit.CloudProviderRateLimitQPS = float32(qps.AsApproximateFloat64())
		}
		if qps := given.Config.CloudProviderRateLimitQPSWrite; qps != nil {
			limit.CloudProviderRateLimitQPSWrite = float32(qps.AsApproximateFloat64())
		}
		if given.Name == rateLimitOfAll {
			c.rateLimit = limit
		} else if of := limits[given.Name]; of != nil {
			*of = &limit
		}
	}
	c.backOff = backOff{
		CloudProviderBackoff: with.BackOffs.CloudProviderBackoff, CloudProviderBackoffRetries: with.BackOffs.CloudProviderBackoffRetries,
		CloudProviderBackoffDuration: with.BackOffs.CloudProviderBackoffDuration,
	}
	if exponent := with.BackOffs.CloudProviderBackoffExponent; exponent != nil {
		c.CloudProviderBackoffExponent = exponent.AsApproximateFloat64()
	}
	if jitter := with.BackOffs.CloudProviderBackoffJitter; jitter != nil {
		c.CloudProviderBackoffJitter = jitter.AsApproximateFloat64()
	}
}
