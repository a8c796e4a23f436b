package azuresim_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// resource is what the test reads of a scale set or of a virtual machine.
type resource struct {
	ID   string            `json:"id"`
	Name string            `json:"name"`
	Tags map[string]string `json:"tags"`
	SKU  struct {
		Capacity int `json:"capacity"`
	} `json:"sku"`
}

func (a *azure) resources(path string) []resource {
	a.t.Helper()
	status, body := a.call(http.MethodGet, path, "2024-07-01", "")
	var list struct {
		Value []resource `json:"value"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != http.StatusOK {
		a.t.Fatalf("GET %s: %d %s", path, status, body)
	}
	return list.Value
}

// TestScaleSets has the scale sets of a cluster's pools follow its Nodes.
func TestScaleSets(t *testing.T) {
	a := start(t, t.TempDir(), "")
	a.createCluster("", 2)
	const pool = cluster + "/agentPools/pool1"
	a.finish(http.MethodPut, pool, "2025-08-01", `{"properties":{"count":3,"vmSize":"Standard_D2s_v3","mode":"User"}}`)
	a.finish(http.MethodPut, pool, "2025-08-01", `{"properties":{"count":1,"vmSize":"Standard_D2s_v3","mode":"User"}}`)

	const sets = "/subscriptions/" + subscription + "/resourceGroups/MC_rg_aks_eastus/providers/Microsoft.Compute/virtualMachineScaleSets"
	capacities := map[string]int{}
	var machines []string
	for _, set := range a.resources(sets) {
		capacities[set.Tags["aks-managed-poolName"]] = set.SKU.Capacity
		for _, machine := range a.resources(sets + "/" + set.Name + "/virtualMachines") {
			machines = append(machines, "azure://"+machine.ID)
		}
		if status, body := a.call(http.MethodGet, sets+"/"+set.Name, "2024-07-01", ""); status != http.StatusOK || !strings.Contains(body, `"`+set.Name+`"`) {
			t.Errorf("GET %s: %d %s", set.Name, status, body)
		}
	}
	if diff := cmp.Diff(map[string]int{"pool0": 2, "pool1": 1}, capacities); diff != "" {
		t.Errorf("machines of each pool: -want, +got:\n%s", diff)
	}
	nodes, err := clientset(t, a.kubeconfig("listClusterAdminCredential"), runtime.ContentTypeProtobuf).CoreV1().Nodes().List(context.Background(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, n := range nodes.Items {
		ids = append(ids, n.Spec.ProviderID)
	}
	slices.Sort(ids)
	slices.Sort(machines)
	if diff := cmp.Diff(ids, machines); diff != "" {
		t.Errorf("machines: -provider IDs of the Nodes, +got:\n%s", diff)
	}
	for _, absent := range []string{sets + "/other", sets + "/other/virtualMachines/0"} {
		if status, body := a.call(http.MethodGet, absent, "2024-07-01", ""); status != http.StatusNotFound {
			t.Errorf("GET %s: %d %s", absent, status, body)
		}
	}
}
