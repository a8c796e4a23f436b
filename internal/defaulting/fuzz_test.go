package defaulting

import (
	"encoding/json"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// FuzzDefaults shows that whatever is given is withstood, and that what was filled in stays when it is asked for again.
func FuzzDefaults(f *testing.F) {
	for _, s := range []string{
		"{}", `{"controlPlaneEnabled": true}`, `{"controlPlaneEnabled": true, "networkSpec": {"subnets": [{"role": "node", "cidrBlocks": ["::/0", "x"]}, {"role": "cluster"}, {"role": "node"}]}}`,
		`{"networkSpec": {"nodeOutboundLB": {"frontendIPsCount": -1}, "apiServerLB": {"type": "x"}}}`, `{"controlPlaneEnabled": true, "networkSpec": {"controlPlaneOutboundLB": {"frontendIPsCount": 2147483647}}}`,
		`{"bastionSpec": {"azureBastion": {"subnet": {"role": "node"}}}}`,
		`{"vmSize": "", "osDisk": {}, "dataDisks": [{"lun": -1}, {"lun": 2147483647}, {}, {}], "networkInterfaces": [{"privateIPConfigs": -1}], "subnetName": "x"}`, `{"identity": "SystemAssigned", "spotVMOptions": {}, "diagnostics": {}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		again(t, raw, func(spec *v1beta1.AzureClusterSpec) { Cluster("c", spec) })
		again(t, raw, ClusterTemplate)
		again(t, raw, Machine)
		again(t, raw, MachineTemplate)
	})
}

// again fills in twice.
func again[T any](t *testing.T, raw []byte, fill func(*T)) {
	t.Helper()
	spec := new(T)
	if json.Unmarshal(raw, spec) != nil {
		return
	}
	fill(spec)
	once, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	fill(spec)
	twice, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	if string(once) != string(twice) {
		t.Errorf("%s\nbecomes first  %s\nand then %s", raw, once, twice)
	}
}
