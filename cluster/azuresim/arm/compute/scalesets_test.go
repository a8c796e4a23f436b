package compute_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// scaleSet is a fixture with a scale set of that body.
func scaleSet(t *testing.T, body string) *armtest.Fixture {
	t.Helper()
	f := armtest.New(t)
	for _, r := range armtest.BehindBalancer {
		f.Make(r)
	}
	f.Settle(http.MethodPut, armtest.ScaleSet, body)
	settle(f)
	return f
}

// settle lets the operations end that others have started.
func settle(f *armtest.Fixture) {
	for range 3 {
		f.Clock.SetTime(f.Clock.Now().Add(armtest.Latency))
		f.Resources("")
	}
}

// instances are the instances of the scale set, each as "ID zone state", and its capacity at the end.
func instances(f *armtest.Fixture) []string {
	f.T.Helper()
	var found []string
	for _, one := range fields.Objects(f.Get(armtest.ScaleSet+"/virtualMachines"), "value") {
		found = append(found, strings.Join(append([]string{fields.Text(one, "instanceId"), fields.Text(one, "properties", "provisioningState")}, fields.Texts(one, "zones")...), " "))
	}
	set := f.Get(armtest.ScaleSet)
	capacity, _ := fields.Number(set, "sku", "capacity")
	return append(found, fmt.Sprintf("%d %s", capacity, fields.Text(set, "properties", "provisioningState")))
}

func capacity(count int) string {
	return fmt.Sprintf(`{"location":"eastus","sku":{"name":"Standard_D2s_v3","tier":"Standard","capacity":%d}}`, count)
}

// TestScaleSetLife goes with a uniform scale set of two instances in three zones through one change each.
func TestScaleSetLife(t *testing.T) {
	const one = armtest.ScaleSet + "/virtualMachines/1"
	cases := map[string]struct {
		body     string
		requests []armtest.Request
		want     []string
	}{
		"made":        {want: []string{"0 Succeeded 1", "1 Succeeded 2", "2 Succeeded"}},
		"without any": {body: armtest.ScaleSetBody(`"capacity":2`, `"capacity":0`), want: []string{"0 Succeeded"}},
		"no zones":    {body: armtest.ScaleSetBody(`"zones":["1","2","3"],`, ""), want: []string{"0 Succeeded", "1 Succeeded", "2 Succeeded"}},
		"scaled out":  {requests: []armtest.Request{{http.MethodPut, armtest.ScaleSet, capacity(4)}}, want: []string{"0 Succeeded 1", "1 Succeeded 2", "2 Succeeded 3", "3 Succeeded 1", "4 Succeeded"}},
		"patched":     {requests: []armtest.Request{{http.MethodPatch, armtest.ScaleSet, `{"sku":{"capacity":3}}`}}, want: []string{"0 Succeeded 1", "1 Succeeded 2", "2 Succeeded 3", "3 Succeeded"}},
		"scaled in":   {requests: []armtest.Request{{http.MethodPut, armtest.ScaleSet, capacity(1)}}, want: []string{"0 Succeeded 1", "1 Succeeded"}},
		"scaled in from the fullest zone": {
			requests: []armtest.Request{{http.MethodPut, armtest.ScaleSet, capacity(4)}, {http.MethodPut, armtest.ScaleSet, capacity(3)}},
			want:     []string{"0 Succeeded 1", "1 Succeeded 2", "2 Succeeded 3", "3 Succeeded"},
		},
		"scaled in, the oldest first": {
			body:     armtest.ScaleSetBody(`"upgradePolicy"`, `"scaleInPolicy":{"rules":["OldestVM"]},"upgradePolicy"`),
			requests: []armtest.Request{{http.MethodPut, armtest.ScaleSet, capacity(1)}}, want: []string{"1 Succeeded 2", "1 Succeeded"},
		},
		"scaled in around a protected one": {
			requests: []armtest.Request{{http.MethodPut, one, `{"location":"eastus","properties":{"protectionPolicy":{"protectFromScaleIn":true}}}`}, {http.MethodPut, armtest.ScaleSet, capacity(1)}},
			want:     []string{"1 Succeeded 2", "1 Succeeded"},
		},
		"one deleted":                 {requests: []armtest.Request{{http.MethodDelete, one, ""}}, want: []string{"0 Succeeded 1", "1 Succeeded"}},
		"one deleted by the set":      {requests: []armtest.Request{{http.MethodPost, armtest.ScaleSet + "/delete", `{"instanceIds":["0"]}`}}, want: []string{"1 Succeeded 2", "1 Succeeded"}},
		"one deleted and one more":    {requests: []armtest.Request{{http.MethodDelete, one, ""}, {http.MethodPut, armtest.ScaleSet, capacity(2)}}, want: []string{"0 Succeeded 1", "2 Succeeded 2", "2 Succeeded"}},
		"stopped":                     {requests: []armtest.Request{{http.MethodPost, one + "/deallocate", ""}}, want: []string{"0 Succeeded 1", "1 Succeeded 2", "2 Succeeded"}},
		"reimaged":                    {requests: []armtest.Request{{http.MethodPost, armtest.ScaleSet + "/reimage", `{"instanceIds":["*"]}`}}, want: []string{"0 Succeeded 1", "1 Succeeded 2", "2 Succeeded"}},
		"a tag only changes no other": {requests: []armtest.Request{{http.MethodPatch, armtest.ScaleSet, `{"tags":{"c":"d"}}`}}, want: []string{"0 Succeeded 1", "1 Succeeded 2", "2 Succeeded"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.body == "" {
				c.body = armtest.ScaleSetBody()
			}
			f := scaleSet(t, c.body)
			for _, r := range c.requests {
				f.Make(r)
				settle(f)
			}
			if diff := cmp.Diff(c.want, instances(f)); diff != "" {
				t.Errorf("instances: -want +got\n%s", diff)
			}
		})
	}
}

