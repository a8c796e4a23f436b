package compute

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/networking"
)

// instanceDigits is how many digits of base 36 follow the prefix in an instance's computer name (cloud-provider-azure, pkg/provider:
// getInstanceIDFromComputerName).
const instanceDigits = 6

// privateSpot is the eviction policy of a spot instance.
const privateSpot = "evictionPolicy"

// computerName is the prefix of a scale set with a number.
func computerName(prefix string, n uint64) string {
	digits := strconv.FormatUint(n, 36)
	return prefix + strings.Repeat("0", max(instanceDigits-len(digits), 0)) + digits
}

// newInstance returns the next instance of a scale set, whose network interfaces it stores.
func newInstance(s *arm.Service, set *arm.Resource, zone string, free *addresses) (*arm.Resource, *arm.Error) {
	number, _ := fields.Number(set.Private, privateNext)
	set.Private[privateNext] = number + 1
	prefix := fields.Text(modelOf(set), "osProfile", "computerNamePrefix")
	id := strconv.FormatInt(number, 10)
	r := &arm.Resource{
		ID: set.ID + "/virtualMachines/" + id, Type: typeScaleSetInstance, Name: set.Name + "_" + id, Created: s.Clock.Now(), Private: map[string]any{},
	}
	computer := computerName(prefix, uint64(number)) //nolint:gosec // It counts from 0.
	if isFlexible(set.Body) {
		made := uuid.NewSHA1(uuid.NameSpaceURL, []byte(fmt.Sprint(set.Key(), fields.Text(set.Body, "properties", "uniqueId"), number)))
		r.Name = fmt.Sprintf("%s_%x", set.Name, made[:4])
		r.ID, r.Type = set.Identity().GroupPath()+"/providers/"+TypeVirtualMachine+"/"+r.Name, TypeVirtualMachine
		computer = computerName(prefix, uint64(binary.BigEndian.Uint32(made[4:8]))%(36*36*36*36*36*36))
	}
	r.Private[privatePower], r.Private[privateModel] = powerRunning, set.Private[privateModel]
	for _, name := range []string{PrivateCustomData, privateCustomHash} {
		if value, given := set.Private[name]; given {
			r.Private[name] = value
		}
	}
	r.Body = instanceBody(s, set, r, computer)
	if zone != "" {
		r.Body["zones"] = []any{zone}
	}
	if !isFlexible(set.Body) {
		r.Body["instanceId"] = id
	}
	return r, storeInterfaces(s, set, r, free)
}

// instanceBody is an instance as the model of its scale set describes it.
func instanceBody(s *arm.Service, set, r *arm.Resource, computer string) map[string]any {
	model, size := fields.Clone(modelOf(set)), fields.Text(set.Body, "sku", "name")
	system, storage := fields.Child(model, "osProfile"), fields.Child(model, "storageProfile")
	delete(system, "computerNamePrefix")
	system["computerName"] = computer
	completeStorage(set, r, storage)
	properties := map[string]any{
		"vmId": uuid.NewString(), fields.Created: s.Clock.Now().UTC().Format(time.RFC3339Nano), fields.State: arm.StateCreating, "osProfile": system, "storageProfile": storage,
		"hardwareProfile": map[string]any{},
	}
	for _, name := range []string{"securityProfile", "diagnosticsProfile", "licenseType"} {
		if value, given := model[name]; given {
			properties[name] = value
		}
	}
	body := map[string]any{fields.Location: set.Location()}
	for _, name := range []string{"tags", "plan", "identity"} {
		if value, given := fields.Clone(set.Body)[name]; given {
			body[name] = value
		}
	}
	if policy := fields.Text(model, "evictionPolicy"); strings.EqualFold(fields.Text(model, "priority"), "Spot") {
		r.Private[privateSpot] = policy
	}
	if isFlexible(set.Body) {
		properties["hardwareProfile"] = map[string]any{"vmSize": size}
		properties["virtualMachineScaleSet"] = map[string]any{"id": set.ID}
		for _, name := range []string{"priority", "evictionPolicy", "billingProfile", "scheduledEventsProfile"} {
			if value, given := model[name]; given {
				properties[name] = value
			}
		}
	} else {
		body["sku"] = map[string]any{"name": size, "tier": "Standard"}
		properties["modelDefinitionApplied"] = "VirtualMachineScaleSet"
		if configurations := fields.At(model, "networkProfile", "networkInterfaceConfigurations"); configurations != nil {
			properties["networkProfileConfiguration"] = map[string]any{"networkInterfaceConfigurations": configurations}
		}
	}
	body["properties"], body["id"], body["name"], body["type"] = properties, r.ID, r.Name, r.Type
	return body
}

