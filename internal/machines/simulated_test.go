package machines

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/requestlog"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

const (
	simulatedTenant = "00000000-0000-0000-0000-0000000000aa"
	simulatedGroup  = "/subscriptions/" + subscription + "/resourceGroups/rg"
	simulatedNIC    = simulatedGroup + "/providers/Microsoft.Network/networkInterfaces/nic"
	networkVersion  = "2020-11-01"
)

// A simulation is a simulated Azure with a network interface that a machine can have, and as whom it is reached.
type simulation struct {
	t         *testing.T
	simulator *azuresim.Simulator
	admin     *admin.Client
	client    *Client
	account   azure.Account
}

func simulate(t *testing.T) *simulation {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &simulation{t: t}
	s.simulator, err = azuresim.New(azuresim.Options{
		Journal: state.InMemory(), Clock: clock.RealClock{}, TenantID: simulatedTenant, Log: &requestlog.Log{}, MaxRetryAfter: 1,
		Latencies: azuresim.Latencies{"default": 20 * time.Millisecond}, Report: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	proxy, administration, done := s.simulator.Proxy(), httptest.NewServer(s.simulator.AdminHandler()), make(chan struct{})
	go func() {
		if err := proxy.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	go s.simulator.Run(done)
	t.Cleanup(func() {
		close(done)
		administration.Close()
		if err := proxy.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s.admin = &admin.Client{URL: administration.URL}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.simulator.Authority.PEM())
	through := http.ProxyURL(&url.URL{Scheme: "http", Host: listener.Addr().String()})
	transport := &http.Client{Transport: &http.Transport{Proxy: through, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	credential, err := azidentity.NewClientSecretCredential(simulatedTenant, "app", "secret", &azidentity.ClientSecretCredentialOptions{ClientOptions: policy.ClientOptions{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	s.client = NewClient(transport)
	s.account = azure.Account{Credential: credential, Cloud: cloud.AzurePublic, SubscriptionID: subscription, TenantID: simulatedTenant, ClientID: "app"}
	s.prepare()
	return s
}

// prepare makes what a machine needs.
func (s *simulation) prepare() {
	s.t.Helper()
	const network = simulatedGroup + "/providers/Microsoft.Network/virtualNetworks/v"
	for _, resource := range []struct{ id, version, body string }{
		{simulatedGroup, "2020-06-01", `{"location": "westeurope"}`},
		{network, networkVersion, `{"location": "westeurope", "properties": {"addressSpace": {"addressPrefixes": ["10.0.0.0/16"]}}}`},
		{network + "/subnets/s", networkVersion, `{"properties": {"addressPrefix": "10.0.0.0/24"}}`},
		{simulatedNIC, networkVersion, `{"location": "westeurope", "properties": {"ipConfigurations": [{"name": "c", "properties": {"subnet": {"id": "` + network + `/subnets/s"}}}]}}`},
	} {
		s.await(func() bool {
			resp, err := s.client.do(s.t.Context(), s.account, call{method: http.MethodPut, path: resource.id, version: resource.version, body: []byte(resource.body), expected: []int{200, 201}})
			return err == nil && resp.Body.Close() == nil
		})
		s.await(func() bool {
			got := struct {
				Properties struct {
					ProvisioningState string `json:"provisioningState"`
				} `json:"properties"`
			}{}
			found, err := s.client.get(s.t.Context(), s.account, call{path: resource.id, version: resource.version}, &got)
			return err == nil && found && got.Properties.ProvisioningState == "Succeeded"
		})
	}
}

func (s *simulation) await(condition func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatal("it takes too long")
		}
	}
}

// request returns what creates the machine, in a size.
func (s *simulation) request(size string) func(context.Context) (Request, error) {
	text := strings.NewReplacer("Standard_D2s_v3", size, "VM-0", "vm-0", "tags: {a: b}", "tags: {sigs.k8s.io_cluster-api-provider-azure_cluster_c: owned}",
		"identity: {type: UserAssigned, userAssignedIdentities: [{reference: {armId: "+identityID+"}}]}", "identity: {type: SystemAssigned}",
		"billingProfile: {maxPrice: 0.05}", "").Replace(linuxMachine)
	return func(context.Context) (Request, error) {
		return NewRequest(object(s.t, text), map[Reference]string{{Group: "network.azure.com", Kind: "NetworkInterface", Name: "nic"}: simulatedNIC}, NewSecrets([]byte(bootstrap)))
	}
}

// steps takes steps until the state is one of those that last, by a new process each time if restarts is set.
func (s *simulation) steps(size string, restarts bool) v1alpha1.FactsOfCreation {
	s.t.Helper()
	m := Machine{ID: machineID, As: s.account, Cluster: "c", Request: s.request(size)}
	creator := newCreator(s.client)
	s.await(func() bool {
		if restarts {
			creator = newCreator(s.client)
		}
		outcome, err := creator.Step(s.t.Context(), m)
		if err != nil {
			s.t.Fatal(err)
		}
		m.Noted = outcome.Created
		return m.Noted.State != v1alpha1.Creating
	})
	return m.Noted
}

// TestSimulatedMachine creates machines in the simulated Azure, which has the rules of the real one.
func TestSimulatedMachine(t *testing.T) {
	cases := map[string]struct {
		size   string
		before func(*simulation) error
		want   v1alpha1.FactsOfCreation
	}{
		"is created":   {size: "Standard_D2s_v3", want: v1alpha1.FactsOfCreation{State: v1alpha1.Created}},
		"unknown size": {size: "Standard_X", want: v1alpha1.FactsOfCreation{State: v1alpha1.CreationFailed, Reason: "InvalidParameter"}},
		"no quota": {size: "Standard_D2s_v3", want: v1alpha1.FactsOfCreation{State: v1alpha1.CreationFailed, Reason: "OperationNotAllowed"}, before: func(s *simulation) error {
			return s.simulator.Machines.SetQuota(s.simulator.ARM, admin.Quota{Location: "westeurope", Family: "cores", Limit: 1})
		}},
		"no such size for the subscription": {size: "Standard_D2s_v3", want: v1alpha1.FactsOfCreation{State: v1alpha1.CreationFailed, Reason: "SkuNotAvailable"}, before: func(s *simulation) error {
			return s.simulator.Machines.SetSizeRestriction(s.simulator.ARM, admin.SizeRestriction{Size: "Standard_D2s_v3", Location: "westeurope"})
		}},
		"no image": {size: "Standard_D2s_v3", want: v1alpha1.FactsOfCreation{State: v1alpha1.CreationFailed, Reason: "GalleryImageNotFound"}, before: func(s *simulation) error {
			return s.simulator.Machines.SetImage(s.simulator.ARM, admin.ImageChange{Pattern: ".*", Missing: true})
		}},
		"does not come up": {size: "Standard_D2s_v3", want: v1alpha1.FactsOfCreation{State: v1alpha1.CreationFailed, Reason: "OSProvisioningTimedOut"}, before: func(s *simulation) error {
			_, err := s.admin.Inject(s.t.Context(), admin.Fault{Method: "PUT", Path: "virtualMachines", Code: "OSProvisioningTimedOut", Message: "too late", FailOperation: true})
			return err
		}},
	}
	for name, c := range cases {
		for _, restarts := range []bool{false, true} {
			title := name
			if restarts {
				title += ", by one process after another"
			}
			t.Run(title, func(t *testing.T) {
				s := simulate(t)
				if c.before != nil {
					if err := c.before(s); err != nil {
						t.Fatal(err)
					}
				}
				got := s.steps(c.size, restarts)
				if got.State != c.want.State || got.Reason != c.want.Reason || (got.Message == "") != (c.want.Reason == "") {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
				if strings.Contains(got.Message, "SECRET-KEY") {
					t.Errorf("it tells %s", got.Message)
				}
			})
		}
	}
}

// TestSimulatedMachineIsLost has somebody delete a machine in Azure.
func TestSimulatedMachineIsLost(t *testing.T) {
	s := simulate(t)
	if got := s.steps("Standard_D2s_v3", false); got.State != v1alpha1.Created {
		t.Fatalf("got %+v", got)
	}
	s.await(func() bool {
		resp, err := s.client.do(t.Context(), s.account, call{method: http.MethodDelete, path: machineID, version: computeVersion, expected: []int{200, 202, 204}})
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		found, err := s.client.virtualMachine(t.Context(), s.account, machineID)
		return err == nil && found == nil
	})
	m := Machine{ID: machineID, As: s.account, Cluster: "c", Noted: v1alpha1.FactsOfCreation{State: v1alpha1.Created}, Request: s.request("Standard_D2s_v3")}
	for range 2 {
		outcome, err := newCreator(s.client).Step(t.Context(), m)
		if err != nil || outcome.Created.State != v1alpha1.Deleted {
			t.Errorf("got %+v, %v", outcome, err)
		}
		m.Noted = outcome.Created
	}
	if found, err := s.client.virtualMachine(t.Context(), s.account, machineID); err != nil || found != nil {
		t.Errorf("it is there again: %v, %v", found, err)
	}
}

// TestSimulatedOffers reads the list of sizes in pages.
func TestSimulatedOffers(t *testing.T) {
	s := simulate(t)
	offers, err := NewCatalogue(s.client, clock.RealClock{}).Offers(t.Context(), s.account, subscription, "westeurope", "Standard_D2s_v3")
	if err != nil {
		t.Fatal(err)
	}
	size := offers.Size("Standard_D2s_v3")
	if !size.Known || !size.Offered || size.VCPUs != 2 || size.MemoryGiB != 8 || len(size.Zones) != 3 || size.FaultDomains == 0 || len(offers.Zones) != 3 {
		t.Errorf("got %+v, zones %v", size, offers.Zones)
	}
}
