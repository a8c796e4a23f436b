package arm

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
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
		return strings.EqualFold(r.Size, size) && normalLocation(r.Location) == location && (len(r.Zones) == 0 || slices.Contains(r.Zones, zone))
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
func (s *Service) SetSizeRestriction(restriction admin.SizeRestriction) error {
	if _, ok := sizeNamed(restriction.Size); !ok {
		return fmt.Errorf("no size has the name %q", restriction.Size)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.offers
	o.Restrictions = slices.DeleteFunc(o.Restrictions, func(r admin.SizeRestriction) bool {
		return strings.EqualFold(r.Size, restriction.Size) && normalLocation(r.Location) == normalLocation(restriction.Location)
	})
	if !restriction.Lifted {
		o.Restrictions = append(o.Restrictions, restriction)
	}
	return o.journal.Put(offersKey, o)
}

// SetQuota sets how many CPUs of a family a subscription has in a location, or takes that limit away.
func (s *Service) SetQuota(quota admin.Quota) error {
	if quota.Family == "" || quota.Location == "" {
		return fmt.Errorf("quota: want a family such as standardDSv3Family, or cores, and a location")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.offers
	o.Quotas = slices.DeleteFunc(o.Quotas, func(q admin.Quota) bool {
		return strings.EqualFold(q.Family, quota.Family) && normalLocation(q.Location) == normalLocation(quota.Location)
	})
	if !quota.Lifted {
		o.Quotas = append(o.Quotas, quota)
	}
	return o.journal.Put(offersKey, o)
}

// SetImage says whether the images that a regular expression matches exist.
func (s *Service) SetImage(change admin.ImageChange) error {
	if _, err := regexp.Compile(change.Pattern); err != nil || change.Pattern == "" {
		return fmt.Errorf("image pattern %q: want a regular expression", change.Pattern)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.offers
	o.MissingImages = slices.DeleteFunc(o.MissingImages, func(pattern string) bool { return pattern == change.Pattern })
	if change.Missing {
		o.MissingImages = append(o.MissingImages, change.Pattern)
	}
	return o.journal.Put(offersKey, o)
}

// checkQuota refuses a machine for whose CPUs there is no quota.
func checkQuota(p *put) *Error {
	size, ok := sizeNamed(text(p.requested, "properties", "hardwareProfile", "vmSize"))
	location := normalLocation(text(p.requested, "location"))
	if !ok || p.existing != nil {
		return nil
	}
	for _, quota := range p.service.offers.Quotas {
		all := strings.EqualFold(quota.Family, "cores")
		if normalLocation(quota.Location) != location || !all && !strings.EqualFold(quota.Family, size.family) {
			continue
		}
		used := p.service.usedCPUs(p.id.Subscription, location, quota.Family)
		if used+size.cpus <= quota.Limit {
			continue
		}
		name := size.family + " Cores"
		if all {
			name = "Total Regional Cores"
		}
		return conflict("OperationNotAllowed", "Operation could not be completed as it results in exceeding approved %s quota. Additional details - Deployment Model: Resource Manager, Location: %s, Current Limit: %d, Current Usage: %d, Additional Required: %d, (Minimum) New Limit Required: %d. Submit a request for Quota increase by specifying parameters listed in the 'Details' section for deployment to succeed.",
			name, location, quota.Limit, used, size.cpus, used+size.cpus)
	}
	return nil
}

// usedCPUs counts the CPUs of a subscription's machines of a family in a location; of all families for "cores".
func (s *Service) usedCPUs(subscription, location, family string) int {
	used := 0
	for _, r := range s.store.all() {
		size, ok := sizeNamed(text(r.Body, "properties", "hardwareProfile", "vmSize"))
		if r.Type == TypeVirtualMachine && ok && strings.EqualFold(r.id().Subscription, subscription) && normalLocation(r.location()) == location &&
			(strings.EqualFold(family, "cores") || strings.EqualFold(family, size.family)) {
			used += size.cpus
		}
	}
	return used
}

// skuPage is how many SKUs one page of the list has.
const skuPage = 60

// listSKUs answers the list of what Microsoft.Compute offers, page by page.
func (s *Service) listSKUs(w http.ResponseWriter, r *http.Request, subscription string) *Error {
	locations := s.tenants.CloudOf(subscription).Regions
	query := r.URL.Query()
	if filter := query.Get("$filter"); filter != "" {
		location := strings.TrimSpace(strings.Trim(strings.TrimSpace(strings.TrimPrefix(strings.ReplaceAll(filter, "location eq", ""), " ")), "'"))
		locations = nil
		if slices.Contains(s.tenants.CloudOf(subscription).Regions, normalLocation(location)) {
			locations = []string{normalLocation(location)}
		}
	}
	var all []any
	for _, location := range locations {
		all = append(all, s.skusIn(location)...)
	}
	start, _ := strconv.Atoi(query.Get("$skiptoken")) // none is 0
	end := min(start+skuPage, len(all))
	body := map[string]any{"value": append([]any{}, all[min(start, end):end]...)}
	if end < len(all) {
		next := url.Values{"api-version": query["api-version"], "$skiptoken": {strconv.Itoa(end)}}
		if filter := query.Get("$filter"); filter != "" {
			next.Set("$filter", filter)
		}
		body["nextLink"] = s.endpointOf(subscription) + r.URL.Path + "?" + next.Encode()
	}
	writeJSON(w, http.StatusOK, body)
	return nil
}

// skusIn are the SKUs of one location.
func (s *Service) skusIn(location string) []any {
	zones := zonesOf(location)
	var found []any
	for _, name := range sizeNames() {
		size, _ := sizeNamed(name)
		info := map[string]any{"location": location, "zones": anyStrings(zones), "zoneDetails": []any{}}
		if size.series.ultra && len(zones) > 0 {
			info["zoneDetails"] = []any{map[string]any{
				"name": anyStrings(zones), "capabilities": []any{map[string]any{"name": "UltraSSDAvailable", "value": "True"}},
			}}
		}
		series := strings.TrimPrefix(name, "Standard_")
		found = append(found, map[string]any{
			"resourceType": "virtualMachines", "name": name, "tier": "Standard", "size": series, "family": size.family, "locations": []any{location},
			"locationInfo": []any{info}, "capabilities": size.capabilities(), "restrictions": s.restrictionsOf(name, location),
		})
	}
	domains := map[bool]string{true: "3", false: "2"}[len(zones) > 0]
	for _, name := range []string{"Aligned", "Classic"} {
		found = append(found, map[string]any{
			"resourceType": "availabilitySets", "name": name, "locations": []any{location}, "locationInfo": []any{map[string]any{"location": location, "zones": []any{}, "zoneDetails": []any{}}},
			"capabilities": []any{map[string]any{"name": "MaximumPlatformFaultDomainCount", "value": domains}}, "restrictions": []any{},
		})
	}
	return found
}

// restrictionsOf are the restrictions of a size in a location, as the list of SKUs tells them.
func (s *Service) restrictionsOf(size, location string) []any {
	found := []any{}
	for _, r := range s.offers.Restrictions {
		if !strings.EqualFold(r.Size, size) || normalLocation(r.Location) != location {
			continue
		}
		restriction := map[string]any{"type": "Location", "values": []any{location}, "restrictionInfo": map[string]any{"locations": []any{location}}, "reasonCode": "NotAvailableForSubscription"}
		if len(r.Zones) > 0 {
			restriction["type"] = "Zone"
			restriction["restrictionInfo"] = map[string]any{"locations": []any{location}, "zones": anyStrings(r.Zones)}
		}
		found = append(found, restriction)
	}
	return found
}

func anyStrings(list []string) []any {
	found := []any{}
	for _, one := range list {
		found = append(found, one)
	}
	return found
}
