package compute

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// privateScaledIn marks an instance that leaves because its scale set is to have fewer.
const privateScaledIn = "scaledIn"

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// instancesOf returns the instances of a scale set in the order of their creation.
func instancesOf(s *arm.Service, set *arm.Resource) []*arm.Resource {
	if !isFlexible(set.Body) {
		return s.Store.Children(set.ID, typeScaleSetInstance)
	}
	var found []*arm.Resource
	for _, r := range s.Store.All() {
		if r.Type == TypeVirtualMachine && strings.EqualFold(fields.Text(r.Body, "properties", "virtualMachineScaleSet", "id"), set.ID) {
			found = append(found, r)
		}
	}
	return found
}

// staying are the instances that nobody deletes.
func staying(s *arm.Service, set *arm.Resource) []*arm.Resource {
	return slices.DeleteFunc(instancesOf(s, set), func(r *arm.Resource) bool { return r.ProvisioningState() == arm.StateDeleting })
}

// storeScaleSet has a scale set have as many instances as it asks for, and has those follow the model that are to.
func (c *Provider) storeScaleSet(p *arm.Put) *arm.Error {
	s, set := p.Service, p.Resource
	if modelOf(set) == nil {
		return nil
	}
	present := staying(s, set)
	if p.Existing != nil && !isFlexible(set.Body) && !strings.EqualFold(fields.Text(set.Body, "properties", "upgradePolicy", "mode"), "Manual") {
		for _, r := range present {
			if e := c.upgrade(s, set, r, p.APIVersion); e != nil {
				return e
			}
		}
	}
	wanted, _ := fields.Number(set.Body, "sku", "capacity")
	if more := int(wanted) - len(present); more >= 0 {
		return c.scaleOut(s, set, more, p.APIVersion)
	}
	for _, r := range leaving(set, present, len(present)-int(wanted)) {
		r.Private[privateScaledIn] = true
		if err := s.BeginRemoval(r, p.APIVersion); err != nil {
			return arm.InternalError(err)
		}
	}
	return nil
}

// scaleOut makes so many more instances.
func (c *Provider) scaleOut(s *arm.Service, set *arm.Resource, count int, version string) *arm.Error {
	addresses, load := newAddresses(s), zoneLoad(set, staying(s, set))
	size, _ := sizeNamed(fields.Text(set.Body, "sku", "name"))
	zones := c.zonesWith(size, arm.NormalLocation(set.Location()), fields.Texts(set.Body, "zones"))
	for range count {
		zone := ""
		if len(zones) > 0 {
			zone = slices.MinFunc(zones, func(a, b string) int { return cmp.Or(load[a]-load[b], strings.Compare(a, b)) })
			load[zone]++
		}
		r, e := newInstance(s, set, zone, addresses)
		if e != nil {
			return e
		}
		r.APIVersion = version
		if err := s.Store.Put(r); err != nil {
			return arm.InternalError(err)
		}
		if _, err := s.Begin(r, arm.Create, version, arm.Course{}); err != nil {
			return arm.InternalError(err)
		}
		if e := storeExtensions(s, set, r, version); e != nil {
			return e
		}
	}
	return wrap(s.Store.Put(set))
}

func wrap(err error) *arm.Error {
	if err != nil {
		return arm.InternalError(err)
	}
	return nil
}

// zoneLoad counts the instances in each zone.
func zoneLoad(set *arm.Resource, instances []*arm.Resource) map[string]int {
	load := map[string]int{}
	for _, zone := range fields.Texts(set.Body, "zones") {
		load[zone] = 0
	}
	for _, r := range instances {
		load[zoneOf(r)]++
	}
	return load
}

func zoneOf(r *arm.Resource) string {
	for _, zone := range fields.Texts(r.Body, "zones") {
		return zone
	}
	return ""
}

// isProtected tells whether an instance is not to leave when its scale set is to have fewer.
func isProtected(r *arm.Resource) bool {
	return fields.Bool(r.Body, "properties", "protectionPolicy", "protectFromScaleIn")
}

// leaving picks the instances that leave: of the fullest zone the newest one, or the oldest if the scale set's policy says so (Azure
// documentation, "Use custom scale-in policies").
func leaving(set *arm.Resource, present []*arm.Resource, count int) []*arm.Resource {
	oldest := slices.Contains(fields.Texts(set.Body, "properties", "scaleInPolicy", "rules"), "OldestVM")
	load := zoneLoad(set, present)
	left := slices.DeleteFunc(slices.Clone(present), isProtected)
	if !oldest {
		slices.Reverse(left)
	}
	var found []*arm.Resource
	for range min(count, len(left)) {
		fullest := 0
		for i, r := range left {
			if load[zoneOf(r)] > load[zoneOf(left[fullest])] {
				fullest = i
			}
		}
		load[zoneOf(left[fullest])]--
		found = append(found, left[fullest])
		left = slices.Delete(left, fullest, fullest+1)
	}
	return found
}

// scaleSetReady holds the operations of a scale set back until all of its instances are as they are to be.
func (c *Provider) scaleSetReady(s *arm.Service, op *arm.Operation, set *arm.Resource) (bool, *arm.Error) {
	instances := instancesOf(s, set)
	if op.Change == arm.Remove {
		return len(instances) == 0, nil
	}
	var fail *arm.Error
	for _, r := range instances {
		switch state := r.ProvisioningState(); {
		case state == arm.StatusFailed && !r.Created.Add(time.Second).Before(op.Started):
			fail = s.Operations.LastFailure(r.ID)
		case state != arm.StatusFailed && state != arm.StatusSucceeded:
			return false, nil
		}
	}
	return true, fail
}

// emptyScaleSet deletes the instances of a scale set that is deleted.
func emptyScaleSet(s *arm.Service, set *arm.Resource) error {
	for _, r := range staying(s, set) {
		r.Private[privateScaledIn] = true
		if err := s.BeginRemoval(r, set.APIVersion); err != nil {
			return err
		}
	}
	return nil
}

// scaleSetOf returns the scale set that a machine is in, or nil.
func scaleSetOf(s *arm.Service, r *arm.Resource) *arm.Resource {
	if r.Type == typeScaleSetInstance {
		return s.Store.Get(r.Identity().Parent)
	}
	return s.Store.Get(fields.Text(r.Body, "properties", "virtualMachineScaleSet", "id"))
}

// leaveScaleSet has the scale set of an instance that somebody deletes ask for one fewer.
func leaveScaleSet(s *arm.Service, r *arm.Resource) error {
	if fields.Bool(r.Private, privateScaledIn) {
		return nil
	}
	return changeCapacity(s, scaleSetOf(s, r), -1)
}

// joinScaleSet has the scale set that a new virtual machine is put into count it.
func joinScaleSet(s *arm.Service, r *arm.Resource) error {
	return changeCapacity(s, scaleSetOf(s, r), 1)
}

func changeCapacity(s *arm.Service, set *arm.Resource, by int64) error {
	if set == nil {
		return nil
	}
	capacity, given := fields.Number(set.Body, "sku", "capacity")
	if !given {
		return nil
	}
	fields.Child(set.Body, "sku")["capacity"] = max(capacity+by, 0)
	return s.Store.Put(set)
}
