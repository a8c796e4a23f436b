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

// listValid is the longest for which a list of a resource group holds: all machines of a cluster look at about the same time.
const listValid = time.Minute

// Lists are what resource groups have, kind by kind, with one request for all machines that look at about the same time.
type Lists struct {
	client *Client
	last   *cache.Expiring
}

// NewLists returns Lists that have not asked Azure yet.
func NewLists(client *Client) *Lists { return &Lists{client: client, last: cache.NewExpiring()} }

// A listing is what resources of a kind a resource group had at a time, by their IDs in lower case.
type listing struct {
	ids map[string]bool
	at  time.Time
}

// Has reports whether the resource group in the ID of a resource of a kind has it. The answer of Azure is not older than since, and than a minute. A
// group that Azure does not have has nothing.
func (l *Lists) Has(ctx context.Context, as azure.Account, kind aso.Kind, id string, since time.Time) (bool, error) {
	parsed := aso.ParseID(id)
	if parsed == nil {
		return false, fmt.Errorf("%s is not the ID of a resource of type %s", id, kind.ARM())
	}
	group := "/subscriptions/" + parsed.SubscriptionID + "/resourceGroups/" + parsed.ResourceGroupName
	key := struct {
		fingerprint

		group, kind string
	}{as.Fingerprint, strings.ToLower(group), kind.ARM()}
	if found, ok := l.last.Get(key); ok {
		if last, ok := found.(listing); ok && last.at.After(since) {
			return last.ids[strings.ToLower(id)], nil
		}
	}
	now := time.Now()
	ids := map[string]bool{}
	_, err := list(ctx, l.client, as, call{path: group + "/providers/" + kind.ARM(), version: kind.APIVersion()}, func(page []struct {
		ID string `json:"id"`
	}) {
		for _, resource := range page {
			ids[strings.ToLower(resource.ID)] = true
		}
	})
	if err != nil {
		return false, fmt.Errorf("cannot list the resources of type %s in %s: %w", kind.ARM(), group, err)
	}
	l.last.Set(key, listing{ids, now}, listValid)
	return ids[strings.ToLower(id)], nil
}
