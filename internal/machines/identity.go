package machines

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

const (
	identityVersion = "2023-01-31"
	// clientIDValid is for how long it holds which client an identity is: as long as the identity is not made anew.
	clientIDValid = 24 * time.Hour
)

// Identities knows the client IDs of user-assigned identities.
type Identities struct {
	client *Client
	known  *cache.Expiring
}

// NewIdentities returns what knows no identity yet.
func NewIdentities(client *Client) *Identities {
	return &Identities{client: client, known: cache.NewExpiring()}
}

// ClientID returns the client ID of a user-assigned identity, which an AzureMachine names with azure:// before its ID.
func (i *Identities) ClientID(ctx context.Context, as azure.Account, providerID string) (string, error) {
	id := aso.ParseID(strings.TrimPrefix(providerID, "azure://"))
	if id == nil || !strings.EqualFold(id.ResourceType.String(), "Microsoft.ManagedIdentity/userAssignedIdentities") {
		return "", fmt.Errorf("%q is not the ID of a user-assigned identity", providerID)
	}
	key := struct {
		fingerprint

		id string
	}{as.Fingerprint, strings.ToLower(id.String())}
	if found, ok := i.known.Get(key); ok {
		if clientID, ok := found.(string); ok {
			return clientID, nil
		}
	}
	identity := struct {
		Properties struct {
			ClientID string `json:"clientId"`
		} `json:"properties"`
	}{}
	found, err := i.client.get(ctx, as, call{path: id.String(), version: identityVersion}, &identity)
	switch {
	case err != nil:
		return "", fmt.Errorf("cannot read the user-assigned identity %s: %w", id, err)
	case !found:
		return "", fmt.Errorf("there is no user-assigned identity %s", id)
	case identity.Properties.ClientID == "":
		return "", fmt.Errorf("the user-assigned identity %s has no client ID yet", id)
	}
	i.known.Set(key, identity.Properties.ClientID, clientIDValid)
	return identity.Properties.ClientID, nil
}
