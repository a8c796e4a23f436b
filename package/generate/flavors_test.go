package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

func parseAll(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := kubeyaml.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func TestFlavor(t *testing.T) {
	const (
		base  = `{apiVersion: v1, kind: AzureCluster, metadata: {name: "${CLUSTER_NAME}"}, spec: {location: "${AZURE_LOCATION}", tags: {only: template}, list: [1]}}`
		usual = `{apiVersion: v1, kind: AzureCluster, metadata: {name: my-cluster, namespace: default}, spec: {location: westeurope, list: [1]}}`
	)
	cases := map[string]struct {
		example, want, fails string
	}{
		"the same":            {example: usual, want: base},
		"another value":       {example: strings.Replace(usual, "list: [1]", "list: [2, 3]", 1), want: strings.Replace(base, "list: [1]", "list: [2, 3]", 1)},
		"a value more":        {example: strings.Replace(usual, "list", "more: {name: my-cluster-vnet}, list", 1), want: strings.Replace(base, "list", `more: {name: "${CLUSTER_NAME}-vnet"}, list`, 1)},
		"a value less":        {example: strings.Replace(usual, ", list: [1]", "", 1), want: strings.Replace(base, ", list: [1]", "", 1)},
		"a value of its name": {example: strings.Replace(usual, "list", "network: company, other: companywide, list", 1), want: strings.Replace(base, "list", `network: "${AZURE_CUSTOM_VNET_NAME}", other: companywide, list`, 1)},
		"workers beside": {
			example: `{apiVersion: v1, kind: MachineDeployment, metadata: {name: my-cluster-spot, namespace: default}, spec: {replicas: 3, version: v1.36.3}}`,
			want:    base + "\n---\n" + `{apiVersion: v1, kind: MachineDeployment, metadata: {name: "${CLUSTER_NAME}-spot"}, spec: {replicas: "${WORKER_MACHINE_COUNT:=2}", version: "${KUBERNETES_VERSION}"}}`,
		},
		"their machines": {
			example: `{apiVersion: v1, kind: AzureMachineTemplate, metadata: {name: my-cluster-spot, namespace: default}, spec: {template: {spec: {vmSize: Standard_D2s_v5}}}}`,
			want:    base + "\n---\n" + `{apiVersion: v1, kind: AzureMachineTemplate, metadata: {name: "${CLUSTER_NAME}-spot"}, spec: {template: {spec: {vmSize: "${AZURE_NODE_MACHINE_TYPE}", sshPublicKey: '${AZURE_SSH_PUBLIC_KEY_B64:=""}'}}}}`,
		},
		"no template of it": {example: `{apiVersion: v1, kind: Cluster, metadata: {name: my-cluster}}`, fails: "cluster-template.yaml has no Cluster ${CLUSTER_NAME}"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			known := map[string]*unstructured.Unstructured{}
			for _, o := range parseAll(t, usual+"\n---\n"+`{apiVersion: v1, kind: Cluster, metadata: {name: my-cluster}}`) {
				known[called(o)] = o
			}
			got, err := flavor(parseAll(t, base), known, parseAll(t, c.example))
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("got %v, want %q", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parseAll(t, c.want), got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// TestFlavorsKeepVariables shows that no variable is quoted: clusterctl puts text in its place, which may be a number or quoted itself.
func TestFlavorsKeepVariables(t *testing.T) {
	files := fileSet{}
	if err := addFlavors(files, "../.."); err != nil {
		t.Fatal(err)
	}
	if len(files) != len(topics) {
		t.Errorf("got %d templates, want one for each of %v", len(files), topics)
	}
	for name, content := range files {
		for line := range strings.Lines(string(content)) {
			if strings.Contains(line, "'${") || strings.Contains(line, `"${`) {
				t.Errorf("%s: %s", name, line)
			}
		}
		for _, left := range []string{exampleCluster, "westeurope", "namespace: default"} {
			_, objects, _ := strings.Cut(string(content), "\n")
			if strings.Contains(objects, left) {
				t.Errorf("%s has %q in it", name, left)
			}
		}
	}
}
