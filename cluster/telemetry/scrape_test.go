package telemetry

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// interval is how often Prometheus scrapes and looks at the rules.
const interval = 2 * time.Second

// A podMonitor is an object of the operator of Prometheus, as far as it is read.
type podMonitor struct {
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Spec struct {
		Selector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"selector"`
		Endpoints []struct {
			Port        string `json:"port"`
			SampleLimit int    `json:"sampleLimit"`
		} `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

func readPodMonitors(root string) ([]podMonitor, error) {
	objects, err := kubeyaml.Read(filepath.Join(root, "examples", "monitoring", "podmonitors.yaml"))
	if err != nil {
		return nil, err
	}
	monitors := make([]podMonitor, len(objects))
	for i, u := range objects {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &monitors[i]); err != nil {
			return nil, err
		}
		if u.GetKind() != "PodMonitor" || len(monitors[i].Spec.Endpoints) != 1 {
			return nil, fmt.Errorf("%s %s has %d endpoints", u.GetKind(), u.GetName(), len(monitors[i].Spec.Endpoints))
		}
	}
	return monitors, nil
}

var notOfLabels = regexp.MustCompile(`[^a-zA-Z0-9_]`)

// meta is the label by which discovery tells Prometheus of something of a Pod.
func meta(parts ...string) string {
	return "__meta_kubernetes_" + notOfLabels.ReplaceAllString(strings.Join(parts, "_"), "_")
}

// targets returns each port of each Pod as Prometheus's discovery of Pods would: the local cluster has no Pods, but a process for each Deployment,
// which listens on the ports of its container.
func targets(deployments []appsv1.Deployment) []any {
	var all []any
	for _, d := range deployments {
		for _, container := range d.Spec.Template.Spec.Containers {
			for _, port := range container.Ports {
				labels := map[string]string{
					meta("namespace"): d.Namespace, meta("pod_name"): d.Name + "-0", meta("pod_container_name"): container.Name,
					meta("pod_container_port_name"): port.Name, meta("pod_phase"): "Running",
				}
				for name, value := range d.Spec.Template.Labels {
					labels[meta("pod_label", name)] = value
				}
				all = append(all, map[string]any{"targets": []string{fmt.Sprintf("127.0.0.1:%d", port.ContainerPort)}, "labels": labels})
			}
		}
	}
	return all
}

// job returns what the operator of Prometheus makes of a PodMonitor: by its selector and port it keeps targets, and gives them labels
// (prometheus-operator, pkg/prometheus/promcfg.go).
func (m podMonitor) job(targets []any) map[string]any {
	keep := func(value string, labels ...string) map[string]any {
		return map[string]any{"action": "keep", "source_labels": labels, "regex": regexp.QuoteMeta(value)}
	}
	copied := func(from, to string) map[string]any {
		return map[string]any{"source_labels": []string{from}, "target_label": to}
	}
	var relabel []map[string]any
	for name, value := range m.Spec.Selector.MatchLabels {
		relabel = append(relabel, keep(value, meta("pod_label", name)))
	}
	port := m.Spec.Endpoints[0].Port
	name := m.Metadata.Namespace + "/" + m.Metadata.Name
	relabel = append(relabel,
		keep(port, meta("pod_container_port_name")),
		copied(meta("namespace"), "namespace"), copied(meta("pod_container_name"), "container"), copied(meta("pod_name"), "pod"),
		map[string]any{"target_label": "job", "replacement": name}, map[string]any{"target_label": "endpoint", "replacement": port},
	)
	return map[string]any{
		"job_name": "podMonitor/" + name + "/0", "honor_labels": false, "sample_limit": m.Spec.Endpoints[0].SampleLimit,
		"static_configs": targets, "relabel_configs": relabel,
	}
}

// configuration returns prometheus.yml for the PodMonitors of examples/monitoring, and for the kube-state-metrics whose address comes to be in a file. As
// its labels say which object it tells of, they come before those of the target.
func configuration(root string, deployments []appsv1.Deployment, stateTargets string, ruleFiles ...string) ([]byte, error) {
	monitors, err := readPodMonitors(root)
	if err != nil {
		return nil, err
	}
	var jobs []any
	for _, m := range monitors {
		inNamespace := slices.DeleteFunc(slices.Clone(deployments), func(d appsv1.Deployment) bool { return d.Namespace != m.Metadata.Namespace })
		jobs = append(jobs, m.job(targets(inNamespace)))
	}
	jobs = append(jobs, map[string]any{"job_name": stateAccount, "honor_labels": true, "file_sd_configs": []any{map[string]any{"files": []string{stateTargets}}}})
	every := interval.String()
	return yaml.Marshal(map[string]any{
		"global":         map[string]any{"scrape_interval": every, "scrape_timeout": every, "evaluation_interval": every},
		"rule_files":     ruleFiles,
		"scrape_configs": jobs,
	})
}

// object returns an object to read, write or delete.
func object(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(apiVersion)
	u.SetKind(kind)
	u.SetNamespace(namespace)
	u.SetName(name)
	return u
}
