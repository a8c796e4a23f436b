package adopt

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/requestlog"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

const (
	simulatedTenant  = "00000000-0000-0000-0000-0000000000aa"
	simulatedGroup   = subscription + "/resourceGroups/rg"
	simulatedCluster = simulatedGroup + "/providers/Microsoft.ContainerService/managedClusters/mine"
	simulatedVNet    = simulatedGroup + "/providers/Microsoft.Network/virtualNetworks/vnet"
	simulatedFleet   = simulatedGroup + "/providers/Microsoft.ContainerService/fleets/fleet"
)

// A simulation is a simulated Azure, as a person reaches it.
type simulation struct {
	t      *testing.T
	client *http.Client
	token  string
	admin  *admin.Client
}

func simulate(t *testing.T) *simulation {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	simulator, err := azuresim.New(azuresim.Options{
		Journal: state.InMemory(), Clock: clock.RealClock{}, TenantID: simulatedTenant, Log: &requestlog.Log{}, MaxRetryAfter: 1,
		Latencies: azuresim.Latencies{"default": 10 * time.Millisecond}, Report: func(err error) { t.Error(err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	proxy, administration, done := simulator.Proxy(), httptest.NewServer(simulator.AdminHandler()), make(chan struct{})
	go func() {
		if err := proxy.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	go simulator.Run(done)
	t.Cleanup(func() {
		close(done)
		administration.Close()
		if err := proxy.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(simulator.Authority.PEM())
	client := &http.Client{Transport: &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: listener.Addr().String()}),
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}
	credential, err := azidentity.NewClientSecretCredential(simulatedTenant, "app", "secret", &azidentity.ClientSecretCredentialOptions{ClientOptions: policy.ClientOptions{Transport: client}})
	if err != nil {
		t.Fatal(err)
	}
	token, err := credential.GetToken(t.Context(), policy.TokenRequestOptions{Scopes: []string{"https://management.azure.com/.default"}})
	if err != nil {
		t.Fatal(err)
	}
	return &simulation{t: t, client: client, token: token.Token, admin: &admin.Client{URL: administration.URL}}
}

func (s *simulation) ask(ctx context.Context, method, path, version, body string) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, "https://management.azure.com"+path+"?api-version="+version, bytes.NewBufferString(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	return resp.StatusCode, raw, err
}

// Get implements Reader.
func (s *simulation) Get(ctx context.Context, id, version string) (json.RawMessage, error) {
	status, raw, err := s.ask(ctx, http.MethodGet, id, version, "")
	if err == nil && status == http.StatusNotFound {
		return nil, nil
	}
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%d %s", status, raw)
	}
	return raw, err
}

// List implements Reader.
func (s *simulation) List(ctx context.Context, path, version string) ([]json.RawMessage, error) {
	raw, err := s.Get(ctx, path, version)
	if raw == nil || err != nil {
		return nil, err
	}
	list := struct{ Value []json.RawMessage }{}
	err = json.Unmarshal(raw, &list)
	return list.Value, err
}

// put writes a resource, and waits until it is done.
func (s *simulation) put(id, version, body string) {
	s.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	status, raw, err := s.ask(s.t.Context(), http.MethodPut, id, version, body)
	for err == nil && status == http.StatusConflict && time.Now().Before(deadline) { // Azure is still at what it lies in.
		time.Sleep(20 * time.Millisecond)
		status, raw, err = s.ask(s.t.Context(), http.MethodPut, id, version, body)
	}
	for err == nil && status < http.StatusMultipleChoices {
		var got struct {
			Properties struct{ ProvisioningState string }
		}
		if json.Unmarshal(raw, &got) == nil && (got.Properties.ProvisioningState == "Succeeded" || got.Properties.ProvisioningState == "") {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s is not done: %s", id, raw)
		}
		time.Sleep(20 * time.Millisecond)
		status, raw, err = s.ask(s.t.Context(), http.MethodGet, id, version, "")
	}
	s.t.Fatalf("%s: %d %s %v", id, status, raw, err)
}

// ofAzure are the fields that Azure writes with any write of the resource: what a pool has by default, which operation was the last, and the letters of
// an enumeration, which it does not tell from others.
var ofAzure = []string{".properties.upgradeStrategy", ".properties.status.lastOperationId", ".loadBalancerProfile.backendPoolType"}

// What is adopted says all that Azure has: sent back as ASO sends it, it changes nothing. That is what makes it safe to have ASO manage it.
func TestSentBackChangesNothing(t *testing.T) {
	s := simulate(t)
	s.put(simulatedGroup, "2020-06-01", `{"location":"westeurope","tags":{"a":"b"}}`)
	s.put(simulatedVNet, "2024-03-01", `{"location":"westeurope","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]}}}`)
	s.put(simulatedVNet+"/subnets/nodes", "2024-03-01", `{"properties":{"addressPrefix":"10.240.0.0/16","serviceEndpoints":[{"service":"Microsoft.Sql"}]}}`)
	pool := func(name, mode, more string) string {
		return `{"name":"` + name + `","mode":"` + mode + `","type":"VirtualMachineScaleSets","vmSize":"Standard_D2s_v5","osType":"Linux","vnetSubnetID":"` + simulatedVNet + `/subnets/nodes"` + more + `}`
	}
	s.put(simulatedCluster, "2025-08-01", `{"location":"westeurope","tags":{"team":"blue"},"identity":{"type":"SystemAssigned"},"sku":{"name":"Base","tier":"Standard"},"properties":{
		"dnsPrefix":"mine","kubernetesVersion":"1.33.6","enableRBAC":true,"oidcIssuerProfile":{"enabled":true},"securityProfile":{"workloadIdentity":{"enabled":true}},
		"addonProfiles":{"azurepolicy":{"enabled":true}},"autoUpgradeProfile":{"upgradeChannel":"patch","nodeOSUpgradeChannel":"NodeImage"},
		"networkProfile":{"networkPlugin":"azure","networkPolicy":"azure","serviceCidr":"192.168.0.0/16","dnsServiceIP":"192.168.0.10"},
		"agentPoolProfiles":[`+pool("pool0", "System", `,"count":2,"availabilityZones":["1","2"],"nodeLabels":{"x":"y"}`)+`,`+
		pool("pool1", "User", `,"count":1,"enableAutoScaling":true,"minCount":1,"maxCount":3,"nodeTaints":["a=b:NoSchedule"],"upgradeSettings":{"maxSurge":"33%"}`)+`]}}`)
	s.put(simulatedCluster+"/maintenanceConfigurations/default", "2025-08-01", `{"properties":{"timeInWeek":[{"day":"Sunday","hourSlots":[0,1]}]}}`)
	s.put(simulatedCluster+"/providers/Microsoft.KubernetesConfiguration/extensions/flux", "2023-05-01",
		`{"properties":{"extensionType":"microsoft.flux","autoUpgradeMinorVersion":true,"scope":{"cluster":{"releaseNamespace":"flux"}},"configurationSettings":{"a":"b"}}}`)
	s.put(simulatedFleet, "2025-03-01", `{"location":"westeurope"}`)
	s.put(simulatedFleet+"/members/mine", "2025-03-01", `{"properties":{"clusterResourceId":"`+simulatedCluster+`","group":"g"}}`)
	begun := time.Now()

	found, losses, err := Read(t.Context(), s, simulatedCluster, Scope{Networks: true, Group: true})
	if err != nil || len(found) != 1 || len(losses) > 0 {
		t.Fatal(found, losses, err)
	}
	made, err := Make(found[0], Options{})
	if err != nil || len(made.Losses) > 0 {
		t.Fatal(made, err)
	}
	writes := func() []admin.Request {
		requests, err := s.admin.Requests(t.Context(), admin.RequestFilter{Path: "^/subscriptions/", Since: begun})
		if err != nil {
			t.Fatal(err)
		}
		var all []admin.Request
		for _, r := range requests {
			if r.Method != http.MethodGet && r.Status < http.StatusMultipleChoices {
				all = append(all, r)
			}
		}
		return all
	}
	if got := writes(); len(got) > 0 {
		t.Errorf("reading has written %v", got)
	}

	for _, kind := range []Kind{ResourceGroup, VirtualNetwork, Subnet, ManagedCluster, AgentPool, MaintenanceConfiguration, Extension, FleetsMember} {
		s.sendBack(kind, found[0], made)
	}
	requests := writes()
	if len(requests) != 9 {
		t.Errorf("%d requests, want 9", len(requests))
	}
	for _, r := range requests {
		for _, change := range r.Changes {
			if !slices.ContainsFunc(ofAzure, func(field string) bool { return strings.HasSuffix(change, field) }) {
				t.Errorf("%s has changed %s", r.Path, change)
			}
		}
	}
}

// sendBack puts the resources of a kind as ASO does for what was made from them, with what Cluster API decides.
func (s *simulation) sendBack(kind Kind, azure AKSCluster, made *Manifests) {
	s.t.Helper()
	resources := map[string]string{}
	all := append([]Resource{azure.Group, azure.ManagedCluster}, azure.AgentPools...)
	for _, n := range azure.Networks {
		all = append(append(all, n.Resource), n.Subnets...)
	}
	for _, c := range azure.Children {
		all = append(all, c.Resource)
	}
	for _, r := range all {
		if id := aso.ParseID(r.ID); strings.EqualFold(id.ResourceType.String(), kind.ARM()) {
			resources[id.Name] = r.ID
		}
	}
	sent := 0
	for i, o := range made.Objects {
		entries, _, _ := unstructured.NestedSlice(o.Object, "spec", "resources")
		for _, entry := range entries {
			u := &unstructured.Unstructured{Object: entry.(map[string]any)} //nolint:forcetypeassert // It is an object.
			if u.GetKind() != kind.Name {
				continue
			}
			switch kind.Name {
			case ManagedCluster.Name:
				_ = kubernetesVersion.Set(u, "1.33.6")
			case AgentPool.Name:
				_ = orchestratorVersion.Set(u, "1.33.6")
				if replicas, ok := at(made.Objects[i-1], "spec.replicas").(int64); ok && made.Objects[i-1].GetAnnotations() == nil {
					_ = unstructured.SetNestedField(u.Object, replicas, "spec", "count")
				}
			}
			typed := kind.empty()
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, typed, true); err != nil {
				s.t.Fatal(err)
			}
			body, err := sentFor(typed)
			if err != nil {
				s.t.Fatal(err)
			}
			raw, err := json.Marshal(body)
			if err != nil {
				s.t.Fatal(err)
			}
			s.put(resources[typed.AzureName()], kind.APIVersion(), string(raw))
			sent++
		}
	}
	if sent == 0 {
		s.t.Errorf("there is no %s", kind.Name)
	}
}
