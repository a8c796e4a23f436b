package containerservice

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

const (
	typeFleet       = "Microsoft.ContainerService/fleets"
	typeFleetMember = typeFleet + "/members"
	typeUpdateRun   = typeFleet + "/updateRuns"
)

func fleetTypes() []*arm.ResourceType {
	fleet := containerServiceProtocol()
	fleet.Remove.NoBody = false
	fleet.OperationsVersion = "2016-03-30"
	member := fleet
	member.Create.State = "Joining"
	return []*arm.ResourceType{
		{Name: typeFleet, Tracked: true, Protocol: fleet, Apply: applyFleet, Settle: settleFleet},
		{Name: typeFleetMember, Protocol: member, Validate: validateFleetMember, Apply: applyFleet},
		{Name: typeUpdateRun, Protocol: arm.Synchronous, Validate: validateUpdateRun, Apply: applyUpdateRun},
		{Name: typeFleet + "/updateStrategies", Protocol: arm.Synchronous, Apply: applyUpdateStrategy},
		{Name: typeFleet + "/autoUpgradeProfiles", Protocol: arm.Synchronous, Apply: applyAutoUpgradeProfile},
	}
}

// validateFleetMember refuses a cluster that is not there.
func validateFleetMember(p *arm.Put) *arm.Error {
	cluster := fields.Text(p.Requested, "properties", "clusterResourceId")
	if p.Service.Store.Get(cluster) == nil {
		return arm.BadRequest("InvalidResourceReference", "Resource %s referenced by fleet member %s was not found.", cluster, p.ID.Name)
	}
	return nil
}

// applyFleetResource adds what every resource of the fleet provider has.
func applyFleetResource(p *arm.Put) {
	now := p.Now.UTC().Format(time.RFC3339)
	created := now
	if p.Existing != nil {
		created = fields.Text(p.Existing.Body, "systemData", "createdAt")
	}
	p.Result["systemData"] = map[string]any{
		"createdAt": created, "createdBy": "azuresim", "createdByType": "Application",
		"lastModifiedAt": now, "lastModifiedBy": "azuresim", "lastModifiedByType": "Application",
	}
	p.Result["eTag"] = `"` + uuid.NewString() + `"`
	fields.Child(p.Result, "properties")
	p.Changed = true
}

func applyFleet(p *arm.Put) *arm.Error {
	applyFleetResource(p)
	properties := fields.Child(p.Result, "properties")
	if hub, ok := properties["hubProfile"].(map[string]any); ok && p.Existing != nil {
		if before, ok := fields.At(p.Existing.Body, "properties", "hubProfile").(map[string]any); ok {
			fields.Fill(hub, before)
		}
	}
	properties["status"] = map[string]any{"lastOperationId": uuid.NewString()}
	return nil
}

// settleFleet gives a fleet with a hub cluster its host names.
func settleFleet(s *arm.Service, r *arm.Resource) error {
	hub, ok := r.Properties()["hubProfile"].(map[string]any)
	if !ok {
		return nil
	}
	name := fmt.Sprintf("%s-%s", fields.Text(hub, "dnsPrefix"), uniqueLabel(r.ID))
	domain := arm.NormalLocation(r.Location()) + "." + s.Tenants.CloudOf(r.Identity().Subscription).AKSDomain
	fields.Fill(hub, map[string]any{
		"fqdn": name + ".hcp." + domain, "portalFqdn": name + ".portal.hcp." + domain,
		"kubernetesVersion": kubernetesVersion{minor: defaultMinor, patch: latestPatch[defaultMinor]}.String(),
	})
	return s.Store.Put(r)
}

func validateUpdateRun(p *arm.Put) *arm.Error {
	if len(p.Service.Store.Children(p.ID.Parent, typeFleetMember)) == 0 {
		return arm.Conflict("UpdateRunTargetingEmptyFleet", "The target fleet of this update run is empty. Resource ID: %q.", p.ID.Path)
	}
	return nil
}

// notStarted is the status of an update run, and of each part of it, before somebody starts it.
func notStarted() map[string]any {
	return map[string]any{"state": "NotStarted"}
}

// applyUpdateRun plans the run: the stages and groups of its strategy, or one of each that has every member.
func applyUpdateRun(p *arm.Put) *arm.Error {
	applyFleetResource(p)
	properties := fields.Child(p.Result, "properties")
	completeStrategy(properties)
	stages := fields.Objects(properties, "strategy", "stages")
	if len(stages) == 0 {
		stages = []map[string]any{{"name": "default", "groups": []any{map[string]any{"name": "default"}}}}
	}
	var planned []any
	for _, stage := range stages {
		var groups []any
		for _, group := range fields.Objects(stage, "groups") {
			groups = append(groups, map[string]any{"name": group["name"], fields.Status: notStarted(), "members": plannedMembers(p, fields.Text(group, "name"))})
		}
		planned = append(planned, map[string]any{"name": stage["name"], fields.Status: notStarted(), "groups": groups})
	}
	properties["status"] = map[string]any{fields.Status: notStarted(), "nodeImageSelection": map[string]any{}, "stages": planned}
	return nil
}

func plannedMembers(p *arm.Put, group string) []any {
	var members []any
	for _, member := range p.Service.Store.Children(p.ID.Parent, typeFleetMember) {
		if group == "default" || strings.EqualFold(fields.Text(member.Body, "properties", "group"), group) {
			members = append(members, map[string]any{"name": member.Name, "clusterResourceId": fields.Text(member.Body, "properties", "clusterResourceId"), fields.Status: notStarted()})
		}
	}
	return members
}

func applyUpdateStrategy(p *arm.Put) *arm.Error {
	applyFleetResource(p)
	completeStrategy(fields.Child(p.Result, "properties"))
	return nil
}

func completeStrategy(properties map[string]any) {
	for _, stage := range fields.Objects(properties, "strategy", "stages") {
		fields.Fill(stage, map[string]any{"afterStageWaitInSeconds": int64(0)})
	}
}

func applyAutoUpgradeProfile(p *arm.Put) *arm.Error {
	applyFleetResource(p)
	fields.Fill(fields.Child(p.Result, "properties"), map[string]any{"disabled": false})
	return nil
}
