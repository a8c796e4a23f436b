package compute_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/compute"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TestMachineRefusals checks what Azure's compute provider does not do.
func TestMachineRefusals(t *testing.T) {
	put := func(replacements ...string) armtest.Request {
		return armtest.Request{http.MethodPut, armtest.Machine, armtest.MachineBody(replacements...)}
	}
	inSet := append(append([]armtest.Request{}, armtest.Prepared...), armtest.CreateSet, put(`"zones":["1"],`, ``, `"hardwareProfile"`, `"availabilitySet":{"id":"`+armtest.AvailabilitySet+`"},"hardwareProfile"`))
	cases := map[string]struct {
		before []armtest.Request
		armtest.Request
		status int
		code   string
	}{
		"unknown size":           {armtest.Prepared, put("Standard_D2s_v3", "Standard_X"), 400, "InvalidParameter"},
		"zone that there is not": {armtest.Prepared, put(`["1"]`, `["4"]`), 400, "AvailabilityZoneNotSupported"},
		"no interface":           {[]armtest.Request{armtest.CreateGroup}, armtest.CreateMachine, 404, "NotFound"},
		"no interfaces":          {armtest.Prepared, put(`"networkInterfaces"`, `"other"`), 400, "InvalidParameter"},
		"interface of another":   {armtest.Running, armtest.Request{http.MethodPut, armtest.Machine + "2", armtest.MachineBody()}, 400, "NicInUse"},
		"no image":               {armtest.Prepared, put(`"imageReference"`, `"other"`), 400, "InvalidParameter"},
		"image that is gone":     {armtest.Prepared, put(`"communityGalleryImageId":"/communityGalleries/ClusterAPI/images/ubuntu/versions/1.36.3"`, `"id":"`+armtest.Group+`/providers/Microsoft.Compute/images/gone"`), 404, "ImageNotFound"},
		"gallery that is gone":   {armtest.Prepared, put(`"communityGalleryImageId":"/communityGalleries/ClusterAPI/images/ubuntu/versions/1.36.3"`, `"id":"`+armtest.Group+`/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0"`), 404, "GalleryImageNotFound"},
		"nobody can sign in":     {armtest.Prepared, put(`"ssh"`, `"other"`), 400, "InvalidParameter"},
		"Windows, no password":   {armtest.Prepared, put(`"linuxConfiguration"`, `"windowsConfiguration"`), 400, "InvalidParameter"},
		"custom data in clear":   {armtest.Prepared, put(base64.StdEncoding.EncodeToString([]byte(armtest.Bootstrap)), "#cloud-config"), 400, "InvalidParameter"},
		"too much custom data":   {armtest.Prepared, put(base64.StdEncoding.EncodeToString([]byte(armtest.Bootstrap)), base64.StdEncoding.EncodeToString(make([]byte, compute.LargestCustomData+1))), 400, "InvalidParameter"},
		"identity of nobody":     {armtest.Prepared, put(`"type":"SystemAssigned"`, `"type":"UserAssigned","userAssignedIdentities":{"`+armtest.Identity+`":{}}`), 400, "FailedIdentityOperation"},
		"two disks at one place": {armtest.Prepared, put(`"dataDisks":[`, `"dataDisks":[{"lun":0,"name":"x","createOption":"Empty","diskSizeGB":1},`), 400, "InvalidParameter"},
		"set that there is not":  {armtest.Prepared, put(`"zones":["1"],`, ``, `"hardwareProfile"`, `"availabilitySet":{"id":"`+armtest.AvailabilitySet+`"},"hardwareProfile"`), 404, "NotFound"},
		"set in a zone":          {append(append([]armtest.Request{}, armtest.Prepared...), armtest.CreateSet), put(`"hardwareProfile"`, `"availabilitySet":{"id":"`+armtest.AvailabilitySet+`"},"hardwareProfile"`), 400, "InvalidParameter"},
		"other custom data":      {armtest.Running, put(base64.StdEncoding.EncodeToString([]byte(armtest.Bootstrap)), "AAAA"), 409, "PropertyChangeNotAllowed"},
		"another image":          {armtest.Running, put("1.36.3", "1.36.4"), 409, "PropertyChangeNotAllowed"},
		"another zone":           {armtest.Running, put(`["1"]`, `["2"]`), 409, "PropertyChangeNotAllowed"},
		"another name":           {armtest.Running, put(`"computerName":"vm"`, `"computerName":"other"`), 409, "PropertyChangeNotAllowed"},
		"interface in use":       {armtest.Running, armtest.Request{http.MethodDelete, armtest.Interface, ""}, 400, "NicInUse"},
		"disk in use":            {armtest.Running, armtest.Request{http.MethodDelete, armtest.Disk, ""}, 409, "OperationNotAllowed"},
		"set in use":             {inSet, armtest.Request{http.MethodDelete, armtest.AvailabilitySet, ""}, 409, "OperationNotAllowed"},
		"set of other domains":   {append([]armtest.Request{armtest.CreateGroup}, armtest.CreateSet), armtest.Request{http.MethodPut, armtest.AvailabilitySet, strings.Replace(armtest.CreateSet[2], "3", "2", 1)}, 409, "PropertyChangeNotAllowed"},
		"extension of nothing":   {armtest.Running, armtest.Request{http.MethodPut, armtest.Machine + "/extensions/e", `{"location":"eastus","properties":{"publisher":"p"}}`}, 400, "InvalidParameter"},
		"extension disallowed":   {append(append([]armtest.Request{}, armtest.Prepared...), put(`"adminUsername"`, `"allowExtensionOperations":false,"adminUsername"`)), armtest.Request{http.MethodPut, armtest.Machine + "/extensions/e", `{"location":"eastus","properties":{"publisher":"p","type":"t","typeHandlerVersion":"1.0"}}`}, 409, "OperationNotAllowed"},
		"role of no principal":   {armtest.Running, armtest.Request{http.MethodPut, armtest.Machine + "/providers/Microsoft.Authorization/roleAssignments/00000000-0000-0000-0000-000000000001", `{"properties":{"principalId":"wow","roleDefinitionId":"r"}}`}, 400, "InvalidPrincipalId"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			armtest.CheckRefused(t, c.before, c.Request, c.status, c.code)
		})
	}
}

