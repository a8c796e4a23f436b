package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	metadatafake "k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/management"
	"github.com/crossplane-capz/crossplane-capz/internal/why"
)

// askedCluster has a Cluster whose resource group Azure refuses, and whose control plane refers to nothing that there is.
const askedCluster = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: refused, namespace: default}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedCluster, name: refused}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: fine, namespace: default}
status: {conditions: [{type: Available, status: "True"}]}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedCluster
metadata: {name: refused, namespace: default}
status:
  conditions: [{type: Synced, status: "True"}]
  resources: [{resource: {group: resources.azure.com, version: v1api20200601, kind: ResourceGroup, name: rg}, ready: false, reason: QuotaExceeded, message: no more}]
---
apiVersion: resources.azure.com/v1api20200601
kind: ResourceGroup
metadata: {name: rg, namespace: default, generation: 1, annotations: {serviceoperator.azure.com/credential-from: aso}}
status: {conditions: [{type: Ready, status: "False", severity: Error, reason: QuotaExceeded, message: no more, observedGeneration: 1}]}
`

// askedBy returns what asks that cluster; of the kinds that are forbidden nothing may be read.
func askedBy(t *testing.T, forbidden ...string) (*whyOptions, *bytes.Buffer) {
	t.Helper()
	objects, err := kubeyaml.Parse([]byte(askedCluster))
	if err != nil {
		t.Fatal(err)
	}
	mapper, lists := meta.NewDefaultRESTMapper([]schema.GroupVersion{
		{Group: "cluster.x-k8s.io", Version: "v1beta2"}, {Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1"},
		{Group: "resources.azure.com", Version: "v1api20200601"},
	}), map[schema.GroupVersionResource]string{}
	add := func(gvk schema.GroupVersionKind, scope meta.RESTScope) {
		mapper.Add(gvk, scope)
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		lists[plural] = gvk.Kind + "List"
	}
	all := make([]runtime.Object, 0, len(objects))
	for _, o := range objects {
		add(o.GroupVersionKind(), meta.RESTScopeNamespace)
		all = append(all, o)
	}
	for _, kind := range []string{"MachinePool", "Machine"} {
		add(schema.GroupVersionKind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: kind}, meta.RESTScopeNamespace)
	}
	add(schema.GroupVersionKind{Group: "kusto.azure.com", Version: "v1", Kind: "Cluster"}, meta.RESTScopeNamespace)
	add(schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, meta.RESTScopeNamespace)
	add(schema.GroupVersionKind{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole"}, meta.RESTScopeRoot)
	dynamicClient := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, all...)
	for _, resource := range forbidden {
		dynamicClient.PrependReactor("*", resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "x", nil)
		})
	}
	scheme := metadatafake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	namespace := "default"
	config := genericclioptions.NewConfigFlags(true)
	config.Namespace = &namespace
	o := &whyOptions{IOStreams: genericiooptions.IOStreams{Out: out, ErrOut: out}, config: config, mapper: mapper}
	o.reader = &management.Objects{Dynamic: dynamicClient, Meta: metadatafake.NewSimpleMetadataClient(scheme), Mapper: mapper}
	return o, out
}

func TestWhy(t *testing.T) {
	for name, c := range map[string]struct {
		args      []string
		output    string
		forbidden []string
		code      int
		says      []string
	}{
		"nothing is wrong":       {args: []string{"cluster/fine"}, code: 0, says: []string{"Nothing is wrong with Cluster fine."}},
		"something is":           {args: []string{"cluster/refused"}, code: 2, says: []string{"ResourceGroup rg", "Secret aso", "SecretMissing", "Next: Create the Secret"}},
		"in two words":           {args: []string{"clusters", "refused"}, code: 2, says: []string{"Cluster refused is not ready."}},
		"by kind":                {args: []string{"AzureASOManagedCluster/refused"}, code: 2, says: []string{"AzureASOManagedCluster refused is not ready."}},
		"with its group":         {args: []string{"resourcegroups.resources.azure.com/rg"}, code: 2, says: []string{"ResourceGroup rg is not ready."}},
		"for programs":           {args: []string{"cluster/refused"}, output: "json", code: 2, says: []string{`"ready": false`, `"reason": "SecretMissing"`}},
		"for programs, in YAML":  {args: []string{"cluster/fine"}, output: "yaml", code: 0, says: []string{"ready: true"}},
		"no such object":         {args: []string{"cluster/none"}, code: 1, says: []string{`there is no Cluster "none" in namespace "default"`}},
		"no such kind":           {args: []string{"nonsense/none"}, code: 1, says: []string{`serves no kind "nonsense"`}},
		"no name":                {args: []string{"cluster"}, code: 1, says: []string{"it must be KIND/NAME"}},
		"another format":         {args: []string{"cluster/fine"}, output: "xml", code: 1, says: []string{`--output is "xml"`}},
		"one may not read it":    {args: []string{"cluster/fine"}, forbidden: []string{"clusters"}, code: 2, says: []string{"MayNotRead", "Ask an administrator"}},
		"one may not read below": {args: []string{"cluster/refused"}, forbidden: []string{"azureasomanagedclusters"}, code: 2, says: []string{"AzureASOManagedCluster refused", "MayNotRead"}},
	} {
		t.Run(name, func(t *testing.T) {
			o, out := askedBy(t, c.forbidden...)
			o.output = c.output
			if code := exitCode(o.run(t.Context(), c.args), o.IOStreams); code != c.code {
				t.Errorf("ends with %d, want %d:\n%s", code, c.code, out)
			}
			for _, want := range c.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("does not say %q:\n%s", want, out)
				}
			}
			if c.output == "json" {
				answer := &why.Answer{}
				if err := json.Unmarshal(out.Bytes(), answer); err != nil || len(answer.Causes) == 0 {
					t.Errorf("%v, no causes: %s", err, out)
				}
			}
		})
	}
}

func TestWhyCompletes(t *testing.T) {
	o, _ := askedBy(t)
	cmd := newWhyCommand(o.IOStreams)
	cmd.SetContext(t.Context())
	if got, _ := o.complete(cmd, nil, "cl"); len(got) == 0 || got[0] != "cluster/" {
		t.Errorf("completes %q", got)
	}
	if got, _ := o.complete(cmd, nil, "cluster/"); strings.Join(got, " ") != "cluster/fine cluster/refused" {
		t.Errorf("completes %q", got)
	}
}
