package armtest

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// ScaleSet is the identifier of a scale set.
const ScaleSet = Group + "/providers/Microsoft.Compute/virtualMachineScaleSets/pool"

// ScaleSetBody is the body of a scale set's PUT: two instances, uniform, in three zones, with each pair of strings replaced.
func ScaleSetBody(replacements ...string) string {
	body := `{"location":"eastus","zones":["1","2","3"],"tags":{"a":"b"},"sku":{"name":"Standard_D2s_v3","tier":"Standard","capacity":2},"properties":{
		"orchestrationMode":"Uniform","overprovision":false,"singlePlacementGroup":false,"upgradePolicy":{"mode":"Manual"},
		"virtualMachineProfile":{
			"storageProfile":{"imageReference":{"communityGalleryImageId":"/communityGalleries/ClusterAPI/images/ubuntu/versions/1.36.3"},
				"osDisk":{"createOption":"FromImage","diskSizeGB":30,"managedDisk":{"storageAccountType":"Premium_LRS"}}},
			"osProfile":{"computerNamePrefix":"pool","adminUsername":"capi","customData":"` + base64.StdEncoding.EncodeToString([]byte(Bootstrap)) + `",
				"linuxConfiguration":{"disablePasswordAuthentication":true,"ssh":{"publicKeys":[{"path":"/home/capi/.ssh/authorized_keys","keyData":"ssh-rsa x"}]}}},
			"networkProfile":{"networkInterfaceConfigurations":[{"name":"nic","properties":{"primary":true,"enableIPForwarding":true,"ipConfigurations":[
				{"name":"ip","properties":{"primary":true,"privateIPAddressVersion":"IPv4","subnet":{"id":"` + Subnet + `"},
					"loadBalancerBackendAddressPools":[{"id":"` + Balancer + `/backendAddressPools/pool"}]}}]}}]}}}}`
	return strings.NewReplacer(replacements...).Replace(body)
}

// Flexible makes a scale set's body one of flexible orchestration.
func Flexible(body string) string {
	return strings.NewReplacer(`"Uniform"`, `"Flexible"`, `"overprovision":false,`, `"platformFaultDomainCount":1,`, `"upgradePolicy":{"mode":"Manual"},`, "",
		`"networkProfile":{`, `"networkProfile":{"networkApiVersion":"2020-11-01",`).Replace(body)
}

// BehindBalancer makes what a scale set needs: a network, and a load balancer with a pool.
var BehindBalancer = []Request{CreateGroup, CreateNetwork, CreateSubnet, CreateAddress, CreateBalancer}

// CreateScaleSet makes a uniform scale set.
var CreateScaleSet = Request{http.MethodPut, ScaleSet, ScaleSetBody()}
