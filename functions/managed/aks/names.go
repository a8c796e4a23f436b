package aks

import (
	"fmt"
	"maps"
	"strings"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// subnetName returns the name of the object of a subnet: names of subnets are unique within their network only.
func subnetName(network, subnet string) string { return v1beta1.ASOObjectName(network + "-" + subnet) }

// managedClusterID returns the ARM ID of the AKS cluster, empty where the spec has no subscription to build it with.
func (c *aksCluster) managedClusterID() string {
	if c.spec.SubscriptionID == "" {
		return ""
	}
	return armID(c.spec.SubscriptionID, c.spec.ResourceGroupName, "Microsoft.ContainerService", "managedClusters", c.name)
}

// armID returns the ID that Azure Resource Manager (ARM) gives a resource; types alternate with names.
func armID(subscription, resourceGroup, provider string, typesAndNames ...string) string {
	return fmt.Sprintf("/subscriptions/%s/resourceGroups/%s/providers/%s/%s",
		subscription, resourceGroup, provider, strings.Join(typesAndNames, "/"))
}

// ownedBy refers to an owner by the name of its object.
func ownedBy(azureName string) *genruntime.KnownResourceReference {
	return &genruntime.KnownResourceReference{Name: v1beta1.ASOObjectName(azureName)}
}

// byID refers to a resource by its ARM ID; nil if there is none.
func byID(id string) *genruntime.ResourceReference {
	if id == "" {
		return nil
	}
	return &genruntime.ResourceReference{ARMID: id}
}

// Tags of CAPZ beside v1beta1.OwnedTag, which decides ownership.
const (
	tagRole    = "sigs.k8s.io_cluster-api-provider-azure_role"
	tagName    = "Name"
	roleCommon = "common"
)

// ownedTags returns the tags of a resource that is made for the cluster.
func ownedTags(cluster, name, role string) map[string]string {
	tags := map[string]string{v1beta1.OwnedTag(cluster): "owned", tagName: name}
	if role != "" {
		tags[tagRole] = role
	}
	return tags
}

// merged returns all tags; of two with the same key the later counts.
func merged(tags ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, t := range tags {
		maps.Copy(all, t)
	}
	return all
}

// with returns a copy of m in which key has the value.
func with(m map[string]string, key, value string) map[string]string {
	return merged(m, map[string]string{key: value})
}

// text returns a pointer to the text, nil if it is empty.
func text[T ~string](s T) *string {
	if s == "" {
		return nil
	}
	t := string(s)
	return &t
}

// texts is text for a pointer.
func optional[T ~string](s *T) *string {
	if s == nil {
		return nil
	}
	return text(*s)
}
