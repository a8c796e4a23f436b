package aks

import (
	"encoding/base64"

	aks "github.com/Azure/azure-service-operator/v2/api/containerservice/v1api20250801/storage"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

const (
	// adminUser is the user that the SSH key is for.
	adminUser = "azureuser"
	// clientIDOfManagedIdentity is what AKS wants as service principal when a managed identity takes its place.
	clientIDOfManagedIdentity = "msi"
	// kubeletIdentity is the only key of identityProfile that AKS knows.
	kubeletIdentity = "kubeletidentity"
	kubeconfigKey   = "value"
)

// managedCluster returns the AKS cluster. Until Azure has agent pools for it, it carries those that it is created with.
func (c *aksCluster) managedCluster(pools []Pool, live LiveCluster) *plan.Resource {
	hub := &aks.ManagedCluster{Spec: c.basics(live)}
	problem := typed.FirstProblem(c.setNetworkProfile(hub), c.setIdentity(hub), c.setLinuxProfile(hub))
	c.setAccess(hub)
	c.setOIDCIssuer(hub)
	c.setSecurityProfile(hub)
	c.setAutomation(hub)

	object, err := c.managedClusterIn(hub)
	if err != nil {
		problem = typed.Invalid("spec cannot be written in the API version of AKS: %v", err)
	}
	o := c.object("spec", v1beta1.ASOObjectName(c.name), object, problem)
	if live.HasPools {
		return c.patched(o, "spec.asoManagedClusterPatches", c.spec.ASOManagedClusterPatches)
	}
	profiles, waits := c.agentPoolProfiles(pools)
	for _, wait := range waits {
		o.After = append(o.After, plan.Precondition{Description: wait})
	}
	if spec, ok := o.Object.Object["spec"].(map[string]any); ok && len(profiles) > 0 {
		spec["agentPoolProfiles"] = profiles
	}
	o = c.patched(o, "spec.asoManagedClusterPatches", c.spec.ASOManagedClusterPatches)
	c.awaitSystemPool(o, profiles)
	return o
}

func (c *aksCluster) basics(live LiveCluster) aks.ManagedCluster_Spec {
	s := &c.spec
	spec := aks.ManagedCluster_Spec{
		AzureName:               c.name,
		Owner:                   typed.OwnedBy(s.ResourceGroupName),
		Location:                &s.Location,
		NodeResourceGroup:       &s.NodeResourceGroupName,
		DnsPrefix:               s.DNSPrefix,
		EnableRBAC:              ptr.To(true),
		KubernetesVersion:       typed.Text(kubeversion.Higher(kubeversion.WithoutV(s.Version), live.Version)),
		ServicePrincipalProfile: &aks.ManagedClusterServicePrincipalProfile{ClientId: ptr.To(clientIDOfManagedIdentity)},
		Tags:                    typed.Merged(typed.OwnedTags(c.cluster.Name, c.name, typed.RoleCommon), s.AdditionalTags),
		Sku:                     &aks.ManagedClusterSKU{Name: ptr.To("Base"), Tier: ptr.To(tier(s.SKU))},
	}
	for _, addon := range s.AddonProfiles {
		if spec.AddonProfiles == nil {
			spec.AddonProfiles = map[string]aks.ManagedClusterAddonProfile{}
		}
		spec.AddonProfiles[addon.Name] = aks.ManagedClusterAddonProfile{Enabled: ptr.To(addon.Enabled), Config: addon.Config}
	}
	if proxy := s.HTTPProxyConfig; proxy != nil {
		spec.HttpProxyConfig = &aks.ManagedClusterHTTPProxyConfig{
			HttpProxy: proxy.HTTPProxy, HttpsProxy: proxy.HTTPSProxy, NoProxy: proxy.NoProxy, TrustedCa: proxy.TrustedCA}
	}
	return spec
}

// tier returns the tier of the cluster. Paid is the former name of Standard.
func tier(sku *v1beta1.AKSSku) string {
	switch {
	case sku == nil:
		return string(v1beta1.FreeManagedControlPlaneTier)
	case sku.Tier == v1beta1.PaidManagedControlPlaneTier:
		return string(v1beta1.StandardManagedControlPlaneTier)
	}
	return string(sku.Tier)
}

// setLinuxProfile lets the owner of the SSH key in. An empty key has not been generated yet: there is nobody to let in.
func (c *aksCluster) setLinuxProfile(hub *aks.ManagedCluster) *composer.Blocked {
	key := ptr.Deref(c.spec.SSHPublicKey, "")
	if key == "" {
		return nil
	}
	decoded, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		return typed.Invalid("spec.sshPublicKey is %s, but must be a public key in base64: %v", short(key), err)
	}
	hub.Spec.LinuxProfile = &aks.ContainerServiceLinuxProfile{
		AdminUsername: ptr.To(adminUser),
		Ssh: &aks.ContainerServiceSshConfiguration{
			PublicKeys: []aks.ContainerServiceSshPublicKey{{KeyData: ptr.To(string(decoded))}},
		},
	}
	return nil
}

