package arm

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	typeFleet       = "Microsoft.ContainerService/fleets"
	typeFleetMember = typeFleet + "/members"
	typeUpdateRun   = typeFleet + "/updateRuns"
)

func fleetTypes() []*resourceType {
	fleet := containerServiceProtocol()
	fleet.remove.noBody = false
	fleet.operationsVersion = "2016-03-30"
	member := fleet
	member.create.state = "Joining"
	return []*resourceType{
		{name: typeFleet, tracked: true, protocol: fleet, apply: applyFleet, settle: settleFleet},
		{name: typeFleetMember, protocol: member, validate: validateFleetMember, apply: applyFleet},
		{name: typeUpdateRun, protocol: synchronous, validate: validateUpdateRun, apply: applyUpdateRun},
		{name: typeFleet + "/updateStrategies", protocol: synchronous, apply: applyUpdateStrategy},
		{name: typeFleet + "/autoUpgradeProfiles", protocol: synchronous, apply: applyAutoUpgradeProfile},
	}
}

// validateFleetMember refuses a cluster that is not there.
func validateFleetMember(p *put) *Error {
	cluster := text(p.requested, "properties", "clusterResourceId")
	if p.service.store.get(cluster) == nil {
		return badRequest("InvalidResourceReference", "Resource %s referenced by fleet member %s was not found.", cluster, p.id.Name)
	}
	return nil
}

// applyFleetResource adds what every resource of the fleet provider has.
func applyFleetResource(p *put) {
	now := p.now.UTC().Format(time.RFC3339)
	created := now
	if p.existing != nil {
		created = text(p.existing.Body, "systemData", "createdAt")
	}
	p.result["systemData"] = map[string]any{
		"createdAt": created, "createdBy": "azuresim", "createdByType": "Application",
		"lastModifiedAt": now, "lastModifiedBy": "azuresim", "lastModifiedByType": "Application",
	}
	p.result["eTag"] = `"` + uuid.NewString() + `"`
	child(p.result, "properties")
	p.changed = true
}

func applyFleet(p *put) *Error {
	applyFleetResource(p)
	properties := child(p.result, "properties")
	if hub, ok := properties["hubProfile"].(map[string]any); ok && p.existing != nil {
		if before, ok := at(p.existing.Body, "properties", "hubProfile").(map[string]any); ok {
			fill(hub, before)
		}
	}
	properties["status"] = map[string]any{"lastOperationId": uuid.NewString()}
	return nil
}

// settleFleet gives a fleet with a hub cluster its host names.
func settleFleet(s *Service, r *Resource) error {
	hub, ok := r.properties()["hubProfile"].(map[string]any)
	if !ok {
		return nil
	}
	name := fmt.Sprintf("%s-%s", text(hub, "dnsPrefix"), uniqueLabel(r.ID))
	domain := normalLocation(r.location()) + "." + s.tenants.CloudOf(r.id().Subscription).AKSDomain
	fill(hub, map[string]any{
		"fqdn": name + ".hcp." + domain, "portalFqdn": name + ".portal.hcp." + domain,
		"kubernetesVersion": kubernetesVersion{minor: defaultMinor, patch: latestPatch[defaultMinor]}.String(),
	})
	return s.store.put(r)
}

func validateUpdateRun(p *put) *Error {
	if len(p.service.store.children(p.id.Parent, typeFleetMember)) == 0 {
		return conflict("UpdateRunTargetingEmptyFleet", "The target fleet of this update run is empty. Resource ID: %q.", p.id.Path)
	}
	return nil
}

// notStarted is the status of an update run, and of each part of it, before somebody starts it.
func notStarted() map[string]any {
	return map[string]any{"state": "NotStarted"}
}

// applyUpdateRun plans the run: the stages and groups of its strategy, or one of each that has every member.
func applyUpdateRun(p *put) *Error {
	applyFleetResource(p)
	properties := child(p.result, "properties")
	completeStrategy(properties)
	stages := objects(properties, "strategy", "stages")
	if len(stages) == 0 {
		stages = []map[string]any{{"name": "default", "groups": []any{map[string]any{"name": "default"}}}}
	}
	var planned []any
	for _, stage := range stages {
		var groups []any
		for _, group := range objects(stage, "groups") {
			groups = append(groups, map[string]any{"name": group["name"], fieldStatus: notStarted(), "members": plannedMembers(p, text(group, "name"))})
		}
		planned = append(planned, map[string]any{"name": stage["name"], fieldStatus: notStarted(), "groups": groups})
	}
	properties["status"] = map[string]any{fieldStatus: notStarted(), "nodeImageSelection": map[string]any{}, "stages": planned}
	return nil
}

func plannedMembers(p *put, group string) []any {
	var members []any
	for _, member := range p.service.store.children(p.id.Parent, typeFleetMember) {
		if group == "default" || strings.EqualFold(text(member.Body, "properties", "group"), group) {
			members = append(members, map[string]any{"name": member.Name, "clusterResourceId": text(member.Body, "properties", "clusterResourceId"), fieldStatus: notStarted()})
		}
	}
	return members
}

func applyUpdateStrategy(p *put) *Error {
	applyFleetResource(p)
	completeStrategy(child(p.result, "properties"))
	return nil
}

func completeStrategy(properties map[string]any) {
	for _, stage := range objects(properties, "strategy", "stages") {
		fill(stage, map[string]any{"afterStageWaitInSeconds": int64(0)})
	}
}

func applyAutoUpgradeProfile(p *put) *Error {
	applyFleetResource(p)
	fill(child(p.result, "properties"), map[string]any{"disabled": false})
	return nil
}
