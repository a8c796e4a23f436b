package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
)

func composite(t *testing.T, apiVersion, kind string, metadata map[string]any) *fnv1.State {
	t.Helper()
	s, err := structpb.NewStruct(map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata})
	if err != nil {
		t.Fatal(err)
	}
	return &fnv1.State{Composite: &fnv1.Resource{Resource: s}}
}

func TestRunFunctionDispatches(t *testing.T) {
	const capz = "infrastructure.cluster.x-k8s.io/v1beta1"
	metadata := map[string]any{"name": "n", "namespace": "ns"}
	unknown := func(kind string) string {
		return "function-capz composes no " + kind + "; use it in a Composition for one of the CAPZ kinds"
	}
	cases := map[string]struct {
		observed *fnv1.State
		// condition is the message of ResourcesReady, fatal that of the error.
		condition, fatal string
	}{
		"cluster": {observed: composite(t, capz, "AzureASOManagedCluster", metadata),
			condition: `waits for a Cluster to own it: a Cluster in namespace "ns" must refer to AzureASOManagedCluster "n"`},
		"control plane": {observed: composite(t, capz, "AzureASOManagedControlPlane", metadata),
			condition: `waits for a Cluster to own it: a Cluster in namespace "ns" must refer to AzureASOManagedControlPlane "n"`},
		"machine pool": {observed: composite(t, capz, "AzureASOManagedMachinePool", metadata),
			condition: `waits for a MachinePool to own it: a MachinePool in namespace "ns" must refer to AzureASOManagedMachinePool "n"`},
		"in any version": {observed: composite(t, "infrastructure.cluster.x-k8s.io/v1alpha1", "AzureASOManagedCluster", metadata),
			condition: `waits for a Cluster to own it: a Cluster in namespace "ns" must refer to AzureASOManagedCluster "n"`},
		"cluster template":       {observed: composite(t, capz, "AzureASOManagedClusterTemplate", metadata)},
		"control plane template": {observed: composite(t, capz, "AzureASOManagedControlPlaneTemplate", metadata)},
		"machine pool template":  {observed: composite(t, capz, "AzureASOManagedMachinePoolTemplate", metadata)},
		"another kind":           {observed: composite(t, capz, "AzureMachinePoolMachine", metadata), fatal: unknown("AzureMachinePoolMachine.infrastructure.cluster.x-k8s.io")},
		"another group":          {observed: composite(t, "example.org/v1", "AzureASOManagedCluster", metadata), fatal: unknown("AzureASOManagedCluster.example.org")},
		"no composite":           {fatal: unknown("")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var logged []string
			f := &Function{log: logging.NewLogrLogger(funcr.New(func(_, args string) { logged = append(logged, args) }, funcr.Options{}))}
			rsp, err := f.RunFunction(context.Background(), &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: "tag"}, Observed: c.observed,
				RequiredResources: map[string]*fnv1.Resources{"cluster": {}, "machinepool": {}}})
			if err != nil {
				t.Fatal(err)
			}
			if refused := slices.ContainsFunc(logged, func(line string) bool { return strings.Contains(line, "Nothing is composed") }); refused != (c.fatal != "") || len(logged) > 1 {
				t.Errorf("logged: %q", logged)
			}
			var results []*fnv1.Result
			ttl := time.Hour
			if c.fatal != "" {
				results, ttl = []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_FATAL, Message: c.fatal, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}}, time.Minute
			}
			if diff := cmp.Diff(&fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(ttl)}, rsp.GetMeta(), protocmp.Transform()); diff != "" {
				t.Errorf("meta: -want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(results, rsp.GetResults(), protocmp.Transform()); diff != "" {
				t.Errorf("results: -want, +got:\n%s", diff)
			}
			message := ""
			for _, condition := range rsp.GetConditions() {
				message = condition.GetMessage()
			}
			if message != c.condition {
				t.Errorf("ResourcesReady: want %q, got %q", c.condition, message)
			}
		})
	}
}

// TestRunFunctionDispatchesTeams checks that the kinds for application teams are known: without an input they say what it
// must be.
func TestRunFunctionDispatchesTeams(t *testing.T) {
	for _, kind := range []string{"AKSCluster", "XAKSCluster"} {
		observed := composite(t, "platform.capz.crossplane.io/v1alpha1", kind, map[string]any{"name": "n"})
		f := &Function{log: logging.NewNopLogger()}
		rsp, err := f.RunFunction(context.Background(), &fnv1.RunFunctionRequest{Observed: observed})
		if err != nil {
			t.Fatal(err)
		}
		want := "the step has no input, but needs an AKSClusterPolicy of platform.capz.crossplane.io/v1alpha1 that names a ClusterClass"
		if results := rsp.GetResults(); len(results) != 1 || results[0].GetSeverity() != fnv1.Severity_SEVERITY_FATAL || results[0].GetMessage() != want {
			t.Errorf("%s: results %v, want %s", kind, results, want)
		}
	}
}
