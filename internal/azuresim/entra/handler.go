package entra

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// Host is where Entra answers for the public cloud.
const Host = "login.microsoftonline.com"

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// failure is an error answer of the token endpoint, see
// https://learn.microsoft.com/entra/identity-platform/reference-error-codes.
type failure struct {
	status int
	name   string
	code   int
	text   string
}

// Handler answers instance discovery, OpenID configuration and token requests.
func (d *Directory) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /common/discovery/instance", d.discoverInstance)
	mux.HandleFunc("GET /{tenant}/v2.0/.well-known/openid-configuration", d.openIDConfiguration)
	mux.HandleFunc("GET /{tenant}/discovery/v2.0/keys", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"keys": []any{}})
	})
	mux.HandleFunc("POST /{tenant}/oauth2/v2.0/token", d.token)
	return mux
}

func (d *Directory) discoverInstance(w http.ResponseWriter, r *http.Request) {
	endpoint := "https://" + Host + "/common/v2.0/.well-known/openid-configuration"
	if asked := r.URL.Query().Get("authorization_endpoint"); asked != "" {
		endpoint = strings.TrimSuffix(asked, "/oauth2/v2.0/authorize") + "/v2.0/.well-known/openid-configuration"
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"tenant_discovery_endpoint": endpoint,
		"api-version":               "1.1",
		"metadata": []any{map[string]any{
			"preferred_network": Host,
			"preferred_cache":   "login.windows.net",
			"aliases":           []string{Host, "login.windows.net", "login.microsoft.com", "sts.windows.net"},
		}},
	})
}

func (d *Directory) openIDConfiguration(w http.ResponseWriter, r *http.Request) {
	base := "https://" + Host + "/" + r.PathValue("tenant")
	writeJSON(w, http.StatusOK, map[string]any{
		"issuer":                                base + "/v2.0",
		"authorization_endpoint":                base + "/oauth2/v2.0/authorize",
		"device_authorization_endpoint":         base + "/oauth2/v2.0/devicecode",
		"token_endpoint":                        base + "/oauth2/v2.0/token",
		"jwks_uri":                              base + "/discovery/v2.0/keys",
		"response_types_supported":              []string{"code", "id_token", "code id_token", "id_token token"},
		"response_modes_supported":              []string{"query", "fragment", "form_post"},
		"scopes_supported":                      []string{"openid", "profile", "email", "offline_access"},
		"subject_types_supported":               []string{"pairwise"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_post", "private_key_jwt", "client_secret_basic"},
		"tenant_region_scope":                   "NA",
		"cloud_instance_name":                   "microsoftonline.com",
	})
}

func (d *Directory) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		d.fail(w, failure{http.StatusBadRequest, "invalid_request", 900144, "The request body must be a form."})
		return
	}
	if f := d.authenticate(r); f != nil {
		d.fail(w, *f)
		return
	}
	audience := audienceOf(r.PostForm.Get("scope"))
	if audience == "" {
		d.fail(w, failure{http.StatusBadRequest, "invalid_scope", 70011, "The provided value for the input parameter 'scope' is not valid."})
		return
	}
	d.respond(w, r.PathValue("tenant"), r.PostForm.Get("client_id"), audience)
}

func (d *Directory) respond(w http.ResponseWriter, tenantID, clientID, audience string) {
	token, expires, err := d.Issue(tenantID, clientID, audience)
	if err != nil {
		d.fail(w, failure{http.StatusInternalServerError, "server_error", 90033, err.Error()})
		return
	}
	seconds := int(expires.Sub(d.clock.Now()).Round(time.Second) / time.Second)
	writeJSON(w, http.StatusOK, map[string]any{
		"token_type": "Bearer", "expires_in": seconds, "ext_expires_in": seconds, "access_token": token,
	})
}

// audienceOf returns the resource of the first scope "<resource>/.default".
func audienceOf(scopes string) string {
	for _, scope := range strings.Fields(scopes) {
		if audience, ok := strings.CutSuffix(scope, "/.default"); ok {
			return audience
		}
	}
	return ""
}

// authenticate checks the client's credential: a secret, or an assertion signed with a certificate or by a federated issuer.
func (d *Directory) authenticate(r *http.Request) *failure {
	form := r.PostForm
	clientID := form.Get("client_id")
	if form.Get("grant_type") != "client_credentials" {
		return &failure{http.StatusBadRequest, "unsupported_grant_type", 70003, "The app requested an unsupported grant type '" + form.Get("grant_type") + "'."}
	}
	if clientID == "" {
		return &failure{http.StatusBadRequest, "invalid_request", 900144, "The request body must contain the following parameter: 'client_id'."}
	}
	if form.Has("client_assertion") {
		return d.checkAssertion(form.Get("client_assertion_type"), form.Get("client_assertion"))
	}
	if !form.Has("client_secret") {
		return &failure{http.StatusUnauthorized, "invalid_client", 7000216, "'client_assertion', 'client_secret' or 'request' is required for the 'client_credentials' grant type."}
	}
	if !d.secretAccepted(clientID, form.Get("client_secret")) {
		return &failure{http.StatusUnauthorized, "invalid_client", 7000215,
			"Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '" + clientID + "'."}
	}
	return nil
}

// checkAssertion accepts a well-formed assertion that has not expired; who signed it is not checked, for no certificate
// or federated issuer is ever registered.
func (d *Directory) checkAssertion(kind, assertion string) *failure {
	if kind != assertionType {
		return &failure{http.StatusBadRequest, "invalid_request", 50027, "Invalid client_assertion_type."}
	}
	claims := jwt.RegisteredClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(assertion, &claims); err != nil {
		return &failure{http.StatusUnauthorized, "invalid_client", 50027, "JWT token is invalid or malformed."}
	}
	if claims.ExpiresAt != nil && claims.ExpiresAt.Before(d.clock.Now()) {
		return &failure{http.StatusUnauthorized, "invalid_client", 700024, "Client assertion is not within its valid time range."}
	}
	return nil
}

func (d *Directory) fail(w http.ResponseWriter, f failure) {
	now := d.clock.Now().UTC()
	trace, correlation := uuid.NewString(), uuid.NewString()
	writeJSON(w, f.status, map[string]any{
		"error": f.name,
		"error_description": fmt.Sprintf("AADSTS%d: %s Trace ID: %s Correlation ID: %s Timestamp: %s",
			f.code, f.text, trace, correlation, now.Format("2006-01-02 15:04:05Z")),
		"error_codes":    []int{f.code},
		"timestamp":      now.Format("2006-01-02 15:04:05Z"),
		"trace_id":       trace,
		"correlation_id": correlation,
		"error_uri":      fmt.Sprintf("https://%s/error?code=%d", Host, f.code),
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store, no-cache")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that went away needs no answer
}
