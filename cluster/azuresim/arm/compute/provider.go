package compute

import (
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// Provider is the compute resource provider: what it offers, and what it has its host run.
type Provider struct {
	offers *offers
	driver *driver
}

// New restores the provider from its journal; a nil host boots nothing, and each machine counts as provisioned at once.
func New(journal *state.Journal, host power.Host) (*Provider, error) {
	c := &Provider{}
	var err error
	if c.offers, err = loadOffers(journal); err != nil {
		return nil, err
	}
	if host != nil {
		c.driver, err = loadDriver(host, journal)
	}
	return c, err
}
