package compute

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
)

// furtherComputeTypes are those of the compute provider of which the protocol and the defaults are known, and few rules.
func furtherComputeTypes() []*arm.ResourceType {
	disks := diskProtocol(0)
	plainDisks := diskProtocol(0)
	plainDisks.Create.State, plainDisks.Update.State = arm.StatusSucceeded, arm.StatusSucceeded
	return []*arm.ResourceType{
		{Name: "Microsoft.Compute/diskEncryptionSets", Tracked: true, Protocol: disks, Apply: applyDiskEncryptionSet, ViewOfPut: viewAsAsked, Settle: settleIdentity},
		{Name: "Microsoft.Compute/diskAccesses", Tracked: true, Protocol: plainDisks, Apply: applyTimeCreated, View: viewDiskAccess, ViewOfPut: viewWithoutTimes},
		{Name: "Microsoft.Compute/capacityReservationGroups", Tracked: true, Protocol: computeProtocol(0)},
		{Name: "Microsoft.Compute/capacityReservationGroups/capacityReservations", Tracked: true, Protocol: computeProtocol(0), Apply: applyCapacityReservation,
			Settle: func(s *arm.Service, r *arm.Resource) error {
				fields.Fill(r.Properties(), map[string]any{"provisioningTime": s.Clock.Now().UTC().Format(time.RFC3339Nano)})
				return s.Store.Put(r)
			}},
	}
}

func applyTimeCreated(p *arm.Put) *arm.Error {
	properties := fields.Child(p.Result, "properties")
	if p.Existing != nil {
		fields.Fill(properties, map[string]any{fields.Created: p.Existing.Properties()["timeCreated"]})
	}
	fields.Fill(properties, map[string]any{fields.Created: p.Now.UTC().Format(time.RFC3339Nano)})
	return nil
}

// viewDiskAccess shows the connections of private endpoints.
func viewDiskAccess(s *arm.Service, r *arm.Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	var connections []any
	for _, endpoint := range networking.ConnectionsTo(s, r) {
		name := r.Name + "." + uuid.NewSHA1(uuid.NameSpaceURL, []byte(endpoint.Key())).String()
		connections = append(connections, map[string]any{
			"name": name, "id": r.ID + "/privateEndpointConnections/" + name, "type": r.Type + "/PrivateEndpointConnections",
			fields.Properties: map[string]any{
				fields.State: arm.StatusSucceeded, "privateEndpoint": map[string]any{"id": endpoint.ID},
				"privateLinkServiceConnectionState": map[string]any{fields.Status: "Approved", "description": "Auto-Approved", "actionsRequired": "None"},
			},
		})
	}
	if len(connections) > 0 {
		fields.Child(body, "properties")["privateEndpointConnections"] = connections
	}
	return body
}

// viewWithoutTimes is what a disk access shows while it is made.
func viewWithoutTimes(_ *arm.Service, r *arm.Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	delete(fields.Child(body, "properties"), "timeCreated")
	delete(fields.Child(body, "properties"), "provisioningState")
	if len(fields.Child(body, "properties")) == 0 {
		delete(body, "properties")
	}
	return body
}

func applyDiskEncryptionSet(p *arm.Put) *arm.Error {
	fields.Fill(fields.Child(p.Result, "properties"), map[string]any{"encryptionType": "EncryptionAtRestWithCustomerKey"})
	if p.Existing != nil {
		fields.Fill(p.Result, map[string]any{"identity": fields.Clone(p.Existing.Body)["identity"]})
	}
	return nil
}

// viewAsAsked is what the resource shows while it is made.
func viewAsAsked(_ *arm.Service, r *arm.Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	delete(body, "id")
	delete(body, "type")
	return body
}

// settleIdentity gives a resource that asks for one its identity, when it has been made.
func settleIdentity(s *arm.Service, r *arm.Resource) error {
	identity, given := r.Body["identity"].(map[string]any)
	if given && strings.Contains(fields.Text(identity, "type"), "SystemAssigned") {
		fields.Fill(identity, map[string]any{fields.Principal: uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.Key())).String(), "tenantId": s.TenantOf(r.Identity().Subscription)})
	}
	return s.Store.Put(r)
}

func applyCapacityReservation(p *arm.Put) *arm.Error {
	fields.Fill(fields.Child(p.Result, "properties"), map[string]any{faultDomainCount: int64(1), "reservationId": uuid.NewSHA1(uuid.NameSpaceURL, []byte(p.ID.Key())).String()})
	return applyTimeCreated(p)
}