// TestInstances reads what Azure shows of a uniform scale set's first instance, and of what belongs to it.
func TestInstances(t *testing.T) {
	f := scaleSet(t, armtest.ScaleSetBody())
	const path = armtest.ScaleSet + "/virtualMachines/0"
	body := f.Get(path)
	nic := f.Get(path + "/networkInterfaces/nic")
	configuration := fields.Objects(nic, "properties", "ipConfigurations")[0]
	var members []string
	for _, member := range fields.Objects(fields.Objects(f.Get(armtest.Balancer), "properties", "backendAddressPools")[0], "properties", "backendIPConfigurations") {
		members = append(members, fields.Text(member, "id"))
	}
	view := f.Get(path + "/instanceView")
	got := []string{
		fields.Text(body, "id"), fields.Text(body, "name"), fields.Text(body, "instanceId"), fields.Text(body, "sku", "name"), fields.Text(body, "properties", "osProfile", "computerName"),
		fmt.Sprint(fields.At(body, "properties", "latestModelApplied")), fields.Text(fields.Objects(body, "properties", "networkProfile", "networkInterfaces")[0], "id"),
		fields.Text(configuration, "properties", "privateIPAddress"), fields.Text(nic, "properties", "virtualMachine", "id"), members[0], fmt.Sprint(len(members)),
		fields.Text(fields.Objects(view, "statuses")[1], "code"), fmt.Sprint(len(fields.Objects(f.Get(armtest.ScaleSet+"/networkInterfaces"), "value"))),
		fmt.Sprint(fields.At(fields.Objects(f.Get(armtest.ScaleSet+"/instanceView"), "virtualMachine", "statusesSummary")[0], "count")),
	}
	want := []string{
		path, "pool_0", "0", "Standard_D2s_v3", "pool000000", "true", path + "/networkInterfaces/nic", "10.1.0.4", path, path + "/networkInterfaces/nic/ipConfigurations/ip", "2",
		"PowerState/running", "2", "2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if body := f.Send(http.MethodGet, armtest.ScaleSet, "").Body.String() + f.Send(http.MethodGet, path, "").Body.String(); strings.Contains(body, "customData") {
		t.Error("custom data is shown")
	}
	if e := armtest.ErrorCodeOf(f.Send(http.MethodDelete, armtest.Subnet, "")); e != "InUseSubnetCannotBeDeleted" {
		t.Errorf("DELETE of the instances' subnet: %q", e)
	}
}

