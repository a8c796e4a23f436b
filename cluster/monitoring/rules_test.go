package monitoring

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

// observed is for how long the series of a case are.
const observed = 4 * time.Hour

// healthy are series of a management cluster where all is well: "x240" is 240 minutes more. What has failed for two minutes is over by then.
var healthy = []string{
	`up{job="crossplane-system/provider-capz",pod="provider-a"} 1x240`,
	`up{job="crossplane-system/provider-capz",pod="provider-b"} 1x240`,
	`up{job="crossplane-system/function-capz",pod="function-a"} 1x240`,
	`workqueue_depth{job="crossplane-system/provider-capz",pod="provider-a",name="azureasomanagedcontrolplane",controller="azureasomanagedcontrolplane"} 0x240`,
	`controller_runtime_reconcile_errors_total{job="crossplane-system/provider-capz",controller="azuremachine"} 0+0.5x240`,
	`controller_runtime_reconcile_errors_total{job="crossplane-system/provider-capz",controller="azurecluster"} 0x60 90 100x180`,
	`capz_function_requests_total{kind="AzureCluster",result="composed"} 0+10x240`,
	`capz_function_requests_total{kind="AzureMachine",result="fatal"} 0x60 5 6 7x180`,
	`capz_function_request_seconds_bucket{kind="AzureCluster",le="0.005"} 0+9x240`,
	`capz_function_request_seconds_bucket{kind="AzureCluster",le="0.25"} 0+10x240`,
	`capz_function_request_seconds_bucket{kind="AzureCluster",le="+Inf"} 0+10x240`,
	`capz_clusters{family="Azure",phase="Provisioned"} 3x240`,
	`capz_composite_resources{kind="AzureCluster",state="ready"} 3x240`,
	`capz_composite_resources{kind="AzureMachine",state="waiting"} 1x240`,
	`capz_composite_resources{kind="AzureMachine",state="failed"} 0x10 1x10 0x220`,
	`capz_composite_resources_oldest_seconds{kind="AzureMachine",state="waiting"} 0+60x100 0+60x100 0+60x37`,
	`capz_composite_resources_oldest_seconds{kind="AzureMachine",state="deleting"} 600x240`,
	`capz_composite_resources_oldest_seconds{kind="AzureMachine",state="pending"} 1x240`,
	`capz_held_objects{kind="VirtualMachine"} 1x240`,
	`capz_held_objects_oldest_seconds{kind="VirtualMachine"} 300x240`,
	`capz_time_to_ready_seconds_bucket{family="Azure",kind="Cluster",le="600"} 0+1x240`,
	`capz_time_to_ready_seconds_bucket{family="Azure",kind="Cluster",le="3600"} 0+1x240`,
	`capz_time_to_ready_seconds_bucket{family="Azure",kind="Cluster",le="+Inf"} 0+1x240`,
	`capz_credential_end_timestamp_seconds{identity_namespace="ids",identity="a"} 5000000x240`,
	`capz_kubeconfig_tokens{left="1h"} 2x240`,
	`capz_kubeconfig_tokens{left="4m"} 0x60 1 0x179`,
	`capz_kubeconfig_token_requests_total{result="succeeded"} 0+1x240`,
	`capz_kubeconfig_token_requests_total{result="failed"} 0x60 9 10x180`,
	`capz_azure_requests_total{method="GET",type="Microsoft.Compute/virtualMachines",status="2xx"} 0+5x240`,
	`capz_azure_requests_total{method="GET",type="Microsoft.Compute/virtualMachines",status="429"} 0x60 1x180`,
	`capz_azure_errors_total{type="Microsoft.Compute/virtualMachines",code="Unreachable"} 0x60 20 30 31x180`,
	`capz_azure_errors_total{type="Microsoft.Compute/virtualMachines",code="SignIn"} 0x60 20 30 31x180`,
	`capz_azure_errors_total{type="Microsoft.Compute/virtualMachines",code="Conflict"} 0+1x240`,
	`capz_drifted_composite_resources{kind="AzureManagedMachinePool"} 0x60 1x60 0x60 1x57`,
	`capz_unready_resources{kind="VirtualMachine",reason="Creating"} 2x240`,
	`capz_unready_resources{kind="VirtualMachine",reason="QuotaExceeded"} 0x60 1x5 0x170`,
}