// setIdentity sets the identities of the control plane and of the kubelets.
func (c *aksCluster) setIdentity(hub *aks.ManagedCluster) *composer.Blocked {
	hub.Spec.Identity = &aks.ManagedClusterIdentity{Type: ptr.To(string(v1beta1.ManagedControlPlaneIdentityTypeSystemAssigned))}
	if kubelet := typed.ByID(c.spec.KubeletUserAssignedIdentity); kubelet != nil {
		hub.Spec.IdentityProfile = map[string]aks.UserAssignedIdentity{kubeletIdentity: {ResourceReference: kubelet}}
	}
	identity := c.spec.Identity
	if identity == nil || identity.Type != v1beta1.ManagedControlPlaneIdentityTypeUserAssigned {
		return nil
	}
	if identity.UserAssignedIdentityResourceID == "" {
		return typed.Invalid("spec.identity.userAssignedIdentityResourceID is empty, but must be set because spec.identity.type is UserAssigned")
	}
	hub.Spec.Identity = &aks.ManagedClusterIdentity{
		Type:                   ptr.To(string(identity.Type)),
		UserAssignedIdentities: []aks.UserAssignedIdentityDetails{{Reference: genruntime.ResourceReference{ARMID: identity.UserAssignedIdentityResourceID}}},
	}
	return nil
}

// setAccess sets who reaches the API server, and the Secrets that ASO writes kubeconfigs to. Local accounts that are
// disabled have no kubeconfig that could be fetched.
func (c *aksCluster) setAccess(hub *aks.ManagedCluster) {
	secrets := &aks.ManagedClusterOperatorSecrets{AdminCredentials: c.kubeconfigSecret("aso")}
	hub.Spec.OperatorSpec = &aks.ManagedClusterOperatorSpec{Secrets: secrets}
	if aad := c.spec.AADProfile; aad != nil {
		hub.Spec.AadProfile = &aks.ManagedClusterAADProfile{
			Managed: ptr.To(aad.Managed), EnableAzureRBAC: ptr.To(aad.Managed), AdminGroupObjectIDs: aad.AdminGroupObjectIDs}
		hub.Spec.DisableLocalAccounts = c.spec.DisableLocalAccounts
		if ptr.Deref(c.spec.DisableLocalAccounts, false) {
			secrets.AdminCredentials = nil
		}
		if aad.Managed {
			secrets.UserCredentials = c.kubeconfigSecret("user-aso")
		}
	}
	if access := c.spec.APIServerAccessProfile; access != nil {
		hub.Spec.ApiServerAccessProfile = &aks.ManagedClusterAPIServerAccessProfile{
			AuthorizedIPRanges:             access.AuthorizedIPRanges,
			EnablePrivateCluster:           access.EnablePrivateCluster,
			PrivateDNSZone:                 access.PrivateDNSZone,
			EnablePrivateClusterPublicFQDN: access.EnablePrivateClusterPublicFQDN,
		}
	}
}

func (c *aksCluster) kubeconfigSecret(kind string) *genruntime.SecretDestination {
	return &genruntime.SecretDestination{Name: c.cluster.Name + "-" + kind + "-kubeconfig", Key: kubeconfigKey}
}

