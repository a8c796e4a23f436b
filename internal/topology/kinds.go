package topology

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// errNothing answers what Cluster API would ask or tell a cluster beside which contract a kind follows.
var errNothing = errors.New("there is no cluster to ask")

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, errNothing }

// kinds is the client of a management cluster of which nothing is known but which contract the kinds follow. There are no Machines in it: none is
// being upgraded.
type kinds struct{ client.Client }

func newKinds() client.Client {
	scheme := runtime.NewScheme()
	_ = clusterv1.AddToScheme(scheme) // It never fails.
	// It asks for nothing before its first request.
	c, _ := client.New(&rest.Config{Host: "127.0.0.1", Transport: refusing{}}, client.Options{Scheme: scheme, Mapper: meta.NewDefaultRESTMapper(nil)})
	return kinds{c}
}

// Get implements client.Client.
func (k kinds) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	crd, ok := into.(*metav1.PartialObjectMetadata)
	if !ok || crd.Kind != "CustomResourceDefinition" {
		return errNothing
	}
	const contract = "cluster.x-k8s.io/"
	labels := map[string]string{contract + "v1beta1": "v1alpha1_v1alpha2_v1alpha3_v1alpha4_v1beta1", contract + "v1beta2": "v1beta2_v1"}
	if strings.HasSuffix(key.Name, "."+composite.InfrastructureGroup) {
		labels = map[string]string{contract + "v1beta2": "v1alpha1_v1beta1"}
	}
	crd.SetName(key.Name)
	crd.SetLabels(labels)
	return nil
}

// List implements client.Client.
func (kinds) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	if _, ok := into.(*clusterv1.MachineList); ok {
		return nil
	}
	return errNothing
}

// noClusters has no client of a workload cluster.
type noClusters struct{ clustercache.ClusterCache }

// GetClient implements clustercache.ClusterCache.
func (noClusters) GetClient(context.Context, client.ObjectKey) (client.Client, error) {
	return nil, clustercache.ErrClusterNotConnected
}
