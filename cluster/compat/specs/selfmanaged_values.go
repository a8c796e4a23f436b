package specs

import "math/rand/v2"

// selfManagedOutputs are fields that controllers write, or read from Azure.
var selfManagedOutputs = []string{"networkSpec.vnet.id", "networkSpec.vnet.tags", "networkSpec.subnets[].id", "networkSpec.subnets[].routeTable.id",
	"networkSpec.subnets[].securityGroup.id", "networkSpec.subnets[].securityGroup.tags", "networkSpec.subnets[].natGateway.id", "networkSpec.apiServerLB.id",
	"networkSpec.nodeOutboundLB.id", "networkSpec.controlPlaneOutboundLB.id", "bastionSpec.azureBastion.subnet.id", "bastionSpec.azureBastion.subnet.routeTable.id",
	"bastionSpec.azureBastion.subnet.securityGroup.id", "bastionSpec.azureBastion.subnet.securityGroup.tags", "bastionSpec.azureBastion.subnet.natGateway", "providerID"}

var (
	zoneLists = oneOf([]any{}, []any{"1"}, []any{"1", "2", "3"}, []any{"3", "1"})
	idles     = oneOf(int64(4), int64(15), int64(30))
	ipTags    = oneOf([]any{}, []any{map[string]any{"type": "FirstPartyUsage", "tag": "/NonProd"}})
	dnsNames  = oneOf("", "name.westus.cloudapp.azure.com")
)

// azureClusterValues says what texts of AzureCluster.spec look like.
var azureClusterValues = withLists(map[string]func(*rand.Rand) any{
	"azureEnvironment":                              oneOf("", "AzurePublicCloud", "AzureUSGovernmentCloud"),
	"bastionSpec.azureBastion.name":                 oneOf("", "bastion", "My_Bastion"),
	"bastionSpec.azureBastion.publicIP.name":        oneOf("", "bastion-ip"),
	"bastionSpec.azureBastion.subnet.name":          oneOf("AzureBastionSubnet"),
	"cloudProviderConfigOverrides":                  oneOf(map[string]any{}),
	"extendedLocation.name":                         oneOf("losangeles"),
	"failureDomains":                                oneOf(map[string]any{}, map[string]any{"1": map[string]any{"controlPlane": false}, "2": map[string]any{"controlPlane": true}}),
	"identityRef":                                   controlPlaneValues["identityRef"],
	"location":                                      oneOf("westus", "westeurope"),
	"networkSpec.additionalAPIServerLBPorts[].name": oneOf("port"),
	"networkSpec.apiServerLB.privateLinks":          oneOf([]any{}),
	"networkSpec.apiServerLB.type":                  oneOf("Public", "Internal"),
	"networkSpec.controlPlaneOutboundLB.type":       oneOf("Public"),
	"networkSpec.nodeOutboundLB.type":               oneOf("Public"),
	"networkSpec.privateDNSZoneName":                oneOf("my.zone.example", "zone.io"),
	"networkSpec.privateDNSZoneResourceGroup":       oneOf("Zones"),
	"networkSpec.subnets[].name":                    numbered("subnet-%d"),
	"networkSpec.vnet.name":                         oneOf("network", "My_Network", "vnet.one"),
	"networkSpec.vnet.resourceGroup":                oneOf("", "networks", "Net_Group"),
	"networkSpec.vnet.cidrBlocks":                   oneOf([]any{"10.0.0.0/8"}),
	"networkSpec.vnet.peerings[].remoteVnetName":    oneOf("remote", "Remote_Vnet"),
	"networkSpec.vnet.peerings[].resourceGroup":     oneOf("", "Remote_Group"),
	"resourceGroup":                                 oneOf("", "group", "My_Group", "RG.one"),
	"subscriptionID":                                oneOf(Subscription),
})

// withLists adds what load balancers, subnets and addresses look like, wherever they stand.
func withLists(values map[string]func(*rand.Rand) any) map[string]func(*rand.Rand) any {
	for _, balancer := range []string{"apiServerLB", "nodeOutboundLB", "controlPlaneOutboundLB"} {
		at := "networkSpec." + balancer + "."
		values[at+"availabilityZones"], values[at+"idleTimeoutInMinutes"] = zoneLists, idles
		values[at+"frontendIPs"], values[at+"privateLinks"] = oneOf([]any{}), oneOf([]any{})
		values[at+"frontendIPsCount"] = oneOf(int64(1), int64(2), int64(3))
		values[at+"name"], values[at+"backendPool.name"] = oneOf("", balancer+"-name"), oneOf("", "Pool_1")
		values[at+"sku"] = oneOf("Standard")
	}
	for _, subnet := range []string{"networkSpec.subnets[].", "bastionSpec.azureBastion.subnet."} {
		values[subnet+"cidrBlocks"] = oneOf([]any{"10.0.0.0/16"})
		values[subnet+"natGateway.name"], values[subnet+"natGateway.zones"] = oneOf("", "natgw", "My_Gateway"), zoneLists
		values[subnet+"natGateway.ip.name"], values[subnet+"natGateway.ip.dnsName"], values[subnet+"natGateway.ip.ipTags"] = oneOf("", "nat-ip"), dnsNames, ipTags
		values[subnet+"routeTable.name"], values[subnet+"securityGroup.name"] = oneOf("", "routes", "My_Routes"), oneOf("", "rules", "My_Rules")
		rule := subnet + "securityGroup.securityRules[]."
		values[rule+"name"], values[rule+"description"] = oneOf("allow", "Deny_All"), oneOf("", "what it is for")
		values[rule+"priority"] = oneOf(int64(100))
		values[rule+"source"], values[rule+"destination"] = oneOf("*", "10.0.0.0/8", "Internet"), oneOf("*", "10.1.0.0/16")
		values[rule+"sourcePorts"], values[rule+"destinationPorts"] = oneOf("*", "1000-2000"), oneOf("*", "22", "443", "6443")
		values[rule+"sources"] = oneOf([]any{"10.0.0.0/8"}, []any{"10.0.0.0/8", "192.168.0.0/16"})
		values[subnet+"serviceEndpoints[].service"] = oneOf("Microsoft.Sql", "Microsoft.Storage")
		values[subnet+"serviceEndpoints[].locations"] = oneOf([]any{"*"}, []any{"westus", "eastus"})
		for field, value := range controlPlaneValues {
			const typed = "virtualNetwork.subnet.privateEndpoints"
			if len(field) > len(typed) && field[:len(typed)] == typed {
				values[subnet+"privateEndpoints"+field[len(typed):]] = value
			}
		}
	}
	values["bastionSpec.azureBastion.publicIP.dnsName"], values["bastionSpec.azureBastion.publicIP.ipTags"] = dnsNames, ipTags
	return values
}