// setOIDCIssuer sets the OIDC issuer, whose URL ASO writes to a ConfigMap.
func (c *aksCluster) setOIDCIssuer(hub *aks.ManagedCluster) {
	enabled := ptr.To(false)
	if c.spec.OIDCIssuerProfile != nil && c.spec.OIDCIssuerProfile.Enabled != nil {
		enabled = c.spec.OIDCIssuerProfile.Enabled
	}
	hub.Spec.OidcIssuerProfile = &aks.ManagedClusterOIDCIssuerProfile{Enabled: enabled}
	if *enabled {
		hub.Spec.OperatorSpec.ConfigMaps = &aks.ManagedClusterOperatorConfigMaps{OIDCIssuerProfile: &genruntime.ConfigMapDestination{
			Name: c.cluster.Name + "-aso-oidc-issuer-profile", Key: "oidc-issuer-profile-url"}}
	}
}

func (c *aksCluster) setSecurityProfile(hub *aks.ManagedCluster) {
	s := c.spec.SecurityProfile
	if s == nil {
		return
	}
	profile := &aks.ManagedClusterSecurityProfile{}
	if kms := s.AzureKeyVaultKms; kms != nil {
		profile.AzureKeyVaultKms = &aks.AzureKeyVaultKms{
			Enabled: &kms.Enabled, KeyId: &kms.KeyID, KeyVaultNetworkAccess: (*string)(kms.KeyVaultNetworkAccess)}
		if kms.KeyVaultResourceID != nil {
			profile.AzureKeyVaultKms.KeyVaultResourceReference = typed.ByID(*kms.KeyVaultResourceID)
		}
	}
	if defender := s.Defender; defender != nil {
		profile.Defender = &aks.ManagedClusterSecurityProfileDefender{
			LogAnalyticsWorkspaceResourceReference: typed.ByID(defender.LogAnalyticsWorkspaceResourceID),
			SecurityMonitoring:                     &aks.ManagedClusterSecurityProfileDefenderSecurityMonitoring{Enabled: &defender.SecurityMonitoring.Enabled},
		}
	}
	if cleaner := s.ImageCleaner; cleaner != nil {
		profile.ImageCleaner = &aks.ManagedClusterSecurityProfileImageCleaner{Enabled: &cleaner.Enabled, IntervalHours: cleaner.IntervalHours}
	}
	if identity := s.WorkloadIdentity; identity != nil {
		profile.WorkloadIdentity = &aks.ManagedClusterSecurityProfileWorkloadIdentity{Enabled: &identity.Enabled}
	}
	hub.Spec.SecurityProfile = profile
}

// setAutomation sets what AKS does by itself: upgrades and scaling.
func (c *aksCluster) setAutomation(hub *aks.ManagedCluster) {
	if upgrades := c.spec.AutoUpgradeProfile; upgrades != nil {
		hub.Spec.AutoUpgradeProfile = &aks.ManagedClusterAutoUpgradeProfile{UpgradeChannel: (*string)(upgrades.UpgradeChannel)}
	}
	s := c.spec.AutoScalerProfile
	if s == nil {
		return
	}
	hub.Spec.AutoScalerProfile = &aks.ManagedClusterProperties_AutoScalerProfile{
		BalanceSimilarNodeGroups:      (*string)(s.BalanceSimilarNodeGroups),
		Expander:                      (*string)(s.Expander),
		MaxEmptyBulkDelete:            s.MaxEmptyBulkDelete,
		MaxGracefulTerminationSec:     s.MaxGracefulTerminationSec,
		MaxNodeProvisionTime:          s.MaxNodeProvisionTime,
		MaxTotalUnreadyPercentage:     s.MaxTotalUnreadyPercentage,
		NewPodScaleUpDelay:            s.NewPodScaleUpDelay,
		OkTotalUnreadyCount:           s.OkTotalUnreadyCount,
		ScanInterval:                  s.ScanInterval,
		ScaleDownDelayAfterAdd:        s.ScaleDownDelayAfterAdd,
		ScaleDownDelayAfterDelete:     s.ScaleDownDelayAfterDelete,
		ScaleDownDelayAfterFailure:    s.ScaleDownDelayAfterFailure,
		ScaleDownUnneededTime:         s.ScaleDownUnneededTime,
		ScaleDownUnreadyTime:          s.ScaleDownUnreadyTime,
		ScaleDownUtilizationThreshold: s.ScaleDownUtilizationThreshold,
		SkipNodesWithLocalStorage:     (*string)(s.SkipNodesWithLocalStorage),
		SkipNodesWithSystemPods:       (*string)(s.SkipNodesWithSystemPods),
	}
}
