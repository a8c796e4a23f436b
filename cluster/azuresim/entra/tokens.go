// Package entra simulates the part of Microsoft Entra ID that issues access tokens to applications.
package entra

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/tenants"
)

const (
	keySigning  = "entra/signing-key"
	keyLifetime = "entra/lifetime"
	keySecrets  = "entra/secrets/"
	// DefaultLifetime is what Entra gives an application's token.
	DefaultLifetime = time.Hour
)

// ErrAudience says that a token was issued for another service.
var ErrAudience = errors.New("token has another audience")

// Claims are the claims of an access token that the simulator looks at.
type Claims struct {
	jwt.RegisteredClaims
	AppID    string `json:"appid,omitempty"`
	TenantID string `json:"tid,omitempty"`
	// ObjectID is the service principal of the application in the tenant.
	ObjectID string `json:"oid,omitempty"`
}

// Directory issues and checks access tokens.
type Directory struct {
	clock   clock.PassiveClock
	journal *state.Journal
	tenants *tenants.Registry
	key     []byte

	mu       sync.Mutex
	lifetime time.Duration
	secrets  map[string]string
}

// NewDirectory restores the directory from the journal, so that issued tokens stay valid over a restart.
func NewDirectory(journal *state.Journal, c clock.PassiveClock, registry *tenants.Registry) (*Directory, error) {
	d := &Directory{clock: c, journal: journal, tenants: registry, lifetime: DefaultLifetime, secrets: map[string]string{}}
	found, err := journal.Get(keySigning, &d.key)
	if err != nil {
		return nil, err
	}
	if !found {
		d.key = make([]byte, 32)
		if _, err := rand.Read(d.key); err != nil {
			return nil, fmt.Errorf("generate signing key: %w", err)
		}
		if err := journal.Put(keySigning, d.key); err != nil {
			return nil, err
		}
	}
	if _, err := journal.Get(keyLifetime, &d.lifetime); err != nil {
		return nil, err
	}
	return d, journal.Each(keySecrets, func(key string, raw json.RawMessage) error {
		var secret string
		if err := json.Unmarshal(raw, &secret); err != nil {
			return fmt.Errorf("decode %s: %w", key, err)
		}
		d.secrets[strings.TrimPrefix(key, keySecrets)] = secret
		return nil
	})
}

// SetTokenLifetime sets how long tokens issued from now on are valid.
func (d *Directory) SetTokenLifetime(lifetime time.Duration) error {
	if lifetime <= 0 {
		return fmt.Errorf("token lifetime %s: want more than 0", lifetime)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lifetime = lifetime
	return d.journal.Put(keyLifetime, lifetime)
}

// SetClientSecret registers the only secret that clientID may use. An application without a registered
// secret may use any that is not empty.
func (d *Directory) SetClientSecret(clientID, secret string) error {
	if registered, err := d.tenants.SetSecret(clientID, secret); registered || err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.secrets[clientID] = secret
	return d.journal.Put(keySecrets+clientID, secret)
}

// keyOf returns the key that a cloud's tokens are signed with: no cloud accepts those of another.
func (d *Directory) keyOf(cloud *clouds.Cloud) []byte {
	if cloud == clouds.Public {
		return d.key
	}
	mac := hmac.New(sha256.New, d.key)
	mac.Write([]byte(cloud.Name))
	return mac.Sum(nil)
}

// Issue returns an access token of a cloud for audience and when it expires.
func (d *Directory) Issue(cloud *clouds.Cloud, tenantID, clientID, audience string) (string, time.Time, error) {
	d.mu.Lock()
	lifetime := d.lifetime
	d.mu.Unlock()
	now := d.clock.Now()
	expires := now.Add(lifetime)
	claims := Claims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    "https://" + cloud.TokenIssuer + "/" + tenantID + "/",
			Subject:   clientID,
			Audience:  jwt.ClaimStrings{audience},
			IssuedAt:  jwt.NewNumericDate(now),
			NotBefore: jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(expires),
			ID:        uuid.NewString(),
		},
		AppID:    clientID,
		TenantID: tenantID,
		ObjectID: uuid.NewSHA1(uuid.NameSpaceURL, []byte(tenantID+"/"+clientID)).String(),
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(d.keyOf(cloud))
	if err != nil {
		return "", time.Time{}, fmt.Errorf("sign token: %w", err)
	}
	return token, expires, nil
}

// Verify returns the claims of a token that this directory issued in a cloud, that has not expired and whose audience is one of audiences.
// The error is jwt.ErrTokenExpired, ErrAudience or says what is wrong with the token; it never holds the token.
func (d *Directory) Verify(cloud *clouds.Cloud, token string, audiences ...string) (*Claims, error) {
	claims := &Claims{}
	keyFunc := func(*jwt.Token) (any, error) { return d.keyOf(cloud), nil }
	_, err := jwt.ParseWithClaims(token, claims, keyFunc,
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithTimeFunc(d.clock.Now), jwt.WithExpirationRequired())
	if err != nil {
		return nil, err
	}
	for _, audience := range claims.Audience {
		for _, want := range audiences {
			if strings.TrimRight(audience, "/") == strings.TrimRight(want, "/") {
				return claims, nil
			}
		}
	}
	return nil, ErrAudience
}
