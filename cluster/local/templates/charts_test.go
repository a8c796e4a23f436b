package templates

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func object(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), u); err != nil {
		t.Fatal(err)
	}
	return u
}

func TestNeedsChart(t *testing.T) {
	const chart = "{apiVersion: addons.cluster.x-k8s.io/v1alpha1, kind: HelmChartProxy, metadata: {name: calico}}"
	cases := map[string]struct {
		leftOut, data string
		want          bool
	}{
		"a namespace of the chart": {leftOut: chart, data: "{apiVersion: v1, kind: ConfigMap, metadata: {name: rules, namespace: calico-system}}", want: true},
		"a kind of the chart":      {leftOut: chart, data: "{apiVersion: crd.projectcalico.org/v1, kind: IPAMConfig, metadata: {name: default}}", want: true},
		"what Kubernetes has":      {leftOut: chart, data: "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: proxy, namespace: kube-system}}"},
		"a namespace of its own": {leftOut: chart, data: "{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: own}}\n" +
			"---\n{apiVersion: v1, kind: Namespace, metadata: {name: own}}"},
		"no chart": {leftOut: "{apiVersion: x/v1, kind: RKE2ControlPlane, metadata: {name: x}}",
			data: "{apiVersion: v1, kind: ConfigMap, metadata: {name: rules, namespace: calico-system}}"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			content := object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: content}}")
			if err := unstructured.SetNestedField(content.Object, c.data, "data", "all"); err != nil {
				t.Fatal(err)
			}
			w := &world{applied: []*unstructured.Unstructured{content}, leftOut: []*unstructured.Unstructured{object(t, c.leftOut)}}
			got, err := w.needsChart(object(t, "{kind: ClusterResourceSet, apiVersion: a/v1, metadata: {name: s}, spec: {resources: [{kind: ConfigMap, name: content}]}}"))
			if err != nil || got != c.want {
				t.Errorf("%v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestSelects(t *testing.T) {
	clusters := []unstructured.Unstructured{*object(t, "{kind: Cluster, apiVersion: a/v1, metadata: {name: c, labels: {cni: calico}}}")}
	for selector, want := range map[string]bool{"{matchLabels: {cni: calico}}": true, "{matchLabels: {cni: c-calico}}": false} {
		got, err := selects(object(t, "{kind: ClusterResourceSet, apiVersion: a/v1, metadata: {name: s}, spec: {clusterSelector: "+selector+"}}"), clusters)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", selector, got, err, want)
		}
	}
}