// TestMachineLife makes a machine, has it looked at, changed as the cloud controller of Kubernetes does, and deleted.
func TestMachineLife(t *testing.T) {
	f := armtest.New(t)
	for _, r := range armtest.Prepared {
		f.Make(r)
	}
	w := f.Ask(armtest.CreateMachine)
	if w.Code != http.StatusCreated || w.Header().Get("Azure-AsyncOperation") == "" || w.Header().Get("Retry-After") != "10" {
		t.Fatalf("PUT: %d %v", w.Code, w.Header())
	}
	if again := f.Ask(armtest.CreateMachine); armtest.ErrorCodeOf(again) != "Conflict" {
		t.Errorf("PUT while it is created: %d %s, want Conflict", again.Code, armtest.ErrorCodeOf(again))
	}
	f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency))
	body := f.Get(armtest.Machine + "?api-version=2024-03-01")
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"customData", "secret-of-the-bootstrap-data", base64.StdEncoding.EncodeToString([]byte(armtest.Bootstrap))} {
		if strings.Contains(string(raw), secret) {
			t.Errorf("GET shows %s", secret)
		}
	}
	if fields.Text(body, "identity", "principalId") == "" || fields.Text(body, "properties", "vmId") == "" || fields.Text(body, "properties", "provisioningState") != "Succeeded" {
		t.Errorf("GET lacks an identity, an ID or success: %s", raw)
	}
	if got := fields.Text(f.Get(armtest.Interface), "properties", "virtualMachine", "id"); got != armtest.Machine {
		t.Errorf("the interface is of machine %q", got)
	}

	// A data disk that the cloud controller attaches: nothing else is in its PUT.
	f.Settle(http.MethodPut, armtest.Machine, `{"location":"eastus","properties":{"storageProfile":{"dataDisks":[
		{"lun":0,"createOption":"Attach","managedDisk":{"id":"`+armtest.Disk+`"}},{"lun":1,"name":"pvc","createOption":"Empty","diskSizeGB":1}]}}}`)
	changed := f.Get(armtest.Machine)
	if got := fields.Text(changed, "properties", "osProfile", "computerName") + fields.Text(changed, "tags", "a") + fields.Text(changed, "properties", "hardwareProfile", "vmSize"); got != "vmbStandard_D2s_v3" {
		t.Errorf("after a PUT of data disks only, name, tag and size are %q", got)
	}
	// A PUT that has only the machine's own disk detaches the other one.
	f.Settle(http.MethodPut, armtest.Machine, armtest.MachineBody(base64.StdEncoding.EncodeToString([]byte(armtest.Bootstrap)), ""))
	pvc := armtest.Group + "/providers/Microsoft.Compute/disks/pvc"
	if got := fields.Text(f.Get(pvc), "managedBy") + fields.Text(f.Get(pvc), "properties", "diskState"); got != "Unattached" {
		t.Errorf("the disk that is left out is %q", got)
	}

	f.Settle(http.MethodDelete, armtest.Machine, "")
	for path, want := range map[string]int{armtest.Machine: 404, armtest.Group + "/providers/Microsoft.Compute/disks/vm_OSDisk": 404, armtest.Disk: 200, armtest.Interface: 200} {
		if w := f.Send(http.MethodGet, path, ""); w.Code != want {
			t.Errorf("after the machine's deletion: GET %s: %d, want %d", path, w.Code, want)
		}
	}
	f.Settle(http.MethodDelete, armtest.Interface, "")
	f.Settle(http.MethodDelete, armtest.Rule, "")
}

