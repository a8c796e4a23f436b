package typed

import (
	"fmt"
	"maps"
	"strings"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// ARMID returns the ID that Azure Resource Manager (ARM) gives a resource; types alternate with names.
func ARMID(subscription, resourceGroup, provider string, typesAndNames ...string) string {
	return fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/%s/%s",
		subscription, resourceGroup, provider, strings.Join(typesAndNames, "/"))
}

// OwnedBy refers to an owner by the name of its object.
func OwnedBy(azureName string) *genruntime.KnownResourceReference {
	return &genruntime.KnownResourceReference{Name: v1beta1.ASOObjectName(azureName)}
}

// ByID refers to a resource by its ARM ID; nil if there is none.
func ByID(id string) *genruntime.ResourceReference {
	if id == "" {
		return nil
	}
	return &genruntime.ResourceReference{ARMID: id}
}

// Tags of CAPZ beside v1beta1.OwnedTag, which decides ownership, and values of TagRole.
const (
	TagRole    = "sigs.k8s.io_cluster-api-provider-azure_role"
	TagName    = "Name"
	RoleCommon = "common"
)

// OwnedTags returns the tags of a resource that is made for the Cluster; role is empty for none.
func OwnedTags(cluster, name, role string) map[string]string {
	tags := map[string]string{v1beta1.OwnedTag(cluster): "owned", TagName: name}
	if role != "" {
		tags[TagRole] = role
	}
	return tags
}

// Merged returns all tags; of two with the same key the later counts.
func Merged(tags ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, t := range tags {
		maps.Copy(all, t)
	}
	return all
}

// With returns a copy of m in which key has the value.
func With(m map[string]string, key, value string) map[string]string {
	return Merged(m, map[string]string{key: value})
}

// Text returns a pointer to the text, nil if it is empty.
func Text[T ~string](s T) *string {
	if s == "" {
		return nil
	}
	t := string(s)
	return &t
}

// Optional is Text for a pointer.
func Optional[T ~string](s *T) *string {
	if s == nil {
		return nil
	}
	return Text(*s)
}