// azureMachineValues says what texts of AzureMachine.spec look like.
var azureMachineValues = map[string]func(*rand.Rand) any{
	"capacityReservationGroupID":                                   resource("Microsoft.Compute/capacityReservationGroups"),
	"dataDisks[].diskSizeGB":                                       oneOf(int64(4), int64(256)),
	"dataDisks[].lun":                                              oneOf(int64(0), int64(3), int64(63)),
	"dataDisks[].managedDisk.diskEncryptionSet.id":                 resource("Microsoft.Compute/diskEncryptionSets"),
	"dataDisks[].managedDisk.securityProfile.diskEncryptionSet.id": resource("Microsoft.Compute/diskEncryptionSets"),
	"dataDisks[].managedDisk.storageAccountType":                   oneOf("Premium_LRS"),
	"dataDisks[].nameSuffix":                                       oneOf("disk"),
	"diagnostics.boot.userManaged":                                 oneOf(map[string]any{"storageAccountURI": "https://account.blob.core.windows.net/"}),
	"dnsServers":                                                   oneOf([]any{}, []any{"10.0.0.4"}, []any{"10.0.0.5", "10.0.0.4"}),
	"failureDomain":                                                oneOf("1", "3"),
	"image.computeGallery.gallery":                                 oneOf("Gallery", "ClusterAPI-f72ceb4f"),
	"image.computeGallery.name":                                    oneOf("image"),
	"image.computeGallery.plan.offer":                              oneOf("offer"),
	"image.computeGallery.plan.publisher":                          oneOf("publisher"),
	"image.computeGallery.plan.sku":                                oneOf("sku"),
	"image.computeGallery.resourceGroup":                           oneOf("Images"),
	"image.computeGallery.subscriptionID":                          oneOf(Subscription),
	"image.computeGallery.version":                                 oneOf("latest", "1.2.3"),
	"image.id":                                                     resource("Microsoft.Compute/images"),
	"image.marketplace.offer":                                      oneOf("offer"),
	"image.marketplace.publisher":                                  oneOf("publisher"),
	"image.marketplace.sku":                                        oneOf("sku"),
	"image.marketplace.version":                                    oneOf("latest"),
	"image.sharedGallery.gallery":                                  oneOf("Shared"),
	"image.sharedGallery.name":                                     oneOf("image"),
	"image.sharedGallery.offer":                                    oneOf("offer"),
	"image.sharedGallery.publisher":                                oneOf("publisher"),
	"image.sharedGallery.resourceGroup":                            oneOf("Images"),
	"image.sharedGallery.sku":                                      oneOf("sku"),
	"image.sharedGallery.subscriptionID":                           oneOf(Subscription),
	"image.sharedGallery.version":                                  oneOf("1.2.3"),
	"networkInterfaces[].privateIPConfigs":                         oneOf(int64(1), int64(3)),
	"networkInterfaces[].subnetName":                               oneOf(""),
	"osDisk.diskSizeGB":                                            oneOf(int64(30), int64(2048)),
	"osDisk.managedDisk.diskEncryptionSet.id":                      resource("Microsoft.Compute/diskEncryptionSets"),
	"osDisk.managedDisk.securityProfile.diskEncryptionSet.id":      resource("Microsoft.Compute/diskEncryptionSets"),
	"osDisk.managedDisk.storageAccountType":                        oneOf("Premium_LRS"),
	"osDisk.osType":                                                oneOf("Linux"),
	"roleAssignmentName":                                           oneOf(""),
	"spotVMOptions.maxPrice":                                       oneOf("-1", "0.5", int64(2)),
	"sshPublicKey":                                                 oneOf(sshKey),
	"subnetName":                                                   oneOf(""),
	"systemAssignedIdentityRole":                                   oneOf(map[string]any{}),
	"userAssignedIdentities":                                       oneOf([]any{}),
	"virtualMachineScaleSetID":                                     resource("Microsoft.Compute/virtualMachineScaleSets"),
	"vmExtensions[].name":                                          oneOf("CustomScript", "Extension_1"),
	"vmExtensions[].publisher":                                     oneOf("Microsoft.Azure.Extensions"),
	"vmExtensions[].version":                                       oneOf("2.1"),
	"vmSize":                                                       oneOf(sizeNames()...),
}

func sizeNames() []any {
	names := []any{"Standard_Unheard_v9"}
	for _, size := range Sizes() {
		names = append(names, size.Name)
	}
	return names
}
