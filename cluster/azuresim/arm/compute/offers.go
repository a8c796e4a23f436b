package compute

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const offersKey = "arm/offers"

// offers is what subscriptions may not have: sizes that are restricted, quotas, images that do not exist. All else is there for everybody.
type offers struct {
	journal *state.Journal

	Restrictions  []admin.SizeRestriction `json:"restrictions,omitempty"`
	Quotas        []admin.Quota           `json:"quotas,omitempty"`
	MissingImages []string                `json:"missingImages,omitempty"`
}

func loadOffers(journal *state.Journal) (*offers, error) {
	o := &offers{journal: journal}
	_, err := journal.Get(offersKey, o)
	return o, err
}

// restricted tells whether a size is not to be had in a location, or in a zone of it.
func (o *offers) restricted(size, location, zone string) bool {
	return slices.ContainsFunc(o.Restrictions, func(r admin.SizeRestriction) bool {
		return strings.EqualFold(r.Size, size) && arm.NormalLocation(r.Location) == location && (len(r.Zones) == 0 || slices.Contains(r.Zones, zone))
	})
}

// missingImage tells whether an image of that name does not exist.
func (o *offers) missingImage(name string) bool {
	return slices.ContainsFunc(o.MissingImages, func(pattern string) bool {
		matched, err := regexp.MatchString("(?i)"+pattern, name)
		return err == nil && matched
	})
}

// SetSizeRestriction restricts a size, or lifts what was restricted for it in that location.
func (c *Provider) SetSizeRestriction(s *arm.Service, restriction admin.SizeRestriction) error {
	if _, ok := sizeNamed(restriction.Size); !ok {
		return fmt.Errorf("no size has the name %q", restriction.Size)
	}
	return setOffer(c, s, &c.offers.Restrictions, restriction, !restriction.Lifted, func(r admin.SizeRestriction) bool {
		return strings.EqualFold(r.Size, restriction.Size) && arm.NormalLocation(r.Location) == arm.NormalLocation(restriction.Location)
	})
}

// SetQuota sets how many CPUs of a family a subscription has in a location, or takes that limit away.
func (c *Provider) SetQuota(s *arm.Service, quota admin.Quota) error {
	if quota.Family == "" || quota.Location == "" {
		return fmt.Errorf("quota: want a family such as standardDSv3Family, or cores, and a location")
	}
	return setOffer(c, s, &c.offers.Quotas, quota, !quota.Lifted, func(q admin.Quota) bool {
		return strings.EqualFold(q.Family, quota.Family) && arm.NormalLocation(q.Location) == arm.NormalLocation(quota.Location)
	})
}

// SetImage says whether the images that a regular expression matches exist.
func (c *Provider) SetImage(s *arm.Service, change admin.ImageChange) error {
	if _, err := regexp.Compile(change.Pattern); err != nil || change.Pattern == "" {
		return fmt.Errorf("image pattern %q: want a regular expression", change.Pattern)
	}
	return setOffer(c, s, &c.offers.MissingImages, change.Pattern, change.Missing, func(pattern string) bool { return pattern == change.Pattern })
}

// setOffer puts an entry in place of the one that is about the same, or only takes that one out, and keeps what there is now.
func setOffer[T any](c *Provider, s *arm.Service, entries *[]T, entry T, put bool, same func(T) bool) error {
	s.Lock()
	defer s.Unlock()
	*entries = slices.DeleteFunc(*entries, same)
	if put {
		*entries = append(*entries, entry)
	}
	return c.offers.journal.Put(offersKey, c.offers)
}

// checkQuota refuses a machine for whose CPUs there is no quota.
func (c *Provider) checkQuota(p *arm.Put) *arm.Error {
	size, ok := sizeNamed(fields.Text(p.Requested, "properties", "hardwareProfile", "vmSize"))
	if !ok || p.Existing != nil {
		return nil
	}
	return c.checkQuotaFor(p, size, 1)
}

// checkQuotaFor refuses so many more machines of a size.
func (c *Provider) checkQuotaFor(p *arm.Put, size machineSize, count int) *arm.Error {
	location, more := arm.NormalLocation(fields.Text(p.Requested, fields.Location)), count*size.cpus
	for _, quota := range c.offers.Quotas {
		all := strings.EqualFold(quota.Family, "cores")
		if arm.NormalLocation(quota.Location) != location || !all && !strings.EqualFold(quota.Family, size.family) {
			continue
		}
		used := usedCPUs(p.Service, p.ID.Subscription, location, quota.Family)
		if used+more <= quota.Limit {
			continue
		}
		name := size.family + " Cores"
		if all {
			name = "Total Regional Cores"
		}
		return arm.Conflict("OperationNotAllowed", "Operation could not be completed as it results in exceeding approved %s quota. Additional details - Deployment Model: Resource Manager, Location: %s, Current Limit: %d, Current Usage: %d, Additional Required: %d, (Minimum) New Limit Required: %d. Submit a request for Quota increase by specifying parameters listed in the 'Details' section for deployment to succeed.",
			name, location, quota.Limit, used, more, used+more)
	}
	return nil
}

