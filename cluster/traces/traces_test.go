package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
	"github.com/crossplane-capz/crossplane-capz/internal/traces/export"
)

// hush is in everything that no span may have.
const hush = "hush-hush"

// TestProvider has the spans of a reconcile that asks Azure reach the collector, and Azure be given the ID of their trace.
func TestProvider(t *testing.T) {
	collector := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint)
	end, err := export.Start(t.Context(), "provider-capz", func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	const id = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/m"
	asked, account, transport := serveAzure(t)
	tagger := machines.NewTagger(machines.NewClient(transport))
	tags := reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		return reconcile.Result{RequeueAfter: time.Minute}, tagger.Apply(ctx, machines.Tagging{ID: id, Cluster: "c", As: account, Wanted: map[string]string{"note": hush}})
	})
	request := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "m"}}
	if _, err := traces.Reconciler("azuremachine", "AzureMachine", tags).Reconcile(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	end() // It sends what is left.

	spans := collector.spans(t, 3)
	const path = " url.path=" + id + "/providers/Microsoft.Resources/tags/default"
	const answered = " azure.resource.type=Microsoft.Resources/tags http.response.status_code=200 x-ms-request-id=r"
	want := []string{
		"provider-capz Client GET Microsoft.Resources/tags Unset http.request.method=GET server.address=127.0.0.1" + path + answered,
		"provider-capz Client PATCH Microsoft.Resources/tags Unset http.request.method=PATCH server.address=127.0.0.1" + path + answered,
		"provider-capz Internal reconcile azuremachine Unset k8s.object.kind=AzureMachine k8s.object.name=m k8s.namespace.name=team " +
			"k8s.controller.name=azuremachine capz.result=requeue_after",
	}
	var got, traced, correlated []string
	for _, s := range spans {
		got, traced = append(got, s.line), append(traced, s.trace)
		if s.correlation != "" {
			correlated = append(correlated, s.correlation)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(slices.Compact(traced)) != 1 {
		t.Errorf("the spans are of traces %v, want one", traced)
	}
	if diff := cmp.Diff(asked(), correlated); diff != "" || strings.ReplaceAll(asked()[0], "-", "") != spans[0].trace {
		t.Errorf("Azure was asked with %v, the spans have %v, the trace is %s", asked(), correlated, spans[0].trace)
	}
	collector.quiet(t)
}

// serveAzure returns an Azure that has a machine with tags, and what tells by which IDs it was asked to correlate.
func serveAzure(t *testing.T) (asked func() []string, as azure.Account, through policy.Transporter) {
	t.Helper()
	var all []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all = append(all, r.Header.Get("x-ms-correlation-request-id"))
		w.Header().Set("x-ms-request-id", "r")
		_, _ = io.WriteString(w, `{"properties":{"tags":{"sigs.k8s.io_cluster-api-provider-azure_cluster_c":"owned","secret":"`+hush+`"}}}`)
	}))
	t.Cleanup(server.Close)
	return func() []string { return all }, azure.Account{Credential: token{}, Cloud: cloud.Configuration{Services: map[cloud.ServiceName]cloud.ServiceConfiguration{
		cloud.ResourceManager: {Endpoint: server.URL, Audience: "https://management"},
	}}}, server.Client()
}

// token is a credential that is always taken.
type token struct{}

// GetToken implements azcore.TokenCredential.
func (token) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: hush, ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// TestFunction has the spans of function-capz, which is built and run, reach the collector by what its environment says alone.
func TestFunction(t *testing.T) {
	collector := collect(t)
	binary := filepath.Join(t.TempDir(), "function-capz")
	run(t, command("go", "build", "-C", "../..", "-o", binary, "./functions/function-capz"))
	address := free(t)
	serve := command(binary, "--insecure", "--address", address, "--metrics-address", "")
	serve.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.endpoint, "OTEL_BSP_SCHEDULE_DELAY=100")
	start(t, serve)
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	runner := fnv1.NewFunctionRunnerServiceClient(connection)
	for _, kind := range []string{"AzureCluster", "Stranger"} {
		composite, err := structpb.NewStruct(map[string]any{
			"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": kind, "metadata": map[string]any{"name": "c", "namespace": "team"},
			"spec": map[string]any{"location": hush},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		req := &fnv1.RunFunctionRequest{Meta: &fnv1.RequestMeta{Tag: kind}, Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: composite}}}
		if _, err := runner.RunFunction(ctx, req, grpc.WaitForReady(true)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, s := range collector.spans(t, 2) {
		got = append(got, s.line)
	}
	object := func(kind string) string {
		return fmt.Sprintf(" k8s.object.kind=%s k8s.object.name=c k8s.namespace.name=team ", kind)
	}
	want := []string{
		"function-capz Server compose AzureCluster Unset" + object("AzureCluster") + "capz.result=composed capz.composed=0",
		"function-capz Server compose Stranger Error (function-capz composes no Stranger.infrastructure.cluster.x-k8s.io; " +
			"use it in a Composition for one of the CAPZ kinds)" + object("Stranger") + "capz.result=fatal capz.composed=0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	collector.quiet(t)
}
