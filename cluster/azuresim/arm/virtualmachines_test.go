package arm

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

const (
	testMachine  = testGroup + "/providers/Microsoft.Compute/virtualMachines/vm"
	testDisk     = testGroup + "/providers/Microsoft.Compute/disks/vm_etcd"
	testSet      = testGroup + "/providers/Microsoft.Compute/availabilitySets/set"
	testIdentity = testGroup + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i"
	bootstrap    = "#cloud-config\nruncmd: [secret-of-the-bootstrap-data]\n"
)

// machine is the body of a virtual machine's PUT, with each pair of strings replaced.
func machine(replacements ...string) string {
	body := `{"location":"eastus","zones":["1"],"tags":{"a":"b"},"identity":{"type":"SystemAssigned"},"properties":{
		"hardwareProfile":{"vmSize":"Standard_D2s_v3"},
		"storageProfile":{"imageReference":{"communityGalleryImageId":"/communityGalleries/ClusterAPI/images/ubuntu/versions/1.36.3"},
			"osDisk":{"name":"vm_OSDisk","createOption":"FromImage","deleteOption":"Delete","managedDisk":{"storageAccountType":"Premium_LRS"}},
			"dataDisks":[{"lun":0,"name":"vm_etcd","createOption":"Empty","diskSizeGB":256}]},
		"osProfile":{"computerName":"vm","adminUsername":"capi","customData":"` + base64.StdEncoding.EncodeToString([]byte(bootstrap)) + `",
			"linuxConfiguration":{"disablePasswordAuthentication":true,"ssh":{"publicKeys":[{"path":"/home/capi/.ssh/authorized_keys","keyData":"ssh-rsa x"}]}}},
		"networkProfile":{"networkInterfaces":[{"id":"` + testInterface + `","properties":{"primary":true}}]}}}`
	return strings.NewReplacer(replacements...).Replace(body)
}

var (
	createMachine = request{http.MethodPut, testMachine, machine()}
	createSet     = request{http.MethodPut, testSet, `{"location":"eastus","sku":{"name":"Aligned"},"properties":{"platformFaultDomainCount":3}}`}
	prepared      = []request{createGroup, createNetwork, createSubnet, createAddress, createBalancer, createNATRule, joinPool}
	running       = append(prepared[:len(prepared):len(prepared)], createMachine)
)

