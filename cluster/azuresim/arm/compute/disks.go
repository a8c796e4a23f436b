package compute

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
)

func diskType(name string) *arm.ResourceType {
	return &arm.ResourceType{
		Name: name, Tracked: true, Protocol: diskProtocol(2),
		Validate:  validateDisk,
		Apply:     applyDisk,
		Settle:    settleDisk,
		View:      viewDisk,
		Deletable: diskDeletable,
	}
}

func validateDisk(p *arm.Put) *arm.Error {
	if p.Existing == nil && fields.Text(p.Requested, "properties", "creationData", "createOption") == "" {
		return computeError(400, "InvalidParameter", "creationData", "Required parameter 'creationData' is missing (null).")
	}
	if p.Existing == nil {
		return nil
	}
	before, _ := fields.Number(p.Existing.Body, "properties", "diskSizeGB")
	if wanted, given := fields.Number(p.Requested, "properties", "diskSizeGB"); given && wanted < before {
		return arm.BadRequest("InvalidParameter", "Disk size reduction is not supported. Current size is %d GB, requested size is %d GB.", before, wanted)
	}
	return networking.SameZones(p)
}

// applyDisk stores what the request asks for; the rest comes with settleDisk, as Azure does it.
func applyDisk(p *arm.Put) *arm.Error {
	if p.Existing != nil {
		before := fields.Clone(p.Existing.Properties())
		p.Resource.Private = fields.Clone(p.Existing.Private)
		p.Resource.Private["before"] = before
		if tier := fields.Text(before, "tier"); tier != "" {
			fields.Child(p.Result, "properties")["tier"] = tier
		}
		if sku := fields.Clone(p.Existing.Body)["sku"]; sku != nil && p.Result["sku"] == nil {
			p.Result["sku"] = sku
		}
		if owner := fields.Text(p.Existing.Body, "managedBy"); owner != "" {
			p.Result["managedBy"] = owner
		}
	}
	return nil
}

// performance is what a disk of 500 GB of a kind does; the simulator knows no other sizes.
var performance = map[string][2]int64{
	"standard_lrs": {500, 60}, "standardssd_lrs": {500, 60}, "standardssd_zrs": {500, 60}, "premium_lrs": {2300, 150}, "premium_zrs": {2300, 150},
}

func settleDisk(s *arm.Service, r *arm.Resource) error {
	properties := r.Properties()
	if before, ok := r.Private["before"].(map[string]any); ok {
		fields.Fill(properties, before)
		delete(r.Private, "before")
	}
	kind := fields.Text(r.Body, "sku", "name")
	if kind == "" {
		kind = "Standard_LRS"
		fields.Child(r.Body, "sku")["name"] = kind
	}
	tier, _, _ := strings.Cut(kind, "_")
	fields.Fill(fields.Child(r.Body, "sku"), map[string]any{"tier": strings.TrimSuffix(tier, "SSD")})
	size, _ := fields.Number(properties, "diskSizeGB")
	speed := performance[strings.ToLower(kind)]
	fields.Fill(properties, map[string]any{
		"diskIOPSReadWrite": speed[0], "diskMBpsReadWrite": speed[1], "encryption": map[string]any{"type": "EncryptionAtRestWithPlatformKey"},
		"networkAccessPolicy": "AllowAll", "publicNetworkAccess": "Enabled", "diskSizeBytes": size << 30, "uniqueId": uuid.NewString(),
		"diskState": "Unattached", fields.Created: s.Clock.Now().UTC().Format(time.RFC3339Nano),
	})
	if tier == "Premium" {
		fields.Fill(properties, map[string]any{"tier": "P20"})
	}
	if r.Type == typeSnapshot {
		fields.Fill(properties, map[string]any{"incremental": false})
		delete(properties, "diskIOPSReadWrite")
		delete(properties, "diskMBpsReadWrite")
	}
	return s.Store.Put(r)
}

func viewDisk(_ *arm.Service, r *arm.Resource, apiVersion string) map[string]any {
	body := fields.Clone(r.Body)
	fields.Hide(body, []fields.Versioned{{Path: "properties.publicNetworkAccess", Since: "2021-04-01"}}, apiVersion)
	return body
}

func diskDeletable(_ *arm.Service, r *arm.Resource) *arm.Error {
	if owner := fields.Text(r.Body, "managedBy"); owner != "" {
		_, _, machine := arm.CutPart(owner)
		return arm.Conflict("OperationNotAllowed", "Disk %s is attached to VM %s.", r.Name, machine)
	}
	return nil
}

// attach makes a disk that of a machine; a disk that is not there yet is made.
func attach(s *arm.Service, machine *arm.Resource, disk map[string]any, name string) error {
	path := machine.Identity().GroupPath() + "/providers/" + TypeDisk + "/" + name
	if given := fields.Text(disk, managedDisk, "id"); given != "" {
		path = given
	}
	r := s.Store.Get(path)
	if r == nil {
		size, _ := fields.Number(disk, "diskSizeGB")
		r = &arm.Resource{ID: path, Type: TypeDisk, Name: name, Created: s.Clock.Now(), APIVersion: machine.APIVersion, Private: map[string]any{}}
		r.Body = arm.NewBody(path, name, TypeDisk, map[string]any{
			"creationData": map[string]any{"createOption": fields.Text(disk, "createOption")}, "diskSizeGB": size, fields.State: arm.StatusSucceeded,
		})
		r.Body[fields.Location] = machine.Location()
		r.Body["sku"] = map[string]any{"name": fields.Text(disk, managedDisk, "storageAccountType")}
		for _, field := range []string{"zones", "tags"} {
			if value, ok := fields.Clone(machine.Body)[field]; ok {
				r.Body[field] = value
			}
		}
		if kind := fields.Text(disk, "osType"); kind != "" {
			r.Properties()["osType"] = kind
		}
		if err := settleDisk(s, r); err != nil {
			return err
		}
	}
	fields.Child(disk, managedDisk)["id"] = r.ID
	r.Body["managedBy"] = machine.ID
	r.Properties()["diskState"] = "Attached"
	return s.Store.Put(r)
}

// detach frees a disk, or removes it if its machine's description says so.
func detach(s *arm.Service, path string, remove bool) error {
	r := s.Store.Get(path)
	switch {
	case r == nil:
		return nil
	case remove:
		return s.Remove(r)
	}
	delete(r.Body, "managedBy")
	r.Properties()["diskState"] = "Unattached"
	return s.Store.Put(r)
}
