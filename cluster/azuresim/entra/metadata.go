package entra

import (
	"net/http"
	"strconv"
	"time"
)

// MetadataHost is where a virtual machine finds the Instance Metadata Service, by plain HTTP. It has the tokens of the managed
// identities that the machine was given.
const MetadataHost = "169.254.169.254"

// MetadataHandler answers for that service, see
// https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token. Every identity counts as given,
// but for the applications that are registered with a credential, which are none.
func (d *Directory) MetadataHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metadata/identity/oauth2/token", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case r.Header.Get("Metadata") != "true":
			refuse(w, "Required metadata header not specified")
		case query.Get("api-version") == "":
			refuse(w, "Required query variable 'api-version' is missing")
		case query.Get("resource") == "":
			refuse(w, "Required audience parameter is missing")
		default:
			d.identityToken(w, query.Get("client_id"), query.Get("resource"))
		}
	})
	return mux
}

func (d *Directory) identityToken(w http.ResponseWriter, clientID, resource string) {
	tenantID := d.tenants.DefaultTenant()
	if identity, registered := d.tenants.Application(clientID); registered {
		if !identity.Managed() {
			refuse(w, "Identity not found")
			return
		}
		tenantID = identity.TenantID
	}
	home, _ := d.tenants.HomeOf(tenantID)
	token, expires, err := d.Issue(home, tenantID, clientID, resource)
	if err != nil {
		writeJSON(w, http.StatusInternalServerError, map[string]any{"error": "unknown", "error_description": err.Error()})
		return
	}
	now := d.clock.Now()
	left := strconv.Itoa(int(expires.Sub(now).Round(time.Second) / time.Second))
	writeJSON(w, http.StatusOK, map[string]any{
		"access_token": token, "client_id": clientID, "resource": resource, "token_type": "Bearer",
		"expires_in": left, "ext_expires_in": left, "expires_on": strconv.FormatInt(expires.Unix(), 10), "not_before": strconv.FormatInt(now.Unix(), 10),
	})
}

func refuse(w http.ResponseWriter, description string) {
	writeJSON(w, http.StatusBadRequest, map[string]any{"error": "invalid_request", "error_description": description})
}
