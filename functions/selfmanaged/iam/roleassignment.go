// Package iam turns what an AzureMachine says of its identity into the Azure Service Operator (ASO) objects that it stands for. It is pure.
package iam

import (
	"strings"

	roles "github.com/Azure/azure-service-operator/v2/api/authorization/v1api20220401"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/defaulting"
)

// RoleAssignment returns the role that the identity has which Azure makes for a machine, or for all of a pool; nil where it makes none. Holder
// says in words what has the identity. PrincipalID is that of the identity, empty until the holder is there. CAPZ leaves the assignment in Azure when the machine goes; here it goes too.
func RoleAssignment(xr *v1beta1.AzureMachine, cluster typed.Cluster, holder, principalID string) *plan.Resource {
	spec := xr.Spec.DeepCopy()
	if spec.Identity != v1beta1.VMIdentitySystemAssigned {
		return nil
	}
	defaulting.Machine(&spec.AzureMachineClassSpec)
	role := spec.SystemAssignedIdentityRole
	defaulting.RoleOfIdentity(role, cluster.Subscription)
	const path = "spec.systemAssignedIdentityRole"
	var problem *composer.Blocked
	switch {
	case role.Name == "":
		problem = typed.Invalid("%s.name is empty, but must be a UUID, because role assignments are named so; provider-capz sets one when the object is created", path)
	case role.Scope != "" && aso.ParseID(scopeOf(role)) == nil:
		problem = typed.Invalid("%s.scope is %q, but must be the ID of a subscription, resource group or resource in Azure", path, role.Scope)
	}
	r := cluster.Resource(path, v1beta1.ASOObjectName(azuremachine.Name(xr)), &roles.RoleAssignment{Spec: roles.RoleAssignment_Spec{
		AzureName:     role.Name,
		Owner:         &genruntime.ArbitraryOwnerReference{ARMID: scopeOf(role)},
		PrincipalId:   typed.Text(principalID),
		PrincipalType: ptr.To(roles.RoleAssignmentProperties_PrincipalType_ServicePrincipal),
		RoleDefinitionReference: &genruntime.WellKnownResourceReference{
			ResourceReference: genruntime.ResourceReference{ARMID: role.DefinitionID}},
	}}, problem)
	// Its name is random, so that nobody else has made it.
	r.ParentOwnership = v1beta1.OwnershipOwned
	if principalID == "" {
		r.After = append(r.After, plan.Precondition{OfObject: true, Description: "Azure has made the identity of " + holder})
	}
	return r
}

// scopeOf returns the ID of what the role is for, as ASO takes it: it appends to it as it is.
func scopeOf(role *v1beta1.SystemAssignedIdentityRole) string {
	return strings.TrimSuffix(role.Scope, "/")
}
