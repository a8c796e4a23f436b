package why

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

func event(uid, reason, note string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": map[string]any{"name": uid + reason, "namespace": "ns"},
		"type": "Warning", "reason": reason, "note": note, "regarding": map[string]any{"uid": uid},
	}}
}

// machine is a Machine of the Cluster, of which a condition is False if one is given.
func machine(name, conditionType, reason, message string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine",
		"metadata": map[string]any{"name": name, "namespace": "ns", "labels": map[string]any{"cluster.x-k8s.io/cluster-name": "c"}},
		"status":   map[string]any{"conditions": []any{map[string]any{"type": "Paused", "status": "False", "reason": "NotPaused"}}},
	}}
	if conditionType != "" {
		says(conditionType, reason, message)(o)
	}
	return o
}

const healthy = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c, namespace: ns}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedCluster, name: c}
  controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedControlPlane, name: c}
status:
  conditions:
  - {type: Available, status: "True", reason: Available}
  - {type: Paused, status: "False", reason: NotPaused}
  - {type: Deleting, status: "False", reason: NotDeleting}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: {name: p, namespace: ns, labels: {cluster.x-k8s.io/cluster-name: c}}
spec:
  template: {spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedMachinePool, name: p}}}
status:
  conditions: [{type: Paused, status: "False", reason: NotPaused}]
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata: {name: well, namespace: ns, labels: {cluster.x-k8s.io/cluster-name: c}}
status:
  conditions:
  - {type: Ready, status: "True", reason: Ready}
  - {type: Updating, status: "False", reason: NotUpdating}
  - {type: Deleting, status: "False", reason: NotDeleting}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedCluster
metadata: {name: c, namespace: ns, uid: infra-uid, labels: {cluster.x-k8s.io/cluster-name: c}}
status:
  v1beta2: {conditions: [{type: Ready, status: "True", reason: AllReady}]}
  conditions: [{type: Synced, status: "True", reason: ReconcileSuccess}]
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedControlPlane
metadata: {name: c, namespace: ns, uid: plane-uid, labels: {cluster.x-k8s.io/cluster-name: c}}
status:
  v1beta2: {conditions: [{type: Ready, status: "True", reason: AllReady}]}
  conditions: [{type: Synced, status: "True", reason: ReconcileSuccess}]
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedMachinePool
metadata: {name: p, namespace: ns, uid: pool-uid, labels: {cluster.x-k8s.io/cluster-name: c}}
status:
  v1beta2: {conditions: [{type: Ready, status: "True", reason: AllReady}]}
  conditions: [{type: Synced, status: "True", reason: ReconcileSuccess}]
---
apiVersion: resources.azure.com/v1
kind: ResourceGroup
metadata: {name: c, namespace: ns, generation: 1}
status: {conditions: [{type: Ready, status: "True", reason: Succeeded, observedGeneration: 1}]}
---
apiVersion: containerservice.azure.com/v1
kind: ManagedCluster
metadata: {name: c, namespace: ns, generation: 1}
spec: {owner: {name: c}}
status: {conditions: [{type: Ready, status: "True", reason: Succeeded, observedGeneration: 1}]}
---
apiVersion: containerservice.azure.com/v1
kind: ManagedClustersAgentPool
metadata: {name: p, namespace: ns, generation: 1}
spec: {owner: {name: c}}
status: {conditions: [{type: Ready, status: "True", reason: Succeeded, observedGeneration: 1}]}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureClusterIdentity
metadata: {name: id, namespace: ns}
spec: {type: ServicePrincipal, clientSecret: {name: id-secret, namespace: ns}}
---
apiVersion: v1
kind: Secret
metadata: {name: id-secret, namespace: ns}
---
apiVersion: v1
kind: Secret
metadata: {name: c-kubeconfig, namespace: ns}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "crossplane-capz:aggregate-to-crossplane"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: provider-capz}
---
apiVersion: pkg.crossplane.io/v1
kind: Function
metadata: {name: function-capz}
spec: {package: "xpkg.crossplane.io/crossplane-capz/function-capz:v0.2.0"}
status: {conditions: [{type: Healthy, status: "True", reason: HealthyPackageRevision}]}
---
apiVersion: pkg.crossplane.io/v1
kind: Provider
metadata: {name: provider-capz}
spec: {package: "xpkg.crossplane.io/crossplane-capz/provider-capz@sha256:0"}
status: {currentRevision: provider-rev, conditions: [{type: Healthy, status: "True", reason: HealthyPackageRevision}]}
---
apiVersion: pkg.crossplane.io/v1
kind: Configuration
metadata: {name: configuration-capz}
spec: {package: "xpkg.crossplane.io/crossplane-capz/configuration-capz:v0.2.0"}
status: {conditions: [{type: Healthy, status: "True", reason: HealthyPackageRevision}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: provider-rev, namespace: crossplane-system}
spec: {template: {spec: {serviceAccountName: provider-capz}}}
---
apiVersion: provider.capz.crossplane.io/v1alpha1
kind: ProviderConfig
metadata: {name: default}
status: {conditions: [{type: Applied, status: "True", reason: InForce}]}`
