package schema

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

var (
	yes       = true
	meta      = metav1.ObjectMeta{Namespace: "default", Name: "filled", Labels: map[string]string{"cluster.x-k8s.io/cluster-name": "my-cluster"}}
	condition = metav1.Condition{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: "ResourcesNotReady", Message: "waiting",
		ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(time.Date(2026, 11, 20, 20, 0, 0, 0, time.UTC)),
	}
	conditions = &v1beta1.V1Beta2Status{Conditions: []metav1.Condition{condition}}
	composite  = v1beta1.CompositeStatus{Conditions: []metav1.Condition{condition}, LastHandledReconcileAt: "now"}
	resources  = []v1beta1.ResourceStatus{{
		Resource: v1beta1.ResourceReference{Group: "g", Version: "v1", Kind: "K", Name: "n"}, Reason: "Reconciling", Message: "m",
	}}
	endpoint    = v1beta1.APIEndpoint{Host: "my-cluster.hcp.westeurope.azmk8s.io", Port: 443}
	provisioned = &v1beta1.InfrastructureInitialization{Provisioned: &yes}
	one         = int32(1)
)

func filledCluster() *v1beta1.AzureASOManagedCluster {
	return &v1beta1.AzureASOManagedCluster{
		ObjectMeta: *meta.DeepCopy(),
		Spec:       v1beta1.AzureASOManagedClusterSpec{ControlPlaneEndpoint: endpoint},
		Status: v1beta1.AzureASOManagedClusterStatus{
			Ready: true, Initialization: provisioned, Resources: resources, V1Beta2: conditions, CompositeStatus: composite,
		},
	}
}

func filledControlPlane() *v1beta1.AzureASOManagedControlPlane {
	return &v1beta1.AzureASOManagedControlPlane{
		ObjectMeta: *meta.DeepCopy(),
		Spec:       v1beta1.AzureASOManagedControlPlaneSpec{Version: "v1.33.6"},
		Status: v1beta1.AzureASOManagedControlPlaneStatus{
			Ready: true, Initialized: true,
			Initialization:       &v1beta1.ControlPlaneInitialization{ControlPlaneInitialized: &yes},
			ControlPlaneEndpoint: endpoint, Version: "v1.33.5",
			Versions:                    []v1beta1.StatusVersion{{Version: "v1.33.5", Replicas: &one}},
			ExternalManagedControlPlane: &yes,
			Resources:                   resources, V1Beta2: conditions, CompositeStatus: composite,
		},
	}
}

func filledMachinePool() *v1beta1.AzureASOManagedMachinePool {
	return &v1beta1.AzureASOManagedMachinePool{
		ObjectMeta: *meta.DeepCopy(),
		Spec:       v1beta1.AzureASOManagedMachinePoolSpec{ProviderIDList: []string{"azure:///a"}},
		Status: v1beta1.AzureASOManagedMachinePoolStatus{
			Ready: true, Initialization: provisioned, Replicas: 3,
			Resources: resources, V1Beta2: conditions, CompositeStatus: composite,
		},
	}
}

func filledAzureCluster() *v1beta1.AzureCluster {
	return &v1beta1.AzureCluster{
		ObjectMeta: *meta.DeepCopy(),
		Spec: v1beta1.AzureClusterSpec{
			AzureClusterClassSpec: v1beta1.AzureClusterClassSpec{
				SubscriptionID: "s", Location: "westeurope", IdentityRef: &corev1.ObjectReference{Kind: "AzureClusterIdentity", Name: "i"},
			},
			ResourceGroup: "g", ControlPlaneEnabled: true, ControlPlaneEndpoint: endpoint,
		},
		Status: v1beta1.AzureClusterStatus{
			FailureDomains: []v1beta1.FailureDomain{{Name: "1", ControlPlane: &yes, Attributes: map[string]string{"a": "b"}}},
			Ready:          true, Initialization: provisioned, ControlPlaneEndpoint: endpoint, Resources: resources, V1Beta2: conditions, CompositeStatus: composite,
		},
	}
}

func filledAzureMachine() *v1beta1.AzureMachine {
	state, reason, id := v1beta1.Failed, "CreateError", "azure:///vm"
	return &v1beta1.AzureMachine{
		ObjectMeta: *meta.DeepCopy(),
		Spec: v1beta1.AzureMachineSpec{ProviderID: &id, AzureMachineClassSpec: v1beta1.AzureMachineClassSpec{
			VMSize: "s", Identity: v1beta1.VMIdentityNone, OSDisk: v1beta1.OSDisk{OSType: "Linux", CachingType: "None"},
		}},
		Status: v1beta1.AzureMachineStatus{
			Ready: true, Initialization: provisioned, Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.4"}},
			FailureDomain: "1", ProviderID: id, VMState: &state, FailureReason: &reason, FailureMessage: &reason,
			Resources: resources, V1Beta2: conditions, CompositeStatus: composite,
		},
	}
}

