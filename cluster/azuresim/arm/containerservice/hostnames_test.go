package containerservice_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/containerservice"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TestHostNames checks by which names an API server is reached.
func TestHostNames(t *testing.T) {
	type names struct{ public, private bool }
	cases := map[string]struct {
		access string
		want   names
		zone   string
	}{
		"public":                 {`{}`, names{public: true}, ""},
		"private":                {`{"enablePrivateCluster":true}`, names{true, true}, ".privatelink.eastus.azmk8s.io"},
		"private only":           {`{"enablePrivateCluster":true,"enablePrivateClusterPublicFQDN":false}`, names{private: true}, ".privatelink.eastus.azmk8s.io"},
		"private without a zone": {`{"enablePrivateCluster":true,"privateDNSZone":"none"}`, names{public: true}, ""},
		"in the user's zone": {
			`{"enablePrivateCluster":true,"privateDNSZone":"/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/privateDnsZones/a.privatelink.eastus.azmk8s.io"}`,
			names{true, true}, ".a.privatelink.eastus.azmk8s.io",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			f.Make(armtest.CreateGroup)
			f.Settle(http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"dnsPrefix"`, `"apiServerAccessProfile":`+c.access+`,"dnsPrefix"`, 1))
			cluster := f.Get(armtest.Cluster)
			public, private := fields.Text(cluster, "properties", "fqdn"), fields.Text(cluster, "properties", "privateFQDN")
			if diff := cmp.Diff(c.want, names{public != "", private != ""}, cmp.AllowUnexported(names{})); diff != "" {
				t.Errorf("fqdn %q, privateFQDN %q: -want +got\n%s", public, private, diff)
			}
			if !strings.HasSuffix(private, c.zone) {
				t.Errorf("privateFQDN %q, want %q at its end", private, c.zone)
			}
			used := private
			if used == "" {
				used = public
			}
			config, err := f.Service.Clusters.Kubeconfig(armtest.Cluster, "clusterUser")
			if err != nil || !strings.Contains(string(config), "https://"+used+":443") {
				t.Errorf("kubeconfig (%v) is not for %s:\n%s", err, used, config)
			}
		})
	}
}

// TestIssuer checks that a cluster's issuer of tokens is switched on later, and keeps its name.
func TestIssuer(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.CreateCluster)
	issuer := func() string {
		return fields.Text(f.Get(armtest.Cluster), "properties", "oidcIssuerProfile", "issuerURL")
	}
	if got := issuer(); got != "" {
		t.Errorf("the issuer of a cluster without one is %s", got)
	}
	f.Settle(http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"dnsPrefix"`, `"oidcIssuerProfile":{"enabled":true},"dnsPrefix"`, 1))
	first := issuer()
	f.Settle(http.MethodPut, armtest.Cluster, armtest.ClusterBody)
	if got := issuer(); first == "" || got != first {
		t.Errorf("the issuer is %q, and then %q", first, got)
	}
}

// TestAutoUpgrade checks that a cluster with an upgrade channel goes ahead with its pools, and not back.
func TestAutoUpgrade(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.CreateCluster)
	if err := containerservice.AutoUpgrade(f.Service, armtest.Cluster, "1.32.6"); err == nil {
		t.Error("a cluster without a channel was upgraded")
	}
	f.Settle(http.MethodPut, armtest.Cluster, strings.Replace(armtest.ClusterBody, `"dnsPrefix"`, `"autoUpgradeProfile":{"upgradeChannel":"patch"},"dnsPrefix"`, 1))
	if err := containerservice.AutoUpgrade(f.Service, armtest.Cluster, "1.32.4"); err == nil {
		t.Error("a cluster was upgraded to an older version")
	}
	if err := containerservice.AutoUpgrade(f.Service, armtest.Cluster, "1.32.6"); err != nil {
		t.Fatal(err)
	}
	got := []string{
		fields.Text(f.Get(armtest.Cluster), "properties", "currentKubernetesVersion"),
		fields.Text(f.Get(armtest.Pool), "properties", "currentOrchestratorVersion"),
	}
	if diff := cmp.Diff([]string{"1.32.6", "1.32.6"}, got); diff != "" {
		t.Errorf("versions of cluster and pool: -want +got\n%s", diff)
	}
}
