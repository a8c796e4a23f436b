package remedy

import "maps"

// origins are all who give reasons.
var origins = []Origin{
	{"Any kind of this project", ofComposites},
	{"AKSCluster and its claim", ofPlatform},
	{"Self-managed clusters", ofMachines},
	{"provider-capz", ofProvider},
	{"Azure Service Operator", ofASO},
	{"Azure", ofAzure},
	{"Condition AzureResourceAvailable", ofHealth},
	{"Crossplane", ofCrossplane},
	{"Cluster API", ofClusterAPI},
	{"kubectl capz why", ofLooking},
}

// reasons has what to do by the reason, whoever gives it.
var reasons = merged(origins)

func merged(of []Origin) map[string]Remedy {
	all := map[string]Remedy{}
	for _, o := range of {
		maps.Copy(all, o.Remedies)
	}
	return all
}

// ofComposites are the reasons of function-capz that any composite resource may have.
var ofComposites = map[string]Remedy{
	"InvalidResource":                does("Correct the entry of the spec that the message names."),
	"InvalidField":                   does("Correct the field that the message names: its kind has no such field or value."),
	"RefusedByAPIServer":             does("The API server refuses the object. Correct what its answer names. The object is tried again within two minutes."),
	"DuplicateResource":              does("Remove one of the two entries, or give it another name."),
	"IncompatibleValue":              does("Make the two fields that the message names agree, or remove one."),
	"ImmutableField":                 does("Set the field back to its former value. Azure does not change it: for another value, create a new resource and delete this one."),
	"KindNotInstalled":               does("Install the CustomResourceDefinition that the message names (Azure Service Operator's crdPattern), or remove the resource from the spec."),
	"ReplicasManagedByOther":         does("Two managers set the number of replicas. Remove spec.replicas or the autoscaling, as the message says."),
	"Gone":                           does("The resource is no longer in Azure. Remove it from the spec, or have it created again as the message says."),
	"ControlledByOther":              does("An object of that name belongs to somebody else. Give the resource another name, or delete the other object."),
	"UnsupportedVMSize":              does("Choose a VM size with the capabilities that the spec asks for, or remove these from the spec. az vm list-skus --location LOCATION prints the sizes."),
	"WaitingForResource":             waits("It waits for what the message names. Look at that."),
	"Paused":                         does("It is paused, and nothing is done. To resume it, set spec.paused of the Cluster to false, and remove annotation cluster.x-k8s.io/paused."),
	"Deleting":                       waits("It is being deleted. Look at what it waits for."),
	"Creating":                       waits("Azure is creating it. Wait."),
	"LookingInAzure":                 waits("Azure is asked whether it already exists. Wait."),
	"WaitingForOwner":                does("Create the object that the message names, and let it refer to this one."),
	"InvalidClusterReference":        does("Correct the reference of the Cluster that the message names."),
	"WaitingForControlPlaneEndpoint": waits("The control plane has no address yet. Wait until it is created, or look at what delays it."),
	"WaitingForNodes":                waits("The machines have not joined yet. Wait. If it takes more than half an hour, look at the pool in Azure and at the network's outbound connection."),
	"MissingResource":                does("Add the resource that the message names to spec.resources: this kind needs it."),
	"NotSent":                        does("The annotation has no effect. Remove it, or use what the message names instead."),
	"IdentityNotAllowed":             does("Add this namespace to spec.allowedNamespaces of the AzureClusterIdentity, or use another AzureClusterIdentity for the cluster."),
	"CredentialMissing":              does("There is no credential. Correct the AzureClusterIdentity or its Secret as the message says."),
	"CredentialFailed":               does("The credential cannot be used. Correct the AzureClusterIdentity or its Secret as the message says."),
	"FieldsDiffer":                   does("A field has another value in Azure than in the spec. If the spec is right, have Azure Service Operator write it again, or set it back in Azure. If Azure is right, change the spec. docs/drift.md says how."),
	"Awaited":                        waits("provider-capz is creating the credential. If it takes more than a minute, check that provider-capz runs and has its rights."),
}

