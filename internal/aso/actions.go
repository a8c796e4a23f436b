package aso

import (
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// What a role in Azure has to allow beside reading, writing and deleting the type itself (Azure documentation, "Azure permissions").
var (
	// ofMachines is what provider-capz does for virtual machines, and the disks that they bring: Azure asks for the right to write these when a
	// machine is made.
	ofMachines = []string{
		"Microsoft.Compute/skus/read", "Microsoft.Compute/disks/read", "Microsoft.Compute/disks/write", "Microsoft.Compute/disks/delete",
		"Microsoft.Resources/tags/read", "Microsoft.Resources/tags/write",
	}
	// ofScaleSets is what provider-capz does for scale sets. The instances of a Flexible one are virtual machines that stand by themselves.
	ofScaleSets = []string{
		"Microsoft.Compute/skus/read", "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/read", "Microsoft.Resources/tags/read", "Microsoft.Resources/tags/write",
	}
	// ofCredentials are the actions by which ASO reads kubeconfigs into Secrets, by the field that asks for one.
	ofCredentials = map[string]string{
		"adminCredentials": "Microsoft.ContainerService/managedClusters/listClusterAdminCredential/action",
		"userCredentials":  "Microsoft.ContainerService/managedClusters/listClusterUserCredential/action",
	}
)

const applicationSecurityGroups = "microsoft.network/applicationsecuritygroups"

var orchestration = field.At[string]("spec", "orchestrationMode")

var operatorSecrets = field.At[map[string]any]("spec", "operatorSpec", "secrets")

// Actions returns what a role in Azure has to allow for the resource of an object, from its creation to its end. Of a resource that is only
// used, that is to read it and to refer to it.
func Actions(obj *unstructured.Unstructured, onlyUsed bool) []string {
	kind := obj.GroupVersionKind().GroupKind()
	ofType := TypeOf(kind)
	if ofType == "" {
		return nil
	}
	if kind == ResourceGroup.GroupKind() {
		ofType = "Microsoft.Resources/subscriptions/resourceGroups"
	}
	actions := []string{ofType + "/read"}
	if onlyUsed {
		return actions
	}
	actions = append(actions, ofType+"/write", ofType+"/delete")
	for _, polled := range sources[kind.String()].polled {
		actions = append(actions, polled+"/read")
	}
	if kind == VirtualMachine.GroupKind() {
		actions = append(actions, ofMachines...)
	}
	if kind == VirtualMachineScaleSet.GroupKind() {
		actions = append(actions, ofScaleSets...)
		if orchestration.Value(obj) == "Flexible" {
			actions = append(actions, VirtualMachine.ARM()+"/read", VirtualMachine.ARM()+"/delete")
		} else {
			actions = append(actions, ofType+"/virtualMachines/delete")
		}
	}
	for name := range operatorSecrets.Value(obj) {
		if action := ofCredentials[name]; action != "" && kind == ManagedCluster.GroupKind() {
			actions = append(actions, action)
		}
	}
	refersTo := func(linked string) {
		actions = append(actions, linkAction(obj, linked))
		machine := kind == VirtualMachine.GroupKind() || kind == VirtualMachineScaleSet.GroupKind()
		if machine && strings.EqualFold(linked, UserAssignedIdentity.ARM()) {
			actions = append(actions, UserAssignedIdentity.ARM()+"/read") // Of which client it is, provider-capz writes into azure.json.
		}
	}
	for _, ref := range References(obj) {
		if ref.Path != PathOwner {
			refersTo(TypeOf(ref.GroupKind))
		}
	}
	for _, at := range ids(specOf(obj), "spec") {
		if !strings.HasPrefix(at.path, PathOwner+".") && !within(at.id, obj) {
			refersTo(at.id.ResourceType.String())
		}
	}
	return slices.DeleteFunc(actions, func(action string) bool { return action == "" })
}

// within reports whether an ID is of the resource of an object or of a part of it, which needs no action of its own.
func within(id *arm.ResourceID, obj *unstructured.Unstructured) bool {
	for ; id != nil; id = id.Parent {
		if strings.EqualFold(id.ResourceType.String(), TypeOf(obj.GroupVersionKind().GroupKind())) && strings.EqualFold(id.Name, AzureName(obj)) {
			return true
		}
	}
	return false
}

// linkAction returns what has to be allowed on a resource of a type for that of an object to refer to it; empty for nothing.
func linkAction(obj *unstructured.Unstructured, linked string) string {
	kind := obj.GroupVersionKind().GroupKind()
	lower := strings.ToLower(linked)
	switch {
	case linked == "" || strings.HasPrefix(lower, "microsoft.resources/"):
		return ""
	case kind == VirtualNetworksVirtualNetworkPeering.GroupKind() && lower == "microsoft.network/virtualnetworks":
		return VirtualNetwork.ARM() + "/peer/action"
	case kind == PrivateEndpoint.GroupKind() && !strings.HasPrefix(lower, "microsoft.network/virtualnetworks"):
		return linked + "/PrivateEndpointConnectionsApproval/action"
	case lower == applicationSecurityGroups && (kind == NetworkSecurityGroup.GroupKind() || kind == NetworkSecurityGroupsSecurityRule.GroupKind()):
		return linked + "/joinNetworkSecurityRule/action"
	case lower == applicationSecurityGroups:
		return linked + "/joinIpConfiguration/action"
	case strings.EqualFold(linked, UserAssignedIdentity.ARM()):
		return UserAssignedIdentity.ARM() + "/assign/action"
	case strings.HasPrefix(lower, "microsoft.network/"):
		return linked + "/join/action"
	}
	return linked + "/read"
}
