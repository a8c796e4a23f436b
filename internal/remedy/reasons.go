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
	"RefusedByAPIServer":             does("The API server refuses the object. Correct what its answer names; it is tried again within two minutes."),
	"DuplicateResource":              does("Take one of the two entries away, or give it another name."),
	"IncompatibleValue":              does("Make the two fields that the message names agree, or take one away."),
	"ImmutableField":                 does("Set the field back to what it was. Azure does not change it: for another value, make a new resource and delete this one."),
	"KindNotInstalled":               does("Install the CustomResourceDefinition that the message names (Azure Service Operator's crdPattern), or take the resource out of the spec."),
	"ReplicasManagedByOther":         does("Two say how many replicas there are. Take spec.replicas or the autoscaling away, as the message says."),
	"Gone":                           does("The resource is no longer in Azure. Take it out of the spec, or let it be made again as the message says."),
	"ControlledByOther":              does("An object of that name belongs to somebody else. Give the resource another name, or delete the other object."),
	"UnsupportedVMSize":              does("Choose a VM size that can do what the spec asks for, or take that out of the spec; az vm list-skus --location LOCATION prints them."),
	"WaitingForResource":             waits("It waits for what the message names; look at that."),
	"Paused":                         does("It is paused and nothing is done. To resume it, set spec.paused of the Cluster to false, and take annotation cluster.x-k8s.io/paused away."),
	"Deleting":                       waits("It is being deleted; look at what it waits for."),
	"Creating":                       waits("Azure is making it. Wait."),
	"LookingInAzure":                 waits("Azure is asked whether it is there already. Wait."),
	"WaitingForOwner":                does("Make the object that the message names, and have it refer to this one."),
	"InvalidClusterReference":        does("Correct the reference of the Cluster that the message names."),
	"WaitingForControlPlaneEndpoint": waits("The control plane has no address yet. Wait until it is made, or look at what keeps it."),
	"WaitingForNodes":                waits("The machines have not joined yet. Wait; if it takes more than half an hour, look at the pool in Azure and at the network's way out."),
	"MissingResource":                does("Add the resource that the message names to spec.resources: this kind cannot do without it."),
	"NotSent":                        does("The annotation has no effect. Take it away, or use what the message names instead."),
	"IdentityNotAllowed":             does("Add this namespace to spec.allowedNamespaces of the AzureClusterIdentity, or have the cluster use another one."),
	"CredentialMissing":              does("There is no credential. Correct the AzureClusterIdentity or its Secret as the message says."),
	"CredentialFailed":               does("The credential cannot be taken over. Correct the AzureClusterIdentity or its Secret as the message says."),
	"FieldsDiffer":                   does("Azure has a field otherwise than it is asked for. If the spec is right, let Azure Service Operator write it again, or set it back in Azure; if Azure is right, change the spec. docs/drift.md says how."),
	"Awaited":                        waits("provider-capz is making the credential. If it takes more than a minute, see whether provider-capz runs and has its rights."),
}

// ofPlatform are the reasons of AKSCluster and its claim.
var ofPlatform = map[string]Remedy{
	"Waiting":               waits("It waits for the Cluster; look at that."),
	"NoClaim":               does("Make the claim: this composite resource is not meant to be made by hand."),
	"NameTaken":             does("There is a Cluster of that name already. Choose another name for the claim."),
	"ClusterClassNotFound":  does("Make the ClusterClass that the message names, or have your platform team correct the reference to it."),
	"ClusterClassUnfit":     does("The ClusterClass lacks what the message names. Have your platform team add it."),
	"FixedByPlatform":       does("Your platform team has fixed that field. Take it out of the claim."),
	"HiddenByPlatform":      does("Your platform team does not offer that field. Take it out of the claim."),
	"MissingField":          does("Set the field that the message names."),
	"NoSystemPool":          does("Give one pool mode System: AKS needs one for its own workload."),
	"ConnectionSecretTaken": does("There is a Secret of that name which is somebody else's. Delete it, or choose another name for the connection Secret."),
}