// TestMachinePower stops and starts a machine.
func TestMachinePower(t *testing.T) {
	f := armtest.New(t)
	for _, r := range armtest.Running {
		f.Make(r)
	}
	for action, want := range map[string]string{"deallocate": "deallocated", "start": "running", "powerOff": "stopped"} {
		f.Settle(http.MethodPost, armtest.Machine+"/"+action, "")
		view := f.Get(armtest.Machine + "/instanceView")
		statuses := fields.Objects(view, "statuses")
		if got := fields.Text(statuses[len(statuses)-1], "code"); got != "PowerState/"+want {
			t.Errorf("after %s: %s, want PowerState/%s", action, got, want)
		}
	}
	f.Settle(http.MethodPost, armtest.Machine+"/deallocate", "")
	w := f.Send(http.MethodPut, armtest.Machine+"/extensions/e", `{"location":"eastus","properties":{"publisher":"p","type":"t","typeHandlerVersion":"1.0"}}`)
	if armtest.ErrorCodeOf(w) != "OperationNotAllowed" {
		t.Errorf("extension of a machine that is off: %d %s", w.Code, armtest.ErrorCodeOf(w))
	}
}

// TestOffers checks restrictions, quotas and missing images, which a test asks for.
func TestOffers(t *testing.T) {
	restriction := func(zones ...string) func(*armtest.Fixture) error {
		return func(f *armtest.Fixture) error {
			return f.Machines.SetSizeRestriction(f.Service, admin.SizeRestriction{Size: "Standard_D2s_v3", Location: "eastus", Zones: zones})
		}
	}
	cases := map[string]struct {
		set    func(*armtest.Fixture) error
		status int
		code   string
	}{
		"nothing":         {func(*armtest.Fixture) error { return nil }, 201, ""},
		"size restricted": {restriction(), 409, "SkuNotAvailable"},
		"in this zone":    {restriction("1"), 409, "SkuNotAvailable"},
		"in another zone": {restriction("2"), 201, ""},
		"quota of the family": {func(f *armtest.Fixture) error {
			return f.Machines.SetQuota(f.Service, admin.Quota{Location: "eastus", Family: "standardDSv3Family", Limit: 1})
		}, 409, "OperationNotAllowed"},
		"quota of the region": {func(f *armtest.Fixture) error {
			return f.Machines.SetQuota(f.Service, admin.Quota{Location: "eastus", Family: "cores", Limit: 1})
		}, 409, "OperationNotAllowed"},
		"quota that suffices": {func(f *armtest.Fixture) error {
			return f.Machines.SetQuota(f.Service, admin.Quota{Location: "eastus", Family: "cores", Limit: 2})
		}, 201, ""},
		"quota somewhere else": {func(f *armtest.Fixture) error {
			return f.Machines.SetQuota(f.Service, admin.Quota{Location: "westus2", Family: "cores"})
		}, 201, ""},
		"missing image": {func(f *armtest.Fixture) error {
			return f.Machines.SetImage(f.Service, admin.ImageChange{Pattern: "1\\.36\\.3$", Missing: true})
		}, 404, "GalleryImageNotFound"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			for _, r := range armtest.Prepared {
				f.Make(r)
			}
			if err := c.set(f); err != nil {
				t.Fatal(err)
			}
			if w := f.Ask(armtest.CreateMachine); w.Code != c.status || armtest.ErrorCodeOf(w) != c.code {
				t.Errorf("%d %s, want %d %s: %s", w.Code, armtest.ErrorCodeOf(w), c.status, c.code, w.Body)
			}
		})
	}
}

// TestSKUs reads the list of SKUs of a location, all pages of it.
func TestSKUs(t *testing.T) {
	f := armtest.New(t)
	if err := f.Machines.SetSizeRestriction(f.Service, admin.SizeRestriction{Size: "Standard_D2s_v3", Location: "eastus", Zones: []string{"3"}}); err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]any{}
	pages := 0
	for path := "/subscriptions/s/providers/Microsoft.Compute/skus?$filter=location%20eq%20%27eastus%27"; path != ""; pages++ {
		body := f.Get(path)
		for _, sku := range fields.Objects(body, "value") {
			found[fields.Text(sku, "resourceType")+" "+fields.Text(sku, "name")] = sku
		}
		path = strings.TrimPrefix(fields.Text(body, "nextLink"), "https://management.azure.com")
	}
	size := found["virtualMachines Standard_D2s_v3"]
	capabilities := map[string]string{}
	for _, capability := range fields.Objects(size, "capabilities") {
		capabilities[fields.Text(capability, "name")] = fields.Text(capability, "value")
	}
	restriction := fields.Objects(size, "restrictions")[0]
	got := []any{
		pages > 1, len(found) == len(compute.Sizes())+2, capabilities["vCPUs"], capabilities["MemoryGB"], capabilities["AcceleratedNetworkingEnabled"],
		fields.Texts(fields.Objects(size, "locationInfo")[0], "zones"), fields.Text(restriction, "type"), fields.Texts(restriction, "restrictionInfo", "zones"),
		fields.Text(fields.Objects(found["availabilitySets Aligned"], "capabilities")[0], "value"),
	}
	want := []any{true, true, "2", "8", "True", []string{"1", "2", "3"}, "Zone", []string{"3"}, "3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if nothing := f.Get("/subscriptions/s/providers/Microsoft.Compute/skus?$filter=location%20eq%20%27moon%27"); len(fields.Objects(nothing, "value")) != 0 {
		t.Error("an unknown location has SKUs")
	}
}