// completeStorage names the disks of an instance, which go with it.
func completeStorage(set, r *arm.Resource, storage map[string]any) {
	unique := strings.ReplaceAll(uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.Key()+fields.Text(set.Body, "properties", "uniqueId"))).String(), "-", "")
	disk := fields.Child(storage, "osDisk")
	disk["name"] = r.Name + "_OsDisk_1_" + unique
	disk["deleteOption"] = "Delete"
	fields.Fill(storage, map[string]any{"dataDisks": []any{}})
	for _, data := range fields.Objects(storage, "dataDisks") {
		lun, _ := fields.Number(data, "lun")
		data["name"] = fmt.Sprintf("%s_disk%d_%s", r.Name, lun+2, unique)
		data["deleteOption"] = "Delete"
		fields.Fill(data, map[string]any{"caching": "None", "createOption": "Empty", managedDisk: map[string]any{"storageAccountType": defaultStorage(fields.Text(set.Body, "sku", "name"))}})
	}
	if image, given := storage["imageReference"].(map[string]any); given && fields.Text(image, "publisher") != "" {
		fields.Fill(image, map[string]any{"exactVersion": exactVersion(fields.Text(image, "sku"), fields.Text(image, "version"))})
	}
}

// storeExtensions makes the model's extensions of a flexible instance, which are resources of their own.
func storeExtensions(s *arm.Service, set, r *arm.Resource, version string) *arm.Error {
	if !isFlexible(set.Body) {
		return nil
	}
	for _, extension := range fields.Objects(modelOf(set), "extensionProfile", "extensions") {
		name := fields.Text(extension, "name")
		one := &arm.Resource{ID: r.ID + "/extensions/" + name, Type: TypeVMExtension, Name: name, Created: s.Clock.Now(), APIVersion: version, Private: map[string]any{}}
		one.Body = map[string]any{"id": one.ID, "name": name, "type": TypeVMExtension, fields.Location: r.Location(), fields.Properties: fields.Child(fields.Clone(extension), "properties")}
		one.Properties()[fields.State] = arm.StateCreating
		if err := s.Store.Put(one); err != nil {
			return arm.InternalError(err)
		}
		if _, err := s.Begin(one, arm.Create, version, arm.Course{}); err != nil {
			return arm.InternalError(err)
		}
	}
	return nil
}

// instanceReady holds the operations of an instance back until the host and, for a new one, its extensions have done their part.
func (c *Provider) instanceReady(s *arm.Service, op *arm.Operation, r *arm.Resource) (bool, *arm.Error) {
	done, fail := c.machineReady(s, op, r)
	set := scaleSetOf(s, r)
	if !done || fail != nil || set == nil || op.Change != arm.Create {
		return done, fail
	}
	for _, extension := range fields.Objects(modelOf(set), "extensionProfile", "extensions") {
		if done, fail := c.bootstrapped(s, op, r, fields.Text(extension, "name"), fields.Child(extension, "properties")); !done || fail != nil {
			return done, fail
		}
	}
	return true, nil
}

// viewInstance shows whether an instance has the model of its scale set, and its extensions.
func (c *Provider) viewInstance(s *arm.Service, r *arm.Resource, _ string) map[string]any {
	body := fields.Clone(r.Body)
	set := scaleSetOf(s, r)
	if set == nil {
		return body
	}
	fields.Child(body, "properties")["latestModelApplied"] = fields.Text(r.Private, privateModel) == fields.Text(set.Private, privateModel)
	var extensions []any
	for _, extension := range fields.Objects(fields.Clone(modelOf(set)), "extensionProfile", "extensions") {
		name, properties := fields.Text(extension, "name"), fields.Child(extension, "properties")
		properties[fields.State] = r.ProvisioningState()
		if r.ProvisioningState() == arm.StatusFailed && c.driver != nil && c.driver.states[r.Key()].Bootstrapped {
			properties[fields.State] = arm.StatusSucceeded
		}
		extensions = append(extensions, map[string]any{
			"name": name, "id": r.ID + "/extensions/" + name, "type": typeScaleSetInstance + "/extensions", fields.Location: r.Location(), fields.Properties: properties,
		})
	}
	if extensions != nil {
		body["resources"] = extensions
	}
	return body
}

