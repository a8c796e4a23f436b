package machines

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

const skuPath = "GET /subscriptions/" + subscription + "/providers/Microsoft.Compute/skus"

// pages are two of what Azure offers in westeurope.
var pages = map[string][]answer{
	skuPath: {{status: 200, body: `{"nextLink": "{host}/subscriptions/` + subscription + `/providers/Microsoft.Compute/skus?page=2", "value": [
		{"resourceType": "virtualMachines", "name": "Standard_D2s_v3", "capabilities": [{"name": "vCPUs", "value": "2"}, {"name": "MemoryGB", "value": "8"},
			{"name": "AcceleratedNetworkingEnabled", "value": "True"}, {"name": "EphemeralOSDiskSupported", "value": "False"}, {"name": "CpuArchitectureType", "value": "x64"}],
		 "locationInfo": [{"location": "WestEurope", "zones": ["2", "1", "3"], "zoneDetails": [{"name": ["3", "1"], "capabilities": [{"name": "UltraSSDAvailable", "value": "True"}]}]}],
		 "restrictions": [{"type": "Zone", "reasonCode": "NotAvailableForSubscription", "restrictionInfo": {"zones": ["3"]}}]},
		{"resourceType": "virtualMachines", "name": "Standard_B1ls", "capabilities": [{"name": "vCPUs", "value": "1"}, {"name": "MemoryGB", "value": "0.5"}, {"name": "UltraSSDAvailable", "value": "True"}],
		 "locationInfo": [{"location": "westeurope"}]},
		{"resourceType": "disks", "name": "Premium_LRS", "locationInfo": [{"location": "westeurope", "zones": ["9"]}]}]}`}},
	skuPath + " page 2": {{status: 200, body: `{"value": [
		{"resourceType": "virtualMachines", "name": "Standard_DC2", "capabilities": [{"name": "ConfidentialComputingType", "value": "SNP"}, {"name": "TrustedLaunchDisabled", "value": "True"}, {"name": "EncryptionAtHostSupported", "value": "true"}],
		 "locationInfo": [{"location": "westeurope", "zones": ["4"]}], "restrictions": [{"type": "Location", "reasonCode": "QuotaId"}]},
		{"resourceType": "availabilitySets", "name": "Aligned", "capabilities": [{"name": "MaximumPlatformFaultDomainCount", "value": "3"}]},
		{"resourceType": "availabilitySets", "name": "Classic", "capabilities": [{"name": "MaximumPlatformFaultDomainCount", "value": "2"}]}]}`}},
}

func clone(answers map[string][]answer) map[string][]answer {
	copied := map[string][]answer{}
	for key, all := range answers {
		copied[key] = slices.Clone(all)
	}
	return copied
}

func TestOffers(t *testing.T) {
	azure := newAzure(t, clone(pages))
	offers, err := NewCatalogue(azure.client(), clocktesting.NewFakeClock(time.Now())).Offers(t.Context(), azure.account, subscription, "westeurope", "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1", "2"}, offers.Zones); diff != "" {
		t.Errorf("zones: -want, +got:\n%s", diff)
	}
	want := []v1alpha1.FactsOfSize{
		{
			Name: "standard_d2s_v3", Known: true, Offered: true, VCPUs: 2, MemoryGiB: 8, Zones: []string{"1", "2"}, UltraSSDZones: []string{"1"},
			AcceleratedNetworking: true, Architecture: "x64", FaultDomains: 3,
		},
		{Name: "Standard_B1ls", Known: true, Offered: true, VCPUs: 1, MemoryGiB: 0.5, UltraSSD: true, FaultDomains: 3},
		{
			Name: "Standard_DC2", Known: true, Restriction: "QuotaId", ConfidentialComputingType: "SNP", TrustedLaunchDisabled: true, EncryptionAtHost: true,
			FaultDomains: 3,
		},
		{Name: "Standard_Unheard", Known: true, FaultDomains: 3},
	}
	for _, size := range want {
		if diff := cmp.Diff(size, offers.Size(size.Name)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}
}

func TestOffersAreReadOnceADay(t *testing.T) {
	azure, clock := newAzure(t, clone(pages)), clocktesting.NewFakeClock(time.Now())
	catalogue := NewCatalogue(azure.client(), clock)
	ask := func(size string) {
		t.Helper()
		if _, err := catalogue.Offers(t.Context(), azure.account, subscription, "westeurope", size); err != nil {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { ask("Standard_D2s_v3") })
	}
	all.Wait()
	expect := func(what string, want int) {
		t.Helper()
		if got := len(azure.take()); got != want {
			t.Errorf("%s: %d requests, want %d", what, got, want)
		}
	}
	expect("20 at once", 2)
	ask("Standard_Unheard")
	expect("a size that is not offered, at once", 0)
	clock.Step(offersReread + time.Minute)
	ask("Standard_D2s_v3")
	expect("one that is, an hour later", 0)
	ask("Standard_Unheard")
	expect("one that is not, an hour later", 2)
	clock.Step(offersValid + time.Minute)
	ask("Standard_D2s_v3")
	expect("a day later", 2)
	other := azure.account
	other.ClientID = "another"
	if _, err := catalogue.Offers(t.Context(), other, subscription, "WestEurope", ""); err != nil {
		t.Error(err)
	}
	expect("with another credential", 2)
}

func TestOffersThatCannotBeRead(t *testing.T) {
	cases := map[string]answer{
		"forbidden":          failure(http.StatusForbidden, "AuthorizationFailed", "no"),
		"no such location":   {status: 200, body: `{"value": []}`},
		"another's next":     {status: 200, body: `{"value": [{"resourceType": "virtualMachines", "name": "a"}], "nextLink": "https://elsewhere.example/skus"}`},
		"of another shape":   {status: 200, body: `{"value": "all"}`},
		"not found":          failure(http.StatusNotFound, "SubscriptionNotFound", "no"),
		"of no subscription": failure(http.StatusNotFound, "ResourceNotFound", "no"),
	}
	for name, given := range cases {
		t.Run(name, func(t *testing.T) {
			azure := newAzure(t, map[string][]answer{skuPath: {given}})
			if offers, err := NewCatalogue(azure.client(), clocktesting.NewFakeClock(time.Now())).Offers(t.Context(), azure.account, subscription, "westeurope", ""); err == nil {
				text, _ := json.Marshal(offers)
				t.Errorf("got %s", text)
			}
		})
	}
}
