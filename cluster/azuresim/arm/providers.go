package arm

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const unregisteredPrefix = "arm/unregistered/"

// providers knows which resource providers a subscription has not registered; all others are.
type providers struct {
	journal      *state.Journal
	unregistered map[string]bool
}

func loadProviders(journal *state.Journal) (*providers, error) {
	p := &providers{journal: journal, unregistered: map[string]bool{}}
	return p, journal.Each(unregisteredPrefix, func(key string, _ json.RawMessage) error {
		p.unregistered[strings.TrimPrefix(key, unregisteredPrefix)] = true
		return nil
	})
}

func (p *providers) set(namespace string, registered bool) error {
	key := strings.ToLower(namespace)
	if registered {
		delete(p.unregistered, key)
		return p.journal.Delete(unregisteredPrefix + key)
	}
	p.unregistered[key] = true
	return p.journal.Put(unregisteredPrefix+key, true)
}

func (p *providers) state(namespace string) string {
	if p.unregistered[strings.ToLower(namespace)] {
		return "NotRegistered"
	}
	return "Registered"
}

func (p *providers) check(id ID) *Error {
	if !p.unregistered[strings.ToLower(id.Namespace)] {
		return nil
	}
	return conflict("MissingSubscriptionRegistration",
		"The subscription is not registered to use namespace '%s'. See https://aka.ms/rps-not-found for how to register subscriptions.", id.Namespace)
}

// SetProviderRegistered makes changes of a namespace's resources fail until a client registers it, or work again.
func (s *Service) SetProviderRegistered(namespace string, registered bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.providers.set(namespace, registered)
}

// provider answers GET /subscriptions/S/providers/N and POST /subscriptions/S/providers/N/register.
func (s *Service) provider(w http.ResponseWriter, r *http.Request, subscription string, rest []string) *Error {
	if len(rest) == 0 {
		return notFound("NotFound", "Listing resource providers is not supported.")
	}
	namespace := rest[0]
	switch {
	case len(rest) == 2 && strings.EqualFold(rest[1], "register") && r.Method == http.MethodPost:
		if err := s.providers.set(namespace, true); err != nil {
			return internalError(err)
		}
	case len(rest) == 2 && r.Method == http.MethodGet && strings.EqualFold(strings.Join(rest, "/"), "Microsoft.Compute/skus"):
		return s.listSKUs(w, r, subscription)
	case len(rest) == 2 && r.Method == http.MethodGet:
		return s.list(w, r, []string{"subscriptions", subscription, "providers", namespace, rest[1]}, r.URL.Query().Get("api-version"))
	case len(rest) != 1 || r.Method != http.MethodGet:
		return notFound("NotFound", "No resource has the path '%s'.", r.URL.Path)
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"id":                "/subscriptions/" + subscription + "/providers/" + namespace,
		"namespace":         namespace,
		"registrationState": s.providers.state(namespace),
	})
	return nil
}

func (s *Service) subscription(w http.ResponseWriter, r *http.Request, id string) *Error {
	if r.Method != http.MethodGet {
		return &Error{Status: http.StatusMethodNotAllowed, Code: "HttpMethodNotSupported", Message: "The HTTP method " + r.Method + " is not supported at scope '/subscriptions/" + id + "'."}
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"id": "/subscriptions/" + id, "subscriptionId": id, "tenantId": s.tenantOf(id),
		"displayName": "azuresim", "state": "Enabled", "authorizationSource": "RoleBased",
	})
	return nil
}

func encode(body map[string]any) ([]byte, error) {
	return json.Marshal(body)
}
