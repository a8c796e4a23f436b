package azuresim

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/golang-jwt/jwt/v5"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/entra"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

// applicationOf returns tenant and client ID of the application that signs in, or whose token the request has. It is for the record:
// whether the token is a good one is found out later.
func applicationOf(r *http.Request) (tenantID, clientID string) {
	if kindOf(r.Host) == entraHost && r.Method == http.MethodPost {
		tenantID, _, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		return tenantID, r.PostFormValue("client_id")
	}
	if kindOf(r.Host) == metadataHost {
		return "", r.URL.Query().Get("client_id")
	}
	claims := entra.Claims{}
	if token, ok := bearer(r); ok {
		_, _, _ = jwt.NewParser().ParseUnverified(token, &claims) // what cannot be read has no claims
	}
	return claims.TenantID, claims.AppID
}

func bearer(r *http.Request) (string, bool) {
	return strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// admit says why an AKS API server refuses a token: it is of another cloud or tenant, or its application has no rights on the
// cluster's subscription, and so no role in the cluster.
func (s *Simulator) admit(c workload.Cluster, token string) error {
	claims, err := s.Directory.Verify(s.tenants.CloudOf(c.Subscription), token, workload.Audience)
	home := s.tenants.Subscription(c.Subscription)
	if err != nil || home.Registered && !strings.EqualFold(home.TenantID, claims.TenantID) {
		return apierrors.NewUnauthorized("Unauthorized")
	}
	if !s.tenants.MayReach(claims.AppID, c.Subscription) {
		return apierrors.NewForbidden(schema.GroupResource{}, "", fmt.Errorf("user %q has no role in the cluster", claims.ObjectID))
	}
	return nil
}

// authorize checks the bearer token of an ARM request, and what its application may do with it.
func (s *Simulator) authorize(r *http.Request) *arm.Error {
	token, ok := bearer(r)
	if !ok {
		return unauthenticated("AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing.")
	}
	cloud, _ := clouds.Of(r.Host)
	claims, err := s.Directory.Verify(cloud, token, cloud.ARMAudiences...)
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return unauthenticated("ExpiredAuthenticationToken", "The access token expiry UTC time is earlier than the current UTC time.")
	case err != nil:
		return unauthenticated("InvalidAuthenticationToken", "The access token is invalid.")
	}
	subscription := subscriptionOf(r.URL.Path)
	if subscription == "" {
		return nil
	}
	home, action := s.tenants.Subscription(subscription), arm.ActionOf(r.Method, r.URL.Path)
	switch {
	case home.Cloud != cloud.Name:
		return &arm.Error{Status: http.StatusNotFound, Code: "SubscriptionNotFound", Message: fmt.Sprintf("The subscription '%s' could not be found.", subscription)}
	case home.Registered && !strings.EqualFold(home.TenantID, claims.TenantID):
		return wrongIssuer(cloud, claims.TenantID, home.TenantID)
	case !s.tenants.MayDo(claims.AppID, subscription, action):
		return &arm.Error{Status: http.StatusForbidden, Code: "AuthorizationFailed", Message: fmt.Sprintf("The client '%s' with object id '%s' does not have authorization "+
			"to perform action '%s' over scope '%s' or the scope is invalid. If access was recently granted, please refresh your credentials.",
			claims.AppID, claims.ObjectID, action, r.URL.Path)}
	}
	return s.authorizeLinks(r, claims)
}

func unauthenticated(code, message string) *arm.Error {
	return &arm.Error{Status: http.StatusUnauthorized, Code: code, Message: message}
}

func wrongIssuer(cloud *clouds.Cloud, is, want string) *arm.Error {
	return unauthenticated("InvalidAuthenticationTokenTenant", fmt.Sprintf("The access token is from the wrong issuer 'https://%[1]s/%[2]s/'. It must match the tenant "+
		"'https://%[1]s/%[3]s/' associated with this subscription. Please use the authority (URL) 'https://%[4]s/%[3]s' to get the token. Note, if the subscription is "+
		"transferred to another tenant there is no impact to the services, but information about new tenant could take time to propagate (up to an hour). If you just "+
		"transferred your subscription and see this error message, please try back later.", cloud.TokenIssuer, is, want, cloud.EntraCache))
}

func subscriptionOf(path string) string {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	if len(segments) < 2 || !strings.EqualFold(segments[0], "subscriptions") {
		return ""
	}
	return segments[1]
}

// authorizeLinks checks that the application may use the resources that a change refers to, beside the one that is changed.
func (s *Simulator) authorizeLinks(r *http.Request, claims *entra.Claims) *arm.Error {
	if r.Method != http.MethodPut && r.Method != http.MethodPatch {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), errorReader{err}))
	for _, link := range arm.LinksOf(r.Method, r.URL.Path, body) {
		linked, action, doing := link.Path, link.Action, arm.ActionOf(r.Method, r.URL.Path)
		subscription := subscriptionOf(linked)
		home := s.tenants.Subscription(subscription)
		if home.Registered && !strings.EqualFold(home.TenantID, claims.TenantID) {
			return linkedAuthorizationFailed("The client has permission to perform action '%s' on scope '%s', however the current tenant '%s' is not authorized to access linked subscription '%s'.",
				action, linked, claims.TenantID, subscription)
		}
		if !s.tenants.MayDo(claims.AppID, subscription, action) {
			return linkedAuthorizationFailed("The client '%s' with object id '%s' has permission to perform action '%s' on scope '%s'; however, it does not have permission to perform "+
				"action(s) '%s' on the linked scope(s) '%s' (respectively) or the linked scope(s) are invalid.", claims.AppID, claims.ObjectID, doing, r.URL.Path, action, linked)
		}
	}
	return nil
}

func linkedAuthorizationFailed(format string, args ...any) *arm.Error {
	return &arm.Error{Status: http.StatusForbidden, Code: "LinkedAuthorizationFailed", Message: fmt.Sprintf(format, args...)}
}