// TestMachineRefusals checks what Azure's compute provider does not do.
func TestMachineRefusals(t *testing.T) {
	put := func(replacements ...string) request {
		return request{http.MethodPut, testMachine, machine(replacements...)}
	}
	inSet := append(append([]request{}, prepared...), createSet, put(`"zones":["1"],`, ``, `"hardwareProfile"`, `"availabilitySet":{"id":"`+testSet+`"},"hardwareProfile"`))
	cases := map[string]struct {
		before []request
		request
		status int
		code   string
	}{
		"unknown size":           {prepared, put("Standard_D2s_v3", "Standard_X"), 400, "InvalidParameter"},
		"zone that there is not": {prepared, put(`["1"]`, `["4"]`), 400, "AvailabilityZoneNotSupported"},
		"no interface":           {[]request{createGroup}, createMachine, 404, "NotFound"},
		"no interfaces":          {prepared, put(`"networkInterfaces"`, `"other"`), 400, "InvalidParameter"},
		"interface of another":   {running, request{http.MethodPut, testMachine + "2", machine()}, 400, "NicInUse"},
		"no image":               {prepared, put(`"imageReference"`, `"other"`), 400, "InvalidParameter"},
		"image that is gone":     {prepared, put(`"communityGalleryImageId":"/communityGalleries/ClusterAPI/images/ubuntu/versions/1.36.3"`, `"id":"`+testGroup+`/providers/Microsoft.Compute/images/gone"`), 404, "ImageNotFound"},
		"gallery that is gone":   {prepared, put(`"communityGalleryImageId":"/communityGalleries/ClusterAPI/images/ubuntu/versions/1.36.3"`, `"id":"`+testGroup+`/providers/Microsoft.Compute/galleries/g/images/i/versions/1.0.0"`), 404, "GalleryImageNotFound"},
		"nobody can sign in":     {prepared, put(`"ssh"`, `"other"`), 400, "InvalidParameter"},
		"Windows, no password":   {prepared, put(`"linuxConfiguration"`, `"windowsConfiguration"`), 400, "InvalidParameter"},
		"custom data in clear":   {prepared, put(base64.StdEncoding.EncodeToString([]byte(bootstrap)), "#cloud-config"), 400, "InvalidParameter"},
		"too much custom data":   {prepared, put(base64.StdEncoding.EncodeToString([]byte(bootstrap)), base64.StdEncoding.EncodeToString(make([]byte, largestCustomData+1))), 400, "InvalidParameter"},
		"identity of nobody":     {prepared, put(`"type":"SystemAssigned"`, `"type":"UserAssigned","userAssignedIdentities":{"`+testIdentity+`":{}}`), 400, "FailedIdentityOperation"},
		"two disks at one place": {prepared, put(`"dataDisks":[`, `"dataDisks":[{"lun":0,"name":"x","createOption":"Empty","diskSizeGB":1},`), 400, "InvalidParameter"},
		"set that there is not":  {prepared, put(`"zones":["1"],`, ``, `"hardwareProfile"`, `"availabilitySet":{"id":"`+testSet+`"},"hardwareProfile"`), 404, "NotFound"},
		"set in a zone":          {append(append([]request{}, prepared...), createSet), put(`"hardwareProfile"`, `"availabilitySet":{"id":"`+testSet+`"},"hardwareProfile"`), 400, "InvalidParameter"},
		"other custom data":      {running, put(base64.StdEncoding.EncodeToString([]byte(bootstrap)), "AAAA"), 409, "PropertyChangeNotAllowed"},
		"another image":          {running, put("1.36.3", "1.36.4"), 409, "PropertyChangeNotAllowed"},
		"another zone":           {running, put(`["1"]`, `["2"]`), 409, "PropertyChangeNotAllowed"},
		"another name":           {running, put(`"computerName":"vm"`, `"computerName":"other"`), 409, "PropertyChangeNotAllowed"},
		"interface in use":       {running, request{http.MethodDelete, testInterface, ""}, 400, "NicInUse"},
		"disk in use":            {running, request{http.MethodDelete, testDisk, ""}, 409, "OperationNotAllowed"},
		"set in use":             {inSet, request{http.MethodDelete, testSet, ""}, 409, "OperationNotAllowed"},
		"set of other domains":   {append([]request{createGroup}, createSet), request{http.MethodPut, testSet, strings.Replace(createSet.body, "3", "2", 1)}, 409, "PropertyChangeNotAllowed"},
		"extension of nothing":   {running, request{http.MethodPut, testMachine + "/extensions/e", `{"location":"eastus","properties":{"publisher":"p"}}`}, 400, "InvalidParameter"},
		"extension disallowed":   {append(append([]request{}, prepared...), put(`"adminUsername"`, `"allowExtensionOperations":false,"adminUsername"`)), request{http.MethodPut, testMachine + "/extensions/e", `{"location":"eastus","properties":{"publisher":"p","type":"t","typeHandlerVersion":"1.0"}}`}, 409, "OperationNotAllowed"},
		"role of no principal":   {running, request{http.MethodPut, testMachine + "/providers/Microsoft.Authorization/roleAssignments/00000000-0000-0000-0000-000000000001", `{"properties":{"principalId":"wow","roleDefinitionId":"r"}}`}, 400, "InvalidPrincipalId"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, r := range c.before {
				f.settle(r.method, r.path, r.body)
			}
			w := f.send(c.method, c.path, c.body)
			if w.Code != c.status || errorCodeOf(w) != c.code {
				t.Errorf("%s %s: %d %s, want %d %s\n%s", c.method, c.path, w.Code, errorCodeOf(w), c.status, c.code, w.Body)
			}
		})
	}
}

