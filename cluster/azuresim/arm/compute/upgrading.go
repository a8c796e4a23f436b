package compute

import (
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// privateReimage marks a machine whose host is to forget it, so that it boots anew from its image and its custom data.
const privateReimage = "reimage"

// operation is what a POST starts on an instance.
type operation = func(s *arm.Service, r *arm.Resource, body map[string]any) *arm.Error

// instanceOperations are the POST requests on an instance.
func (c *Provider) instanceOperations() map[string]operation {
	return map[string]operation{
		"start": powerOn, "restart": powerOn, "poweroff": powerOff, "deallocate": deallocate, "redeploy": powerOn,
		"reimage": func(s *arm.Service, r *arm.Resource, _ map[string]any) *arm.Error { return c.reimage(s, r) },
	}
}

// scaleSetOperations are the POST requests on a scale set, which name the instances that they are about.
func (c *Provider) scaleSetOperations() map[string]operation {
	found := map[string]operation{
		"delete": onInstances(true, func(s *arm.Service, r *arm.Resource, version string) *arm.Error {
			return wrap(s.BeginRemoval(r, version))
		}),
		"manualupgrade": onInstances(true, func(s *arm.Service, r *arm.Resource, version string) *arm.Error {
			return c.upgrade(s, scaleSetOf(s, r), r, version)
		}),
		"reimage": onInstances(false, func(s *arm.Service, r *arm.Resource, version string) *arm.Error {
			if e := c.reimage(s, r); e != nil {
				return e
			}
			return beginUpdate(s, r, version)
		}),
	}
	for name, state := range map[string]string{"start": powerRunning, "restart": powerRunning, "poweroff": powerStopped, "deallocate": powerDeallocated} {
		found[name] = onInstances(false, func(s *arm.Service, r *arm.Resource, version string) *arm.Error {
			r.Private[privatePower] = state
			return beginUpdate(s, r, version)
		})
	}
	return found
}

// onInstances does something with the instances that a request names, or with all if it names none and need not, or says "*".
func onInstances(required bool, do func(s *arm.Service, r *arm.Resource, version string) *arm.Error) operation {
	return func(s *arm.Service, set *arm.Resource, body map[string]any) *arm.Error {
		named := fields.Texts(body, "instanceIds")
		if len(named) == 0 && required {
			return computeError(400, "InvalidParameter", "instanceIds", "Required parameter 'instanceIds' is missing (null).")
		}
		present := staying(s, set)
		for _, name := range named {
			if name != "*" && !slices.ContainsFunc(present, func(r *arm.Resource) bool { return strings.EqualFold(instanceID(r), name) }) {
				return computeError(400, "InvalidParameter", "instanceIds", "The provided instanceId "+name+" is not an active Virtual Machine Scale Set VM instanceId.")
			}
		}
		for _, r := range present {
			if len(named) > 0 && !slices.Contains(named, "*") && !slices.ContainsFunc(named, func(name string) bool { return strings.EqualFold(instanceID(r), name) }) {
				continue
			}
			if e := do(s, r, set.APIVersion); e != nil {
				return e
			}
		}
		return nil
	}
}

// instanceID is what a scale set calls an instance: its number, or the name of a virtual machine.
func instanceID(r *arm.Resource) string {
	_, _, id := arm.CutPart(r.ID)
	return id
}

func beginUpdate(s *arm.Service, r *arm.Resource, version string) *arm.Error {
	if err := s.SetState(r, arm.StateUpdating); err != nil {
		return arm.InternalError(err)
	}
	_, err := s.Begin(r, arm.Update, version, arm.Course{})
	return wrap(err)
}

// reimage has a machine boot anew with the custom data of its scale set.
func (c *Provider) reimage(s *arm.Service, r *arm.Resource) *arm.Error {
	if set := scaleSetOf(s, r); set != nil {
		for _, name := range []string{PrivateCustomData, privateCustomHash} {
			if value, given := set.Private[name]; given {
				r.Private[name] = value
			}
		}
	}
	if c.driver != nil {
		r.Private[privateReimage] = true
	}
	return wrap(s.Store.Put(r))
}

func forgetReimage(s *arm.Service, path string) error {
	r := s.Store.Get(path)
	if r == nil {
		return nil
	}
	delete(r.Private, privateReimage)
	return s.Store.Put(r)
}

// upgrade brings an instance to the model of its scale set. Another image has it boot anew; custom data alone does not.
func (c *Provider) upgrade(s *arm.Service, set, r *arm.Resource, version string) *arm.Error {
	if r.Type != typeScaleSetInstance || fields.Text(r.Private, privateModel) == fields.Text(set.Private, privateModel) {
		return nil
	}
	before := fields.At(r.Body, "properties", "storageProfile", "imageReference")
	after := instanceBody(s, set, r, fields.Text(r.Body, "properties", "osProfile", "computerName"))
	storage, wanted := fields.Child(r.Properties(), "storageProfile"), fields.Child(fields.Child(after, "properties"), "storageProfile")
	storage["imageReference"] = wanted["imageReference"]
	r.Body["sku"] = after["sku"]
	for _, name := range []string{"securityProfile", "diagnosticsProfile", "licenseType", "networkProfileConfiguration"} {
		if value, given := fields.Child(after, "properties")[name]; given {
			r.Properties()[name] = value
		}
	}
	r.Private[privateModel] = set.Private[privateModel]
	if e := followConfigurations(s, r, fields.Objects(modelOf(set), "networkProfile", "networkInterfaceConfigurations")); e != nil {
		return e
	}
	if !fields.Same(before, storage["imageReference"]) {
		if e := c.reimage(s, r); e != nil {
			return e
		}
	}
	return beginUpdate(s, r, version)
}

// simulateEviction takes a spot machine's capacity away, as its eviction policy says.
func simulateEviction(s *arm.Service, r *arm.Resource) (any, *arm.Error) {
	policy, spot := r.Private[privateSpot].(string)
	if !spot && strings.EqualFold(fields.Text(r.Body, "properties", "priority"), "Spot") {
		policy, spot = fields.Text(r.Body, "properties", "evictionPolicy"), true
	}
	if !spot {
		return nil, arm.Conflict("OperationNotAllowed", "Operation 'simulateEviction' is not allowed on VM '%s' since it is not a Spot VM.", r.Name)
	}
	if strings.EqualFold(policy, "Delete") {
		return nil, wrap(s.BeginRemoval(r, r.APIVersion))
	}
	r.Private[privatePower] = powerDeallocated
	return nil, wrap(s.Store.Put(r))
}

// Evict has Azure evict a spot machine, or an instance of a scale set of such.
func (c *Provider) Evict(s *arm.Service, path string) error {
	s.Lock()
	defer s.Unlock()
	r := s.Store.Get(path)
	if r == nil || !isMachine(r) {
		return arm.NotFound("NotFound", "no machine has the id %s", path)
	}
	if _, e := simulateEviction(s, r); e != nil {
		return e
	}
	return nil
}
