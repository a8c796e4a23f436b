package e2e

import (
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// typedIdentity is the AzureClusterIdentity of the examples, and the Secret with its password.
	typedIdentity = "my-identity"
	// asoSecret is what provider-capz makes of an AzureClusterIdentity for ASO.
	asoSecret = clusterName + "-aso-secret"
	// credentialFrom names the Secret that ASO signs in with for an object.
	credentialFrom = "serviceoperator.azure.com/credential-from"
	// ownedTag is how CAPZ marks in Azure what belongs to a cluster.
	ownedTag = "sigs.k8s.io_cluster-api-provider-azure_cluster_" + clusterName
)

// applyTyped applies an example with an AzureClusterIdentity, for the scenario's subscription, with the Secret of the identity.
func applyTyped(example string, changes ...change) func(*world) error {
	return func(w *world) error {
		if err := w.create(w.password()); err != nil {
			return err
		}
		return applyExample(example, append(slices.Clone(changes), w.subscribe)...)(w)
	}
}

// password is the Secret that the AzureClusterIdentity of the examples refers to.
func (w *world) password() *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: typedIdentity},
		StringData: map[string]string{"clientSecret": w.planted("client secret")},
	}
}

// subscribe puts the clusters into the scenario's subscription.
func (w *world) subscribe(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	return each(func(u *unstructured.Unstructured) error {
		_, asked, _ := unstructured.NestedMap(u.Object, "spec", "identityRef")
		if u.GetKind() != typedControlPlaneKind.Kind && !asked {
			return nil
		}
		return unstructured.SetNestedField(u.Object, w.subscription, "spec", "subscriptionID")
	})(objects)
}

// withSpec sets fields, given in YAML, below spec of the objects of a kind.
func withSpec(gvk schema.GroupVersionKind, text string) change {
	return each(func(u *unstructured.Unstructured) error {
		if u.GetKind() != gvk.Kind {
			return nil
		}
		parsed, err := parse(text)
		if err != nil {
			return err
		}
		spec, _, err := unstructured.NestedMap(u.Object, "spec")
		if err != nil {
			return err
		}
		if spec == nil {
			spec = map[string]any{}
		}
		for name, value := range parsed[0].Object {
			spec[name] = value
		}
		return unstructured.SetNestedMap(u.Object, spec, "spec")
	})
}

// downTyped deletes the Cluster and, as `kubectl delete -f` does, the credential that it still needs for that.
var downTyped = step{
	name: "delete",
	act: all(
		func(w *world) error { return w.remove(clusterKind, clusterName) },
		removeIdentity,
	),
	expect:  down.expect,
	never:   down.never,
	deletes: true,
	lasts:   15 * time.Second,
}

// removeIdentity deletes the AzureClusterIdentity, which goes when nothing uses it any more.
func removeIdentity(w *world) error { return w.remove(identityKind, typedIdentity) }

// signedIn expects that ASO has the credential for every object from the AzureClusterIdentity.
func signedIn(w *world) []string {
	objects, err := w.asoObjects()
	if err != nil {
		return []string{err.Error()}
	}
	missing := exists(secretKind, asoSecret)(w)
	for key, item := range objects {
		if item.Annotations[credentialFrom] != asoSecret {
			missing = append(missing, fmt.Sprintf("%s has the credential of %q", key, item.Annotations[credentialFrom]))
		}
	}
	return missing
}

// issuerKept expects the address of the issuer of tokens where Azure has it and where users look for it.
func issuerKept(w *world) []string {
	cluster, err := w.resource("/managedClusters/" + clusterName)
	if err != nil || cluster == nil {
		return []string{fmt.Sprintf("Azure has no AKS cluster: %v", err)}
	}
	issuer, _, _ := unstructured.NestedString(cluster.Body, "properties", "oidcIssuerProfile", "issuerURL")
	if !strings.HasPrefix(issuer, "https://") {
		return []string{fmt.Sprintf("the issuer in Azure is %q", issuer)}
	}
	return field(typedControlPlaneKind, clusterName, "status.oidcIssuerProfile.issuerURL", issuer)(w)
}

