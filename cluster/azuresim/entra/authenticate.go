package entra

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/golang-jwt/jwt/v5"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/tenants"
)

// invalidClient is the error for a credential that is not accepted (RFC 6749, section 5.2).
const invalidClient = "invalid_client"

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// An attempt is one try of an application to sign in.
type attempt struct {
	cloud              *clouds.Cloud
	tenantID, clientID string
	form               url.Values
	// application is the registered one; nil when it is not, and anything is taken for it.
	application *tenants.Application
}

// authenticate says why an application does not get a token; its credential is a secret, or an assertion signed with a certificate or by
// a federated issuer.
func (d *Directory) authenticate(r *http.Request, cloud *clouds.Cloud) *failure {
	a := attempt{cloud: cloud, tenantID: r.PathValue("tenant"), clientID: r.PostForm.Get("client_id"), form: r.PostForm}
	if grant := a.form.Get("grant_type"); grant != "client_credentials" {
		return &failure{http.StatusBadRequest, "unsupported_grant_type", 70003, "The app requested an unsupported grant type '" + grant + "'."}
	}
	if a.clientID == "" {
		return &failure{http.StatusBadRequest, "invalid_request", 900144, "The request body must contain the following parameter: 'client_id'."}
	}
	if f := d.find(&a); f != nil {
		return f
	}
	if a.form.Has("client_assertion") {
		return d.checkAssertion(a)
	}
	if !a.form.Has("client_secret") {
		return &failure{http.StatusUnauthorized, invalidClient, 7000216, "'client_assertion', 'client_secret' or 'request' is required for the 'client_credentials' grant type."}
	}
	if !d.secretAccepted(a) {
		return &failure{http.StatusUnauthorized, invalidClient, 7000215,
			"Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '" + a.clientID + "'."}
	}
	return nil
}

// find looks for the application in the tenant, and for the tenant in the cloud.
func (d *Directory) find(a *attempt) *failure {
	if home, known := d.tenants.HomeOf(a.tenantID); known && home != a.cloud {
		return &failure{http.StatusBadRequest, "invalid_request", 90002, "Tenant '" + a.tenantID + "' not found. Check to make sure you have the correct tenant ID and are " +
			"signing into the correct cloud. Check with your subscription administrator, this may happen if there are no active subscriptions for the tenant."}
	}
	application, registered := d.tenants.Application(a.clientID)
	if !registered {
		return nil
	}
	if !strings.EqualFold(application.TenantID, a.tenantID) {
		return &failure{http.StatusBadRequest, "unauthorized_client", 700016, fmt.Sprintf("Application with identifier '%s' was not found in the directory '%s'. "+
			"This can happen if the application has not been installed by the administrator of the tenant or consented to by any user in the tenant. "+
			"You may have sent your authentication request to the wrong tenant.", a.clientID, a.tenantID)}
	}
	a.application = &application
	return nil
}

func (d *Directory) secretAccepted(a attempt) bool {
	given := a.form.Get("client_secret")
	if a.application != nil {
		return a.application.Accepts(given)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	registered, ok := d.secrets[a.clientID]
	if !ok {
		return given != ""
	}
	return registered == given
}

// checkAssertion accepts a well-formed assertion that has not expired. Who signed it is checked for a registered application only.
func (d *Directory) checkAssertion(a attempt) *failure {
	if a.form.Get("client_assertion_type") != assertionType {
		return &failure{http.StatusBadRequest, "invalid_request", 50027, "Invalid client_assertion_type."}
	}
	assertion, claims := a.form.Get("client_assertion"), jwt.RegisteredClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(assertion, &claims); err != nil {
		return &failure{http.StatusUnauthorized, invalidClient, 50027, "JWT token is invalid or malformed."}
	}
	if claims.ExpiresAt != nil && claims.ExpiresAt.Before(d.clock.Now()) {
		return &failure{http.StatusUnauthorized, invalidClient, 700024, "Client assertion is not within its valid time range."}
	}
	if a.application == nil {
		return nil
	}
	if claims.Issuer == a.clientID {
		return d.checkSigned(a, assertion, claims)
	}
	if subject := a.application.FederatedSubject; subject == "" || claims.Subject != subject {
		return &failure{http.StatusUnauthorized, invalidClient, 700213, fmt.Sprintf("No matching federated identity record found for presented assertion subject '%s'. "+
			"Check your federated identity credential Subject, Audience and Issuer against the presented assertion. "+
			"https://learn.microsoft.com/entra/workload-id/workload-identity-federation", claims.Subject)}
	}
	return nil
}

// checkSigned checks an assertion of the application itself: it is signed with the key of its certificate, and for this tenant.
func (d *Directory) checkSigned(a attempt, assertion string, claims jwt.RegisteredClaims) *failure {
	key := a.application.Key()
	verified := func(*jwt.Token) (any, error) { return key, nil }
	methods := jwt.WithValidMethods([]string{jwt.SigningMethodPS256.Alg(), jwt.SigningMethodRS256.Alg()})
	if key != nil {
		_, err := jwt.Parse(assertion, verified, methods, jwt.WithTimeFunc(d.clock.Now))
		if err != nil {
			key = nil
		}
	}
	if key == nil {
		return &failure{http.StatusUnauthorized, invalidClient, 700027, "The certificate with identifier used to sign the client assertion is not registered on application. " +
			"[Reason - The key was not found.]"}
	}
	if !slices.ContainsFunc(claims.Audience, a.isOwn) {
		return &failure{http.StatusUnauthorized, invalidClient, 700023, "Client assertion audience claim does not match Realm issuer."}
	}
	return nil
}

// isOwn reports whether an audience is the tenant's in the cloud.
func (a attempt) isOwn(audience string) bool {
	u, err := url.Parse(audience)
	return err == nil && slices.Contains(a.cloud.EntraHosts, u.Host) && strings.HasPrefix(u.Path, "/"+a.tenantID+"/")
}
