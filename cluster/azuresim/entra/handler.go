package entra

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
)

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

// discoverInstance tells of all clouds, whichever is asked.
func (d *Directory) discoverInstance(w http.ResponseWriter, r *http.Request) {
	endpoint := "https://" + hostOf(r) + "/common/v2.0/.well-known/openid-configuration"
	if asked := r.URL.Query().Get("authorization_endpoint"); asked != "" {
		endpoint = strings.TrimSuffix(asked, "/oauth2/v2.0/authorize") + "/v2.0/.well-known/openid-configuration"
	}
	var metadata []any
	for _, cloud := range clouds.All() {
		aliases := cloud.EntraHosts
		if cloud == clouds.Public {
			aliases = append(slices.Clone(aliases), "login.windows.net", "login.microsoft.com", "sts.windows.net")
		}
		metadata = append(metadata, map[string]any{
			"preferred_network": cloud.EntraHosts[0],
			"preferred_cache":   cloud.EntraCache,
			"aliases":           aliases,
		})
	}
	writeJSON(w, http.StatusOK, map[string]any{"tenant_discovery_endpoint": endpoint, "api-version": "1.1", "metadata": metadata})
}

func hostOf(r *http.Request) string { return strings.ToLower(strings.TrimSuffix(r.Host, ":443")) }

func (d *Directory) openIDConfiguration(w http.ResponseWriter, r *http.Request) {
	base := "https://" + hostOf(r) + "/" + r.PathValue("tenant")
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
		"cloud_instance_name":                   strings.TrimPrefix(hostOf(r), "login."),
	})
}

func (d *Directory) token(w http.ResponseWriter, r *http.Request) {
	cloud, _ := clouds.Of(r.Host)
	if err := r.ParseForm(); err != nil {
		d.fail(w, r, failure{http.StatusBadRequest, "invalid_request", 900144, "The request body must be a form."})
		return
	}
	if f := d.authenticate(r, cloud); f != nil {
		d.fail(w, r, *f)
		return
	}
	audience := audienceOf(r.PostForm.Get("scope"))
	if audience == "" {
		d.fail(w, r, failure{http.StatusBadRequest, "invalid_scope", 70011, "The provided value for the input parameter 'scope' is not valid."})
		return
	}
	token, expires, err := d.Issue(cloud, r.PathValue("tenant"), r.PostForm.Get("client_id"), audience)
	if err != nil {
		d.fail(w, r, failure{http.StatusInternalServerError, "server_error", unavailable, err.Error()})
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

// unavailable is the number that Entra has for an error of its own.
const unavailable = 90033

// Refuse answers a request for a token with an error that is none of the request's: with the name that OAuth has for it, such as
// temporarily_unavailable.
func (d *Directory) Refuse(w http.ResponseWriter, r *http.Request, status int, name, text string) {
	d.fail(w, r, failure{status, name, unavailable, text})
}

func (d *Directory) fail(w http.ResponseWriter, r *http.Request, f failure) {
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
		"error_uri":      fmt.Sprintf("https://%s/error?code=%d", hostOf(r), f.code),
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store, no-cache")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that went away needs no answer
}
