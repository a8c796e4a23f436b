package main

import (
	"maps"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// counted returns how much each series of the metrics of function-capz has counted, by the values of its labels.
func counted(t *testing.T) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	if err := telemetry.Register(registry, telemetry.Function); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			series := []string{f.GetName()}
			for _, l := range m.GetLabel() {
				series = append(series, l.GetValue())
			}
			all[strings.Join(series, " ")] = m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return all
}

// TestCount counts a request by its kind and what came of it.
func TestCount(t *testing.T) {
	asked := &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{"cluster": {}}}
	fatal := []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_WARNING}, {Severity: fnv1.Severity_SEVERITY_FATAL}}
	cases := map[string]struct {
		kind   string
		answer *fnv1.RunFunctionResponse
		want   []string
	}{
		"composed": {
			kind:   "AzureCluster",
			answer: &fnv1.RunFunctionResponse{Desired: &fnv1.State{Composite: &fnv1.Resource{}, Resources: map[string]*fnv1.Resource{"a": {}}}, Requirements: asked},
			want:   []string{"capz_function_requests_total AzureCluster composed", "capz_function_composed_objects AzureCluster", "capz_function_request_seconds AzureCluster"},
		},
		"asked": {
			kind: "AzureMachine", answer: &fnv1.RunFunctionResponse{Desired: &fnv1.State{}, Requirements: asked},
			want: []string{"capz_function_requests_total AzureMachine asked", "capz_function_request_seconds AzureMachine"},
		},
		"fatal": {
			kind: "AzureManagedCluster", answer: &fnv1.RunFunctionResponse{Results: fatal, Requirements: asked},
			want: []string{"capz_function_requests_total AzureManagedCluster fatal", "capz_function_request_seconds AzureManagedCluster"},
		},
		"of another kind": {
			kind: "Stranger", answer: &fnv1.RunFunctionResponse{Results: fatal},
			want: []string{"capz_function_requests_total other fatal", "capz_function_request_seconds other"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := counted(t)
			count(c.kind, c.answer, 3*time.Millisecond)
			got, want := counted(t), map[string]float64{}
			maps.DeleteFunc(got, func(series string, value float64) bool { return value == before[series] })
			for _, series := range c.want {
				want[series] = before[series] + 1
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
