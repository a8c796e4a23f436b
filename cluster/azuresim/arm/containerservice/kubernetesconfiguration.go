package containerservice

import (
	"cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// extensionVersion is what is installed of an extension that AKS chooses the version of.
const extensionVersion = "1.19.5"

func kubernetesConfigurationTypes() []*arm.ResourceType {
	p := arm.Protocol{
		Create:     arm.Answer{Status: 201, AsyncOperation: true, Location: true, State: arm.StateCreating},
		Update:     arm.Answer{Status: 202, AsyncOperation: true, State: arm.StateUpdating},
		Remove:     arm.Answer{Status: 202, AsyncOperation: true, State: arm.StateDeleting, NoBody: true},
		Poll:       arm.PollIdentified,
		Operations: arm.OperationsSegment,
		Below:      true,
		Statuses:   map[arm.Change][]string{arm.Create: {arm.StateCreating}, arm.Update: {arm.StateUpdating}, arm.Remove: {arm.StateDeleting}},
	}
	return []*arm.ResourceType{
		{Name: "Microsoft.KubernetesConfiguration/extensions", Protocol: p, Apply: keepVersion, Settle: settleExtension, Missing: extensionMissing("Extension instance with name '%s' not found.")},
		{Name: "Microsoft.KubernetesConfiguration/fluxConfigurations", Protocol: p, Missing: extensionMissing("The fluxConfiguration was not found. Name: '%s'.")},
	}
}

// keepVersion keeps which version is installed: an update may bring another, but not before it has succeeded.
func keepVersion(p *arm.Put) *arm.Error {
	arm.ApplyGeneric(p)
	if p.Existing != nil {
		if version := fields.Text(p.Existing.Body, "properties", "currentVersion"); version != "" {
			fields.Child(p.Result, "properties")["currentVersion"] = version
		}
	}
	return nil
}

// settleExtension says which version is installed, which Azure does not before.
func settleExtension(s *arm.Service, r *arm.Resource) error {
	r.Properties()["currentVersion"] = cmp.Or(fields.Text(r.Body, "properties", "version"), extensionVersion)
	return s.Store.Put(r)
}

func extensionMissing(message string) func(arm.ID, *arm.Service, string) *arm.Error {
	return func(id arm.ID, _ *arm.Service, _ string) *arm.Error {
		e := arm.NotFound("ResourceNotFound", message, id.Name)
		e.AdditionalInfo = true
		return e
	}
}
