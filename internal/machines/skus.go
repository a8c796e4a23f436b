package machines

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

const (
	skuVersion = "2021-07-01"
	// offersValid is for how long it holds what Azure offers, as CAPZ has it.
	offersValid = 24 * time.Hour
	// offersReread is after what time it is asked again when a size is not offered: a restriction of a subscription can be lifted.
	offersReread = time.Hour
)

// Catalogue knows what Azure offers, and reads it once a day for each account and location.
type Catalogue struct {
	client *Client
	clock  clock.PassiveClock

	known *cache.Expiring
	// reading has a lock for each account and location, so that many machines that come at once read a list once.
	lock    sync.Mutex
	reading map[offersKey]*sync.Mutex
}

// NewCatalogue returns a Catalogue that knows nothing yet.
func NewCatalogue(client *Client, clock clock.Clock) *Catalogue {
	return &Catalogue{client: client, clock: clock, known: cache.NewExpiringWithClock(clock), reading: map[offersKey]*sync.Mutex{}}
}

type offersKey struct {
	tenant, client, subscription, location string
	// other tells accounts apart that name no client: each may be another.
	other fingerprint
}

func keyOf(as azure.Account, subscription, location string) offersKey {
	key := offersKey{tenant: as.TenantID, client: as.ClientID, subscription: subscription, location: strings.ToLower(location)}
	if as.ClientID == "" {
		key.other = as.Fingerprint
	}
	return key
}

type readOffers struct {
	offers *Offers
	at     time.Time
}

// Offers returns what Azure offers a subscription in a location. When it does not have the size, which may be empty for none, and it has not
// been asked for an hour, it is asked again.
func (c *Catalogue) Offers(ctx context.Context, as azure.Account, subscription, location, size string) (*Offers, error) {
	key := keyOf(as, subscription, location)
	if known, ok := c.current(key, size); ok {
		return known, nil
	}
	lock := c.lockOf(key)
	lock.Lock()
	defer lock.Unlock()
	if known, ok := c.current(key, size); ok {
		return known, nil
	}
	offers := &Offers{}
	found, err := list(ctx, c.client, as, call{
		path: "/subscriptions/" + subscription + "/providers/Microsoft.Compute/skus", version: skuVersion,
		query: url.Values{"$filter": {"location eq '" + strings.ReplaceAll(location, "'", "''") + "'"}},
	}, func(page []sku) { offers.add(location, page) })
	if err != nil {
		return nil, fmt.Errorf("cannot read which sizes Azure offers subscription %s in %s: %w", subscription, location, err)
	}
	if !found || len(offers.sizes) == 0 {
		return nil, fmt.Errorf("subscription %s is offered no size of virtual machines by Azure in location %q", subscription, location)
	}
	c.known.Set(key, readOffers{offers: offers, at: c.clock.Now()}, offersValid)
	return offers, nil
}

// current returns what is known of an account and location, if it is recent enough to decide about a size.
func (c *Catalogue) current(key offersKey, size string) (*Offers, bool) {
	found, ok := c.known.Get(key)
	read, isRead := found.(readOffers)
	if !ok || !isRead {
		return nil, false
	}
	missing := size != "" && !read.offers.Size(size).Offered
	return read.offers, !missing || c.clock.Since(read.at) < offersReread
}

func (c *Catalogue) lockOf(key offersKey) *sync.Mutex {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.reading[key] == nil {
		c.reading[key] = &sync.Mutex{}
	}
	return c.reading[key]
}
