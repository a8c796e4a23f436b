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
	return Conflict("MissingSubscriptionRegistration",
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
		return NotFound("NotFound", "Listing resource providers is not supported.")
	}
	namespace := rest[0]
	switch {
	case len(rest) == 2 && strings.EqualFold(rest[1], "register") && r.Method == http.MethodPost:
		if err := s.providers.set(namespace, true); err != nil {
			return InternalError(err)
		}
	case len(rest) == 2 && r.Method == http.MethodGet && s.lists[strings.ToLower(strings.Join(rest, "/"))] != nil:
		return s.lists[strings.ToLower(strings.Join(rest, "/"))](s, w, r, subscription)
	case len(rest) == 2 && r.Method == http.MethodGet:
		return s.list(w, r, []string{"subscriptions", subscription, "providers", namespace, rest[1]}, r.URL.Query().Get("api-version"))
	case len(rest) != 1 || r.Method != http.MethodGet:
		return NotFound("NotFound", "No resource has the path '%s'.", r.URL.Path)
	}
	WriteJSON(w, http.StatusOK, map[string]any{
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
	WriteJSON(w, http.StatusOK, map[string]any{
		"id": "/subscriptions/" + id, "subscriptionId": id, "tenantId": s.TenantOf(id),
		"displayName": "azuresim", "state": "Enabled", "authorizationSource": "RoleBased",
	})
	return nil
}
