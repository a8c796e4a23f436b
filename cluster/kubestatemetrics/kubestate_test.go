package kubestatemetrics

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-state-metrics/v2/pkg/customresource"
	"k8s.io/kube-state-metrics/v2/pkg/customresourcestate"
	"k8s.io/kube-state-metrics/v2/pkg/metric"
	generator "k8s.io/kube-state-metrics/v2/pkg/metric_generator"
	"sigs.k8s.io/yaml"
	yamlv3 "sigs.k8s.io/yaml/goyaml.v3"
)

// examples is the folder of what is tested.
var examples = filepath.Join("..", "..", "examples", "monitoring")

// recorded has objects of end-to-end runs, in a folder for each phase.
var recorded = filepath.Join("..", "local", "gitops", "testdata")

// TestKubeStateMetrics has kube-state-metrics' own code read the configuration and tell of objects that were recorded in end-to-end runs.
func TestKubeStateMetrics(t *testing.T) {
	made := factories(t)
	for _, phase := range []string{"waiting", "ready", "paused", "failed", "deleting"} {
		files, err := filepath.Glob(filepath.Join(recorded, phase, "*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, file := range files {
			object := readObject(t, file)
			factory, ok := made[object.GroupVersionKind()]
			if !ok {
				continue // It is ASO's or Cluster API's.
			}
			told++
			t.Run(phase+"/"+object.GetKind(), func(t *testing.T) {
				if diff := cmp.Diff(expectedSeries(object), series(t, factory, object)); diff != "" {
					t.Errorf("the series (-want +got):\n%s", diff)
				}
			})
		}
		if told == 0 {
			t.Errorf("there is no object of this project in phase %s", phase)
		}
	}
}

// factories returns what kube-state-metrics makes of the configuration, by kind.
func factories(t *testing.T) map[schema.GroupVersionKind]customresource.RegistryFactory {
	t.Helper()
	file, err := os.Open(filepath.Join(examples, "kube-state-metrics.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	config, decoder := customresourcestate.Metrics{}, yamlv3.NewDecoder(file)
	if err := decoder.Decode(&config); err != nil {
		t.Fatal(err)
	}
	made := map[schema.GroupVersionKind]customresource.RegistryFactory{}
	for _, resource := range config.Spec.Resources {
		gvk := schema.GroupVersionKind(resource.GroupVersionKind)
		for i := range resource.Metrics {
			each := &resource.Metrics[i].Each
			each.Type = metric.Type(strings.ToLower(string(each.Type))) // It does so itself with what it reads.
		}
		if made[gvk], err = customresourcestate.NewCustomResourceMetrics(resource); err != nil {
			t.Fatalf("%s: %v", gvk, err)
		}
	}
	return made
}

func readObject(t *testing.T, file string) *unstructured.Unstructured {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(content, &object.Object); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return object
}

// series returns what kube-state-metrics tells of an object, without the labels that say which object it is.
func series(t *testing.T, factory customresource.RegistryFactory, object *unstructured.Unstructured) map[string]float64 {
	t.Helper()
	text := bytes.Buffer{}
	for _, family := range generator.ComposeMetricGenFuncs(factory.MetricFamilyGenerators())(object) {
		text.Write(family.ByteSlice())
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(&text)
	if err != nil {
		t.Fatal(err)
	}
	identity := map[string]string{
		"customresource_group": object.GroupVersionKind().Group, "customresource_version": object.GroupVersionKind().Version,
		"customresource_kind": object.GetKind(), "name": object.GetName(), "namespace": object.GetNamespace(),
	}
	all := map[string]float64{}
	for name, family := range families {
		for _, m := range family.GetMetric() {
			own := map[string]string{}
			for _, label := range m.GetLabel() {
				if want, ok := identity[label.GetName()]; ok {
					if label.GetValue() != want {
						t.Errorf("%s has %s %q, want %q", name, label.GetName(), label.GetValue(), want)
					}
					continue
				}
				own[label.GetName()] = label.GetValue()
			}
			all[fmt.Sprint(name, own)] = m.GetUntyped().GetValue()
		}
	}
	return all
}

// expectedSeries returns what is to be told of an object: its Cluster, when it was made and is deleted, and its conditions as Cluster API has them.
func expectedSeries(object *unstructured.Unstructured) map[string]float64 {
	want := map[string]float64{"capz_object_created" + "map[]": seconds(object.GetCreationTimestamp().Time)}
	if cluster := object.GetLabels()["cluster.x-k8s.io/cluster-name"]; cluster != "" {
		want[fmt.Sprint("capz_object_info", map[string]string{"cluster": cluster})] = 1
	}
	if at := object.GetDeletionTimestamp(); at != nil {
		want["capz_object_deletion_timestamp"+"map[]"] = seconds(at.Time)
	}
	conditions, found, _ := unstructured.NestedSlice(object.Object, "status", "v1beta2", "conditions")
	if !found {
		conditions, _, _ = unstructured.NestedSlice(object.Object, "status", "conditions")
	}
	for _, item := range conditions {
		condition, _ := item.(map[string]any)
		for _, status := range []string{"True", "False", "Unknown"} {
			value := 0.0
			if condition["status"] == status {
				value = 1
			}
			want[fmt.Sprint("capz_object_condition", map[string]string{"type": fmt.Sprint(condition["type"]), "status": status})] = value
		}
	}
	return want
}

func seconds(at time.Time) float64 { return float64(at.Unix()) }