// flexibleInstances are the virtual machines of a scale set as the list of its instances shows them; nil for a set whose instances are no
// machines of their own.
func flexibleInstances(s *arm.Service, path string) []map[string]any {
	set := s.Store.Get(path)
	if set == nil || !isFlexible(set.Body) {
		return nil
	}
	found := []map[string]any{}
	for _, r := range instancesOf(s, set) {
		body := fields.Clone(r.Body)
		body["id"], body["instanceId"], body["type"] = set.ID+"/virtualMachines/"+r.Name, r.Name, typeScaleSetInstance
		body["sku"] = map[string]any{"name": fields.Text(r.Body, "properties", "hardwareProfile", "vmSize"), "tier": "Standard"}
		found = append(found, body)
	}
	return found
}

// validateInstance refuses to make an instance by a PUT, and to change what its scale set decides.
func validateInstance(p *arm.Put) *arm.Error {
	if p.Existing == nil {
		return computeError(http.StatusNotFound, "NotFound", "", "The entity was not found in this Azure location.")
	}
	for _, name := range []string{"osProfile.computerName", "osProfile.adminUsername", "storageProfile.imageReference"} {
		path := append([]string{"properties"}, strings.Split(name, ".")...)
		if want := fields.At(p.Requested, path...); !fields.IsZero(want) && !fields.Same(fields.At(p.Existing.Body, path...), want) {
			return propertyChange(name)
		}
	}
	return checkDisks(p)
}

// applyInstance keeps what a PUT lacks, as Kubernetes' cloud controller sends only what it changes.
func applyInstance(p *arm.Put) *arm.Error {
	for _, name := range []string{"latestModelApplied", "provisioningState", "instanceView"} {
		delete(fields.Child(p.Result, "properties"), name)
	}
	delete(p.Result, "resources")
	fields.Fill(p.Result, fields.Clone(p.Existing.Body))
	delete(fields.Child(fields.Child(p.Result, "properties"), "osProfile"), "customData")
	return nil
}

// storeInstance attaches and detaches disks, and has the network interfaces be in the pools that the instance asks for.
func storeInstance(p *arm.Put) *arm.Error {
	if e := storeMachine(p); e != nil {
		return e
	}
	if e := followConfigurations(p.Service, p.Resource, fields.Objects(p.Resource.Body, "properties", "networkProfileConfiguration", "networkInterfaceConfigurations")); e != nil {
		return e
	}
	noteModel(p.Service, p.Resource)
	return wrap(p.Service.Store.Put(p.Resource))
}

// noteModel notes that an instance has the model of its scale set, if somebody has brought it there piece by piece.
func noteModel(s *arm.Service, r *arm.Resource) {
	set := scaleSetOf(s, r)
	if set == nil || fields.Text(r.Private, privateCustomHash) != fields.Text(set.Private, privateCustomHash) || fields.Text(r.Body, "sku", "name") != fields.Text(set.Body, "sku", "name") {
		return
	}
	model := modelOf(set)
	image := fields.At(model, "storageProfile", "imageReference")
	network := fields.At(model, "networkProfile", "networkInterfaceConfigurations")
	if fields.Same(fields.At(r.Body, "properties", "storageProfile", "imageReference"), image) && fields.Same(fields.At(r.Body, "properties", "networkProfileConfiguration", "networkInterfaceConfigurations"), network) {
		r.Private[privateModel] = set.Private[privateModel]
	}
}

// interfacesOf are the network interfaces of all instances of a scale set.
func interfacesOf(s *arm.Service, id arm.ID) []map[string]any {
	set := s.Store.Get(id.Parent)
	if set == nil {
		return nil
	}
	found := []map[string]any{}
	for _, nic := range s.Store.Children(set.ID, typeInstanceInterface) {
		found = append(found, fields.Clone(nic.Body))
	}
	return found
}

// addresses hands out the free addresses of subnets, so that many instances that come at once need not look each by itself.
type addresses struct {
	service *arm.Service
	used    map[string]networkAddresses
}

func newAddresses(s *arm.Service) *addresses {
	return &addresses{service: s, used: map[string]networkAddresses{}}
}

// next returns the first free address of a subnet, which nobody else gets after that.
func (a *addresses) next(path string, six bool) (string, *arm.Error) {
	subnet := a.service.Store.Get(path)
	if subnet == nil {
		return "", arm.Detailed(arm.NotFound("NotFound", "Resource %s not found.", path))
	}
	network := subnet.Identity().Parent
	if a.used[network] == nil {
		a.used[network] = networking.UsedAddresses(a.service, network)
	}
	address, ok := networking.FirstFree(subnet, a.used[network], six)
	if !ok {
		return "", arm.Detailed(arm.BadRequest("SubnetIsFull", "Subnet %s with address prefix %v does not have enough capacity for 1 IP addresses.", subnet.Name, networking.PrefixesOf(subnet.Body)))
	}
	a.used[network][address] = "taken"
	return address.String(), nil
}