// A fault is what is otherwise than in healthy.
type fault struct {
	// without are the beginnings of series that there are not.
	without []string
	series  []string
	// also are other alerts that the fault is known to raise.
	also []string
}

var faults = map[string]fault{
	"CapzProviderDown":    {without: []string{`up{job="crossplane-system/provider-capz"`}, series: []string{`up{job="crossplane-system/provider-capz",pod="provider-a"} 0x240`}},
	"CapzProviderIdle":    {without: []string{"workqueue_depth"}},
	"CapzFunctionDown":    {without: []string{`up{job="crossplane-system/function-capz"`}},
	"CapzReconcileErrors": {series: []string{`controller_runtime_reconcile_errors_total{job="crossplane-system/provider-capz",controller="azurecluster"} 0+2x240`}},
	"CapzFunctionFatal":   {series: []string{`capz_function_requests_total{kind="AzureMachine",result="fatal"} 0+1x240`}},
	"CapzFunctionSlow": {without: []string{"capz_function_request_seconds"}, series: []string{
		`capz_function_request_seconds_bucket{kind="AzureCluster",le="0.25"} 0+5x240`, `capz_function_request_seconds_bucket{kind="AzureCluster",le="1"} 0+10x240`,
		`capz_function_request_seconds_bucket{kind="AzureCluster",le="+Inf"} 0+10x240`,
	}},
	"CapzResourceFailed": {series: []string{`capz_composite_resources{kind="AzureManagedMachinePool",state="failed"} 1x240`}},
	"CapzDrifted":        {series: []string{`capz_drifted_composite_resources{kind="AzureManagedControlPlane"} 1x240`}},
	"CapzNotComposed":    {series: []string{`capz_composite_resources_oldest_seconds{kind="AzureManagedMachinePool",state="pending"} 0+60x240`}},
	"CapzWaitsLong":      {series: []string{`capz_composite_resources_oldest_seconds{kind="AzureManagedMachinePool",state="waiting"} 0+60x240`}},
	"CapzDeletionStuck":  {series: []string{`capz_composite_resources_oldest_seconds{kind="AzureManagedMachinePool",state="deleting"} 0+60x240`}},
	"CapzHeldLong":       {series: []string{`capz_held_objects_oldest_seconds{kind="NetworkInterface"} 0+60x240`}},
	"CapzSlowToReady": {series: []string{
		`capz_time_to_ready_seconds_bucket{family="AzureManaged",kind="Cluster",le="1800"} 0+1x240`, `capz_time_to_ready_seconds_bucket{family="AzureManaged",kind="Cluster",le="3600"} 0+2x240`,
		`capz_time_to_ready_seconds_bucket{family="AzureManaged",kind="Cluster",le="+Inf"} 0+2x240`,
	}},
	"CapzCredentialEndsSoon": {series: []string{`capz_credential_end_timestamp_seconds{identity_namespace="ids",identity="b"} 1000000x240`}},
	"CapzCredentialEnded": {series: []string{`capz_credential_end_timestamp_seconds{identity_namespace="ids",identity="b"} 3600x240`},
		also: []string{"CapzCredentialEndsSoon"}},
	"CapzTokenNotRenewed":   {without: []string{`capz_kubeconfig_tokens{left="4m"}`}, series: []string{`capz_kubeconfig_tokens{left="4m"} 0x60 1x4 0x176`, `capz_kubeconfig_tokens{left="expired"} 0x65 1x175`}},
	"CapzTokenRequestsFail": {without: []string{`capz_kubeconfig_token_requests_total{result="failed"}`}, series: []string{`capz_kubeconfig_token_requests_total{result="failed"} 0+1x240`}},
	"CapzAzureUnreachable":  {series: []string{`capz_azure_errors_total{type="operations",code="Unreachable"} 0+1x240`}},
	"CapzAzureSignIn":       {series: []string{`capz_azure_errors_total{type="operations",code="SignIn"} 0+1x240`}},
	"CapzAzureThrottled":    {series: []string{`capz_azure_requests_total{method="PUT",type="Microsoft.Compute/virtualMachines",status="429"} 0+1x240`}},
	"CapzAzureNoCapacity":   {series: []string{`capz_unready_resources{kind="VirtualMachine",reason="SkuNotAvailable"} 1x240`}},
	"CapzAzureForbids":      {series: []string{`capz_unready_resources{kind="VirtualNetwork",reason="AuthorizationFailed"} 1x240`}},
}