// ofPlatform are the reasons of AKSCluster and its claim.
var ofPlatform = map[string]Remedy{
	"Waiting":               waits("It waits for the Cluster. Look at that."),
	"NoClaim":               does("Create the claim: this composite resource is not meant to be created by hand."),
	"NameTaken":             does("A Cluster of that name already exists. Choose another name for the claim."),
	"ClusterClassNotFound":  does("Create the ClusterClass that the message names, or ask your platform team to correct the reference to it."),
	"ClusterClassUnfit":     does("The ClusterClass lacks what the message names. Ask your platform team to add it."),
	"FixedByPlatform":       does("Your platform team has fixed that field. Remove it from the claim."),
	"HiddenByPlatform":      does("Your platform team does not offer that field. Remove it from the claim."),
	"MissingField":          does("Set the field that the message names."),
	"NoSystemPool":          does("Give one pool mode System: AKS needs one for its own workload."),
	"ConnectionSecretTaken": does("A Secret of that name exists and belongs to somebody else. Delete it, or choose another name for the connection Secret."),
}

// ofMachines are the reasons of self-managed clusters.
var ofMachines = map[string]Remedy{
	"ExternallyManagedControlPlane": does("Somebody else manages the control plane: set spec.controlPlaneEndpoint to its address."),
	"InvalidConfiguration":          does("Correct the field that the message names. A Machine is not repaired: Cluster API creates a new one from the corrected template."),
	"CreateError":                   does("Azure could not create the machine, see the message. Correct that, and then delete the Machine, or let its MachineHealthCheck do it."),
	"UpdateError":                   does("Azure could not change the machine, see the message. Correct the spec, or delete the Machine to get a new one."),
	"WaitingForMachineFacts":        waits("provider-capz has not looked at it yet. If it takes more than a minute, check that provider-capz runs and has its rights."),
	"WaitingForInstances":           waits("Azure is creating the instances. Wait."),
	"WaitingForProviderID":          waits("Azure is creating the machine. Wait."),
	"UserAssignedIdentityMissing":   does("Create the user-assigned identity that the message names in Azure, or remove it from the spec."),
	"ScaleSetScaleUp":               waits("Instances are being added. Wait."),
	"ScaleSetScaleDown":             waits("Instances are being removed. Wait."),
	"ScaleSetModelOutOfDate":        waits("Instances of the older model are being replaced. Wait."),
	"Changed":                       waits("Tags are being written. Wait."),
	"WaitingForBootstrapData":       does("Cluster API's bootstrap provider has not created the data for the machine yet. Look at its bootstrap config, and check that the provider is installed."),
}

// ofProvider are the reasons of what provider-capz says in Events and in its own conditions.
var ofProvider = map[string]Remedy{
	"Invalid":                   does("Correct the field of the ProviderConfig that the message names. Until then, the previous settings apply."),
	"KubeconfigFailed":          does("The kubeconfig could not be written. Correct what the message names. It is tried again automatically."),
	"UserKubeconfigFailed":      does("The kubeconfig for users could not be written. Correct what the message names. It is tried again automatically."),
	"CannotAdopt":               does("The object is not adopted into Cluster API. Correct what the message names."),
	"CreationFailed":            does("Azure has not created it. Correct what Azure's answer names."),
	"CreationRefused":           does("Azure refuses to create it. Correct what Azure's answer names. It is tried again automatically."),
	"ResourceExists":            does("Azure has a virtual machine of that name that is not the Cluster's. Delete it there, or delete the Machine, and Cluster API creates another one."),
	"ScaleSetRefused":           does("Azure refuses the change of the scale set. Correct what Azure's answer names."),
	"ManagedByOther":            does("Another manager writes fields that Cluster API should decide. Remove them from what the manager applies, or from the annotation, as the message says."),
	"SetByManagedCluster":       does("Remove spec.agentPoolProfiles from your ManagedCluster: Azure has the pool, and Cluster API decides its number of nodes."),
	"ZonesUnknown":              does("Azure has not said which zones the location has, see the message. Correct the credential, its right to read SKUs, or the location. Azure is asked again."),
	"CannotProceed":             does("provider-capz cannot continue with the machine, see the message. Correct what the message names. It is tried again automatically."),
	"CredentialLost":            does("Restore the Secret that the message names, so that what is in Azure can be deleted."),
	"CredentialAwaited":         does("The deletion waits for a credential. Restore the AzureClusterIdentity or its Secret, so that what is in Azure can be deleted."),
	"DeletionRefused":           does("Azure refuses the deletion, and is asked again. Correct what the message names: remove a lock or what still uses it, or add a missing right."),
	"Forbidden":                 does("provider-capz lacks a right in Kubernetes. Apply package/install/rbac.yaml, or bind its role where the message says."),
	"InUse":                     does("Something still uses it. Delete that first, or let it use another one. Then the deletion continues automatically."),
	"LeftAlone":                 does("It was not this cluster's and stays in Azure. Delete it there if nobody needs it."),
	"LeftUnchecked":             does("Nobody could check whether it is gone from Azure. Look there."),
	"NeverCreated":              does("Nothing was created in Azure, and the object is deleted with its owner. Delete what the message names."),
	"NoPortForSSH":              does("The load balancer has no free port for SSH. Remove machines, or reach them in another way."),
	"ScaleSetDeleted":           does("Somebody has deleted the scale set in Azure. Delete the MachinePool, or have it created again as the message says."),
	"StaysInAzure":              does("It stays in Azure as its policy says. Delete it there if nobody needs it."),
	"VersionAwaitsControlPlane": waits("The pool waits until the control plane has the version. Wait, or look at the control plane."),
	"VirtualMachineDeleted":     does("Somebody has deleted the virtual machine in Azure. Delete the Machine, and Cluster API creates another one."),
	"ProvisioningFailed":        does("Azure could not start an instance of the scale set, see the message. It is replaced. If this happens again, correct what the message names."),
}