// TestManyInstances pages through many instances, whose names are in base 36.
func TestManyInstances(t *testing.T) {
	f := scaleSet(t, armtest.ScaleSetBody(`"capacity":2`, `"capacity":130`))
	next, names, pages := armtest.ScaleSet+"/virtualMachines", []string{}, 0
	for next != "" {
		page := f.Get(next)
		pages++
		for _, one := range fields.Objects(page, "value") {
			names = append(names, fields.Text(one, "properties", "osProfile", "computerName"))
		}
		next = strings.TrimPrefix(fields.Text(page, "nextLink"), "https://management.azure.com")
	}
	if pages != 2 || len(names) != 130 || names[37] != "pool000011" || names[129] != "pool00003l" {
		t.Errorf("%d pages, %d names, %s, %s", pages, len(names), names[37], names[len(names)-1])
	}
}

// TestModels changes the model of a scale set, and looks which instances have it.
func TestModels(t *testing.T) {
	const image = "versions/1.36.3"
	newer := []string{image, "versions/1.36.4"}
	upgrade := armtest.Request{http.MethodPost, armtest.ScaleSet + "/manualupgrade", `{"instanceIds":["1"]}`}
	cases := map[string]struct {
		mode     string
		requests []armtest.Request
		want     []string
	}{
		"the same once more": {"Manual", []armtest.Request{armtest.CreateScaleSet}, []string{"1.36.3 true", "1.36.3 true"}},
		"capacity only":      {"Manual", []armtest.Request{{http.MethodPut, armtest.ScaleSet, capacity(3)}}, []string{"1.36.3 true", "1.36.3 true", "1.36.3 true"}},
		"manual":             {"Manual", []armtest.Request{{http.MethodPut, armtest.ScaleSet, armtest.ScaleSetBody(newer...)}}, []string{"1.36.3 false", "1.36.3 false"}},
		"manual, one upgraded": {"Manual", []armtest.Request{{http.MethodPut, armtest.ScaleSet, armtest.ScaleSetBody(newer...)}, upgrade},
			[]string{"1.36.3 false", "1.36.4 true"}},
		"manual, and one more": {"Manual", []armtest.Request{{http.MethodPut, armtest.ScaleSet, armtest.ScaleSetBody(append(newer, `"capacity":2`, `"capacity":3`)...)}},
			[]string{"1.36.3 false", "1.36.3 false", "1.36.4 true"}},
		"automatic":       {"Automatic", []armtest.Request{{http.MethodPut, armtest.ScaleSet, armtest.ScaleSetBody(append(newer, "Manual", "Automatic")...)}}, []string{"1.36.4 true", "1.36.4 true"}},
		"rolling":         {"Rolling", []armtest.Request{{http.MethodPut, armtest.ScaleSet, armtest.ScaleSetBody(append(newer, "Manual", "Rolling")...)}}, []string{"1.36.4 true", "1.36.4 true"}},
		"size":            {"Manual", []armtest.Request{{http.MethodPut, armtest.ScaleSet, armtest.ScaleSetBody("D2s_v3", "D4s_v3")}}, []string{"1.36.3 false", "1.36.3 false"}},
		"custom data":     {"Manual", []armtest.Request{{http.MethodPut, armtest.ScaleSet, armtest.ScaleSetBody(`"customData":"`, `"customData":"AAAA`)}}, []string{"1.36.3 false", "1.36.3 false"}},
		"without network": {"Manual", []armtest.Request{{http.MethodPut, armtest.ScaleSet, withoutNetwork()}}, []string{"1.36.3 true", "1.36.3 true"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := scaleSet(t, armtest.ScaleSetBody("Manual", c.mode))
			for _, r := range c.requests {
				f.Make(r)
				settle(f)
			}
			var got []string
			for _, one := range fields.Objects(f.Get(armtest.ScaleSet+"/virtualMachines"), "value") {
				id := fields.Text(one, "properties", "storageProfile", "imageReference", "communityGalleryImageId")
				got = append(got, fmt.Sprint(id[strings.LastIndex(id, "/")+1:], " ", fields.At(one, "properties", "latestModelApplied")))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("images and whether they are the latest: -want +got\n%s", diff)
			}
		})
	}
}

