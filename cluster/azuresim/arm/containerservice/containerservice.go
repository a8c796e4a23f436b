// Package containerservice simulates Azure Kubernetes Service, its fleets, and what is configured in its clusters.
package containerservice

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// Types are the types of Azure Kubernetes Service, of its fleets, and of what is configured in clusters.
func Types() []*arm.ResourceType {
	return append([]*arm.ResourceType{
		managedClusterType(),
		agentPoolType(),
		{
			Name:     TypeMaintenanceConfiguration,
			Protocol: arm.Protocol{Create: arm.Answer{Status: 200}, Update: arm.Answer{Status: 200}, Remove: arm.Answer{Status: 200, NoBody: true}},
			Apply:    applyMaintenanceConfiguration,
			View:     viewMaintenanceConfiguration,
		},
		{
			Name: TypeTrustedAccessRoleBinding,
			Protocol: arm.Protocol{
				Create:            arm.Answer{Status: 201, AsyncOperation: true, State: arm.StateUpdating},
				Update:            arm.Answer{Status: 200, AsyncOperation: true, State: arm.StateUpdating},
				Remove:            arm.Answer{Status: 202, AsyncOperation: true, Location: true, State: arm.StateDeleting, NoBody: true},
				Operations:        arm.OperationsSegment,
				Results:           "operationresults",
				OperationsVersion: "2025-03-01",
			},
			Apply: applyBelowCluster,
		},
	}, append(fleetTypes(), kubernetesConfigurationTypes()...)...)
}

func applyBelowCluster(p *arm.Put) *arm.Error {
	fields.Child(p.Result, "properties")
	p.Result["id"] = arm.LowerResourceGroups(p.Resource.ID)
	return nil
}

func applyMaintenanceConfiguration(p *arm.Put) *arm.Error {
	properties := fields.Child(p.Result, "properties")
	if window, ok := properties["maintenanceWindow"].(map[string]any); ok {
		fields.Fill(window, map[string]any{"utcOffset": "+00:00", "startDate": p.Now.UTC().Format(time.DateOnly)})
	}
	return nil
}

// viewMaintenanceConfiguration shows neither a type nor a state.
func viewMaintenanceConfiguration(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := arm.ViewWithoutState(s, r, apiVersion)
	delete(body, "type")
	return body
}

// applyIdentity adds what the platform knows of a resource's managed identities.
func applyIdentity(p *arm.Put) *arm.Error {
	identity, ok := p.Result["identity"].(map[string]any)
	if !ok {
		return nil
	}
	delete(identity, "delegatedResources")
	kind := fields.Text(identity, "type")
	if strings.Contains(kind, "SystemAssigned") {
		fields.Fill(identity, map[string]any{fields.Principal: uuid.NewString(), "tenantId": p.Service.TenantOf(p.ID.Subscription)})
	}
	assigned, ok := identity["userAssignedIdentities"].(map[string]any)
	if !ok {
		return nil
	}
	for id := range assigned {
		known := map[string]any{"clientId": uuid.NewString(), fields.Principal: uuid.NewString()}
		if r := p.Service.Store.Get(id); r != nil {
			known = map[string]any{"clientId": fields.Text(r.Body, "properties", "clientId"), fields.Principal: fields.Text(r.Body, "properties", "principalId")}
		}
		assigned[id] = known
	}
	return nil
}
