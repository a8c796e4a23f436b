package azure

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
)

// An Account is as whom, and where, ASO acts in Azure for an object.
type Account struct {
	Credential azcore.TokenCredential
	// Cloud has the addresses of Entra and of Azure Resource Manager.
	Cloud cloud.Configuration
	// SubscriptionID is the one that resources are in whose ID does not say otherwise; TenantID and ClientID are as whom; empty where the
	// settings leave them to the machine that the controllers run on.
	SubscriptionID, TenantID, ClientID string
	// Fingerprint is the same for accounts that were made from the same settings. It is not to be shown: it is made from secrets.
	Fingerprint [sha256.Size]byte
}

func accountOf(source credentialSource, credential azcore.TokenCredential) Account {
	s := source.settings
	return Account{
		Credential: credential, Cloud: source.cloud, Fingerprint: source.fingerprint(),
		SubscriptionID: s.text(keySubscriptionID), TenantID: s.text(keyTenantID), ClientID: s.text(keyClientID),
	}
}

// fingerprint returns a hash of all that a credential is made from but files.
func (c credentialSource) fingerprint() [sha256.Size]byte {
	hash := sha256.New()
	add := func(text string) {
		_ = binary.Write(hash, binary.BigEndian, int64(len(text))) // A hash takes everything.
		hash.Write([]byte(text))
	}
	for _, key := range slices.Sorted(maps.Keys(c.settings)) {
		add(key)
		add(c.settings.text(key))
	}
	add(c.cloud.ActiveDirectoryAuthorityHost)
	for _, service := range slices.Sorted(maps.Keys(c.cloud.Services)) {
		add(string(service))
		add(c.cloud.Services[service].Endpoint)
		add(c.cloud.Services[service].Audience)
	}
	return [sha256.Size]byte(hash.Sum(nil))
}
