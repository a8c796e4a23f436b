package arm

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

func containerServiceTypes() []*resourceType {
	return append([]*resourceType{
		managedClusterType(),
		agentPoolType(),
		{
			name:     TypeMaintenanceConfiguration,
			protocol: protocol{create: answer{status: 200}, update: answer{status: 200}, remove: answer{status: 200, noBody: true}},
			apply:    applyMaintenanceConfiguration,
			view:     viewMaintenanceConfiguration,
		},
		{
			name: TypeTrustedAccessRoleBinding,
			protocol: protocol{
				create:            answer{status: 201, asyncOperation: true, state: stateUpdating},
				update:            answer{status: 200, asyncOperation: true, state: stateUpdating},
				remove:            answer{status: 202, asyncOperation: true, location: true, state: stateDeleting, noBody: true},
				operations:        operationsSegment,
				results:           "operationresults",
				operationsVersion: "2025-03-01",
			},
			apply: applyBelowCluster,
		},
	}, fleetTypes()...)
}

func applyBelowCluster(p *put) *Error {
	child(p.result, "properties")
	p.result["id"] = lowerResourceGroups(p.resource.ID)
	return nil
}

func applyMaintenanceConfiguration(p *put) *Error {
	properties := child(p.result, "properties")
	if window, ok := properties["maintenanceWindow"].(map[string]any); ok {
		fill(window, map[string]any{"utcOffset": "+00:00", "startDate": p.now.UTC().Format(time.DateOnly)})
	}
	return nil
}

// viewMaintenanceConfiguration shows neither a type nor a state.
func viewMaintenanceConfiguration(s *Service, r *Resource, apiVersion string) map[string]any {
	body := viewWithoutState(s, r, apiVersion)
	delete(body, "type")
	return body
}

// viewWithoutState shows a resource that has no provisioningState.
func viewWithoutState(_ *Service, r *Resource, _ string) map[string]any {
	body := clone(r.Body)
	delete(child(body, "properties"), "provisioningState")
	return body
}

// applyIdentity adds what the platform knows of a resource's managed identities.
func applyIdentity(p *put) *Error {
	identity, ok := p.result["identity"].(map[string]any)
	if !ok {
		return nil
	}
	delete(identity, "delegatedResources")
	kind := text(identity, "type")
	if strings.Contains(kind, "SystemAssigned") {
		fill(identity, map[string]any{fieldPrincipal: uuid.NewString(), "tenantId": p.service.tenantOf(p.id.Subscription)})
	}
	assigned, ok := identity["userAssignedIdentities"].(map[string]any)
	if !ok {
		return nil
	}
	for id := range assigned {
		known := map[string]any{"clientId": uuid.NewString(), fieldPrincipal: uuid.NewString()}
		if r := p.service.store.get(id); r != nil {
			known = map[string]any{"clientId": text(r.Body, "properties", "clientId"), fieldPrincipal: text(r.Body, "properties", "principalId")}
		}
		assigned[id] = known
	}
	return nil
}
