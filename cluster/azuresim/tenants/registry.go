// Package tenants knows to which tenant and cloud a subscription belongs, and which application may reach it.
package tenants

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const (
	keySubscriptions = "tenants/subscriptions/"
	keyApplications  = "tenants/applications/"
)

// Subscription is where a subscription belongs.
type Subscription struct {
	TenantID string `json:"tenantID"`
	// Cloud is the name of one of package clouds.
	Cloud string `json:"cloud"`
	// Registered subscriptions are reached by the applications that are registered for them, and by no others.
	Registered bool `json:"-"`
}

// Application is an application of a tenant, with what proves to be it and what it may reach.
type Application struct {
	TenantID string `json:"tenantID"`
	// SecretHash is the SHA-256 of its secret: the journal is no place for the secret itself.
	SecretHash []byte `json:"secretHash,omitempty"`
	// Certificate is in DER.
	Certificate      []byte   `json:"certificate,omitempty"`
	FederatedSubject string   `json:"federatedSubject,omitempty"`
	Subscriptions    []string `json:"subscriptions,omitempty"`
	// Actions are what it may do there; everything if there are none.
	Actions []string `json:"actions,omitempty"`
}

// Registry holds what was registered. What was not has no limits: its subscriptions are all of one tenant in the public cloud, and
// every application reaches them.
type Registry struct {
	journal       *state.Journal
	defaultTenant string

	mu            sync.Mutex
	subscriptions map[string]Subscription
	applications  map[string]Application
}

// Load restores the registry from the journal.
func Load(journal *state.Journal, defaultTenant string) (*Registry, error) {
	r := &Registry{
		journal: journal, defaultTenant: defaultTenant,
		subscriptions: map[string]Subscription{}, applications: map[string]Application{},
	}
	return r, errors.Join(restore(journal, keySubscriptions, r.subscriptions), restore(journal, keyApplications, r.applications))
}

func restore[T any](journal *state.Journal, prefix string, into map[string]T) error {
	return journal.Each(prefix, func(key string, raw json.RawMessage) error {
		var one T
		if err := json.Unmarshal(raw, &one); err != nil {
			return fmt.Errorf("decode %s: %w", key, err)
		}
		into[strings.TrimPrefix(key, prefix)] = one
		return nil
	})
}

// RegisterSubscription says where a subscription belongs. A tenant is in one cloud only.
func (r *Registry) RegisterSubscription(wanted admin.Subscription) error {
	if wanted.ID == "" || wanted.TenantID == "" {
		return errors.New("a subscription needs an ID and a tenant")
	}
	cloud, err := clouds.Named(wanted.Cloud)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, other := range r.subscriptions {
		if other.TenantID == wanted.TenantID && other.Cloud != cloud.Name && id != key(wanted.ID) {
			return fmt.Errorf("tenant %s is in %s already", wanted.TenantID, other.Cloud)
		}
	}
	r.subscriptions[key(wanted.ID)] = Subscription{TenantID: wanted.TenantID, Cloud: cloud.Name}
	return r.journal.Put(keySubscriptions+key(wanted.ID), r.subscriptions[key(wanted.ID)])
}

// RegisterApplication says what proves to be an application, and what that may reach; it replaces what was said before.
func (r *Registry) RegisterApplication(wanted admin.Application) error {
	if wanted.TenantID == "" || wanted.ClientID == "" {
		return errors.New("an application needs a tenant and a client ID")
	}
	application := Application{
		TenantID: wanted.TenantID, FederatedSubject: wanted.FederatedSubject, SecretHash: hash(wanted.Secret),
		Actions: wanted.Actions,
	}
	for _, id := range wanted.Subscriptions {
		application.Subscriptions = append(application.Subscriptions, key(id))
	}
	if len(wanted.CertificatePEM) > 0 {
		certificate, err := parseCertificate(wanted.CertificatePEM)
		if err != nil {
			return err
		}
		application.Certificate = certificate.Raw
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.put(wanted.ClientID, application)
}

func (r *Registry) put(clientID string, application Application) error {
	r.applications[key(clientID)] = application
	return r.journal.Put(keyApplications+key(clientID), application)
}

// SetSecret gives a registered application another secret. It tells whether the application is registered.
func (r *Registry) SetSecret(clientID, secret string) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	application, registered := r.applications[key(clientID)]
	if !registered {
		return false, nil
	}
	application.SecretHash = hash(secret)
	return true, r.put(clientID, application)
}

