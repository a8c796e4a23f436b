package migrate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

const (
	older = "infrastructure.cluster.x-k8s.io/v1alpha1"
	newer = "infrastructure.cluster.x-k8s.io/v1beta1"
)

func TestManifests(t *testing.T) {
	cases := map[string]struct {
		raw, want string
		lines     []int
		err       string
	}{
		"an object, with its comments": {
			raw:   "# mine\napiVersion: " + older + " # old\nkind: AzureASOManagedCluster\n",
			want:  "# mine\napiVersion: " + newer + " # old\nkind: AzureASOManagedCluster\n",
			lines: []int{2},
		},
		"a reference in a Cluster": {
			raw:   "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nspec:\n  infrastructureRef:\n    kind: AzureASOManagedCluster\n    apiVersion: \"" + older + "\"\n",
			want:  "apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nspec:\n  infrastructureRef:\n    kind: AzureASOManagedCluster\n    apiVersion: \"" + newer + "\"\n",
			lines: []int{6},
		},
		"several on a line, in JSON": {
			raw:   `{"items":[{"kind":"AzureASOManagedControlPlane","apiVersion":"` + older + `"},{"kind":"AzureASOManagedMachinePoolTemplate","apiVersion":"` + older + `"}]}`,
			want:  `{"items":[{"kind":"AzureASOManagedControlPlane","apiVersion":"` + newer + `"},{"kind":"AzureASOManagedMachinePoolTemplate","apiVersion":"` + newer + `"}]}`,
			lines: []int{1, 1},
		},
		"what a patch selects": {
			raw:   "patches:\n- target: {group: infrastructure.cluster.x-k8s.io, version: v1alpha1, kind: AzureASOManagedMachinePool}\n",
			want:  "patches:\n- target: {group: infrastructure.cluster.x-k8s.io, version: v1beta1, kind: AzureASOManagedMachinePool}\n",
			lines: []int{2},
		},
		"the second document": {raw: "a: é\n---\n{kind: AzureASOManagedCluster, é: ü, apiVersion: " + older + "}\n", want: "a: é\n---\n{kind: AzureASOManagedCluster, é: ü, apiVersion: " + newer + "}\n", lines: []int{3}},
		"another kind":        {raw: "apiVersion: " + older + "\nkind: Other\n", want: "apiVersion: " + older + "\nkind: Other\n"},
		"up to date":          {raw: "apiVersion: " + newer + "\nkind: AzureASOManagedCluster\n", want: "apiVersion: " + newer + "\nkind: AzureASOManagedCluster\n"},
		"a template":          {raw: "kind: {{ .Kind }}\n: x", err: "yaml"},
		"a version over two lines": {
			raw: "kind: AzureASOManagedCluster\napiVersion: \"infrastructure.cluster.x-k8s.io/\\\n  v1alpha1\"\n", err: "line 2: the version of AzureASOManagedCluster",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, changes, err := Manifests([]byte(c.raw))
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var lines []int
			for _, change := range changes {
				lines = append(lines, change.Line)
			}
			if diff := cmp.Diff(c.want, string(got)) + cmp.Diff(c.lines, lines); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzManifests(f *testing.F) {
	f.Add([]byte("apiVersion: " + older + "\nkind: AzureASOManagedCluster\n"))
	f.Add([]byte("a: &x {kind: AzureASOManagedCluster, apiVersion: !!str " + older + "}\nb: *x\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, changes, err := Manifests(raw)
		if err != nil {
			return
		}
		if len(changes) == 0 && !bytes.Equal(got, raw) {
			t.Error("text has changed without a change")
		}
		decoder := yaml.NewDecoder(bytes.NewReader(got))
		for range changes {
			if decoder.Decode(&yaml.Node{}) != nil {
				break
			}
		}
		if _, again, err := Manifests(got); err != nil || len(again) > 0 {
			t.Errorf("what is up to date changes again: %v, %v", again, err)
		}
	})
}