// ofASO are the reasons of the condition Ready of Azure Service Operator.
var ofASO = map[string]Remedy{
	"Reconciling":                              waits("Azure is working. Wait."),
	"ReconciliationPostponed":                  waits("Azure Service Operator tries again later. Wait."),
	"ReconciliationBlocked":                    waits("Azure is working on something that comes first. Wait."),
	"AzureResourceNotFound":                    does("It is only read, and Azure does not have it. Create it in Azure, correct its name, or let Azure Service Operator manage it."),
	"ReferenceNotFound":                        does("Create the object that it refers to, or correct the reference."),
	"SecretNotFound":                           does("Create the Secret that the message names, or the key in it, in the namespace of the object."),
	"ConfigMapNotFound":                        does("Create the ConfigMap that the message names, or the key in it, in the namespace of the object."),
	"SubscriptionMismatch":                     does("The object was created in another subscription than the credential's. Restore the credential's subscription, or name another Secret."),
	"Failed":                                   does("Correct what Azure's answer names. It is tried again automatically."),
	"FailedWritingAdditionalKubernetesObjects": does("Azure Service Operator could not write the Secret or ConfigMap that the object asks for. If one of that name belongs to somebody else, delete it or use another name."),
	"ReconciliationFailedPermanently":          does("Azure Service Operator has given up until the object changes. Correct the spec as Azure's answer says."),
	"PostReconciliationFailure":                does("The resource was created, but a later step failed. Correct what the message names. It is tried again automatically."),
	"DeletionNotSupportedInAzure":              waits("Azure cannot delete it on its own: it is deleted with the resource that it is part of."),
}