func key(id string) string { return strings.ToLower(id) }

func hash(secret string) []byte {
	if secret == "" {
		return nil
	}
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// parseCertificate returns the first certificate; a key beside it is left out.
func parseCertificate(text []byte) (*x509.Certificate, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			return x509.ParseCertificate(block.Bytes)
		}
	}
	return nil, errors.New("there is no certificate in the PEM")
}

// Subscription returns where a subscription belongs.
func (r *Registry) Subscription(id string) Subscription {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, registered := r.subscriptions[key(id)]
	if !registered {
		return Subscription{TenantID: r.defaultTenant, Cloud: clouds.PublicName}
	}
	found.Registered = true
	return found
}

// CloudOf returns the cloud that a subscription is in.
func (r *Registry) CloudOf(subscription string) *clouds.Cloud {
	cloud, err := clouds.Named(r.Subscription(subscription).Cloud)
	if err != nil {
		return clouds.Public // it was checked when the subscription was registered
	}
	return cloud
}

// HomeOf returns the cloud of a tenant that has subscriptions, and whether it has any.
func (r *Registry) HomeOf(tenantID string) (*clouds.Cloud, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.subscriptions {
		if strings.EqualFold(s.TenantID, tenantID) {
			cloud, err := clouds.Named(s.Cloud)
			return cloud, err == nil
		}
	}
	return clouds.Public, false
}

// Application returns a registered application.
func (r *Registry) Application(clientID string) (Application, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, registered := r.applications[key(clientID)]
	return found, registered
}

// DefaultTenant is the tenant of everything that was not registered.
func (r *Registry) DefaultTenant() string { return r.defaultTenant }

// MayReach reports whether an application has rights on a subscription: a registered one on those it was registered for, any other on
// every subscription that was not registered.
func (r *Registry) MayReach(clientID, subscription string) bool {
	application, registered := r.Application(clientID)
	if registered {
		return slices.Contains(application.Subscriptions, key(subscription))
	}
	return !r.Subscription(subscription).Registered
}

// MayDo reports whether an application may do something on a subscription: what its role allows, where it was registered with one.
func (r *Registry) MayDo(clientID, subscription, action string) bool {
	application, registered := r.Application(clientID)
	return r.MayReach(clientID, subscription) && (!registered || application.allows(action))
}

func (a Application) allows(action string) bool {
	return len(a.Actions) == 0 || slices.ContainsFunc(a.Actions, func(allowed string) bool { return matches(allowed, action) })
}

// matches reports whether an action is one of those that a role's entry stands for: without regard to case, * is any text.
func matches(allowed, action string) bool {
	parts := strings.Split(strings.ToLower(allowed), "*")
	rest, found := strings.CutPrefix(strings.ToLower(action), parts[0])
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return found && strings.HasSuffix(rest, part)
		}
		var one bool
		_, rest, one = strings.Cut(rest, part)
		found = found && one
	}
	return found && rest == ""
}

// Accepts reports whether a secret is the application's.
func (a Application) Accepts(secret string) bool {
	given := hash(secret)
	return len(a.SecretHash) > 0 && subtle.ConstantTimeCompare(a.SecretHash, given) == 1
}

// Key returns the public key of the application's certificate; nil when it has none.
func (a Application) Key() *rsa.PublicKey {
	certificate, err := x509.ParseCertificate(a.Certificate)
	if err != nil {
		return nil
	}
	public, _ := certificate.PublicKey.(*rsa.PublicKey)
	return public
}

// Managed reports whether it is a managed identity: one that has nothing to prove itself with, and gets its tokens from the machine.
func (a Application) Managed() bool {
	return len(a.SecretHash) == 0 && len(bytes.TrimSpace(a.Certificate)) == 0 && a.FederatedSubject == ""
}