// ofMachines are the reasons of self-managed clusters.
var ofMachines = map[string]Remedy{
	"ExternallyManagedControlPlane": does("Somebody else manages the control plane: set spec.controlPlaneEndpoint to its address."),
	"InvalidConfiguration":          does("Correct the field that the message names. A Machine is not repaired: Cluster API makes a new one from the corrected template."),
	"CreateError":                   does("Azure could not make the machine, see the message. Delete the Machine, or let its MachineHealthCheck, once that is corrected."),
	"UpdateError":                   does("Azure could not change the machine, see the message. Correct the spec, or delete the Machine to have a new one."),
	"WaitingForMachineFacts":        waits("provider-capz has not looked at it yet. If it takes more than a minute, see whether provider-capz runs and has its rights."),
	"WaitingForInstances":           waits("Azure is making the instances. Wait."),
	"WaitingForProviderID":          waits("Azure is making the machine. Wait."),
	"UserAssignedIdentityMissing":   does("Make the user-assigned identity that the message names in Azure, or take it out of the spec."),
	"ScaleSetScaleUp":               waits("Instances are being added. Wait."),
	"ScaleSetScaleDown":             waits("Instances are being removed. Wait."),
	"ScaleSetModelOutOfDate":        waits("Instances of the older model are being replaced. Wait."),
	"Changed":                       waits("Tags are being written. Wait."),
	"WaitingForBootstrapData":       does("Cluster API's bootstrap provider has made no data for the machine yet; look at its bootstrap config, and whether that provider is installed."),
}

// ofProvider are the reasons of what provider-capz says in Events and in its own conditions.
var ofProvider = map[string]Remedy{
	"Invalid":                   does("Correct the field of the ProviderConfig that the message names; the settings before are in force."),
	"KubeconfigFailed":          does("The kubeconfig could not be written. Correct what the message names; it is tried again by itself."),
	"UserKubeconfigFailed":      does("The kubeconfig for users could not be written. Correct what the message names; it is tried again by itself."),
	"CannotAdopt":               does("The object is not adopted into Cluster API. Correct what the message names."),
	"CreationFailed":            does("Azure has not made it. Correct what its answer names."),
	"CreationRefused":           does("Azure refuses to make it. Correct what its answer names; it is tried again by itself."),
	"ResourceExists":            does("Azure has a virtual machine of the name that is not the Cluster's. Delete it there, or delete the Machine; Cluster API makes another."),
	"ScaleSetRefused":           does("Azure refuses the change of the scale set. Correct what its answer names."),
	"ManagedByOther":            does("Another manager writes fields that Cluster API is to decide. Leave them out of what it applies, or out of the annotation, as the message says."),
	"SetByManagedCluster":       does("Take spec.agentPoolProfiles out of your ManagedCluster: Azure has the pool, and Cluster API decides its number of nodes."),
	"ZonesUnknown":              does("Azure has not said which zones the location has, see the message. Correct the credential, its right to read SKUs, or the location; it is asked again."),
	"CannotProceed":             does("provider-capz cannot go on with the machine, see the message. Correct what it names; it is tried again by itself."),
	"CredentialLost":            does("Restore the Secret that the message names, so that what is in Azure can be deleted."),
	"CredentialAwaited":         does("The deletion waits for a credential. Restore the AzureClusterIdentity or its Secret, so that what is in Azure can be deleted."),
	"DeletionRefused":           does("Azure refuses the deletion, and is asked again. Remove what the message names: a lock, a right that is missing, or what still uses it."),
	"Forbidden":                 does("provider-capz lacks a right in Kubernetes. Apply package/install/rbac.yaml, or bind its role where the message says."),
	"InUse":                     does("Something still uses it. Delete that first, or have it use another; the deletion goes on by itself."),
	"LeftAlone":                 does("It was not this cluster's and stays in Azure. Delete it there if nobody needs it."),
	"LeftUnchecked":             does("It could not be asked whether it is gone from Azure. Look there."),
	"NeverCreated":              does("Nothing was made in Azure, and the object goes as soon as its owner does. Delete what the message names."),
	"NoPortForSSH":              does("There is no free port for SSH at the load balancer. Remove machines, or reach them in another way."),
	"ScaleSetDeleted":           does("Somebody has deleted the scale set in Azure. Delete the MachinePool, or make it anew as the message says."),
	"StaysInAzure":              does("It stays in Azure as its policy says. Delete it there if nobody needs it."),
	"VersionAwaitsControlPlane": waits("The pool waits until the control plane has the version. Wait, or look at the control plane."),
	"VirtualMachineDeleted":     does("Somebody has deleted the virtual machine in Azure. Delete the Machine; Cluster API makes another."),
	"ProvisioningFailed":        does("Azure could not start an instance of the scale set, see the message. It is replaced; correct what the message names if that lasts."),
}