// TestStatusIsKept writes every field of the Go types' status and reads it back: what the types have, the server stores.
func TestStatusIsKept(t *testing.T) {
	cases := map[string]client.Object{
		"Cluster": filledCluster(), "ControlPlane": filledControlPlane(), "MachinePool": filledMachinePool(),
		"AzureCluster": filledAzureCluster(), "AzureMachine": filledAzureMachine(),
		"AzureMachineTemplate": &v1beta1.AzureMachineTemplate{
			ObjectMeta: *meta.DeepCopy(),
			Spec: v1beta1.AzureMachineTemplateSpec{Template: v1beta1.AzureMachineTemplateResource{Spec: v1beta1.AzureMachineTemplateResourceSpec{
				AzureMachineClassSpec: filledAzureMachine().Spec.AzureMachineClassSpec,
			}}},
			Status: v1beta1.AzureMachineTemplateStatus{
				Capacity: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")}, CompositeStatus: composite,
				NodeInfo: &v1beta1.NodeInfo{Architecture: v1beta1.ArchitectureAmd64, OperatingSystem: v1beta1.OperatingSystemLinux},
			},
		},
		"Template": &v1beta1.AzureASOManagedClusterTemplate{
			ObjectMeta: *meta.DeepCopy(), Status: composite,
			Spec: v1beta1.AzureASOManagedClusterTemplateSpec{Template: v1beta1.AzureASOManagedClusterTemplateResource{
				ObjectMeta: v1beta1.ObjectMeta{Labels: map[string]string{"a": "b"}},
			}},
		},
	}
	for name, object := range cases {
		t.Run(name, func(t *testing.T) {
			want := object.DeepCopyObject()
			create(t, object)
			updated := want.DeepCopyObject().(client.Object)
			updated.SetResourceVersion(object.GetResourceVersion())
			if err := server.client.Status().Update(context.Background(), updated); err != nil {
				t.Fatal(err)
			}
			read := object.DeepCopyObject().(client.Object)
			if err := server.client.Get(context.Background(), client.ObjectKeyFromObject(object), read); err != nil {
				t.Fatal(err)
			}
			ignore := cmpopts.IgnoreTypes(metav1.TypeMeta{}, metav1.ObjectMeta{})
			if diff := cmp.Diff(want, read, ignore); diff != "" {
				t.Errorf("(-written +read):\n%s", diff)
			}
		})
	}
}

// TestTable reads the objects as `kubectl get -o wide` does.
func TestTable(t *testing.T) {
	const message = "waiting"
	cases := map[string]struct {
		object  client.Object
		columns []string
		cells   []any
	}{
		"azureasomanagedclusters": {
			object:  filledCluster(),
			columns: []string{"Name", "Cluster", "Provisioned", "Endpoint", "Reason", "Message"},
			cells:   []any{"filled", "my-cluster", true, endpoint.Host, condition.Reason, message},
		},
		"azureasomanagedcontrolplanes": {
			object:  filledControlPlane(),
			columns: []string{"Name", "Cluster", "Initialized", "Version", "Endpoint", "Reason", "Message"},
			cells:   []any{"filled", "my-cluster", true, "v1.33.5", endpoint.Host, condition.Reason, message},
		},
		"azureasomanagedmachinepools": {
			object:  filledMachinePool(),
			columns: []string{"Name", "Cluster", "Provisioned", "Replicas", "Reason", "Message"},
			cells:   []any{"filled", "my-cluster", true, float64(3), condition.Reason, message},
		},
		"azureclusters": {
			object:  filledAzureCluster(),
			columns: []string{"Name", "Cluster", "Provisioned", "Location", "Resource Group", "SubscriptionID", "Endpoint", "Reason", "Message"},
			cells:   []any{"filled", "my-cluster", true, "westeurope", "g", "s", endpoint.Host, condition.Reason, message},
		},
		"azuremachines": {
			object:  filledAzureMachine(),
			columns: []string{"Name", "Cluster", "Provisioned", "State", "Reason", "Message", "Machine", "VM ID", "VM Size"},
			cells:   []any{"filled", "my-cluster", true, "Failed", condition.Reason, message, nil, "azure:///vm", "s"},
		},
	}
	for plural, tc := range cases {
		t.Run(plural, func(t *testing.T) {
			status := tc.object.DeepCopyObject().(client.Object)
			create(t, tc.object)
			status.SetResourceVersion(tc.object.GetResourceVersion())
			if err := server.client.Status().Update(context.Background(), status); err != nil {
				t.Fatal(err)
			}
			versions := []string{"v1beta1"}
			if strings.HasPrefix(plural, "azureaso") {
				versions = append(versions, "v1alpha1")
			}
			for _, version := range versions {
				columns, cells := table(t, version, plural, len(tc.columns))
				if diff := cmp.Diff(tc.columns, columns); diff != "" {
					t.Errorf("%s: columns (-want +got):\n%s", version, diff)
				}
				if diff := cmp.Diff(tc.cells, cells); diff != "" {
					t.Errorf("%s: cells (-want +got):\n%s", version, diff)
				}
			}
		})
	}
}

// table returns the first n columns of the server's table of one object, and its cells.
func table(t *testing.T, version, plural string, n int) ([]string, []any) {
	t.Helper()
	config := rest.CopyConfig(server.config)
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := c.Get().AbsPath("apis", group, version, "namespaces", "default", plural).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	got := &metav1.Table{}
	if err := json.Unmarshal(raw, got); err != nil {
		t.Fatal(err)
	}
	if len(got.Rows) != 1 || len(got.ColumnDefinitions) != n+5 {
		t.Fatalf("%d rows and %d columns, want 1 and %d with Crossplane's five", len(got.Rows), len(got.ColumnDefinitions), n+5)
	}
	var columns []string
	for _, c := range got.ColumnDefinitions[:n] {
		columns = append(columns, c.Name)
	}
	return columns, got.Rows[0].Cells[:n]
}
