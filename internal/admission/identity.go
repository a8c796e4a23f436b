package admission

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// Where the webhooks are served that refuse an AzureClusterIdentity with a reason; package/generate/webhooks.yaml.tmpl has the paths too.
const (
	IdentitySecretPath   = "/validate-azureclusteridentity-secret"
	IdentityOperatorPath = "/validate-azureclusteridentity-operator"
)

// OperatorCredentials is the subresource of azureclusteridentities that nothing serves: verb use on it is the right to write one
// that signs in with what is the controllers' own. No role that gives rights on azureclusteridentities gives this one.
const OperatorCredentials = "operator-credentials"

// An IdentityGuard says why who writes an AzureClusterIdentity may not. Crossplane lets whoever edits a namespace write composite
// resources, so that an identity must not give more than its namespace has. The API server has found out already that the
// writer lacks the right, by the conditions in package/generate/webhooks.yaml.tmpl: only such requests come here, and each is refused.
type IdentityGuard struct{}

// Register serves the webhooks.
func (g *IdentityGuard) Register(server webhook.Server) {
	server.Register(IdentitySecretPath, &webhook.Admission{Handler: explained(othersSecret)})
	server.Register(IdentityOperatorPath, &webhook.Admission{Handler: explained(operatorsCredential)})
}

// explained refuses an identity with what why says of it, whatever the settings: the namespaces that use it may be others.
func explained(why func(admission.Request, *v1beta1.AzureClusterIdentity) *field.Error) admission.Handler {
	return admission.HandlerFunc(func(_ context.Context, req admission.Request) admission.Response {
		identity, err := decode[v1beta1.AzureClusterIdentity](req.Object.Raw)
		if err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		return refused(req, field.ErrorList{why(req, identity)})
	})
}

func othersSecret(req admission.Request, identity *v1beta1.AzureClusterIdentity) *field.Error {
	ref := identity.Spec.ClientSecret
	return field.Invalid(field.NewPath("spec", "clientSecret", "namespace"), ref.Namespace, fmt.Sprintf(
		"must be %s, the namespace of the AzureClusterIdentity, or left out: clusters that use it are given what Secret %s has, and %s, who writes it, has no right to get secrets/%s in namespace %s",
		req.Namespace, cmp.Or(ref.Name, "there"), req.UserInfo.Username, ref.Name, ref.Namespace))
}

func operatorsCredential(req admission.Request, identity *v1beta1.AzureClusterIdentity) *field.Error {
	path, value, whose := field.NewPath("spec", "type"), string(identity.Spec.Type), "the identity of Azure Service Operator itself"
	switch {
	case identity.Spec.Type == v1beta1.UserAssignedIdentityCredential:
		whose = "a file of Azure Service Operator's container"
	case identity.Spec.CertPath != "":
		path, value, whose = field.NewPath("spec", "certPath"), identity.Spec.CertPath, "a file of provider-capz's container"
	}
	return field.Invalid(path, value, fmt.Sprintf(
		"signs in with %s, which is no namespace's own: %s, who writes it, needs the right to use %s/%s in namespace %s, as ClusterRole %s gives it; without it, name a Secret of the namespace in spec.clientSecret, with type ServicePrincipal or ServicePrincipalCertificate",
		whose, req.UserInfo.Username, composite.AzureClusterIdentity.GroupResource(), OperatorCredentials, req.Namespace, operatorCredentialsRole))
}

// operatorCredentialsRole is in package/generate/rbac.yaml.tmpl.
const operatorCredentialsRole = "crossplane-capz:operator-credentials"
