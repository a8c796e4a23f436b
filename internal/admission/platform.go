package admission

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/internal/platform"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// PlatformPath is where the webhook of the kinds for application teams is served; package/generate/webhooks.yaml.tmpl has it
// too.
const PlatformPath = "/mutate-platform-capz-crossplane-io-akscluster"

// A PlatformClaimer puts provider-capz's finalizer on AKSClusters and XAKSClusters as they are created, for the reason
// that Claimer has: one that is deleted before a controller has seen it would be gone before its Cluster.
type PlatformClaimer struct {
	// Scope returns the objects to act on now; nil means all. An XAKSCluster belongs to the namespace of its claim.
	Scope func() Scope
}

// Register serves the webhook at PlatformPath.
func (c *PlatformClaimer) Register(server webhook.Server) {
	server.Register(PlatformPath, &webhook.Admission{Handler: c})
}

// Handle answers with a patch of the metadata alone.
func (c *PlatformClaimer) Handle(_ context.Context, req admission.Request) admission.Response {
	request := struct {
		Spec struct {
			ClaimRef struct {
				Namespace string `json:"namespace"`
			} `json:"claimRef"`
		} `json:"spec"`
	}{}
	if err := shape.Decode(req.Object.Raw, &request); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("cannot read spec.claimRef: %w", err))
	}
	namespace := cmp.Or(req.Namespace, request.Spec.ClaimRef.Namespace)
	return patched(req, current(c.Scope), namespace, func(obj *unstructured.Unstructured) {
		controllerutil.AddFinalizer(obj, platform.Finalizer)
	})
}