// ofAzure are error codes of Azure Resource Manager and of its services.
var ofAzure = map[string]Remedy{
	"AuthorizationFailed":              does("The application lacks a right in Azure. Give it the right that the message names. kubectl capz plan --role prints a custom role with all rights that your manifests need."),
	"LinkedAuthorizationFailed":        does("The application lacks a right on a resource that this one refers to. Give it the right that the message names, on that resource."),
	"InvalidAuthenticationTokenTenant": does("The credential belongs to another tenant than the subscription. Correct the tenant ID of the credential, or the subscription ID."),
	"SubscriptionNotFound":             does("Correct the subscription ID, or give the application a role in that subscription."),
	"ReadOnlyDisabledSubscription":     does("The subscription is disabled. Enable it in Azure."),
	"MissingSubscriptionRegistration":  does("Register the resource provider that the message names: az provider register --namespace NAMESPACE."),
	"QuotaExceeded":                    does("The quota of the subscription is used up. Request more in Azure (az quota, or a support request), choose another VM size or location, or scale down."),
	"OperationNotAllowed":              does("Azure does not allow it now, often because of a quota. Read the message: request more quota, or wait until another operation has ended."),
	"SkuNotAvailable":                  does("The VM size is not available there. Choose another size, location or zone. az vm list-skus --location LOCATION prints the sizes."),
	"AllocationFailed":                 does("Azure has no capacity for that size now. It is tried again. If it lasts, choose another size, zone or location."),
	"ZonalAllocationFailed":            does("Azure has no capacity for that size in the zone now. If it lasts, choose another zone or size."),
	"OverconstrainedAllocationRequest": does("Azure has no machine with this combination of size, zone and options. Require less."),
	"K8sVersionNotSupported":           does("AKS does not offer that version. Set spec.version to one that az aks get-versions --location LOCATION prints."),
	"RequestDisallowedByPolicy":        does("An Azure Policy forbids it. Change the spec as the policy in the message requires, or ask the policy's owner for an exemption."),
	"ScopeLocked":                      does("A lock in Azure prevents it. Remove the lock. az lock list --resource-group GROUP prints it."),
	"ResourceGroupNotFound":            does("The resource group is gone or was never created. Create it, or correct its name."),
	"ResourceNotFound":                 does("Azure does not have a resource that this one refers to. Create it, or correct the reference."),
	"ParentResourceNotFound":           does("Azure does not have the resource that this one is part of. Create that one first."),
	"TooManyRequests":                  waits("Azure limits requests. It is tried again automatically."),
	"Throttled":                        waits("Azure limits requests. It is tried again automatically."),
	"Conflict":                         does("Azure is working on the resource, or somebody else uses its name. It is tried again. If it lasts, correct what the message names."),
	"InvalidParameter":                 does("Azure does not accept a value. Correct the field that the message names."),
}

// ofHealth are the reasons of condition AzureResourceAvailable: those that Azure Resource Health has for a state, and why it has not told one.
var ofHealth = map[string]Remedy{
	"Unplanned":                  does("Something has failed in Azure. Read Resource health of the cluster in the Azure portal, and Service Health. AKS repairs most failures automatically."),
	"Planned":                    waits("Azure is doing maintenance. Wait. A maintenance configuration says when AKS may do it."),
	"CustomerInitiated":          does("Somebody has stopped or changed the cluster. The activity log of the cluster says who. Start it again with az aks start."),
	"UserInitiated":              does("Somebody has stopped or changed the cluster. The activity log of the cluster says who. Start it again with az aks start."),
	"PlatformInitiated":          waits("Azure has caused it, for maintenance or a repair. Wait, or read Resource health of the cluster in the Azure portal."),
	"AzureResourceUnavailable":   does("Azure says that the cluster is unavailable, without a reason. Read Resource health of the cluster in the Azure portal."),
	"AzureResourceDegraded":      does("Azure says that the cluster is degraded, without a reason. Read Resource health of the cluster in the Azure portal."),
	"AzureResourceHealthUnknown": waits("Azure has received no information from the cluster for some minutes. Wait. If it lasts, read Resource health of the cluster in the Azure portal."),
	"AzureNotReached":            does("Azure does not answer. Check that provider-capz reaches Azure Resource Manager through its proxy and firewall. It asks again automatically."),
	"SignInFailed":               does("There is no token for Azure. Correct the credential as the message says. It is tried again automatically."),
	"NotAsked":                   waits("provider-capz no longer asks Azure Resource Health, or has not asked yet. To make it ask, set spec.resourceHealth of ProviderConfig default."),
}

