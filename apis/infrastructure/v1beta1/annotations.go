package v1beta1

// What users may write on the typed AKS kinds beside spec.
const (
	// AnnotationManagedCluster on an AzureManagedControlPlane names the ASO ManagedCluster of the same namespace that the user
	// wrote and that stands behind it. Without it a ManagedCluster of the name that would be composed is looked for.
	AnnotationManagedCluster = "infrastructure.cluster.x-k8s.io/managed-cluster"
	// AnnotationAgentPool is the same on an AzureManagedMachinePool, for its ManagedClustersAgentPool.
	AnnotationAgentPool = "infrastructure.cluster.x-k8s.io/agent-pool"
	// AnnotationManages lists, with commas between, which fields of such an ASO object Cluster API shall decide all the same:
	// ManagesVersion, ManagesReplicas. The object is only read where a field is not listed.
	AnnotationManages = "infrastructure.cluster.x-k8s.io/manages"
)

// The values of AnnotationManages.
const (
	ManagesVersion  = "version"
	ManagesReplicas = "replicas"
)

// The values of Cluster API's annotation cluster.x-k8s.io/replicas-managed-by while AKS scales a pool by itself.
const (
	ReplicasManagedByAKS = "aks"
	// ReplicasManagedByCAPZ is what CAPZ writes for pools with typed fields.
	ReplicasManagedByCAPZ = "true"
)

// What provider-capz says on a control plane with an AzureClusterIdentity of the credential that ASO uses for the cluster.
const (
	// AnnotationCredential names the Secret, from the day that it is there.
	AnnotationCredential = "infrastructure.cluster.x-k8s.io/credential-secret"
	// AnnotationCredentialFailed says why the Secret cannot be made, or does not follow its source any more: a reason, a colon
	// and a message. It is absent while all is well.
	AnnotationCredentialFailed = "infrastructure.cluster.x-k8s.io/credential-failed"
)

// The reasons in AnnotationCredentialFailed.
const (
	// IdentityNotAllowed says that the AzureClusterIdentity is not for this namespace, or no longer. The Secret is removed then.
	IdentityNotAllowed = "IdentityNotAllowed"
	// CredentialMissing says that there is no Secret, as something else has to be corrected.
	CredentialMissing = "CredentialMissing" //nolint:gosec // A word.
	// CredentialFailed says that something has to be corrected before the Secret follows its source again. It stays as it was.
	CredentialFailed = "CredentialFailed" //nolint:gosec // A word.
)

// AnnotationOwnership on a composed ASO object tells whose the resource in Azure is, from the day that this is known.
const AnnotationOwnership = "infrastructure.cluster.x-k8s.io/ownership"

// The values of AnnotationOwnership.
const (
	// OwnershipUndecided says that ASO looks, with the policy skip, whether the resource is in Azure already.
	OwnershipUndecided = "undecided"
	// OwnershipOwned says that the resource was made for the cluster: it is changed and deleted with it.
	OwnershipOwned = "owned"
	// OwnershipExternal says that the resource was in Azure before: it is used, never changed and never deleted.
	OwnershipExternal = "external"
)

// AnnotationNew on a composed ASO object says that Azure did not have the resource when ASO looked, until it is made. Nothing
// can have been in it before, so that what lies in it need not be looked for.
const AnnotationNew = "infrastructure.cluster.x-k8s.io/new"

// OwnershipUser says in status.resources that the ASO object itself is somebody else's: it is only read.
const OwnershipUser = "user"
