package why

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// fake holds objects as the API server would.
type fake struct {
	objects   []*unstructured.Unstructured
	forbidden []string // Kinds that may not be read.
	unserved  []string
	broken    string // A kind for which the API server does not answer.
}

func (f *fake) trouble(gvk schema.GroupVersionKind, name string) error {
	switch {
	case gvk.Kind == f.broken:
		return errors.New("connection refused")
	case slices.Contains(f.unserved, gvk.Kind):
		return ErrNotServed
	case slices.Contains(f.forbidden, gvk.Kind):
		return apierrors.NewForbidden(schema.GroupResource{Group: gvk.Group, Resource: strings.ToLower(gvk.Kind) + "s"}, name,
			fmt.Errorf(`User "jane" cannot get resource "%ss" in API group "%s"`, strings.ToLower(gvk.Kind), gvk.Group))
	}
	return nil
}

func (f *fake) Get(_ context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	if gvk.Kind == "Secret" {
		return nil, errors.New("a Secret is read with its values")
	}
	return f.find(gvk, namespace, name)
}

func (f *fake) Metadata(_ context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	return f.find(gvk, namespace, name)
}

func (f *fake) find(gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	if err := f.trouble(gvk, name); err != nil {
		return nil, err
	}
	for _, o := range f.objects {
		if o.GroupVersionKind().GroupKind() == gvk.GroupKind() && o.GetNamespace() == namespace && o.GetName() == name {
			return o, nil
		}
	}
	return nil, nil
}

func (f *fake) List(_ context.Context, gvk schema.GroupVersionKind, namespace, selector string) ([]*unstructured.Unstructured, error) {
	if err := f.trouble(gvk, ""); err != nil {
		return nil, err
	}
	parsed, err := labels.Parse(selector)
	if err != nil {
		return nil, err
	}
	var found []*unstructured.Unstructured
	for _, o := range f.objects {
		if o.GroupVersionKind().GroupKind() == gvk.GroupKind() && o.GetNamespace() == namespace && parsed.Matches(labels.Set(o.GetLabels())) {
			found = append(found, o)
		}
	}
	return found, nil
}

// A change of an object of the world.
type change func(o *unstructured.Unstructured)

// world is a healthy AKS cluster in a healthy installation.
func world(t *testing.T) *fake {
	t.Helper()
	f := &fake{}
	for _, text := range strings.Split(healthy, "\n---\n") {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			t.Fatal(err)
		}
		f.objects = append(f.objects, o)
	}
	return f
}

// edit changes an object, named as kind/name.
func (f *fake) edit(t *testing.T, name string, do change) {
	t.Helper()
	for _, o := range f.objects {
		if o.GetKind()+"/"+o.GetName() == name {
			do(o)
			return
		}
	}
	t.Fatalf("there is no %s", name)
}

func (f *fake) remove(name string) {
	f.objects = slices.DeleteFunc(f.objects, func(o *unstructured.Unstructured) bool { return o.GetKind()+"/"+o.GetName() == name })
}

// says sets a condition, for Cluster API's contract if the object has such.
func says(conditionType, reason, message string) change {
	return func(o *unstructured.Unstructured) {
		path := []string{"status", "conditions"}
		if contractConditions.Has(o) && conditionType != "Synced" {
			path = []string{"status", "v1beta2", "conditions"}
		}
		list, _, _ := unstructured.NestedSlice(o.Object, path...)
		list = slices.DeleteFunc(list, func(c any) bool { return c.(map[string]any)["type"] == conditionType })
		list = append(list, map[string]any{"type": conditionType, "status": "False", "reason": reason, "message": message})
		_ = unstructured.SetNestedSlice(o.Object, list, path...)
	}
}

// fails sets condition Ready of an ASO object.
func fails(severity, reason, message string) change {
	return func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedSlice(o.Object, []any{map[string]any{
			"type": "Ready", "status": "False", "severity": severity, "reason": reason, "message": message, "observedGeneration": int64(1),
		}}, "status", "conditions")
	}
}

