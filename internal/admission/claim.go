// Package admission answers the API server's questions about new composite resources.
package admission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"gomodules.xyz/jsonpatch/v2"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// Path is where the webhook is served; package/generate/webhooks.yaml.tmpl has it too.
const Path = "/mutate-infrastructure-cluster-x-k8s-io-azureasomanaged"

// A Claimer puts provider-capz's finalizer on composite resources as they are created: Crossplane lets a composite
// resource go before what it composed, so one that is deleted before a controller has seen it would leave its Azure
// resources to garbage collection in no order.
type Claimer struct {
	// Scope returns the objects to act on now; nil means all.
	Scope func() Scope
}

// A Scope distinguishes the objects to act on from others.
type Scope struct {
	// Namespace is the only one to act in; empty means all.
	Namespace string
	// WatchFilter is the value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all.
	WatchFilter string
}

// has reports whether to act on an object of a namespace with the labels.
func (s Scope) has(namespace string, labels map[string]string) bool {
	return (s.Namespace == "" || namespace == s.Namespace) &&
		(s.WatchFilter == "" || labels[clusterv1.WatchLabel] == s.WatchFilter)
}

// Register serves the webhook at Path.
func (c *Claimer) Register(server webhook.Server) {
	server.Register(Path, &webhook.Admission{Handler: c})
}

// Handle answers with a patch of the metadata alone, so nothing else of the object is read or rewritten, but for a spec where
// there is none. An externally managed object gets Crossplane's pause in place of the finalizer: all of it is someone else's to do.
//
// Cluster API contract, "Externally managed infrastructure".
func (c *Claimer) Handle(_ context.Context, req admission.Request) admission.Response {
	change := claim
	if req.Kind.Kind == machineKind {
		change = claimMachine
	}
	return withSpec(req, patched(req, current(c.Scope), req.Namespace, change))
}

// withSpec adds an empty spec to a new object without one. Crossplane requires a spec of every composite resource; CAPZ's templates
// have AzureManagedClusters without.
func withSpec(req admission.Request, response admission.Response) admission.Response {
	var has map[string]json.RawMessage
	if req.Operation != admissionv1.Create || !response.Allowed || json.Unmarshal(req.Object.Raw, &has) != nil || has["spec"] != nil {
		return response
	}
	response.Patches = append(response.Patches, jsonpatch.NewOperation("add", "/spec", map[string]any{}))
	patchType := admissionv1.PatchTypeJSONPatch
	response.PatchType = &patchType
	return response
}

func current(scope func() Scope) Scope {
	if scope == nil {
		return Scope{}
	}
	return scope()
}

// patched answers the creation of an object that belongs to a namespace with a patch of what change does to its metadata.
func patched(req admission.Request, scope Scope, namespace string, change func(*unstructured.Unstructured)) admission.Response {
	if req.Operation != admissionv1.Create || scope.Namespace != "" && namespace != scope.Namespace {
		return admission.Allowed("")
	}
	request := struct {
		Metadata map[string]any `json:"metadata"`
	}{}
	if err := shape.Decode(req.Object.Raw, &request); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("cannot read metadata: %w", err))
	}
	if request.Metadata == nil {
		return admission.Errored(http.StatusBadRequest, errors.New("cannot read metadata: there is none"))
	}
	obj := &unstructured.Unstructured{Object: map[string]any{"metadata": request.Metadata}}
	original, err := json.Marshal(obj.Object)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("cannot write metadata: %w", err))
	}
	if scope.WatchFilter != "" && obj.GetLabels()[clusterv1.WatchLabel] != scope.WatchFilter {
		return admission.Allowed("")
	}
	change(obj)
	changed, err := json.Marshal(obj.Object)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("cannot write metadata: %w", err))
	}
	return admission.PatchResponseFromRaw(original, changed)
}

func claim(obj *unstructured.Unstructured) {
	if annotations.IsExternallyManaged(obj) {
		annotations.AddAnnotations(obj, map[string]string{
			names.CrossplanePausedAnnotation: "true",
			names.PausedByAnnotation:         names.FieldOwner,
		})
		return
	}
	controllerutil.AddFinalizer(obj, names.Finalizer)
	if _, has := obj.GetAnnotations()[names.BlockMoveAnnotation]; !has {
		annotations.AddAnnotations(obj, map[string]string{names.BlockMoveAnnotation: "true"})
	}
}

// claimMachine is claim for an AzureMachine. One that Cluster API clones from a template gets Crossplane's pause, too, until a Machine owns it:
// Cluster API writes it a second time just after, with a lock, and after three conflicts makes another machine. See access.AwaitsMachine.
func claimMachine(obj *unstructured.Unstructured) {
	claim(obj)
	if _, paused := obj.GetAnnotations()[names.CrossplanePausedAnnotation]; !paused && access.ClonedWithoutMachine(obj) {
		annotations.AddAnnotations(obj, map[string]string{
			names.CrossplanePausedAnnotation: "true",
			names.PausedByAnnotation:         names.FieldOwner,
		})
	}
}
