package aks

import (
	"fmt"

	extensions "github.com/Azure/azure-service-operator/v2/api/kubernetesconfiguration/v1api20230501"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
)

// extensions returns the extensions of the cluster.
func (c *aksCluster) extensions() []*plan.Resource {
	var objects []*plan.Resource
	for i, e := range c.spec.Extensions {
		path := fmt.Sprintf("spec.extensions[%d]", i)
		objects = append(objects, c.object(path, v1beta1.ASOObjectName(e.Name), &extensions.Extension{Spec: c.extension(e)}, nil))
	}
	return objects
}

func (c *aksCluster) extension(e v1beta1.AKSExtension) extensions.Extension_Spec {
	spec := extensions.Extension_Spec{
		AzureName:               e.Name,
		Owner:                   &genruntime.ArbitraryOwnerReference{ARMID: c.managedClusterID()},
		AutoUpgradeMinorVersion: e.AutoUpgradeMinorVersion,
		ConfigurationSettings:   e.ConfigurationSettings,
		ExtensionType:           e.ExtensionType,
		ReleaseTrain:            e.ReleaseTrain,
		Version:                 e.Version,
		Scope:                   extensionScope(e.Scope),
	}
	if spec.Owner.ARMID == "" {
		spec.Owner = &genruntime.ArbitraryOwnerReference{Group: "containerservice.azure.com", Kind: "ManagedCluster", Name: v1beta1.ASOObjectName(c.name)}
	}
	if e.Plan != nil {
		spec.Plan = &extensions.Plan{Name: &e.Plan.Name, Product: &e.Plan.Product, PromotionCode: typed.Text(e.Plan.PromotionCode),
			Publisher: &e.Plan.Publisher, Version: &e.Plan.Version}
	}
	if e.Identity != "" {
		spec.Identity = &extensions.Identity{Type: ptr.To(extensions.Identity_Type(e.Identity))}
	}
	if e.AKSAssignedIdentityType != "" {
		spec.AksAssignedIdentity = &extensions.Extension_Properties_AksAssignedIdentity_Spec{
			Type: ptr.To(extensions.Extension_Properties_AksAssignedIdentity_Type_Spec(e.AKSAssignedIdentityType))}
	}
	return spec
}

func extensionScope(scope *v1beta1.ExtensionScope) *extensions.Scope {
	switch {
	case scope == nil:
		return nil
	case scope.ScopeType == v1beta1.ExtensionScopeNamespace:
		return &extensions.Scope{Namespace: &extensions.ScopeNamespace{TargetNamespace: ptr.To(scope.TargetNamespace)}}
	}
	return &extensions.Scope{Cluster: &extensions.ScopeCluster{ReleaseNamespace: ptr.To(scope.ReleaseNamespace)}}
}