// owned expects a tag in Azure that says whose a resource is.
func owned(ending string) expectation {
	return func(w *world) []string {
		r, err := w.resource(ending)
		if err != nil || r == nil {
			return []string{fmt.Sprintf("Azure has no %s: %v", ending, err)}
		}
		if tags, _, _ := unstructured.NestedStringMap(r.Body, "tags"); tags[ownedTag] != "owned" {
			return []string{fmt.Sprintf("%s has the tags %v", ending, tags)}
		}
		return nil
	}
}

// typed is a cluster of the typed kinds through its life.
var typed = &scenario{
	name: "typed", family: typedFamily,
	steps: []step{
		{
			name: "create", act: applyTyped("aks"), lasts: 15 * time.Second,
			expect: []expectation{
				available, contractKept, labelled, signedIn, issuerKept, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2),
				owned("/resourceGroups/my-cluster"), owned("/virtualNetworks/my-cluster"), owned("/managedClusters/my-cluster"),
				inAzure("/virtualNetworks/my-cluster/subnets/my-cluster", "properties.addressPrefixes", "[10.224.0.0/16]"),
				field(typedControlPlaneKind, clusterName, "spec.controlPlaneEndpoint.port", 443),
				nothingWrongOnce(available, replicas(systemPool, 2), replicas(userPool, 2)),
			},
		},
		{
			name: "scale, and label the nodes",
			act: all(scaleTo(userPool, 4), func(w *world) error {
				return w.set(typedPoolKind, userPool, "spec.nodeLabels", map[string]any{"example.org/workload": "batch"})
			}),
			expect: []expectation{
				replicas(userPool, 4), inAzure("/agentPools/pool1", "properties.nodeLabels", map[string]any{"example.org/workload": "batch"}), available, kubeconfigWorks,
			},
		},
		loseCluster(tagTyped, 2, 4),
		{
			name: "ask for a version that AKS does not go to",
			act:  func(w *world) error { return w.set(typedControlPlaneKind, clusterName, "spec.version", skipping) },
			expect: []expectation{
				says(typedControlPlaneKind, clusterName, skipping[1:]), condition(typedControlPlaneKind, clusterName, "ManagedClusterRunning", "False", ""),
				field(typedControlPlaneKind, clusterName, "status.version", version), available,
			},
		},
		{
			name:   "take it back",
			act:    func(w *world) error { return w.set(typedControlPlaneKind, clusterName, "spec.version", version) },
			expect: []expectation{silent(typedControlPlaneKind, clusterName, skipping[1:]), condition(typedControlPlaneKind, clusterName, "ManagedClusterRunning", "True", ""), available},
		},
		{
			name: "upgrade the control plane",
			act:  func(w *world) error { return w.set(typedControlPlaneKind, clusterName, "spec.version", newer) },
			expect: []expectation{
				inAzure("/managedClusters/my-cluster", "properties.currentKubernetesVersion", newer[1:]),
				field(typedControlPlaneKind, clusterName, "status.version", newer), kubelets(version), available,
			},
		},
		{
			name: "upgrade the pools",
			act: all(
				func(w *world) error { return w.set(poolKind, systemPool, "spec.template.spec.version", newer) },
				func(w *world) error { return w.set(poolKind, userPool, "spec.template.spec.version", newer) },
			),
			expect: []expectation{
				inAzure("/agentPools/pool0", "properties.currentOrchestratorVersion", newer[1:]),
				inAzure("/agentPools/pool1", "properties.currentOrchestratorVersion", newer[1:]),
				kubelets(newer), available, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 4),
			},
		},
		inForeground(removeIdentity),
	},
}

// typedAutoscaling sets or takes away the bounds of the second pool.
func typedAutoscaling(on bool) func(*world) error {
	var bounds any
	if on {
		bounds = map[string]any{"minSize": int64(1), "maxSize": int64(5)}
	}
	return func(w *world) error { return w.set(typedPoolKind, userPool, "spec.scaling", bounds) }
}

// typedPool returns the MachinePool and AzureManagedMachinePool of one more pool of mode User.
func typedPool(name string, count int) ([]*unstructured.Unstructured, error) {
	objects, err := pool(name, count)
	if err != nil {
		return nil, err
	}
	if err := setField(objects[0].Object, "spec.template.spec.infrastructureRef.kind", typedPoolKind.Kind); err != nil {
		return nil, err
	}
	nodes := object(typedPoolKind, "", name)
	nodes.Object["spec"] = map[string]any{"name": strings.TrimPrefix(name, clusterName+"-"), "mode": "User", "sku": "Standard_D4s_v5"}
	return []*unstructured.Unstructured{objects[0], nodes}, nil
}