// withoutNetwork is a PUT of the whole scale set but for its network.
func withoutNetwork() string {
	body, err := fields.Decode([]byte(armtest.ScaleSetBody()))
	if err != nil {
		panic(err) // The body is a constant.
	}
	delete(fields.Child(fields.Child(body, "properties"), "virtualMachineProfile"), "networkProfile")
	raw, err := fields.Encode(body)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// TestFlexible goes with a flexible scale set, whose instances are virtual machines of their own, through its life.
func TestFlexible(t *testing.T) {
	f := scaleSet(t, armtest.Flexible(armtest.ScaleSetBody()))
	list := fields.Objects(f.Get(armtest.ScaleSet+"/virtualMachines"), "value")
	if len(list) != 2 {
		t.Fatalf("%d instances, want 2", len(list))
	}
	name := fields.Text(list[0], "instanceId")
	path := armtest.Group + "/providers/Microsoft.Compute/virtualMachines/" + name
	machine := f.Get(path)
	computer, nic := fields.Text(machine, "properties", "osProfile", "computerName"), fields.Text(fields.Objects(machine, "properties", "networkProfile", "networkInterfaces")[0], "id")
	got := []string{
		fields.Text(list[0], "id"), fields.Text(machine, "properties", "virtualMachineScaleSet", "id"), name[:5], fmt.Sprint(len(name)), computer[:4], fmt.Sprint(len(computer)),
		fields.Text(machine, "properties", "hardwareProfile", "vmSize"), fields.Text(f.Get(nic), "properties", "virtualMachine", "id"), f.ProvisioningState(path),
	}
	want := []string{armtest.ScaleSet + "/virtualMachines/" + name, armtest.ScaleSet, "pool_", "13", "pool", "10", "Standard_D2s_v3", path, "Succeeded"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if w := f.Send(http.MethodDelete, armtest.ScaleSet+"/virtualMachines/"+name, ""); w.Code != http.StatusConflict {
		t.Errorf("DELETE by the scale set's path: %d, want 409", w.Code)
	}
	f.Settle(http.MethodDelete, path, "")
	settle(f)
	if left := instances(f); len(left) != 2 || left[1] != "1 Succeeded" {
		t.Errorf("after the DELETE of one: %q", left)
	}
	if w := f.Send(http.MethodGet, nic, ""); w.Code != http.StatusNotFound {
		t.Errorf("its network interface: %d, want 404", w.Code)
	}
	f.Settle(http.MethodDelete, armtest.ScaleSet, "")
	settle(f)
	expectNoMachines(f)
}

// expectNoMachines fails the test if anything of the compute provider, or a network interface, is left.
func expectNoMachines(f *armtest.Fixture) {
	f.T.Helper()
	for _, r := range f.Resources(armtest.Group) {
		if strings.Contains(r.Type, "Microsoft.Compute") || strings.HasSuffix(r.Type, "networkInterfaces") {
			f.T.Errorf("left: %s", r.ID)
		}
	}
}

// TestScaleSetDeleted leaves nothing of a scale set, whichever way it goes.
func TestScaleSetDeleted(t *testing.T) {
	for name, body := range map[string]string{"uniform": armtest.ScaleSetBody(), "flexible": armtest.Flexible(armtest.ScaleSetBody())} {
		for _, path := range []string{armtest.ScaleSet, armtest.Group} {
			t.Run(name+" "+path[strings.LastIndex(path, "/")+1:], func(t *testing.T) {
				f := scaleSet(t, body)
				f.Settle(http.MethodDelete, path, "")
				settle(f)
				if w := f.Send(http.MethodGet, armtest.ScaleSet, ""); w.Code != http.StatusNotFound {
					t.Errorf("GET: %d, want 404", w.Code)
				}
				expectNoMachines(f)
			})
		}
	}
}

// TestScaleSetRefusals checks what Azure does not do with scale sets.
func TestScaleSetRefusals(t *testing.T) {
	put := func(replacements ...string) armtest.Request {
		return armtest.Request{http.MethodPut, armtest.ScaleSet, armtest.ScaleSetBody(replacements...)}
	}
	made := armtest.BehindBalancer
	present := append(slices.Clone(made), armtest.CreateScaleSet)
	cases := map[string]struct {
		settled []armtest.Request
		request armtest.Request
		status  int
		code    string
	}{
		"no model":             {made, armtest.Request{http.MethodPut, armtest.ScaleSet, `{"location":"eastus","sku":{"name":"Standard_D2s_v3","capacity":1},"properties":{"upgradePolicy":{"mode":"Manual"}}}`}, 400, "InvalidParameter"},
		"unknown size":         {made, put("Standard_D2s_v3", "Standard_X"), 400, "InvalidParameter"},
		"too many":             {made, put(`"capacity":2`, `"capacity":1001`), 400, "InvalidParameter"},
		"too many in a group":  {made, put(`"capacity":2`, `"capacity":101`, `"singlePlacementGroup":false`, `"singlePlacementGroup":true`), 400, "InvalidParameter"},
		"unknown mode":         {made, put(`"Uniform"`, `"Both"`), 400, "InvalidParameter"},
		"unknown upgrades":     {made, put(`"Manual"`, `"Never"`), 400, "InvalidParameter"},
		"no prefix":            {made, put(`"computerNamePrefix":"pool",`, ""), 400, "InvalidParameter"},
		"long prefix":          {made, put(`"computerNamePrefix":"pool"`, `"computerNamePrefix":"`+strings.Repeat("a", 59)+`"`), 400, "InvalidParameter"},
		"long Windows prefix":  {made, put(`"computerNamePrefix":"pool"`, `"windowsConfiguration":{},"adminPassword":"p","computerNamePrefix":"abcdefghij"`), 400, "InvalidParameter"},
		"bad name":             {made, armtest.Request{http.MethodPut, armtest.ScaleSet + "-", armtest.ScaleSetBody()}, 400, "InvalidParameter"},
		"no image":             {made, put(`"communityGalleryImageId"`, `"x"`, `{"communityGalleryImageId":"/communityGalleries/ClusterAPI/images/ubuntu/versions/1.36.3"}`, `{}`), 400, "InvalidParameter"},
		"no network":           {made, put(`"networkProfile"`, `"other"`), 400, "InvalidParameter"},
		"no subnet":            {made, put("subnets/nodes", "subnets/none"), 400, "InvalidResourceReference"},
		"no pool":              {made, put("backendAddressPools/pool", "backendAddressPools/none"), 400, "InvalidResourceReference"},
		"full subnet":          {append(slices.Clone(made[:2]), armtest.Request{http.MethodPut, armtest.Subnet, `{"properties":{"addressPrefix":"10.1.0.0/29"}}`}, made[3], made[4]), put(`"capacity":2`, `"capacity":4`), 400, "SubnetIsFull"},
		"zone that is not":     {made, put(`["1","2","3"]`, `["4"]`), 400, "AvailabilityZoneNotSupported"},
		"balance of no zones":  {made, put(`"zones":["1","2","3"],`, "", `"overprovision"`, `"zoneBalance":true,"overprovision"`), 400, "InvalidParameter"},
		"eviction of no spot":  {made, put(`"osProfile"`, `"evictionPolicy":"Delete","osProfile"`), 400, "InvalidParameter"},
		"unknown eviction":     {made, put(`"osProfile"`, `"priority":"Spot","evictionPolicy":"Never","osProfile"`), 400, "InvalidParameter"},
		"long notice":          {made, put(`"osProfile"`, `"scheduledEventsProfile":{"terminateNotificationProfile":{"enable":true,"notBeforeTimeout":"PT20M"}},"osProfile"`), 400, "InvalidParameter"},
		"flexible, no version": {made, armtest.Request{http.MethodPut, armtest.ScaleSet, strings.Replace(armtest.Flexible(armtest.ScaleSetBody()), `"networkApiVersion":"2020-11-01",`, "", 1)}, 400, "InvalidParameter"},
		"another mode":         {present, put(`"Uniform"`, `"Flexible"`), 409, "PropertyChangeNotAllowed"},
		"another prefix":       {present, put(`"computerNamePrefix":"pool"`, `"computerNamePrefix":"other"`), 409, "PropertyChangeNotAllowed"},
		"another user":         {present, put(`"capi"`, `"root2"`), 409, "PropertyChangeNotAllowed"},
		"other zones":          {present, put(`["1","2","3"]`, `["1"]`), 409, "PropertyChangeNotAllowed"},
		"one placement group":  {present, put(`"singlePlacementGroup":false`, `"singlePlacementGroup":true`), 409, "PropertyChangeNotAllowed"},
		"another location":     {present, put(`"eastus"`, `"westus"`), 409, "InvalidResourceLocation"},
		"instance by PUT":      {present, armtest.Request{http.MethodPut, armtest.ScaleSet + "/virtualMachines/9", `{"location":"eastus"}`}, 404, "NotFound"},
		"unknown instance":     {present, armtest.Request{http.MethodPost, armtest.ScaleSet + "/manualupgrade", `{"instanceIds":["9"]}`}, 400, "InvalidParameter"},
		"which instances":      {present, armtest.Request{http.MethodPost, armtest.ScaleSet + "/delete", `{}`}, 400, "InvalidParameter"},
		"evicted without spot": {present, armtest.Request{http.MethodPost, armtest.ScaleSet + "/virtualMachines/0/simulateEviction", ""}, 409, "OperationNotAllowed"},
		"pool that is in use":  {present, armtest.Request{http.MethodDelete, armtest.Balancer, ""}, 400, "InvalidResourceReference"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			for _, r := range c.settled {
				f.Make(r)
				settle(f)
			}
			if w := f.Ask(c.request); w.Code != c.status || armtest.ErrorCodeOf(w) != c.code {
				t.Errorf("%s: %d %s, want %d %s: %s", c.request, w.Code, armtest.ErrorCodeOf(w), c.status, c.code, w.Body)
			}
		})
	}
}

// TestScaleSetOffers checks restrictions and quotas for scale sets.
func TestScaleSetOffers(t *testing.T) {
	balanced := armtest.ScaleSetBody(`"overprovision"`, `"zoneBalance":true,"overprovision"`)
	restrict := func(zones ...string) func(*armtest.Fixture) error {
		return func(f *armtest.Fixture) error {
			return f.Machines.SetSizeRestriction(f.Service, admin.SizeRestriction{Size: "Standard_D2s_v3", Location: "eastus", Zones: zones})
		}
	}
	quota := func(limit int) func(*armtest.Fixture) error {
		return func(f *armtest.Fixture) error {
			return f.Machines.SetQuota(f.Service, admin.Quota{Location: "eastus", Family: "standardDSv3Family", Limit: limit})
		}
	}
	cases := map[string]struct {
		set    func(*armtest.Fixture) error
		body   string
		status int
		code   string
	}{
		"size nowhere":            {restrict(), armtest.ScaleSetBody(), 409, "SkuNotAvailable"},
		"size in no zone":         {restrict("1", "2", "3"), armtest.ScaleSetBody(), 409, "SkuNotAvailable"},
		"size in two zones":       {restrict("1"), armtest.ScaleSetBody(), 201, ""},
		"size in two, balanced":   {restrict("1"), balanced, 409, "SkuNotAvailable"},
		"quota for one":           {quota(2), armtest.ScaleSetBody(), 409, "OperationNotAllowed"},
		"quota for two":           {quota(4), armtest.ScaleSetBody(), 201, ""},
		"quota for two, flexible": {quota(4), armtest.Flexible(armtest.ScaleSetBody()), 201, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			for _, r := range armtest.BehindBalancer {
				f.Make(r)
			}
			if err := c.set(f); err != nil {
				t.Fatal(err)
			}
			if w := f.Send(http.MethodPut, armtest.ScaleSet, c.body); w.Code != c.status || armtest.ErrorCodeOf(w) != c.code {
				t.Errorf("%d %s, want %d %s: %s", w.Code, armtest.ErrorCodeOf(w), c.status, c.code, w.Body)
			}
		})
	}
}