// TestMachineLife makes a machine, has it looked at, changed as the cloud controller of Kubernetes does, and deleted.
func TestMachineLife(t *testing.T) {
	f := newFixture(t)
	for _, r := range prepared {
		f.settle(r.method, r.path, r.body)
	}
	w := f.send(createMachine.method, createMachine.path, createMachine.body)
	if w.Code != http.StatusCreated || w.Header().Get("Azure-AsyncOperation") == "" || w.Header().Get("Retry-After") != "10" {
		t.Fatalf("PUT: %d %v", w.Code, w.Header())
	}
	if again := f.send(createMachine.method, createMachine.path, createMachine.body); errorCodeOf(again) != "Conflict" {
		t.Errorf("PUT while it is created: %d %s, want Conflict", again.Code, errorCodeOf(again))
	}
	f.clock.SetTime(f.clock.Now().Add(latency))
	body := f.get(testMachine + "?api-version=2024-03-01")
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"customData", "secret-of-the-bootstrap-data", base64.StdEncoding.EncodeToString([]byte(bootstrap))} {
		if strings.Contains(string(raw), secret) {
			t.Errorf("GET shows %s", secret)
		}
	}
	if text(body, "identity", "principalId") == "" || text(body, "properties", "vmId") == "" || text(body, "properties", "provisioningState") != "Succeeded" {
		t.Errorf("GET lacks an identity, an ID or success: %s", raw)
	}
	if got := text(f.get(testInterface), "properties", "virtualMachine", "id"); got != testMachine {
		t.Errorf("the interface is of machine %q", got)
	}

	// A data disk that the cloud controller attaches: nothing else is in its PUT.
	f.settle(http.MethodPut, testMachine, `{"location":"eastus","properties":{"storageProfile":{"dataDisks":[
		{"lun":0,"createOption":"Attach","managedDisk":{"id":"`+testDisk+`"}},{"lun":1,"name":"pvc","createOption":"Empty","diskSizeGB":1}]}}}`)
	changed := f.get(testMachine)
	if got := text(changed, "properties", "osProfile", "computerName") + text(changed, "tags", "a") + text(changed, "properties", "hardwareProfile", "vmSize"); got != "vmbStandard_D2s_v3" {
		t.Errorf("after a PUT of data disks only, name, tag and size are %q", got)
	}
	// A PUT that has only the machine's own disk detaches the other one.
	f.settle(http.MethodPut, testMachine, machine(base64.StdEncoding.EncodeToString([]byte(bootstrap)), ""))
	pvc := testGroup + "/providers/Microsoft.Compute/disks/pvc"
	if got := text(f.get(pvc), "managedBy") + text(f.get(pvc), "properties", "diskState"); got != "Unattached" {
		t.Errorf("the disk that is left out is %q", got)
	}

	f.settle(http.MethodDelete, testMachine, "")
	for path, want := range map[string]int{testMachine: 404, testGroup + "/providers/Microsoft.Compute/disks/vm_OSDisk": 404, testDisk: 200, testInterface: 200} {
		if w := f.send(http.MethodGet, path, ""); w.Code != want {
			t.Errorf("after the machine's deletion: GET %s: %d, want %d", path, w.Code, want)
		}
	}
	f.settle(http.MethodDelete, testInterface, "")
	f.settle(http.MethodDelete, testRule, "")
}

// TestMachinePower stops and starts a machine.
func TestMachinePower(t *testing.T) {
	f := newFixture(t)
	for _, r := range running {
		f.settle(r.method, r.path, r.body)
	}
	for action, want := range map[string]string{"deallocate": "deallocated", "start": "running", "powerOff": "stopped"} {
		f.settle(http.MethodPost, testMachine+"/"+action, "")
		view := f.get(testMachine + "/instanceView")
		statuses := objects(view, "statuses")
		if got := text(statuses[len(statuses)-1], "code"); got != "PowerState/"+want {
			t.Errorf("after %s: %s, want PowerState/%s", action, got, want)
		}
	}
	f.settle(http.MethodPost, testMachine+"/deallocate", "")
	w := f.send(http.MethodPut, testMachine+"/extensions/e", `{"location":"eastus","properties":{"publisher":"p","type":"t","typeHandlerVersion":"1.0"}}`)
	if errorCodeOf(w) != "OperationNotAllowed" {
		t.Errorf("extension of a machine that is off: %d %s", w.Code, errorCodeOf(w))
	}
}