// load returns the series of a fault as promqltest reads them.
func (f fault) load() string {
	lines := []string{"load 1m"}
	for _, line := range healthy {
		if !slices.ContainsFunc(f.without, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
			lines = append(lines, "  "+line)
		}
	}
	for _, line := range f.series {
		lines = append(lines, "  "+line)
	}
	return strings.Join(lines, "\n")
}

// firing has Prometheus evaluate the rules each minute, and returns when each alert fires for the first time.
func firing(t *testing.T, series string) map[string]time.Duration {
	t.Helper()
	content, err := ruleFile()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	storage := promqltest.LoadedStorage(t, series)
	t.Cleanup(func() { _ = storage.Close() })
	manager := rules.NewManager(&rules.ManagerOptions{
		QueryFunc:    rules.EngineQueryFunc(promqltest.NewTestEngine(t, false, 0, 1<<20), storage),
		AppendableV2: storage, Queryable: storage, Context: t.Context(),
		NotifyFunc: func(context.Context, string, ...*rules.Alert) {},
		Parser:     parser.NewParser(parser.Options{}),
	})
	groups, errs := manager.LoadGroups(time.Minute, labels.EmptyLabels(), "", nil, false, file)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	first := map[string]time.Duration{}
	for at := time.Duration(0); at < observed; at += time.Minute {
		for _, g := range groups {
			g.Eval(t.Context(), time.Unix(0, 0).Add(at))
			for _, rule := range g.AlertingRules() {
				if err := rule.LastError(); err != nil {
					t.Fatalf("%s: %v", rule.Name(), err)
				}
				if _, fires := first[rule.Name()]; !fires && rule.State() == rules.StateFiring {
					first[rule.Name()] = at
				}
			}
		}
	}
	return first
}

// TestHealthy has no alert fire where all is well.
func TestHealthy(t *testing.T) {
	for alert, at := range firing(t, fault{}.load()) {
		t.Errorf("%s fires after %v", alert, at)
	}
}

// TestAlerts has each alert fire on its fault, not before its time, and no other.
func TestAlerts(t *testing.T) {
	all, err := readRules()
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range all {
		t.Run(rule.Alert, func(t *testing.T) {
			t.Parallel()
			f, known := faults[rule.Alert]
			if !known {
				t.Fatal("there is no fault on which it fires")
			}
			first := firing(t, f.load())
			var got []string
			for alert := range first {
				got = append(got, alert)
			}
			want := append([]string{rule.Alert}, f.also...)
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what fires: -want +got:\n%s", diff)
			}
			if first[rule.Alert] < time.Duration(rule.For) {
				t.Errorf("it fires after %v, before %v have passed", first[rule.Alert], rule.For)
			}
		})
	}
	for alert := range faults {
		if !slices.ContainsFunc(all, func(r rulefmt.Rule) bool { return r.Alert == alert }) {
			t.Errorf("there is no alert %s", alert)
		}
	}
}
