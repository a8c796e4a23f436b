package specs

import (
	"fmt"
	"math/rand/v2"
)

const windows = "Windows"

// mendAzureMachine makes fields agree that depend on each other.
func mendAzureMachine(r *rand.Rand, s *SelfManaged, spec map[string]any) {
	spec["sshPublicKey"] = sshKey
	delete(spec, "roleAssignmentName")
	if r.IntN(20) > 0 {
		spec["vmSize"] = pick(r, "Standard_All_v5", "Standard_Arm_v5", "Standard_Slow_v5")
	}
	mendNICs(r, s, spec)
	mendDisks(r, spec)
	mendImage(r, spec)
	mendMachineIdentity(r, spec)
	mendSecurity(r, spec)
	if spec["disableExtensionOperations"] == true {
		delete(spec, "vmExtensions")
	}
	for i, extension := range items(spec["vmExtensions"]) {
		extension["name"] = fmt.Sprintf("%v%d", extension["name"], i)
	}
	if boot := inner(spec, "diagnostics", "boot"); boot != nil {
		delete(boot, "userManaged")
		if boot["storageAccountType"] == "UserManaged" {
			boot["userManaged"] = map[string]any{"storageAccountURI": "https://account.blob.core.windows.net/"}
		}
	}
	if r.IntN(9) > 0 {
		delete(spec, "virtualMachineScaleSetID")
	}
}

// mendNICs names subnets that there are, in the new fields or the old ones.
func mendNICs(r *rand.Rand, s *SelfManaged, spec map[string]any) {
	names := []string{""}
	for _, subnet := range items(s.Spec("networkSpec")["subnets"]) {
		names = append(names, subnet["name"].(string))
	}
	if len(names) > 1 && r.IntN(3) > 0 {
		names = names[1:]
	}
	nics := items(spec["networkInterfaces"])
	if len(nics) > 0 {
		delete(spec, "subnetName")
		delete(spec, "acceleratedNetworking")
	} else if spec["subnetName"] != nil {
		spec["subnetName"] = pick(r, names...)
	}
	for _, nic := range nics {
		nic["subnetName"] = pick(r, names...)
	}
}

func mendDisks(r *rand.Rand, spec map[string]any) {
	os := inner(spec, "osDisk")
	if os == nil {
		os = map[string]any{}
		spec["osDisk"] = os
	}
	os["osType"] = pick(r, "Linux", "Linux", "Linux", windows)
	if disk := inner(os, "managedDisk"); disk != nil {
		disk["storageAccountType"] = pick(r, "Premium_LRS", "StandardSSD_LRS", "Premium_ZRS")
		if os["diffDiskSettings"] != nil {
			delete(disk, "diskEncryptionSet")
		}
		if security := inner(disk, "securityProfile"); security["securityEncryptionType"] != "DiskWithVMGuestState" {
			delete(security, "diskEncryptionSet")
		}
	}
	for i, disk := range items(spec["dataDisks"]) {
		disk["nameSuffix"] = fmt.Sprintf("disk%d", i)
		if disk["lun"] != nil {
			disk["lun"] = int64(10 + i)
		}
		if managed := inner(disk, "managedDisk"); managed != nil {
			managed["storageAccountType"] = pick(r, "Premium_LRS", "Premium_LRS", "UltraSSD_LRS")
			if managed["storageAccountType"] == "UltraSSD_LRS" {
				disk["cachingType"] = "None"
			}
		}
	}
}

func mendImage(r *rand.Rand, spec map[string]any) {
	image := inner(spec, "image")
	if image == nil {
		return
	}
	only := pick(r, "id", "marketplace", "sharedGallery", "computeGallery")
	if image[only] == nil {
		delete(spec, "image")
		return
	}
	spec["image"] = map[string]any{only: image[only]}
	if gallery := inner(image, "computeGallery"); gallery["subscriptionID"] == nil || gallery["resourceGroup"] == nil {
		delete(gallery, "subscriptionID")
		delete(gallery, "resourceGroup")
	}
}

func mendMachineIdentity(r *rand.Rand, spec map[string]any) {
	delete(spec, "systemAssignedIdentityRole")
	delete(spec, "userAssignedIdentities")
	switch spec["identity"] {
	case "SystemAssigned":
		role := map[string]any{"name": fmt.Sprintf("5a7e1f64-0000-4000-8000-%012x", r.Uint32())}
		if r.IntN(2) == 0 {
			role["scope"] = pick(r, "/subscriptions/"+Subscription+"/", "/subscriptions/"+Subscription+"/resourceGroups/other")
			role["definitionID"] = "/subscriptions/" + Subscription + "/providers/Microsoft.Authorization/roleDefinitions/reader"
		}
		if spec["systemAssignedIdentityRole"] = role; len(role) == 1 && r.IntN(4) == 0 {
			spec["roleAssignmentName"] = role["name"] // As it was written formerly.
			delete(spec, "systemAssignedIdentityRole")
		}
	case "UserAssigned":
		identities := []any{}
		for range 1 + r.IntN(2) {
			identities = append(identities, map[string]any{"providerID": pick(r, "azure://", "") + resource("Microsoft.ManagedIdentity/userAssignedIdentities")(r).(string)})
		}
		spec["userAssignedIdentities"] = identities
	}
}

// mendSecurity makes a machine confidential or trusted as a whole.
func mendSecurity(r *rand.Rand, spec map[string]any) {
	security := inner(spec, "securityProfile")
	disk := inner(spec, "osDisk", "managedDisk", "securityProfile")
	if security == nil || rarely(r) {
		return
	}
	if disk["securityEncryptionType"] != nil {
		security["securityType"] = "ConfidentialVM"
		security["uefiSettings"] = map[string]any{"vTpmEnabled": true, "secureBootEnabled": true}
		if disk["securityEncryptionType"] == "DiskWithVMGuestState" {
			security["encryptionAtHost"] = false
		}
		return
	}
	if uefi := inner(security, "uefiSettings"); uefi["vTpmEnabled"] == true || uefi["secureBootEnabled"] == true {
		security["securityType"] = "TrustedLaunch"
	}
}