// entry sets what status.resources says of a resource.
func entry(kind, name, reason, message string) change {
	return func(o *unstructured.Unstructured) {
		group := map[string]string{"ResourceGroup": "resources.azure.com"}[kind]
		if group == "" {
			group = "containerservice.azure.com"
		}
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "resources")
		list = append(list, map[string]any{"resource": map[string]any{"group": group, "version": "v1", "kind": kind, "name": name}, "ready": false, "reason": reason, "message": message})
		_ = unstructured.SetNestedSlice(o.Object, list, "status", "resources")
	}
}

func set(value any, path ...string) change {
	return func(o *unstructured.Unstructured) { _ = unstructured.SetNestedField(o.Object, value, path...) }
}

func annotated(key, value string) change {
	return func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{key: value}) }
}

const cluster, infra, plane, pool = "Cluster/c", "AzureASOManagedCluster/c", "AzureASOManagedControlPlane/c", "AzureASOManagedMachinePool/p"

// A root is what must be among the causes.
type root struct{ object, reason, message, next string }

func TestOf(t *testing.T) {
	const mayNot = `cannot compose resources: cannot get composed resource: resourcegroups.resources.azure.com "c" is forbidden: User "system:serviceaccount:crossplane-system:crossplane" cannot get resource "resourcegroups" in API group "resources.azure.com" in the namespace "ns"`
	for name, c := range map[string]struct {
		given   func(t *testing.T, f *fake)
		of      string // The Cluster unless given.
		roots   []root
		waiting bool
		notes   []string
	}{
		"nothing is wrong": {given: func(*testing.T, *fake) {}},
		"nothing is wrong, though one may read little": {
			given: func(_ *testing.T, f *fake) { f.forbidden = []string{"Secret", "Event", "Function", "ClusterRole"} },
			notes: []string{"whether the kubeconfig was written is not known"},
		},
		"Azure refuses a resource": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, "ResourceGroup/c", fails("Warning", "AuthorizationFailed", "The client 'x' does not have authorization to perform action 'Microsoft.Resources/subscriptions/resourcegroups/write' over scope '/s'"))
				f.edit(t, infra, entry("ResourceGroup", "c", "AuthorizationFailed", "..."))
				f.edit(t, infra, says("Ready", "AuthorizationFailed", "ResourceGroup c: ..."))
				f.edit(t, plane, entry("ManagedCluster", "c", "WaitingForResource", "waits until ResourceGroup c is ready"))
				f.edit(t, cluster, says("InfrastructureReady", "AuthorizationFailed", "ResourceGroup c: ..."))
			},
			roots: []root{{"ResourceGroup c", "AuthorizationFailed", "does not have authorization", "Microsoft.Resources/subscriptions/resourcegroups/write"}},
		},
		"from the control plane, which waits for a resource of another": {
			of: plane,
			given: func(t *testing.T, f *fake) {
				f.edit(t, "ResourceGroup/c", fails("Error", "QuotaExceeded", "no more"))
				f.edit(t, infra, entry("ResourceGroup", "c", "QuotaExceeded", "no more"))
				f.edit(t, plane, entry("ManagedCluster", "c", "WaitingForResource", "waits until ResourceGroup c is ready"))
			},
			roots: []root{{"ResourceGroup c", "QuotaExceeded", "no more", "quota"}},
		},
		"the credential is refused": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, "ResourceGroup/c", fails("Warning", "Failed", "AADSTS7000215: Invalid client secret"))
				f.edit(t, infra, entry("ResourceGroup", "c", "Failed", "AADSTS7000215"))
			},
			roots: []root{{"ResourceGroup c", "Failed", "AADSTS7000215", "client secret"}},
		},
		"the Secret of the credential is missing": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, "ResourceGroup/c", fails("Warning", "SecretNotFound", "no credential"))
				f.edit(t, "ResourceGroup/c", annotated("serviceoperator.azure.com/credential-from", "gone"))
				f.edit(t, infra, entry("ResourceGroup", "c", "SecretNotFound", "no credential"))
			},
			roots: []root{{"Secret gone", "SecretMissing", `does not exist in namespace "ns"`, "Create the Secret"}},
		},
		"the owner of a resource is missing": {
			given: func(t *testing.T, f *fake) {
				f.remove("ResourceGroup/c")
				f.edit(t, "ManagedCluster/c", fails("Warning", "WaitingForOwner", "owner does not exist"))
				f.edit(t, plane, entry("ManagedCluster", "c", "WaitingForOwner", "owner does not exist"))
			},
			roots: []root{{"ResourceGroup c", "NotFound", "does not exist", "Create the object"}},
		},
		"a mistake in the spec": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, plane, entry("ManagedCluster", "c", "IncompatibleValue", "spec.resources[0].spec.x is 1"))
			},
			roots: []root{{"ManagedCluster c", "IncompatibleValue", "spec.resources[0].spec.x", "agree"}},
		},
		"a policy": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, infra, entry("ResourceGroup", "denied", "RefusedByAPIServer", "denied request: not with this policy"))
			},
			roots: []root{{"ResourceGroup denied", "RefusedByAPIServer", "not with this policy", "policy"}},
		},
		"Azure is at work": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, "ManagedCluster/c", fails("Info", "Reconciling", "Azure is at work"))
				f.edit(t, plane, entry("ManagedCluster", "c", "Reconciling", "Azure is at work on it"))
				f.edit(t, cluster, says("ControlPlaneAvailable", "NotAvailable", "..."))
			},
			waiting: true, roots: []root{{"ManagedCluster c", "Reconciling", "at work", "Wait"}},
		},
		"Crossplane lacks the rights to an ASO kind": {
			given: func(t *testing.T, f *fake) { f.edit(t, infra, says("Synced", "ReconcileError", mayNot)) },
			roots: []root{{"AzureASOManagedCluster c", "ReconcileError", "is forbidden", "package/install/rbac.yaml"}},
		},
		"rbac.yaml was never applied": {
			given: func(t *testing.T, f *fake) {
				f.remove("ClusterRole/crossplane-capz:aggregate-to-crossplane")
				f.edit(t, infra, says("Ready", "WaitingForOwner", "waits for a Cluster to own it"))
			},
			roots: []root{{"AzureASOManagedCluster c", "CrossplaneMayNotRead", "is referred to", "rbac.yaml"}},
		},
		"nobody refers to it": {
			of: infra,
			given: func(t *testing.T, f *fake) {
				f.edit(t, infra, says("Ready", "WaitingForOwner", "waits for a Cluster to own it"))
				f.edit(t, infra, func(o *unstructured.Unstructured) { o.SetLabels(nil) })
			},
			roots: []root{{"AzureASOManagedCluster c", "WaitingForOwner", "waits for a Cluster", "refer to this one"}},
		},
		"provider-capz has no rights": {
			given: func(t *testing.T, f *fake) {
				f.remove("ClusterRoleBinding/provider-capz")
				f.edit(t, plane, says("Ready", "Awaited", "waits for provider-capz"))
			},
			roots: []root{{"ClusterRoleBinding provider-capz", "MissingRight", "does not exist", "rbac.yaml"}},
		},
		"runtime.yaml was not applied": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, "Deployment/provider-rev", set("provider-rev", "spec", "template", "spec", "serviceAccountName"))
				f.edit(t, plane, says("Ready", "Awaited", "waits for provider-capz"))
			},
			roots: []root{{"Deployment provider-rev", "RuntimeNotConfigured", "runs under ServiceAccount provider-rev", "runtime.yaml"}},
		},
		"Cluster API is not installed": {
			of: plane,
			given: func(t *testing.T, f *fake) {
				f.unserved = []string{"Cluster"}
				f.edit(t, plane, says("Ready", "Creating", "is being created"))
			},
			roots: []root{{"Cluster c", "NotServed", "is not served", "Cluster API"}},
		},
		"the Configuration is not installed": {
			given: func(_ *testing.T, f *fake) { f.unserved = []string{"AzureASOManagedCluster"} },
			roots: []root{{"AzureASOManagedCluster c", "NotServed", "is not served", "configuration-capz"}},
		},
		"the function is not installed": {
			given: func(t *testing.T, f *fake) {
				f.remove("Function/function-capz")
				f.edit(t, infra, says("Synced", "ReconcileError", `cannot get gRPC client connection for Function "function-capz": cannot find an active FunctionRevision`))
			},
			roots: []root{{"AzureASOManagedCluster c", "ReconcileError", "active FunctionRevision", "no function that answers"}, {"Function function-capz", "PackageMissing", "not installed", "Install the package"}},
		},
		"the function is not healthy": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, "Function/function-capz", says("Healthy", "UnhealthyPackageRevision", "cannot pull the image"))
				f.edit(t, infra, says("Synced", "ReconcileError", `cannot run Function "function-capz": code = Unavailable`))
			},
			roots: []root{{"AzureASOManagedCluster c", "ReconcileError", "cannot run Function", "does not answer"}, {"Function function-capz", "UnhealthyPackageRevision", "cannot pull", "Repair the package"}},
		},
		"the identity is not for the namespace": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, plane, annotated("infrastructure.cluster.x-k8s.io/credential-failed", "IdentityNotAllowed: not for namespace ns"))
				f.edit(t, plane, set(map[string]any{"name": "id", "namespace": "ns"}, "spec", "identityRef"))
			},
			roots: []root{{"AzureASOManagedControlPlane c", "IdentityNotAllowed", "not for namespace ns", "allowedNamespaces"}},
		},
		"the Secret of the identity lacks its key": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, plane, annotated("infrastructure.cluster.x-k8s.io/credential-failed", "CredentialMissing: no key clientSecret"))
				f.edit(t, plane, set(map[string]any{"name": "id"}, "spec", "identityRef"))
				f.edit(t, "Secret/id-secret", func(o *unstructured.Unstructured) {
					o.SetManagedFields([]metav1.ManagedFieldsEntry{{FieldsV1: metav1.NewFieldsV1(`{"f:data":{"f:password":{}}}`)}})
				})
			},
			roots: []root{{"Secret id-secret", "KeyMissing", "has no key clientSecret, but keys password", "Add the keys"}},
		},
		"the identity is missing": {
			given: func(t *testing.T, f *fake) {
				f.remove("AzureClusterIdentity/id")
				f.edit(t, plane, annotated("infrastructure.cluster.x-k8s.io/credential-failed", "CredentialMissing: does not exist"))
				f.edit(t, plane, set(map[string]any{"name": "id"}, "spec", "identityRef"))
			},
			roots: []root{{"AzureClusterIdentity id", "NotFound", "does not exist", "Create the object"}},
		},
		"what is referred to is missing": {
			given: func(_ *testing.T, f *fake) { f.remove(plane) },
			roots: []root{{"AzureASOManagedControlPlane c", "NotFound", "does not exist", "Create the object"}},
		},
		"one may not read": {
			given: func(_ *testing.T, f *fake) { f.forbidden = []string{"AzureASOManagedControlPlane"} },
			roots: []root{{"AzureASOManagedControlPlane c", "MayNotRead", `User "jane" cannot get`, "Ask an administrator"}},
		},
		"one may not read the ASO object": {
			given: func(t *testing.T, f *fake) {
				f.forbidden = []string{"ResourceGroup"}
				f.edit(t, infra, entry("ResourceGroup", "c", "QuotaExceeded", "no more"))
			},
			roots: []root{{"ResourceGroup c", "QuotaExceeded", "no more", "quota"}, {"ResourceGroup c", "MayNotRead", "jane", "Ask an administrator"}},
		},
		"the Cluster is paused": {
			given: func(t *testing.T, f *fake) { f.edit(t, cluster, set(true, "spec", "paused")) },
			roots: []root{{"Cluster c", "Paused", "is paused", "resume"}},
		},
		"a pool": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, "ManagedClustersAgentPool/p", fails("Error", "SkuNotAvailable", "not there"))
				f.edit(t, pool, entry("ManagedClustersAgentPool", "p", "SkuNotAvailable", "not there"))
			},
			roots: []root{{"ManagedClustersAgentPool p", "SkuNotAvailable", "not there", "another size"}},
		},
		"only an Event says it": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, infra, says("Synced", "ReconcileError", "Unsynced resources: rg"))
				f.objects = append(f.objects, event("infra-uid", "ComposeResources", `cannot apply composed resource "rg": denied the request`))
			},
			roots: []root{{"AzureASOManagedCluster c", "RefusedByAPIServer", "denied the request", "policy"}},
		},
		"the kubeconfig cannot be written": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, plane, says("Ready", "WaitingForControlPlaneEndpoint", "waits"))
				f.objects = append(f.objects, event("plane-uid", "KubeconfigFailed", "the Secret of ASO has no kubeconfig"))
			},
			roots: []root{{"AzureASOManagedControlPlane c", "KubeconfigFailed", "has no kubeconfig", "tried again"}},
		},
		"the kubeconfig is missing": {
			given: func(_ *testing.T, f *fake) { f.remove("Secret/c-kubeconfig") },
			roots: []root{{"Secret c-kubeconfig", "KubeconfigMissing", "does not exist", "provider-capz"}},
		},
		"it is being deleted": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, plane, func(o *unstructured.Unstructured) {
					now := metav1.Now()
					o.SetDeletionTimestamp(&now)
					o.SetFinalizers([]string{"some/finalizer"})
				})
				f.objects = append(f.objects, event("plane-uid", "DeletionRefused", "Azure refuses: ScopeLocked"))
			},
			roots: []root{{"AzureASOManagedControlPlane c", "DeletionRefused", "ScopeLocked", "a lock"}},
		},
		"the topology does not fit": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, cluster, says("TopologyReconciled", "TopologyReconcileFailed", "variable x"))
			},
			roots: []root{{"Cluster c", "TopologyReconcileFailed", "variable x", "ClusterClass"}},
		},
		"the settings are wrong": {
			given: func(t *testing.T, f *fake) {
				f.edit(t, "ProviderConfig/default", says("Applied", "Invalid", "spec.namespace"))
				f.edit(t, plane, says("Ready", "Awaited", "waits"))
			},
			roots: []root{{"ProviderConfig default", "Invalid", "spec.namespace", "ProviderConfig"}},
		},
		"a Machine": {
			given: func(_ *testing.T, f *fake) {
				f.objects = append(f.objects, machine("m", "BootstrapConfigReady", "WaitingForBootstrapData", "no data"), machine("fine", "", "", ""))
			},
			roots: []root{{"Machine m", "WaitingForBootstrapData", "no data", "bootstrap provider"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := world(t)
			c.given(t, f)
			if c.of == "" {
				c.of = cluster
			}
			var about *unstructured.Unstructured
			f.edit(t, c.of, func(o *unstructured.Unstructured) { about = o })
			answer, err := Of(t.Context(), f, about)
			if err != nil {
				t.Fatal(err)
			}
			text := &strings.Builder{}
			if err := Text(text, answer); err != nil {
				t.Fatal(err)
			}
			if answer.Ready != (len(c.roots) == 0) || answer.Waiting != c.waiting || len(answer.Causes) != len(c.roots) {
				t.Fatalf("ready %v, waiting %v, %d causes; want %d causes, waiting %v:\n%s", answer.Ready, answer.Waiting, len(answer.Causes), len(c.roots), c.waiting, text)
			}
			for _, want := range c.roots {
				if !slices.ContainsFunc(answer.Causes, func(got Cause) bool {
					return got.Object.String() == want.object && got.Reason == want.reason && strings.Contains(got.Message, want.message) && strings.Contains(got.Next, want.next)
				}) {
					t.Errorf("no cause is %+v:\n%s", want, text)
				}
				if !strings.Contains(text.String(), want.message) || !strings.Contains(text.String(), want.next) {
					t.Errorf("%+v is not told:\n%s", want, text)
				}
			}
			for _, want := range c.notes {
				if !slices.ContainsFunc(answer.Notes, func(got string) bool { return strings.Contains(got, want) }) {
					t.Errorf("no note is %q: %q", want, answer.Notes)
				}
			}
		})
	}
}

// TestNoAnswer shows that an API server that does not answer is an error, and no finding.
func TestNoAnswer(t *testing.T) {
	for _, kind := range []string{"AzureASOManagedCluster", "MachinePool", "Secret"} {
		f := world(t)
		f.broken = kind
		var about *unstructured.Unstructured
		f.edit(t, cluster, func(o *unstructured.Unstructured) { about = o })
		if answer, err := Of(t.Context(), f, about); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("%s: Of() = %v, %v, want the error", kind, answer, err)
		}
	}
}