// ofCrossplane are the reasons of Crossplane's conditions.
var ofCrossplane = map[string]Remedy{
	"ReconcileError":               does("Crossplane could not compose it. Correct what the message names. It is tried again automatically."),
	"ReconcilePaused":              does("Crossplane is paused on it. To resume it, remove annotation crossplane.io/paused."),
	"Unavailable":                  does("It is not available. Look at its other conditions and at its Events."),
	"WatchCircuitOpen":             waits("Too many changes came too fast, and Crossplane looks less often for some minutes. If it lasts, find out who keeps writing the object that the message names."),
	"UnhealthyPackageRevision":     does("Repair the package. kubectl describe of its active revision shows what is wrong, most often its image or its Pod."),
	"UnknownPackageRevisionHealth": waits("Crossplane is installing the package. If it lasts, look at the packages that it depends on."),
	"UnpackingPackage":             waits("Crossplane is downloading the package. If it lasts, check that its registry can be reached, and whether it needs a pull secret."),
	"InactivePackageRevision":      does("No revision of the package is active. Set spec.revisionActivationPolicy to Automatic, or activate one."),
	"AwaitingActivation":           does("Activate the revision of the package, or set spec.revisionActivationPolicy to Automatic."),
	"MissingCapabilities":          does("The function cannot do what the Composition needs. Install a version of it that can."),
	"DependencyResolutionFailed":   does("Install the packages that it depends on, in compatible versions. The message names them."),
	"TerminatingCompositeResource": waits("The kind is being deleted, and all its objects with it."),
}

// ofClusterAPI are the reasons of Cluster API's conditions behind which there is nothing else to look at.
var ofClusterAPI = map[string]Remedy{
	"NotReady":                    waits("Look at the object that the condition is about."),
	"NotAvailable":                waits("Look at the object that the condition is about."),
	"NotProvisioned":              waits("It is being provisioned. Wait."),
	"WaitingForAvailableMachines": waits("The machines are not available yet. Look at them."),
	"TopologyReconcileFailed":     does("The topology does not fit its ClusterClass. Correct the variable or class that the message names."),
	"ClusterClassNotReconciled":   waits("The ClusterClass is being read. If it lasts, look at its conditions."),
	"InternalError":               does("Cluster API met an error, and its log has more. It is tried again automatically."),
	"ObjectDoesNotExist":          does("Create the object that the message names, or correct the reference to it."),
	"ObjectDeleted":               does("A required object was deleted. Delete what refers to it, or create it again."),
	"NodeDoesNotExist":            waits("The machine has not joined yet. If it lasts, read its boot diagnostics in Azure."),
	"NodeDeleted":                 does("Somebody has deleted the Node. Delete the Machine to get a new one."),
	"InspectionFailed":            does("Cluster API cannot read the workload cluster. Check that its API server answers, and that <cluster>-kubeconfig is right."),
	"ConnectionDown":              does("Cluster API does not reach the API server of the workload cluster. Check that it answers, also with authorized IP ranges and private networks."),
	"ProbeFailed":                 does("Cluster API does not reach the API server of the workload cluster. Check that it answers, also with authorized IP ranges and private networks."),
}

// ofLooking are the reasons of kubectl capz why: what it finds by looking for itself.
var ofLooking = map[string]Remedy{
	"NotFound":             does("Create the object, or correct the reference to it."),
	"NotServed":            does("This cluster does not serve the kind. Install what provides it: Cluster API, configuration-capz, or the CustomResourceDefinition of Azure Service Operator."),
	"MayNotRead":           does("You may not read it. Ask an administrator of this cluster for the right that the message names, or to run this command."),
	"MissingRight":         does("Apply package/install/rbac.yaml."),
	"CrossplaneMayNotRead": does("Crossplane may not read Clusters. Apply package/install/rbac.yaml. It continues within minutes."),
	"OwnerNotSet":          waits("Cluster API has not become its owner yet. If it takes more than a minute, check that Cluster API runs and that the names in its references are right."),
	"SecretMissing":        does("Create the Secret in that namespace, or correct the reference to it."),
	"KeyMissing":           does("Add the keys that the message names to the Secret."),
	"PackageMissing":       does("Install the package: kubectl apply -f package/install, then the Configuration as docs/installation.md says."),
	"RuntimeNotConfigured": does("Apply package/install/runtime.yaml, with the prefix of your registry in matchImages of its ImageConfig."),
	"NotReported":          waits("No controller has reported anything about it yet. If it takes more than a minute, check that its controller runs."),
	"FinalizerAwaited":     waits("It is being deleted. The owners of the finalizers that the message names are working on it."),
	"KubeconfigMissing":    does("provider-capz has not written it. Check that provider-capz runs and has its rights: apply package/install/rbac.yaml."),
}
