package objects

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// A stillInformer is an informer that tells what the test has it tell.
type stillInformer struct {
	cache.Informers
	cache.Informer

	handlers []toolscache.ResourceEventHandler
}

func (s *stillInformer) GetInformer(context.Context, client.Object, ...cache.InformerGetOption) (cache.Informer, error) {
	return s, nil
}

func (s *stillInformer) AddEventHandler(h toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	s.handlers = append(s.handlers, h)
	return nil, nil
}

func (s *stillInformer) update(before, after any) {
	for _, h := range s.handlers {
		h.OnUpdate(before, after)
	}
}

// observed returns how many values, and their sum, the histogram has for a kind.
func observed(t *testing.T, kind string) (count uint64, sum float64) {
	t.Helper()
	registry := prometheus.NewRegistry()
	if err := telemetry.Register(registry, telemetry.Provider); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != telemetry.TimeToReady.Name {
			continue
		}
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "kind" && l.GetValue() == kind {
					count, sum = count+m.GetHistogram().GetSampleCount(), sum+m.GetHistogram().GetSampleSum()
				}
			}
		}
	}
	return count, sum
}

// TestTimeToReady measures once for each object: when its status says for the first time that it is provisioned.
func TestTimeToReady(t *testing.T) {
	o, informer := told(t), &stillInformer{}
	kind := composite.AzureManagedMachinePool
	if err := o.Composites(t.Context(), informer, kind); err != nil {
		t.Fatal(err)
	}
	making, made := object(kind, "a", `},"status":{"initialization":{"provisioned":false}}}`), object(kind, "a", `},"status":{"initialization":{"provisioned":true}}}`)
	hidden := made.DeepCopy()
	hidden.SetLabels(map[string]string{clusterv1.WatchLabel: "b"})
	informer.update(making, making)
	informer.update(making, hidden)
	if n, _ := observed(t, kind.Kind); n != 0 {
		t.Fatalf("%d are measured before any is provisioned", n)
	}
	informer.update(object(kind, "a", "}}"), made)
	informer.update(made, made)
	informer.update(made, object(kind, "a", `},"status":{"initialization":{"provisioned":true},"ready":false}}`))
	if n, sum := observed(t, kind.Kind); n != 1 || sum != 3600 {
		t.Errorf("%d values that are %v s together, want one of 3600 s", n, sum)
	}
}

// TestClusterTimeToReady measures a Cluster when both of its parts are there.
func TestClusterTimeToReady(t *testing.T) {
	o, informer := told(t), &stillInformer{}
	if err := o.Clusters(t.Context(), informer); err != nil {
		t.Fatal(err)
	}
	cluster := func(kind string, infrastructure, controlPlane bool) *clusterv1.Cluster {
		c := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "a", CreationTimestamp: ago(600e9)}}
		c.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: composite.InfrastructureGroup, Kind: kind, Name: "a"}
		c.Status.Initialization = clusterv1.ClusterInitializationStatus{InfrastructureProvisioned: &infrastructure, ControlPlaneInitialized: &controlPlane}
		return c
	}
	informer.update(cluster("AzureCluster", false, false), cluster("AzureCluster", true, false))
	informer.update(cluster("AWSCluster", true, false), cluster("AWSCluster", true, true))
	informer.update(&unstructured.Unstructured{}, cluster("AzureCluster", true, true))
	informer.update(cluster("AzureCluster", true, true), cluster("AzureCluster", true, true))
	if n, _ := observed(t, telemetry.ClusterKind); n != 0 {
		t.Fatalf("%d are measured", n)
	}
	informer.update(cluster("AzureCluster", true, false), cluster("AzureCluster", true, true))
	if n, sum := observed(t, telemetry.ClusterKind); n != 1 || sum != 600 {
		t.Errorf("%d values that are %v s together, want one of 600 s", n, sum)
	}
}
