package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/topology"
)

// TopologyPath is where the webhook of topologies is served; package/generate/webhooks.yaml.tmpl has it too.
const TopologyPath = "/mutate-topology-version"

// A TopologyVersion has Cluster API take a version of a topology that AKS can go to, and that Cluster API would refuse as it does not know
// what Azure runs. Annotation unsafe.topology.cluster.x-k8s.io/disable-update-version-check is Cluster API's way to be told so. It is set
// for such a change alone, and taken away with the next one: every change of the version comes here first.
type TopologyVersion struct {
	// Reader reads from the API server itself.
	Reader client.Reader
	// Scope returns the objects to act on now; nil means all.
	Scope func() Scope
}

// Register serves the webhook at TopologyPath.
func (v *TopologyVersion) Register(server webhook.Server) {
	server.Register(TopologyPath, &webhook.Admission{Handler: v})
}

// Handle answers with a patch of the annotation.
func (v *TopologyVersion) Handle(ctx context.Context, req admission.Request) admission.Response {
	changed, err := decode[clusterv1.Cluster](req.Object.Raw)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	old, err := decode[clusterv1.Cluster](req.OldObject.Raw)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	if !current(v.Scope).has(req.Namespace, changed.Labels) {
		return admission.Allowed("")
	}
	changed.Namespace = req.Namespace
	reaches, err := v.reaches(ctx, old, changed)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	value, has := changed.Annotations[clusterv1.ClusterTopologyUnsafeUpdateVersionAnnotation]
	if users := has && value != names.FieldOwner; users || has == reaches {
		return admission.Allowed("")
	}
	return annotated(req.Object.Raw, reaches)
}

// reaches reports whether AKS can go to the version of the changed topology though Cluster API would refuse it.
func (v *TopologyVersion) reaches(ctx context.Context, old, changed *clusterv1.Cluster) (bool, error) {
	controlPlane, err := access.ControlPlaneOf(ctx, v.Reader, changed)
	if err != nil {
		return false, fmt.Errorf("cannot read the control plane of Cluster %s: %w", changed.Name, err)
	}
	return controlPlane != nil && topology.Of(controlPlane).Reaches(old.Spec.Topology.Version, changed.Spec.Topology.Version), nil
}

// annotated answers with a patch that sets the annotation, or takes it away.
func annotated(raw []byte, set bool) admission.Response {
	obj, err := decode[map[string]any](raw)
	if err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	cluster := &unstructured.Unstructured{Object: *obj}
	if set {
		annotations.AddAnnotations(cluster, map[string]string{clusterv1.ClusterTopologyUnsafeUpdateVersionAnnotation: names.FieldOwner})
	} else {
		left := cluster.GetAnnotations()
		delete(left, clusterv1.ClusterTopologyUnsafeUpdateVersionAnnotation)
		cluster.SetAnnotations(left)
	}
	out, err := json.Marshal(cluster.Object)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("cannot write the Cluster: %w", err))
	}
	return admission.PatchResponseFromRaw(raw, out)
}
