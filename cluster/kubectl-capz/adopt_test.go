package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	adoptedGroup   = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg"
	adoptedCluster = adoptedGroup + "/providers/Microsoft.ContainerService/managedClusters/mine"
)

type staticToken struct{}

func (staticToken) GetToken(context.Context, policy.TokenRequestOptions) (azcore.AccessToken, error) {
	return azcore.AccessToken{Token: "t", ExpiresOn: time.Now().Add(time.Hour)}, nil
}

// azureAnswers serves answers by path, and returns what reads them and the requests that there were.
func azureAnswers(t *testing.T, answers map[string]string) (*azureReader, func() []string) {
	t.Helper()
	var requests []string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests = append(requests, r.Method+" "+r.URL.Path)
		answer, ok := answers[r.URL.Path+r.URL.Query().Get("page")]
		switch {
		case !ok:
			w.WriteHeader(http.StatusNotFound)
			answer = `{"error":{"code":"ResourceNotFound"}}`
		case strings.HasPrefix(answer, "!"):
			w.WriteHeader(http.StatusForbidden)
			answer = answer[1:]
		}
		_, _ = w.Write([]byte(strings.ReplaceAll(answer, "HOST", "https://"+r.Host)))
	}))
	t.Cleanup(server.Close)
	in, err := cloudNamed("azurepubliccloud", server.URL)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := azureReaderAs(staticToken{}, azcore.ClientOptions{Cloud: in, Transport: server.Client(), Retry: policy.RetryOptions{MaxRetries: -1}}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return reader, func() []string { return requests }
}

func TestAdoptPrints(t *testing.T) {
	const (
		mc    = `{"id":"` + adoptedCluster + `","location":"westeurope","properties":{"kubernetesVersion":"1.33.6","dnsPrefix":"mine","newField":true}}`
		pool0 = `{"id":"` + adoptedCluster + `/agentPools/pool0","properties":{"count":2,"vmSize":"s"}}`
		pool1 = `{"id":"` + adoptedCluster + `/agentPools/pool1","properties":{"count":1,"vmSize":"s"}}`
	)
	cases := map[string]struct {
		answers map[string]string
		output  string
		objects int
		told    string
		err     string
	}{
		"manifests, from pages": {
			answers: map[string]string{
				adoptedCluster: mc, adoptedCluster + "/agentPools": `{"value":[` + pool0 + `],"nextLink":"HOST` + adoptedCluster + `/agentPools?page=2"}`,
				adoptedCluster + "/agentPools2": `{"value":[` + pool1 + `]}`,
			},
			objects: 7, told: "not expressed: " + adoptedCluster + ": properties.newField",
		},
		"json": {answers: map[string]string{adoptedCluster: mc, adoptedCluster + "/agentPools": `{"value":[` + pool0 + `]}`}, output: "json", objects: 5},
		"a page of another host": {
			answers: map[string]string{adoptedCluster: mc, adoptedCluster + "/agentPools": `{"value":[],"nextLink":"https://example.org/x"}`},
			err:     "goes on at an address that is not of https://127.0.0.1",
		},
		"no right": {
			answers: map[string]string{adoptedCluster: `!{"error":{"code":"AuthorizationFailed","message":"no action over scope"}}`},
			err:     "Azure answers 403 AuthorizationFailed for " + adoptedCluster + ": no action over scope",
		},
		"no such cluster": {err: "Azure has no " + adoptedCluster},
		"another output":  {output: "table", err: `--output is "table", but must be json or yaml`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", "/nonexistent")
			reader, requests := azureAnswers(t, c.answers)
			streams, _, out, told := genericiooptions.NewTestIOStreams()
			o := &adoptOptions{IOStreams: streams, telling: telling{to: told}, config: genericclioptions.NewConfigFlags(true), output: c.output, azure: reader}
			err := o.run(t.Context(), adoptedCluster)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if slices.ContainsFunc(requests(), func(r string) bool { return !strings.HasPrefix(r, "GET ") }) {
				t.Error("Azure is not only read:", requests())
			}
			if !strings.Contains(told.String(), c.told) {
				t.Errorf("told %q, want %q", told, c.told)
			}
			if got := printed(t, out, c.output); got != c.objects {
				t.Errorf("%d objects, want %d:\n%s", got, c.objects, out)
			}
		})
	}
}

// printed returns the number of objects in what was printed.
func printed(t *testing.T, out *bytes.Buffer, output string) int {
	t.Helper()
	if output == "json" {
		all := adoption{}
		if err := json.Unmarshal(out.Bytes(), &all); err != nil || len(all.NotExpressed) != 1 {
			t.Fatal(err, all.NotExpressed)
		}
		return len(all.Objects)
	}
	objects, err := kubeyaml.Parse(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if o.GetNamespace() != "default" {
			t.Errorf("%s is in namespace %q", o.GetKind(), o.GetNamespace())
		}
	}
	return len(objects)
}
