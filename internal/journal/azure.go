package journal

import (
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

// Azure is the policy that logs each request that changes something in Azure, and how Azure answered. Bodies are never logged. It stands behind the one
// that signs in, so what is logged has been sent.
type Azure struct{}

// Do implements policy.Policy.
func (Azure) Do(req *policy.Request) (*http.Response, error) {
	resp, err := req.Next()
	raw := req.Raw()
	if raw.Method == http.MethodGet || raw.Method == http.MethodHead {
		return resp, err
	}
	log := ctrl.LoggerFrom(raw.Context()).WithValues("method", raw.Method, "resource", raw.URL.Path)
	if resp == nil {
		log.Info("Sent to Azure, and not answered")
	} else {
		log.Info("Sent to Azure", "status", resp.StatusCode, "correlation", resp.Header.Get(traces.HeaderCorrelation))
	}
	return resp, err
}