// ofASO are the reasons of the condition Ready of Azure Service Operator.
var ofASO = map[string]Remedy{
	"Reconciling":                              waits("Azure is at work. Wait."),
	"ReconciliationPostponed":                  waits("Azure Service Operator tries again later. Wait."),
	"ReconciliationBlocked":                    waits("Azure is at work on something that comes first. Wait."),
	"AzureResourceNotFound":                    does("It is only read, and Azure does not have it. Make it in Azure, correct its name, or have Azure Service Operator manage it."),
	"ReferenceNotFound":                        does("Make the object that it refers to, or correct the reference."),
	"SecretNotFound":                           does("Make the Secret, or the key of it, that the message names, in the namespace of the object."),
	"ConfigMapNotFound":                        does("Make the ConfigMap, or the key of it, that the message names, in the namespace of the object."),
	"SubscriptionMismatch":                     does("The credential is for another subscription than the object was made in. Restore the credential's subscription, or name another Secret."),
	"Failed":                                   does("Correct what Azure's answer names; it is tried again by itself."),
	"FailedWritingAdditionalKubernetesObjects": does("Azure Service Operator could not write the Secret or ConfigMap that the object asks for. Is there one of that name that is somebody else's? Delete it or use another name."),
	"ReconciliationFailedPermanently":          does("Azure Service Operator has given up until the object changes. Correct the spec as Azure's answer says."),
	"PostReconciliationFailure":                does("The resource is made, but what comes after it failed. Correct what the message names; it is tried again by itself."),
	"DeletionNotSupportedInAzure":              waits("Azure cannot delete it by itself: it goes with the resource that it is part of."),
}

// ofAzure are error codes of Azure Resource Manager and of its services.
var ofAzure = map[string]Remedy{
	"AuthorizationFailed":              does("The application lacks a right in Azure. Give it the one that the message names; kubectl capz plan --role prints a custom role with all that your manifests need."),
	"LinkedAuthorizationFailed":        does("The application lacks a right on a resource that this one refers to. Give it the one that the message names, on that resource."),
	"InvalidAuthenticationTokenTenant": does("The credential is of another tenant than the subscription. Correct the tenant ID of the credential, or the subscription ID."),
	"SubscriptionNotFound":             does("Correct the subscription ID, or give the application a role in that subscription."),
	"ReadOnlyDisabledSubscription":     does("The subscription is disabled. Enable it in Azure."),
	"MissingSubscriptionRegistration":  does("Register the resource provider that the message names: az provider register --namespace NAMESPACE."),
	"QuotaExceeded":                    does("The quota of the subscription is used up. Ask for more in Azure (az quota, or a support request), choose another VM size or location, or scale down."),
	"OperationNotAllowed":              does("Azure does not allow it now, often for a quota. Read its message: ask for more quota, or wait until another operation has ended."),
	"SkuNotAvailable":                  does("The VM size is not to be had there. Choose another size, location or zone; az vm list-skus --location LOCATION prints them."),
	"AllocationFailed":                 does("Azure has no capacity for that size now. It is tried again; choose another size, zone or location if it lasts."),
	"ZonalAllocationFailed":            does("Azure has no capacity for that size in the zone now. Choose another zone or size if it lasts."),
	"OverconstrainedAllocationRequest": does("Azure has no machine that satisfies all of the size, zone and options. Ask for less."),
	"K8sVersionNotSupported":           does("AKS does not have that version. Choose one of az aks get-versions --location LOCATION and set spec.version to it."),
	"RequestDisallowedByPolicy":        does("An Azure Policy forbids it. Change the spec as the policy that the message names asks, or have its owner make an exemption."),
	"ScopeLocked":                      does("A lock in Azure stands in the way. Remove it: az lock list --resource-group GROUP."),
	"ResourceGroupNotFound":            does("The resource group is gone or was never made. Make it, or correct its name."),
	"ResourceNotFound":                 does("Azure does not have a resource that is referred to. Make it, or correct the reference."),
	"ParentResourceNotFound":           does("Azure does not have the resource that this one is part of. Make that one first."),
	"TooManyRequests":                  waits("Azure limits requests. It is tried again by itself."),
	"Throttled":                        waits("Azure limits requests. It is tried again by itself."),
	"Conflict":                         does("Azure is at work on the resource, or somebody else has its name. It is tried again; if it lasts, correct what the message names."),
	"InvalidParameter":                 does("Azure does not take a value. Correct the field that its message names."),
}

