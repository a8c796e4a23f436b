package admission

import (
	"context"
	"fmt"
	"net/http"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// Where the rules between objects are served; package/generate/webhooks.yaml.tmpl has the paths too, and says which few
// requests are asked about at all.
const (
	ControlPlanePath   = "/validate-azuremanagedcontrolplane"
	ManagedPoolPath    = "/validate-azuremanagedmachinepool"
	ManagedClusterPath = "/validate-cluster-of-azuremanagedcontrolplane"
	MachinePoolPath    = "/validate-machinepool-of-azuremanagedmachinepool"
	MachinePath        = "/validate-azuremachine"
)

// The kinds that have rules and defaults of their own, as requests and messages name them.
var (
	controlPlaneKind         = composite.AzureManagedControlPlane.Kind
	controlPlaneTemplateKind = composite.AzureManagedControlPlaneTemplate.Kind
	asoControlPlaneKind      = composite.AzureASOManagedControlPlane.Kind
	managedPoolKind          = composite.AzureManagedMachinePool.Kind
	managedPoolTemplateKind  = composite.AzureManagedMachinePoolTemplate.Kind
)

// Rules are what the schemas cannot say, for the most part because it is about more than one object. Each rule is kept
// whichever of its objects comes last, so that manifests may be applied in any order.
type Rules struct {
	// Reader reads from the API server itself: what a cache does not know yet would be refused, or let through, by mistake.
	Reader client.Reader
	// Scope returns the objects to act on now; nil means all.
	Scope func() Scope
}

// Register serves the rules.
func (r *Rules) Register(server webhook.Server) {
	for path, rule := range map[string]rule{
		ControlPlanePath:   r.controlPlane,
		ManagedPoolPath:    r.managedPool,
		ManagedClusterPath: r.cluster,
		MachinePoolPath:    r.machinePool,
		MachinePath:        machine,
	} {
		server.Register(path, &webhook.Admission{Handler: r.handler(rule)})
	}
}

// A rule returns what is wrong with a request. An error means that it cannot be found out.
type rule func(context.Context, admission.Request) (field.ErrorList, error)

// handler answers with everything that is wrong at once.
func (r *Rules) handler(check rule) admission.Handler {
	return admission.HandlerFunc(func(ctx context.Context, req admission.Request) admission.Response {
		raw := req.Object.Raw
		if req.Operation == admissionv1.Delete {
			raw = req.OldObject.Raw
		}
		obj := metav1.PartialObjectMetadata{}
		if err := shape.Decode(raw, &obj); err != nil {
			return admission.Errored(http.StatusBadRequest, fmt.Errorf("cannot read the object: %w", err))
		}
		if !current(r.Scope).has(req.Namespace, obj.Labels) {
			return admission.Allowed("")
		}
		wrong, err := check(ctx, req)
		if err != nil {
			return admission.Errored(http.StatusInternalServerError, err)
		}
		if orderly(req) {
			return refused(req, wrong)
		}
		return warned(wrong)
	})
}

// orderly reports whether what is there now is all that a request can be judged by. A dry run of a pool is often one of several, all
// before the first change: Flux and Argo CD would never begin to raise the version of a control plane and its pools together,
// or to replace a System pool.
func orderly(req admission.Request) bool {
	ofPool := req.Kind.Kind == "MachinePool" || req.Kind.Kind == managedPoolKind
	return !ofPool || req.DryRun == nil || !*req.DryRun
}

// warned allows a request, and says what it would be refused for.
func warned(wrong field.ErrorList) admission.Response {
	response := admission.Allowed("")
	for _, w := range wrong {
		response.Warnings = append(response.Warnings, "as things are, this would be refused: "+w.Error())
	}
	return response
}

// refused answers as the API server does for what its schema refuses.
func refused(req admission.Request, wrong field.ErrorList) admission.Response {
	if len(wrong) == 0 {
		return admission.Allowed("")
	}
	status := apierrors.NewInvalid(schema.GroupKind{Group: req.Kind.Group, Kind: req.Kind.Kind}, req.Name, wrong).Status()
	return admission.Response{AdmissionResponse: admissionv1.AdmissionResponse{Result: &status}}
}

// decode reads an object of a request.
func decode[T any](raw []byte) (*T, error) {
	obj := new(T)
	if err := shape.Decode(raw, obj); err != nil {
		return nil, fmt.Errorf("cannot read the object: %w", err)
	}
	return obj, nil
}

// get reads an object, unless there is none, nor its kind.
func get[T client.Object](ctx context.Context, c client.Reader, namespace, name string, obj T) (found bool, err error) {
	err = c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, obj)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot read %s %s/%s: %w", reflect.TypeOf(obj).Elem().Name(), namespace, name, err)
	}
	return true, nil
}

// controlPlaneOf returns the AzureManagedControlPlane of a Cluster; nil when it has none that exists.
func (r *Rules) controlPlaneOf(ctx context.Context, cluster *clusterv1.Cluster) (*v1beta1.AzureManagedControlPlane, error) {
	ref := cluster.Spec.ControlPlaneRef
	if ref.GroupKind() != composite.AzureManagedControlPlane.GroupKind() || ref.Name == "" {
		return nil, nil
	}
	controlPlane := &v1beta1.AzureManagedControlPlane{}
	found, err := get(ctx, r.Reader, cluster.Namespace, ref.Name, controlPlane)
	if err != nil || !found {
		return nil, err
	}
	return controlPlane, nil
}

// clusterNamed returns a Cluster; nil when it does not exist.
func (r *Rules) clusterNamed(ctx context.Context, namespace, name string) (*clusterv1.Cluster, error) {
	if name == "" {
		return nil, nil
	}
	cluster := &clusterv1.Cluster{}
	found, err := get(ctx, r.Reader, namespace, name, cluster)
	if err != nil || !found {
		return nil, err
	}
	return cluster, nil
}

// clusterOf returns the Cluster that a control plane is for: by its label, which Cluster API sets only after the creation,
// else the one that refers to it.
func (r *Rules) clusterOf(ctx context.Context, controlPlane *v1beta1.AzureManagedControlPlane) (*clusterv1.Cluster, error) {
	if name := controlPlane.Labels[clusterv1.ClusterNameLabel]; name != "" {
		return r.clusterNamed(ctx, controlPlane.Namespace, name)
	}
	list := &clusterv1.ClusterList{}
	if err := r.Reader.List(ctx, list, client.InNamespace(controlPlane.Namespace)); err != nil {
		return nil, fmt.Errorf("cannot read the Clusters of namespace %s: %w", controlPlane.Namespace, err)
	}
	for i := range list.Items {
		ref := list.Items[i].Spec.ControlPlaneRef
		if ref.GroupKind() == composite.AzureManagedControlPlane.GroupKind() && ref.Name == controlPlane.Name {
			return &list.Items[i], nil
		}
	}
	return nil, nil
}