// TestEviction has Azure evict a spot instance of each kind.
func TestEviction(t *testing.T) {
	spot := func(policy string) string {
		return armtest.ScaleSetBody(`"osProfile"`, `"priority":"Spot","evictionPolicy":"`+policy+`","osProfile"`)
	}
	cases := map[string]struct {
		body string
		want int64
		view string
	}{
		"deallocated":           {spot("Deallocate"), 2, "PowerState/deallocated"},
		"deleted":               {spot("Delete"), 1, ""},
		"flexible, deallocated": {armtest.Flexible(spot("Deallocate")), 2, "PowerState/deallocated"},
		"flexible, deleted":     {armtest.Flexible(spot("Delete")), 1, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := scaleSet(t, c.body)
			id := fields.Text(fields.Objects(f.Get(armtest.ScaleSet+"/virtualMachines"), "value")[0], "instanceId")
			path := armtest.ScaleSet + "/virtualMachines/" + id
			if strings.HasPrefix(name, "flexible") {
				path = armtest.Group + "/providers/Microsoft.Compute/virtualMachines/" + id
			}
			if err := f.Machines.Evict(f.Service, path); err != nil {
				t.Fatal(err)
			}
			settle(f)
			if capacity, _ := fields.Number(f.Get(armtest.ScaleSet), "sku", "capacity"); capacity != c.want {
				t.Errorf("capacity %d, want %d", capacity, c.want)
			}
			if c.view == "" {
				if w := f.Send(http.MethodGet, path, ""); w.Code != http.StatusNotFound {
					t.Errorf("GET: %d, want 404", w.Code)
				}
				return
			}
			if got := fields.Text(fields.Objects(f.Get(path+"/instanceView"), "statuses")[1], "code"); got != c.view {
				t.Errorf("%s, want %s", got, c.view)
			}
		})
	}
}

