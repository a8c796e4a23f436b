package arm

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// equalIDs compares identifiers.
func equalIDs(a, b string) bool {
	return strings.EqualFold(a, b)
}

func diskType(name string) *resourceType {
	return &resourceType{
		name: name, tracked: true, protocol: diskProtocol(2),
		validate:  validateDisk,
		apply:     applyDisk,
		settle:    settleDisk,
		view:      viewDisk,
		deletable: diskDeletable,
	}
}

func validateDisk(p *put) *Error {
	if p.existing == nil && text(p.requested, "properties", "creationData", "createOption") == "" {
		return computeError(400, "InvalidParameter", "creationData", "Required parameter 'creationData' is missing (null).")
	}
	if p.existing == nil {
		return nil
	}
	before, _ := number(p.existing.Body, "properties", "diskSizeGB")
	if wanted, given := number(p.requested, "properties", "diskSizeGB"); given && wanted < before {
		return badRequest("InvalidParameter", "Disk size reduction is not supported. Current size is %d GB, requested size is %d GB.", before, wanted)
	}
	return sameZones(p)
}

// applyDisk stores what the request asks for; the rest comes with settleDisk, as Azure does it.
func applyDisk(p *put) *Error {
	if p.existing != nil {
		before := clone(p.existing.properties())
		p.resource.Private = clone(p.existing.Private)
		p.resource.Private["before"] = before
		if tier := text(before, "tier"); tier != "" {
			child(p.result, "properties")["tier"] = tier
		}
		if sku := clone(p.existing.Body)["sku"]; sku != nil && p.result["sku"] == nil {
			p.result["sku"] = sku
		}
		if owner := text(p.existing.Body, "managedBy"); owner != "" {
			p.result["managedBy"] = owner
		}
	}
	return nil
}

// performance is what a disk of 500 GB of a kind does; the simulator knows no other sizes.
var performance = map[string][2]int64{
	"standard_lrs": {500, 60}, "standardssd_lrs": {500, 60}, "standardssd_zrs": {500, 60}, "premium_lrs": {2300, 150}, "premium_zrs": {2300, 150},
}

func settleDisk(s *Service, r *Resource) error {
	properties := r.properties()
	if before, ok := r.Private["before"].(map[string]any); ok {
		fill(properties, before)
		delete(r.Private, "before")
	}
	kind := text(r.Body, "sku", "name")
	if kind == "" {
		kind = "Standard_LRS"
		child(r.Body, "sku")["name"] = kind
	}
	tier, _, _ := strings.Cut(kind, "_")
	fill(child(r.Body, "sku"), map[string]any{"tier": strings.TrimSuffix(tier, "SSD")})
	size, _ := number(properties, "diskSizeGB")
	speed := performance[strings.ToLower(kind)]
	fill(properties, map[string]any{
		"diskIOPSReadWrite": speed[0], "diskMBpsReadWrite": speed[1], "encryption": map[string]any{"type": "EncryptionAtRestWithPlatformKey"},
		"networkAccessPolicy": "AllowAll", "publicNetworkAccess": "Enabled", "diskSizeBytes": size << 30, "uniqueId": uuid.NewString(),
		"diskState": "Unattached", fieldCreated: s.clock.Now().UTC().Format(time.RFC3339Nano),
	})
	if tier == "Premium" {
		fill(properties, map[string]any{"tier": "P20"})
	}
	if r.Type == typeSnapshot {
		fill(properties, map[string]any{"incremental": false})
		delete(properties, "diskIOPSReadWrite")
		delete(properties, "diskMBpsReadWrite")
	}
	return s.store.put(r)
}

func viewDisk(_ *Service, r *Resource, apiVersion string) map[string]any {
	body := clone(r.Body)
	hideFields(body, []field{{path: "properties.publicNetworkAccess", since: "2021-04-01"}}, apiVersion)
	return body
}

func diskDeletable(_ *Service, r *Resource) *Error {
	if owner := text(r.Body, "managedBy"); owner != "" {
		_, _, machine := cutPart(owner)
		return conflict("OperationNotAllowed", "Disk %s is attached to VM %s.", r.Name, machine)
	}
	return nil
}

// attach makes a disk that of a machine; a disk that is not there yet is made.
func (s *Service) attach(machine *Resource, disk map[string]any, name string) error {
	path := machine.id().groupPath() + "/providers/" + TypeDisk + "/" + name
	if given := text(disk, "managedDisk", "id"); given != "" {
		path = given
	}
	r := s.store.get(path)
	if r == nil {
		size, _ := number(disk, "diskSizeGB")
		r = &Resource{ID: path, Type: TypeDisk, Name: name, Created: s.clock.Now(), APIVersion: machine.APIVersion, Private: map[string]any{}}
		r.Body = newBody(path, name, TypeDisk, map[string]any{
			"creationData": map[string]any{"createOption": text(disk, "createOption")}, "diskSizeGB": size, fieldState: statusSucceeded,
		})
		r.Body["location"] = machine.location()
		r.Body["sku"] = map[string]any{"name": text(disk, "managedDisk", "storageAccountType")}
		for _, field := range []string{"zones", "tags"} {
			if value, ok := clone(machine.Body)[field]; ok {
				r.Body[field] = value
			}
		}
		if kind := text(disk, "osType"); kind != "" {
			r.properties()["osType"] = kind
		}
		if err := settleDisk(s, r); err != nil {
			return err
		}
	}
	child(disk, "managedDisk")["id"] = r.ID
	r.Body["managedBy"] = machine.ID
	r.properties()["diskState"] = "Attached"
	return s.store.put(r)
}

// detach frees a disk, or removes it if its machine's description says so.
func (s *Service) detach(path string, remove bool) error {
	r := s.store.get(path)
	switch {
	case r == nil:
		return nil
	case remove:
		return s.erase(r)
	}
	delete(r.Body, "managedBy")
	r.properties()["diskState"] = "Unattached"
	return s.store.put(r)
}