// TestOffers checks restrictions, quotas and missing images, which a test asks for.
func TestOffers(t *testing.T) {
	restriction := func(zones ...string) func(*Service) error {
		return func(s *Service) error {
			return s.SetSizeRestriction(admin.SizeRestriction{Size: "Standard_D2s_v3", Location: "eastus", Zones: zones})
		}
	}
	cases := map[string]struct {
		set    func(*Service) error
		status int
		code   string
	}{
		"nothing":         {func(*Service) error { return nil }, 201, ""},
		"size restricted": {restriction(), 409, "SkuNotAvailable"},
		"in this zone":    {restriction("1"), 409, "SkuNotAvailable"},
		"in another zone": {restriction("2"), 201, ""},
		"quota of the family": {func(s *Service) error {
			return s.SetQuota(admin.Quota{Location: "eastus", Family: "standardDSv3Family", Limit: 1})
		}, 409, "OperationNotAllowed"},
		"quota of the region":  {func(s *Service) error { return s.SetQuota(admin.Quota{Location: "eastus", Family: "cores", Limit: 1}) }, 409, "OperationNotAllowed"},
		"quota that suffices":  {func(s *Service) error { return s.SetQuota(admin.Quota{Location: "eastus", Family: "cores", Limit: 2}) }, 201, ""},
		"quota somewhere else": {func(s *Service) error { return s.SetQuota(admin.Quota{Location: "westus2", Family: "cores"}) }, 201, ""},
		"missing image":        {func(s *Service) error { return s.SetImage(admin.ImageChange{Pattern: "1\\.36\\.3$", Missing: true}) }, 404, "GalleryImageNotFound"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, r := range prepared {
				f.settle(r.method, r.path, r.body)
			}
			if err := c.set(f.service); err != nil {
				t.Fatal(err)
			}
			if w := f.send(createMachine.method, createMachine.path, createMachine.body); w.Code != c.status || errorCodeOf(w) != c.code {
				t.Errorf("%d %s, want %d %s: %s", w.Code, errorCodeOf(w), c.status, c.code, w.Body)
			}
		})
	}
}

// TestSKUs reads the list of SKUs of a location, all pages of it.
func TestSKUs(t *testing.T) {
	f := newFixture(t)
	if err := f.service.SetSizeRestriction(admin.SizeRestriction{Size: "Standard_D2s_v3", Location: "eastus", Zones: []string{"3"}}); err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]any{}
	pages := 0
	for path := "/subscriptions/s/providers/Microsoft.Compute/skus?$filter=location%20eq%20%27eastus%27"; path != ""; pages++ {
		body := f.get(path)
		for _, sku := range objects(body, "value") {
			found[text(sku, "resourceType")+" "+text(sku, "name")] = sku
		}
		path = strings.TrimPrefix(text(body, "nextLink"), "https://management.azure.com")
	}
	size := found["virtualMachines Standard_D2s_v3"]
	capabilities := map[string]string{}
	for _, capability := range objects(size, "capabilities") {
		capabilities[text(capability, "name")] = text(capability, "value")
	}
	restriction := objects(size, "restrictions")[0]
	got := []any{
		pages > 1, len(found) == len(sizes())+2, capabilities["vCPUs"], capabilities["MemoryGB"], capabilities["AcceleratedNetworkingEnabled"],
		texts(objects(size, "locationInfo")[0], "zones"), text(restriction, "type"), texts(restriction, "restrictionInfo", "zones"),
		text(objects(found["availabilitySets Aligned"], "capabilities")[0], "value"),
	}
	want := []any{true, true, "2", "8", "True", []string{"1", "2", "3"}, "Zone", []string{"3"}, "3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if nothing := f.get("/subscriptions/s/providers/Microsoft.Compute/skus?$filter=location%20eq%20%27moon%27"); len(objects(nothing, "value")) != 0 {
		t.Error("an unknown location has SKUs")
	}
}

// TestRoleAssignments checks that one principal has a role once at a scope.
func TestRoleAssignments(t *testing.T) {
	f := newFixture(t)
	f.settle(createGroup.method, createGroup.path, createGroup.body)
	path := testGroup + "/providers/Microsoft.Authorization/roleAssignments/00000000-0000-0000-0000-00000000000"
	body := `{"properties":{"principalId":"00000000-0000-0000-0000-000000000009","roleDefinitionId":"/providers/Microsoft.Authorization/roleDefinitions/r"}}`
	f.settle(http.MethodPut, path+"1", body)
	first := text(f.get(path+"1"), "properties", "updatedOn")
	f.settle(http.MethodPut, path+"1", body)
	if again := text(f.get(path+"1"), "properties", "updatedOn"); first == "" || again != first {
		t.Errorf("the same PUT changes it: updatedOn %q, then %q", first, again)
	}
	if w := f.send(http.MethodPut, path+"2", body); w.Code != http.StatusConflict || errorCodeOf(w) != "RoleAssignmentExists" {
		t.Errorf("the same once more: %d %s", w.Code, errorCodeOf(w))
	}
	if w := f.send(http.MethodPut, path+"1", strings.Replace(body, "009", "008", 1)); errorCodeOf(w) != "RoleAssignmentUpdateNotPermitted" {
		t.Errorf("another principal: %d %s", w.Code, errorCodeOf(w))
	}
	if got := text(f.get(path+"1"), "properties", "scope"); got != testGroup {
		t.Errorf("scope %q, want %q", got, testGroup)
	}
}
