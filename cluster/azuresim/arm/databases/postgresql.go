// Package databases simulates Azure Database for PostgreSQL: flexible servers, and what is below them.
package databases

import (
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

const (
	typeServer = "Microsoft.DBforPostgreSQL/flexibleServers"
	domain     = ".postgres.database.azure.com"
	// password is written only: Azure never tells it.
	password = "administratorLoginPassword"
	enabled  = "Enabled"
)

// The states of a server. It is changed in state Ready only.
const (
	provisioning = "Provisioning"
	updating     = "Updating"
	ready        = "Ready"
)

// Types are the types of PostgreSQL servers, databases, firewall rules and administrators.
func Types() []*arm.ResourceType {
	types := []*arm.ResourceType{{
		Name: typeServer, Tracked: true, Protocol: protocol(60, 15),
		Validate: validateServer, Apply: applyServer, Settle: settleServer, View: viewServer,
	}}
	for name, removed := range map[string]int{"databases": 15, "firewallRules": 60, "administrators": 30} {
		types = append(types, &arm.ResourceType{Name: typeServer + "/" + name, Protocol: protocol(60, removed), View: arm.ViewWithoutState})
	}
	return types
}

// protocol has Azure say how many seconds to wait after a write and a removal, and at each poll of it.
func protocol(written, removed int) arm.Protocol {
	accepted := arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: written, State: arm.StateUpdating, EmptyBody: true}
	return arm.Protocol{
		Create:     accepted,
		Update:     accepted,
		Remove:     arm.Answer{Status: 202, AsyncOperation: true, Location: true, RetryAfter: removed, State: arm.StateDeleting, NoBody: true},
		Polls:      map[arm.Change][]int{arm.Create: {written}, arm.Update: {written}, arm.Remove: {removed}},
		Operations: "azureAsyncOperation",
		Results:    "operationResults",
	}
}

// validateServer refuses a server that nobody could sign in to.
func validateServer(p *arm.Put) *arm.Error {
	byPassword := fields.Text(p.Requested, "properties", "authConfig", "passwordAuth")
	if p.Existing != nil || byPassword != "" && byPassword != enabled || fields.Text(p.Requested, "properties", password) != "" {
		return nil
	}
	return arm.BadRequest("InvalidParameterValue", "Invalid value given for parameter %s. Specify a valid parameter value.", password)
}

// applyServer adds what Azure knows of a server from the beginning.
func applyServer(p *arm.Put) *arm.Error {
	properties := fields.Child(p.Result, "properties")
	if p.Existing != nil {
		fields.Fill(properties, p.Existing.Properties())
	}
	fields.Fill(properties, map[string]any{
		"fullyQualifiedDomainName": p.ID.Name + domain,
		"replicationRole":          "Primary",
		"network":                  map[string]any{"publicNetworkAccess": enabled},
		"backup":                   map[string]any{"backupRetentionDays": int64(7), "geoRedundantBackup": "Disabled"},
		"highAvailability":         map[string]any{"mode": "Disabled", "state": "NotEnabled"},
	})
	properties["state"] = updating
	if p.Existing == nil {
		properties["state"] = provisioning
	}
	return nil
}

func settleServer(s *arm.Service, r *arm.Resource) error {
	r.Properties()["state"] = ready
	return s.Store.Put(r)
}

func viewServer(s *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := arm.ViewWithoutState(s, r, apiVersion)
	delete(fields.Child(body, "properties"), password)
	return body
}