// typedPools changes what pools there are and who decides on their sizes, also while the Cluster is paused.
var typedPools = &scenario{
	name: "typed-pools", family: typedFamily,
	steps: []step{
		upFlavor("aks"),
		{
			name: "add a pool",
			act: func(w *world) error {
				added, err := typedPool(addedPool, 3)
				if err != nil {
					return err
				}
				return w.apply(added...)
			},
			expect: []expectation{replicas(addedPool, 3), replicas(systemPool, 2), inAzure("/agentPools/pool2", "properties.vmSize", "Standard_D4s_v5"), available, kubeconfigWorks},
		},
		{
			name: "remove it, and turn autoscaling on for another",
			act:  all(func(w *world) error { return w.remove(poolKind, addedPool) }, typedAutoscaling(true)),
			goes: []removal{{"ManagedClustersAgentPool/" + addedPool, "/agentPools/pool2"}},
			expect: []expectation{
				gone(poolKind, addedPool), gone(typedPoolKind, addedPool), gone(agentPoolKind, addedPool), notInAzure("/agentPools/pool2"),
				inAzure("/agentPools/pool1", "properties.enableAutoScaling", true), inAzure("/agentPools/pool1", "properties.maxCount", 5),
				annotated(poolKind, userPool, replicasManagedBy, pointer("aks")), replicas(userPool, 2), available,
			},
		},
		{
			name: "AKS scales up, and the pool is changed",
			act: all(aksScales(5), func(w *world) error {
				return w.set(typedPoolKind, userPool, "spec.nodeLabels", map[string]any{"team": "blue"})
			}),
			expect: []expectation{
				inAzure("/agentPools/pool1", "properties.nodeLabels.team", "blue"), replicas(userPool, 5),
				annotated(poolKind, userPool, replicasManagedBy, pointer("aks")), available, kubeconfigWorks,
			},
			stays: []expectation{onlyCount(5)}, staysFor: 2 * time.Second,
		},
		{
			name: "turn autoscaling off as AKS scales down",
			act:  all(aksScales(4), typedAutoscaling(false)),
			expect: []expectation{
				inAzure("/agentPools/pool1", "properties.enableAutoScaling", false), annotated(poolKind, userPool, replicasManagedBy, nil),
				replicas(userPool, 4), available,
			},
			stays: []expectation{onlyCount(4)}, staysFor: 2 * time.Second,
		},
		{
			name: "pause the Cluster, and change the spec",
			act: all(pauseCluster(true), pausedFirst(typedControlPlaneKind, clusterName), pausedFirst(typedPoolKind, userPool), now("paused"), scaleTo(userPool, 3), func(w *world) error {
				return w.set(typedControlPlaneKind, clusterName, "spec.additionalTags", map[string]any{"changed": "yes"})
			}),
			expect: []expectation{
				paused(typedClusterKind, clusterName), paused(typedControlPlaneKind, clusterName), paused(typedPoolKind, systemPool), paused(typedPoolKind, userPool),
			},
			stays: []expectation{quietSince("paused", "")}, staysFor: 4 * time.Second,
		},
		{
			name: "resume the Cluster",
			act:  resumeCluster,
			expect: []expectation{
				resumed(typedClusterKind, clusterName), resumed(typedControlPlaneKind, clusterName), resumed(typedPoolKind, userPool),
				replicas(userPool, 3), inAzure("/managedClusters/my-cluster", "tags.changed", "yes"), available, contractKept, kubeconfigWorks,
			},
		},
		downTyped,
	},
}

// pausedFirst is refused until a composite resource and what it has composed stand still.
func pausedFirst(gvk schema.GroupVersionKind, name string) func(*world) error {
	return func(w *world) error {
		if missing := paused(gvk, name)(w); len(missing) > 0 {
			return fmt.Errorf("not paused yet: %s", strings.Join(missing, "; "))
		}
		return nil
	}
}