// TestInstancePools has somebody put a uniform scale set and its instances into another pool of a load balancer, as Kubernetes' cloud controller
// does: the model first, then each instance.
func TestInstancePools(t *testing.T) {
	const other = armtest.Balancer + "/backendAddressPools/kubernetes"
	f := scaleSet(t, armtest.ScaleSetBody())
	f.Settle(http.MethodPut, armtest.Balancer, strings.Replace(armtest.BalancerBody(""), `{"name":"pool"}`, `{"name":"pool"},{"name":"kubernetes"}`, 1))
	join := func(body map[string]any, path ...string) string {
		for _, configuration := range fields.Objects(body, append(path, "networkInterfaceConfigurations")...) {
			properties := fields.Child(fields.Objects(configuration, "properties", "ipConfigurations")[0], "properties")
			properties["loadBalancerBackendAddressPools"] = append(properties["loadBalancerBackendAddressPools"].([]any), map[string]any{"id": other})
		}
		raw, err := fields.Encode(body)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	latest := func() (found []string) {
		for _, one := range fields.Objects(f.Get(armtest.ScaleSet+"/virtualMachines"), "value") {
			found = append(found, fmt.Sprint(fields.At(one, "properties", "latestModelApplied")))
		}
		return found
	}
	f.Settle(http.MethodPut, armtest.ScaleSet, join(f.Get(armtest.ScaleSet), "properties", "virtualMachineProfile", "networkProfile"))
	settle(f)
	if got := latest(); !slices.Equal(got, []string{"false", "false"}) {
		t.Errorf("latest models after the scale set's PUT: %q", got)
	}
	const one = armtest.ScaleSet + "/virtualMachines/1"
	f.Settle(http.MethodPut, one, join(f.Get(one), "properties", "networkProfileConfiguration"))
	settle(f)
	if got := latest(); !slices.Equal(got, []string{"false", "true"}) {
		t.Errorf("latest models after the PUT of one instance: %q", got)
	}
	pools := fields.Objects(f.Get(armtest.Balancer), "properties", "backendAddressPools")
	if first, second := len(fields.Objects(pools[0], "properties", "backendIPConfigurations")), len(fields.Objects(pools[1], "properties", "backendIPConfigurations")); first != 2 || second != 1 {
		t.Errorf("members of the pools: %d and %d, want 2 and 1", first, second)
	}
}
