package armtest

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// A machine, and what belongs to it.
const (
	Machine         = Group + "/providers/Microsoft.Compute/virtualMachines/vm"
	Disk            = Group + "/providers/Microsoft.Compute/disks/vm_etcd"
	AvailabilitySet = Group + "/providers/Microsoft.Compute/availabilitySets/set"
	Identity        = Group + "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i"
	Bootstrap       = "#cloud-config\nruncmd: [secret-of-the-bootstrap-data]\n"
)

// MachineBody is the body of a virtual machine's PUT, with each pair of strings replaced.
func MachineBody(replacements ...string) string {
	body := `{"location":"eastus","zones":["1"],"tags":{"a":"b"},"identity":{"type":"SystemAssigned"},"properties":{
		"hardwareProfile":{"vmSize":"Standard_D2s_v3"},
		"storageProfile":{"imageReference":{"communityGalleryImageId":"/communityGalleries/ClusterAPI/images/ubuntu/versions/1.36.3"},
			"osDisk":{"name":"vm_OSDisk","createOption":"FromImage","deleteOption":"Delete","managedDisk":{"storageAccountType":"Premium_LRS"}},
			"dataDisks":[{"lun":0,"name":"vm_etcd","createOption":"Empty","diskSizeGB":256}]},
		"osProfile":{"computerName":"vm","adminUsername":"capi","customData":"` + base64.StdEncoding.EncodeToString([]byte(Bootstrap)) + `",
			"linuxConfiguration":{"disablePasswordAuthentication":true,"ssh":{"publicKeys":[{"path":"/home/capi/.ssh/authorized_keys","keyData":"ssh-rsa x"}]}}},
		"networkProfile":{"networkInterfaces":[{"id":"` + Interface + `","properties":{"primary":true}}]}}}`
	return strings.NewReplacer(replacements...).Replace(body)
}

// Requests that make a machine, and what it needs.
var (
	CreateMachine = Request{http.MethodPut, Machine, MachineBody()}
	CreateSet     = Request{http.MethodPut, AvailabilitySet, `{"location":"eastus","sku":{"name":"Aligned"},"properties":{"platformFaultDomainCount":3}}`}
	Prepared      = []Request{CreateGroup, CreateNetwork, CreateSubnet, CreateAddress, CreateBalancer, CreateNATRule, JoinPool}
	Running       = append(Prepared[:len(Prepared):len(Prepared)], CreateMachine)
)