// ofHealth are the reasons of condition AzureResourceAvailable: those that Azure Resource Health has for a state, and why it has not told one.
var ofHealth = map[string]Remedy{
	"Unplanned":                  does("Something has failed in Azure. Read Resource health of the cluster in the Azure portal, and Service Health; AKS mends most by itself."),
	"Planned":                    waits("Azure maintains it. Wait; a maintenance configuration says when AKS may."),
	"CustomerInitiated":          does("Somebody has done it: stopped the cluster, or changed it. The activity log of the cluster says who; start it again with az aks start."),
	"UserInitiated":              does("Somebody has done it: stopped the cluster, or changed it. The activity log of the cluster says who; start it again with az aks start."),
	"PlatformInitiated":          waits("Azure has done it, for maintenance or to mend something. Wait, or read Resource health of the cluster in the Azure portal."),
	"AzureResourceUnavailable":   does("Azure says that the cluster is unavailable, and not why. Read Resource health of the cluster in the Azure portal."),
	"AzureResourceDegraded":      does("Azure says that the cluster works with less than it should, and not why. Read Resource health of the cluster in the Azure portal."),
	"AzureResourceHealthUnknown": waits("Azure has heard nothing of the cluster for some minutes. Wait; if it lasts, read Resource health of the cluster in the Azure portal."),
	"AzureNotReached":            does("Azure does not answer. See whether provider-capz reaches Azure Resource Manager, by its proxy and firewall; it asks again by itself."),
	"SignInFailed":               does("There is no token for Azure. Correct the credential as the message says; it is tried again by itself."),
	"NotAsked":                   waits("provider-capz is told not to ask Azure Resource Health any more, or has not asked yet. Set spec.resourceHealth of ProviderConfig default to have it ask."),
}

// ofCrossplane are the reasons of Crossplane's conditions.
var ofCrossplane = map[string]Remedy{
	"ReconcileError":               does("Crossplane could not compose it. Correct what the message names; it is tried again by itself."),
	"ReconcilePaused":              does("Crossplane is told to leave it alone. Take annotation crossplane.io/paused away to resume it."),
	"Unavailable":                  does("It is not available; look at its other conditions and at its Events."),
	"WatchCircuitOpen":             waits("Too much has changed too fast, and Crossplane looks less often for some minutes. If it lasts, find what keeps writing the object that the message names."),
	"UnhealthyPackageRevision":     does("Mend the package: kubectl describe its active revision says what is wrong, most often its image or its Pod."),
	"UnknownPackageRevisionHealth": waits("Crossplane is installing the package. If it lasts, look at the packages that it depends on."),
	"UnpackingPackage":             waits("Crossplane is fetching the package. If it lasts, see whether its registry can be reached and needs a pull secret."),
	"InactivePackageRevision":      does("No revision of the package is active. Set spec.revisionActivationPolicy to Automatic, or activate one."),
	"AwaitingActivation":           does("Activate the revision of the package, or set spec.revisionActivationPolicy to Automatic."),
	"MissingCapabilities":          does("The function cannot do what the Composition needs. Install a version of it that can."),
	"DependencyResolutionFailed":   does("Install the packages that it depends on in versions that fit together; the message names them."),
	"TerminatingCompositeResource": waits("The kind is being deleted, and all its objects with it."),
}

