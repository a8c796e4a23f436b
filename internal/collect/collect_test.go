package collect

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

func parse(t *testing.T, manifests string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := kubeyaml.Parse([]byte(manifests))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// twoClusters are in one namespace. One was made by a claim, and owns an object of Azure through a composite resource.
const twoClusters = `
apiVersion: platform.capz.crossplane.io/v1alpha1
kind: AKSClusterClaim
metadata: {name: one, namespace: a, uid: claim}
---
apiVersion: platform.capz.crossplane.io/v1alpha1
kind: XAKSCluster
metadata: {name: one-x, uid: xr, labels: {crossplane.io/claim-name: one, crossplane.io/claim-namespace: a}}
---
apiVersion: platform.capz.crossplane.io/v1alpha1
kind: XAKSCluster
metadata: {name: two-x, uid: xr-two}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one, namespace: a, uid: one, ownerReferences: [{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: XAKSCluster, name: one-x, uid: xr}]}
spec: {topology: {classRef: {name: aks}}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: aks, namespace: a, uid: class}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: other, namespace: a, uid: other-class}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: two, namespace: a, uid: two}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: {name: one-pool, namespace: a, uid: pool, labels: {cluster.x-k8s.io/cluster-name: one}}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: {name: two-pool, namespace: a, uid: pool-two, labels: {cluster.x-k8s.io/cluster-name: two}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: AzureASOManagedCluster
metadata: {name: one, namespace: a, uid: infra, ownerReferences: [{kind: Cluster, name: one, uid: one}]}
---
apiVersion: resources.azure.com/v1
kind: ResourceGroup
metadata: {name: one, namespace: a, uid: rg, ownerReferences: [{kind: AzureASOManagedCluster, name: one, uid: infra}]}
---
apiVersion: resources.azure.com/v1
kind: ResourceGroup
metadata: {name: foreign, namespace: a, uid: rg-foreign}
---
apiVersion: pkg.crossplane.io/v1
kind: Configuration
metadata: {name: configuration-capz, uid: configuration}
`

func TestOfCluster(t *testing.T) {
	var got []string
	for _, o := range ofCluster(parse(t, twoClusters), "a", "one") {
		got = append(got, string(o.GetUID()))
	}
	want := []string{"claim", "xr", "one", "class", "pool", "infra", "rg", "configuration"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if found := ofCluster(parse(t, twoClusters), "b", "one"); found != nil {
		t.Errorf("of a Cluster in another namespace there are %d objects", len(found))
	}
}

func TestServed(t *testing.T) {
	kinds := served([]*metav1.APIResourceList{
		{GroupVersion: "resources.azure.com/v1", APIResources: []metav1.APIResource{
			{Name: "resourcegroups", Kind: "ResourceGroup", Namespaced: true, Verbs: metav1.Verbs{"list"}},
			{Name: "resourcegroups/status", Kind: "ResourceGroup", Verbs: metav1.Verbs{"get", "list"}},
			{Name: "reviews", Kind: "Review", Verbs: metav1.Verbs{"create"}},
		}},
		{GroupVersion: "apiextensions.crossplane.io/v1beta1", APIResources: []metav1.APIResource{
			{Name: "environmentconfigs", Kind: "EnvironmentConfig", Verbs: metav1.Verbs{"list"}},
			{Name: "compositions", Kind: "Composition", Verbs: metav1.Verbs{"list"}},
		}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", Kind: "Deployment", Namespaced: true, Verbs: metav1.Verbs{"list"}}}},
	})
	var got []string
	for _, k := range (&collector{kinds: kinds}).collected() {
		got = append(got, k.String())
	}
	if diff := cmp.Diff([]string{"resourcegroups.resources.azure.com", "compositions.apiextensions.crossplane.io"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestIsComponent(t *testing.T) {
	for name, c := range map[string]struct {
		manifest string
		want     bool
	}{
		"provider-capz":            {"{kind: Pod, metadata: {labels: {pkg.crossplane.io/provider: provider-capz}}}", true},
		"as Crossplane names it":   {"{kind: Pod, metadata: {labels: {pkg.crossplane.io/provider: crossplane-capz-provider-capz}}}", true},
		"another provider":         {"{kind: Pod, metadata: {labels: {pkg.crossplane.io/provider: provider-aws}}}", false},
		"any function":             {"{kind: Pod, metadata: {labels: {pkg.crossplane.io/function: function-auto-ready}}}", true},
		"Crossplane":               {"{kind: Pod, metadata: {labels: {app: crossplane}}}", true},
		"Azure Service Operator":   {"{kind: Pod, metadata: {labels: {app.kubernetes.io/name: azure-service-operator}}}", true},
		"a provider of CAPI":       {"{kind: Deployment, spec: {template: {metadata: {labels: {cluster.x-k8s.io/provider: cluster-api}}}}}", true},
		"a Deployment's own label": {"{kind: Deployment, metadata: {labels: {app: crossplane}}}", false},
		"something else":           {"{kind: Pod, metadata: {labels: {app: nginx}}}", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := isComponent(parse(t, strings.Replace(c.manifest, "{", "{apiVersion: v1, ", 1))[0]); got != c.want {
				t.Errorf("is a component: %v", got)
			}
		})
	}
}

func TestEventLines(t *testing.T) {
	events := parse(t, `
apiVersion: v1
kind: Event
metadata: {name: later}
involvedObject: {kind: AzureMachine, name: m}
type: Warning
reason: CreationFailed
message: "Azure said no\n"
count: 3
lastTimestamp: "2026-11-27T14:05:00Z"
source: {component: provider-capz}
---
apiVersion: v1
kind: Event
metadata: {name: earlier}
involvedObject: {kind: Cluster, name: c}
type: Normal
reason: Made
message: done
eventTime: "2026-11-27T14:00:00.123456Z"
reportingComponent: capi
`)
	want := "2026-11-27T14:00:00Z Normal capi Made Cluster/c x1: done\n2026-11-27T14:05:00Z Warning provider-capz CreationFailed AzureMachine/m x3: Azure said no\n"
	if diff := cmp.Diff(want, string(eventLines(events))); diff != "" {
		t.Error(diff)
	}
}

func TestDefinitionRow(t *testing.T) {
	crd := parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: azureclusters.infrastructure.cluster.x-k8s.io}
spec: {versions: [{name: v1alpha1, served: false}, {name: v1beta1, served: true}]}
status:
  storedVersions: [v1beta1]
  conditions: [{type: Established, status: "False", message: never}, {type: Terminating, status: "False"}]
`)[0]
	got := strings.Fields(definitionRow(crd))
	if diff := cmp.Diff([]string{"azureclusters.infrastructure.cluster.x-k8s.io", "v1beta1", "v1beta1", "Established=False", "never"}, got); diff != "" {
		t.Error(diff)
	}
}

// broken gives some text, then an error.
type broken struct{ io.Reader }

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestTail(t *testing.T) {
	text, cut, err := tail(strings.NewReader("one\ntwo\nthree\n"), 8)
	if string(text) != "three\n" || !cut || err != nil {
		t.Errorf("%q, cut: %v, %v", text, cut, err)
	}
	text, cut, err = tail(strings.NewReader("one\ntwo\n"), 8)
	if string(text) != "one\ntwo\n" || cut || err != nil {
		t.Errorf("%q, cut: %v, %v", text, cut, err)
	}
	text, _, err = tail(broken{strings.NewReader("one\n")}, 8)
	if string(text) != "one\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q, %v", text, err)
	}
	long := strings.Repeat("0123456789abcde\n", 1<<16)
	text, cut, err = tail(strings.NewReader(long), 1000)
	if len(text) < 900 || len(text) > 1000 || !strings.HasSuffix(long, string(text)) || !cut || err != nil {
		t.Errorf("%d bytes, cut: %v, %v", len(text), cut, err)
	}
}

func TestNewOutput(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there.tar.gz")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewOutput(there, time.Now()); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("an archive that is there: %v", err)
	}
	if _, err := NewOutput(dir, time.Now()); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a folder with something: %v", err)
	}
	for _, to := range []string{filepath.Join(dir, "new.tar.gz"), filepath.Join(dir, "new")} {
		out, err := NewOutput(to, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(out.Add("a/b", []byte("c")), out.Discard()); err != nil {
			t.Error(err)
		}
		left, err := filepath.Glob(to + "*")
		if err != nil || len(left) > 0 {
			t.Errorf("after it was discarded there is %v, %v", left, err)
		}
	}
}

// TestWithheld leaves out a file with a secret that redaction has not found, such as in its name.
func TestWithheld(t *testing.T) {
	c := &collector{}
	c.haul.Add("Secret a/b", "password", []byte("correct-horse-1"))
	c.learn()
	dir := t.TempDir()
	c.out = folder(dir)
	for _, name := range []string{"correct-horse-1", "fine"} {
		if err := c.add(name, []byte("text")); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || c.report.Withheld != 1 || c.report.Whole() {
		t.Errorf("%d files, %d withheld, %v", len(entries), c.report.Withheld, err)
	}
}
