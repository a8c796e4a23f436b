package admission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	// RemadePath is where the webhook is served that keeps removed composite resources removed; package/generate/webhooks.yaml.tmpl
	// has it too.
	RemadePath = "/validate-remade"
	// compositeOwner is the field manager with which Crossplane writes what it has composed for a composite resource into it.
	compositeOwner = "apiextensions.crossplane.io/composite"
)

// A RemadeGuard refuses composite resources that Crossplane makes by mistake. Crossplane applies spec.crossplane by name, so
// that one which is removed while it is composed, finalizers or not, would be created anew, with nothing else in it.
// That is what clusterctl move does: it takes away the finalizers, and with the annotations Crossplane's pause, just before.
type RemadeGuard struct{}

// Register serves the webhook at RemadePath.
func (g *RemadeGuard) Register(server webhook.Server) {
	server.Register(RemadePath, &webhook.Admission{Handler: g})
}

// Handle refuses the creation of an object by the field manager that only ever adds to existing ones.
func (g *RemadeGuard) Handle(_ context.Context, req admission.Request) admission.Response {
	if req.Operation != admissionv1.Create || len(req.Options.Raw) == 0 {
		return admission.Allowed("")
	}
	options := metav1.CreateOptions{}
	if err := json.Unmarshal(req.Options.Raw, &options); err != nil {
		return admission.Errored(http.StatusBadRequest, fmt.Errorf("cannot read the options: %w", err))
	}
	if options.FieldManager != compositeOwner {
		return admission.Allowed("")
	}
	return admission.Denied(fmt.Sprintf("%s %s was removed while Crossplane composed it, and is not made anew", req.Kind.Kind, req.Name))
}