// ofClusterAPI are the reasons of Cluster API's conditions behind which there is nothing else to look at.
var ofClusterAPI = map[string]Remedy{
	"NotReady":                    waits("Look at the object that it is about."),
	"NotAvailable":                waits("Look at the object that it is about."),
	"NotProvisioned":              waits("It is being provisioned. Wait."),
	"WaitingForAvailableMachines": waits("The machines are not available yet; look at them."),
	"TopologyReconcileFailed":     does("The topology does not fit its ClusterClass. Correct the variable or class that the message names."),
	"ClusterClassNotReconciled":   waits("The ClusterClass is being read. If it lasts, look at its conditions."),
	"InternalError":               does("Cluster API met an error; its log has more. It is tried again by itself."),
	"ObjectDoesNotExist":          does("Make the object that the message names, or correct the reference to it."),
	"ObjectDeleted":               does("An object that is needed was deleted. Delete what referred to it, or make it again."),
	"NodeDoesNotExist":            waits("The machine has not joined yet. If it lasts, read its boot diagnostics in Azure."),
	"NodeDeleted":                 does("Somebody has deleted the Node. Delete the Machine to have a new one."),
	"InspectionFailed":            does("Cluster API cannot look into the workload cluster. See whether its API server answers, and whether <cluster>-kubeconfig is right."),
	"ConnectionDown":              does("Cluster API does not reach the API server of the workload cluster. See whether that answers, also through authorized IP ranges and private networks."),
	"ProbeFailed":                 does("Cluster API does not reach the API server of the workload cluster. See whether that answers, also through authorized IP ranges and private networks."),
}

// ofLooking are the reasons of kubectl capz why: what it finds by looking for itself.
var ofLooking = map[string]Remedy{
	"NotFound":             does("Make the object, or correct the reference to it."),
	"NotServed":            does("This cluster does not serve the kind. Install what brings it: Cluster API, configuration-capz, or the CustomResourceDefinition of Azure Service Operator."),
	"MayNotRead":           does("You may not read it. Ask an administrator of this cluster for the right that the message names, or to run this command."),
	"MissingRight":         does("Apply package/install/rbac.yaml."),
	"CrossplaneMayNotRead": does("Crossplane may not read Clusters. Apply package/install/rbac.yaml; it goes on within minutes."),
	"OwnerNotSet":          waits("Cluster API has not become its owner yet. If it takes more than a minute, see whether Cluster API runs and whether the names in its references are right."),
	"SecretMissing":        does("Make the Secret in that namespace, or correct the reference to it."),
	"KeyMissing":           does("Add the keys that the message names to the Secret."),
	"PackageMissing":       does("Install the package: kubectl apply -f package/install, then the Configuration as docs/installation.md says."),
	"RuntimeNotConfigured": does("Apply package/install/runtime.yaml, and have the matchImages of its ImageConfig hold the prefix of your registry."),
	"NotReported":          waits("Nobody has said anything about it yet. If it takes more than a minute, see whether its controller runs."),
	"FinalizerAwaited":     waits("It is being deleted; who has set the finalizers that the message names is at work on it."),
	"KubeconfigMissing":    does("provider-capz has not written it. See whether provider-capz runs and has its rights: apply package/install/rbac.yaml."),
}
