package cloudwriter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/requestlog"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const (
	group = "/subscriptions/s/resourceGroups/rg"
	net   = group + "/providers/Microsoft.Network/"
)

// inProcess answers requests by the simulator.
type inProcess struct{ simulator *azuresim.Simulator }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	server := httptest.NewRequest(r.Method, r.URL.String(), bytes.NewReader(body))
	server.Header = r.Header
	w := httptest.NewRecorder()
	p.simulator.ServeHTTP(w, server)
	return w.Result(), nil
}

// simulated returns a Writer for a simulator whose operations take no time, and with which a cluster's network and one machine are made.
func simulated(t *testing.T) *Writer {
	t.Helper()
	simulator, err := azuresim.New(azuresim.Options{Journal: state.InMemory(), Clock: clock.RealClock{}, TenantID: "t", Log: &requestlog.Log{}, Report: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := simulator.Directory.Issue(clouds.Public, "t", "writer", "https://management.azure.com")
	if err != nil {
		t.Fatal(err)
	}
	w := &Writer{HTTP: &http.Client{Transport: inProcess{simulator}}, Token: token, Group: group}
	for _, one := range [][2]string{
		{group, `{"location":"eastus"}`},
		{net + "virtualNetworks/v", `{"location":"eastus","properties":{"addressSpace":{"addressPrefixes":["10.0.0.0/8"]}}}`},
		{net + "virtualNetworks/v/subnets/n", `{"properties":{"addressPrefix":"10.1.0.0/16"}}`},
		{net + "networkSecurityGroups/g", `{"location":"eastus"}`},
		{net + "routeTables/r", `{"location":"eastus"}`},
		{net + "publicIPAddresses/out", `{"location":"eastus","properties":{"publicIPAllocationMethod":"Static"}}`},
		{net + "loadBalancers/c", `{"location":"eastus","properties":{"frontendIPConfigurations":[{"name":"out","properties":{"publicIPAddress":{"id":"` + net + `publicIPAddresses/out"}}}],"backendAddressPools":[{"name":"c-outbound"}]}}`},
		{net + "networkInterfaces/i", `{"location":"eastus","properties":{"ipConfigurations":[{"name":"p","properties":{"subnet":{"id":"` + net + `virtualNetworks/v/subnets/n"}}}]}}`},
		{group + "/providers/Microsoft.Compute/virtualMachines/m", `{"location":"eastus","zones":["1"],"properties":{"hardwareProfile":{"vmSize":"Standard_D2s_v3"},
			"storageProfile":{"imageReference":{"communityGalleryImageId":"/communityGalleries/g/images/i/versions/1.36.3"}},
			"osProfile":{"computerName":"m","adminUsername":"capi","linuxConfiguration":{"ssh":{"publicKeys":[{"path":"p","keyData":"k"}]}}},
			"networkProfile":{"networkInterfaces":[{"id":"` + net + `networkInterfaces/i"}]}}}`},
	} {
		put(t, w, one[0], one[1])
	}
	return w
}

func put(t *testing.T, w *Writer, path, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPut, "https://management.azure.com"+path+"?api-version="+computeVersion, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.Token)
	answer, err := w.HTTP.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if raw, _ := io.ReadAll(answer.Body); answer.StatusCode >= 300 {
		t.Fatalf("PUT %s: %s %s", path, answer.Status, raw)
	}
}

func missing(t *testing.T, w *Writer) string {
	t.Helper()
	found, err := w.Missing(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, "\n")
}

// TestWriter writes everything, and checks that Missing sees each piece that another writer takes away.
func TestWriter(t *testing.T) {
	disk := group + "/providers/Microsoft.Compute/virtualMachines/m"
	cases := map[string]struct{ path, body, want string }{
		"nothing": {group, `{"location":"eastus"}`, ""},
		"rules of the load balancer": {
			net + "loadBalancers/c",
			`{"location":"eastus","properties":{"frontendIPConfigurations":[{"name":"out","properties":{"publicIPAddress":{"id":"` + net + `publicIPAddresses/out"}}}],"backendAddressPools":[{"name":"c-outbound"},{"name":"kubernetes"}]}}`,
			"without loadBalancingRules/web",
		},
		"membership of the interface": {
			net + "networkInterfaces/i",
			`{"location":"eastus","properties":{"ipConfigurations":[{"name":"p","properties":{"subnet":{"id":"` + net + `virtualNetworks/v/subnets/n"}}}]}}`,
			"without membership of",
		},
		"routes":         {net + "routeTables/r", `{"location":"eastus"}`, "routes/m: gone"},
		"security rules": {net + "networkSecurityGroups/g", `{"location":"eastus"}`, "securityRules/web: gone"},
		"disks":          {disk, `{"location":"eastus","properties":{"storageProfile":{"dataDisks":[]}}}`, "without attachment to m"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w, ctx := simulated(t), context.Background()
			err := errors.Join(w.Expose(ctx, "c", "kubernetes", "web", 80, "i"), w.Route(ctx, "r", "m", "192.168.0.0/24", "10.1.0.4"),
				w.Allow(ctx, "g", "web", 500, 80), w.Attach(ctx, "m", "pvc", 1))
			if err != nil {
				t.Fatal(err)
			}
			if got := missing(t, w); got != "" {
				t.Fatalf("missing at once: %s", got)
			}
			put(t, w, c.path, c.body)
			if got := missing(t, w); !strings.Contains(got, c.want) || c.want == "" && got != "" {
				t.Errorf("missing %q, want %q", got, c.want)
			}
		})
	}
}