// usedCPUs counts the CPUs of a subscription's machines of a family in a location; of all families for "cores".
func usedCPUs(s *arm.Service, subscription, location, family string) int {
	used := 0
	for _, r := range s.Store.All() {
		size, ok := sizeOf(r)
		if ok && strings.EqualFold(r.Identity().Subscription, subscription) && arm.NormalLocation(r.Location()) == location &&
			(strings.EqualFold(family, "cores") || strings.EqualFold(family, size.family)) {
			used += size.cpus
		}
	}
	return used
}

// skuPage is how many SKUs one page of the list has.
const skuPage = 60

// ListSKUs answers the list of what Microsoft.Compute offers, page by page.
func (c *Provider) ListSKUs(s *arm.Service, w http.ResponseWriter, r *http.Request, subscription string) *arm.Error {
	locations := s.Tenants.CloudOf(subscription).Regions
	query := r.URL.Query()
	if filter := query.Get("$filter"); filter != "" {
		location := strings.TrimSpace(strings.Trim(strings.TrimSpace(strings.TrimPrefix(strings.ReplaceAll(filter, "location eq", ""), " ")), "'"))
		locations = nil
		if slices.Contains(s.Tenants.CloudOf(subscription).Regions, arm.NormalLocation(location)) {
			locations = []string{arm.NormalLocation(location)}
		}
	}
	var all []any
	for _, location := range locations {
		all = append(all, c.skusIn(location)...)
	}
	start, _ := strconv.Atoi(query.Get("$skiptoken")) // none is 0
	end := min(start+skuPage, len(all))
	body := map[string]any{"value": append([]any{}, all[min(start, end):end]...)}
	if end < len(all) {
		next := url.Values{"api-version": query["api-version"], "$skiptoken": {strconv.Itoa(end)}}
		if filter := query.Get("$filter"); filter != "" {
			next.Set("$filter", filter)
		}
		body["nextLink"] = s.EndpointOf(subscription) + r.URL.Path + "?" + next.Encode()
	}
	arm.WriteJSON(w, http.StatusOK, body)
	return nil
}

// skusIn are the SKUs of one location.
func (c *Provider) skusIn(location string) []any {
	zones := zonesOf(location)
	var found []any
	for _, name := range sizeNames() {
		size, _ := sizeNamed(name)
		info := map[string]any{fields.Location: location, "zones": fields.List(zones), "zoneDetails": []any{}}
		if size.series.ultra && len(zones) > 0 {
			info["zoneDetails"] = []any{map[string]any{
				"name": fields.List(zones), "capabilities": []any{map[string]any{"name": "UltraSSDAvailable", "value": "True"}},
			}}
		}
		series := strings.TrimPrefix(name, "Standard_")
		found = append(found, map[string]any{
			"resourceType": "virtualMachines", "name": name, "tier": "Standard", "size": series, "family": size.family, "locations": []any{location},
			"locationInfo": []any{info}, "capabilities": size.capabilities(), "restrictions": c.restrictionsOf(name, location),
		})
	}
	domains := map[bool]string{true: "3", false: "2"}[len(zones) > 0]
	for _, name := range []string{"Aligned", "Classic"} {
		found = append(found, map[string]any{
			"resourceType": "availabilitySets", "name": name, "locations": []any{location}, "locationInfo": []any{map[string]any{fields.Location: location, "zones": []any{}, "zoneDetails": []any{}}},
			"capabilities": []any{map[string]any{"name": "MaximumPlatformFaultDomainCount", "value": domains}}, "restrictions": []any{},
		})
	}
	return found
}

// restrictionsOf are the restrictions of a size in a location, as the list of SKUs tells them.
func (c *Provider) restrictionsOf(size, location string) []any {
	found := []any{}
	for _, r := range c.offers.Restrictions {
		if !strings.EqualFold(r.Size, size) || arm.NormalLocation(r.Location) != location {
			continue
		}
		restriction := map[string]any{"type": "Location", "values": []any{location}, "restrictionInfo": map[string]any{"locations": []any{location}}, "reasonCode": "NotAvailableForSubscription"}
		if len(r.Zones) > 0 {
			restriction["type"] = "Zone"
			restriction["restrictionInfo"] = map[string]any{"locations": []any{location}, "zones": fields.List(r.Zones)}
		}
		found = append(found, restriction)
	}
	return found
}
