package machines

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const (
	nicID        = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/networkInterfaces/nic"
	identityID   = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i"
	linuxMachine = `
apiVersion: compute.azure.com/v1api20220301
kind: VirtualMachine
metadata: {name: vm, namespace: default}
spec:
  azureName: VM-0
  owner: {name: rg}
  location: westeurope
  zones: ["2"]
  tags: {a: b}
  identity: {type: UserAssigned, userAssignedIdentities: [{reference: {armId: ` + identityID + `}}]}
  hardwareProfile: {vmSize: Standard_D2s_v3}
  billingProfile: {maxPrice: 0.05}
  networkProfile: {networkInterfaces: [{primary: true, reference: {group: network.azure.com, kind: NetworkInterface, name: nic}}]}
  storageProfile:
    imageReference: {communityGalleryImageId: /CommunityGalleries/g/Images/i/Versions/1.33.2}
    osDisk: {name: VM-0_OSDisk, osType: Linux, createOption: FromImage, diskSizeGB: 128, managedDisk: {storageAccountType: Premium_LRS}}
    dataDisks: [{lun: 0, name: VM-0_etcd, createOption: Empty, diskSizeGB: 256}]
  osProfile:
    computerName: VM-0
    adminUsername: capi
    linuxConfiguration: {disablePasswordAuthentication: true, ssh: {publicKeys: [{path: /home/capi/.ssh/authorized_keys, keyData: ssh-rsa x}]}}
`
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(data); err != nil {
		t.Fatal(err)
	}
	return obj
}

var ids = map[Reference]string{
	{Group: "network.azure.com", Kind: "NetworkInterface", Name: "nic"}: nicID,
	{ARMID: identityID}: identityID,
}

func TestRequest(t *testing.T) {
	request, err := NewRequest(object(t, linuxMachine), ids, NewSecrets([]byte(bootstrap)))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name": "VM-0", "location": "westeurope", "zones": ["2"], "tags": {"a": "b"},
		"identity": {"type": "UserAssigned", "userAssignedIdentities": {"` + identityID + `": {}}},
		"properties": {
			"billingProfile": {"maxPrice": 0.05},
			"hardwareProfile": {"vmSize": "Standard_D2s_v3"},
			"networkProfile": {"networkInterfaces": [{"id": "` + nicID + `", "properties": {"primary": true}}]},
			"osProfile": {"adminUsername": "capi", "computerName": "VM-0", "customData": "` + base64.StdEncoding.EncodeToString([]byte(bootstrap)) + `",
				"linuxConfiguration": {"disablePasswordAuthentication": true, "ssh": {"publicKeys": [{"keyData": "ssh-rsa x", "path": "/home/capi/.ssh/authorized_keys"}]}}},
			"storageProfile": {
				"dataDisks": [{"createOption": "Empty", "diskSizeGB": 256, "lun": 0, "name": "VM-0_etcd"}],
				"imageReference": {"communityGalleryImageId": "/CommunityGalleries/g/Images/i/Versions/1.33.2"},
				"osDisk": {"createOption": "FromImage", "diskSizeGB": 128, "managedDisk": {"storageAccountType": "Premium_LRS"}, "name": "VM-0_OSDisk", "osType": "Linux"}}}}`
	if diff := cmp.Diff(decoded(t, []byte(want)), decoded(t, request.body)); diff != "" {
		t.Errorf("-want, +sent:\n%s", diff)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if text := fmt.Sprintf(verb, request) + fmt.Sprintf(verb, &request) + fmt.Sprintf(verb, []Request{request}); strings.Contains(text, "SECRET") || strings.Contains(text, "customData") {
			t.Errorf("%s prints %s", verb, text)
		}
	}
}

func decoded(t *testing.T, content []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(content, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// TestRequestOfWindows shows that a Windows machine gets a password of its own, as Azure asks for it.
func TestRequestOfWindows(t *testing.T) {
	windows := strings.Replace(linuxMachine, "linuxConfiguration: {disablePasswordAuthentication: true, ssh: {publicKeys: [{path: /home/capi/.ssh/authorized_keys, keyData: ssh-rsa x}]}}",
		"windowsConfiguration: {enableAutomaticUpdates: false}", 1)
	passwords := map[string]bool{}
	for range 3 {
		request, err := NewRequest(object(t, windows), ids, NewSecrets([]byte(bootstrap)))
		if err != nil {
			t.Fatal(err)
		}
		profile, _, err := unstructured.NestedString(decoded(t, request.body).(map[string]any), "properties", "osProfile", "adminPassword")
		if err != nil || len(profile) != passwordLength {
			t.Errorf("got a password of %d characters, %v", len(profile), err)
		}
		passwords[profile] = true
	}
	if len(passwords) != 3 {
		t.Error("passwords repeat themselves")
	}
}

func TestRequestThatCannotBeMade(t *testing.T) {
	cases := map[string]struct {
		object  string
		ids     map[Reference]string
		data    string
		want    string
		without *bytes.Reader
	}{
		"of another version":        {object: strings.Replace(linuxMachine, "v1api20220301", "v1api20201201", 1), ids: ids, data: "d", want: "must be of compute.azure.com/v1api20220301"},
		"with an unknown field":     {object: strings.Replace(linuxMachine, "location:", "locations:", 1), ids: ids, data: "d", want: "locations"},
		"of another shape":          {object: strings.Replace(linuxMachine, "location: westeurope", "location: [a]", 1), ids: ids, data: "d", want: "cannot be read"},
		"without what it refers to": {object: linuxMachine, data: "d", want: "couldn't find resolved"},
		"without bootstrap data":    {object: linuxMachine, ids: ids, want: "no bootstrap data"},
		"without a profile":         {object: linuxMachine[:strings.Index(linuxMachine, "  osProfile")], ids: ids, data: "d", want: "spec.osProfile"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := NewRequest(object(t, c.object), c.ids, Secrets{CustomData: []byte(c.data), Random: rand.Reader})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestReferences(t *testing.T) {
	want := []Reference{{ARMID: identityID}, {Group: "network.azure.com", Kind: "NetworkInterface", Name: "nic"}}
	if diff := cmp.Diff(want, References(object(t, linuxMachine))); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
