package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// The ServiceAccount that kube-state-metrics-rbac.yaml names.
const (
	stateNamespace = "monitoring"
	stateAccount   = "kube-state-metrics"
)

// Files in the folder of a test: what Prometheus has the address of kube-state-metrics from, and what that logs.
const (
	stateTargetsFile = "kube-state-metrics.json"
	stateLogFile     = "kube-state-metrics.log"
)

// checkKubeStateMetrics has kube-state-metrics tell Prometheus of each object of this project, and that it is ready, with no more rights than the example
// gives.
func (w *world) checkKubeStateMetrics() {
	w.t.Helper()
	targets := fmt.Sprintf(`[{"targets":[%q]}]`, w.startKubeStateMetrics())
	w.must(os.WriteFile(filepath.Join(folderOf(w.t, w.root), stateTargetsFile), []byte(targets), 0o600))
	told := 0
	await(w.t, time.Minute, "kube-state-metrics tells of all objects", func() (lacks string, err error) {
		told, lacks, err = w.untold()
		return lacks, err
	})
	w.say("kube-state-metrics tells of %d objects", told)
	log, err := os.ReadFile(filepath.Join(folderOf(w.t, w.root), stateLogFile))
	w.must(err)
	if at := bytes.Index(log, []byte("\nE")); at >= 0 { // klog begins the line of an error with this letter.
		line, _, _ := bytes.Cut(log[at+1:], []byte("\n"))
		w.t.Errorf("kube-state-metrics logs %s", line)
	}
}

// startKubeStateMetrics starts what ends with the test, and returns its address.
func (w *world) startKubeStateMetrics() string {
	w.t.Helper()
	examples := filepath.Join(w.root, "examples", "monitoring")
	rights, err := kubeyaml.Read(filepath.Join(examples, "kube-state-metrics-rbac.yaml"))
	w.must(err)
	w.must(w.client.Create(w.t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: stateNamespace}}))
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: stateNamespace, Name: stateAccount}}
	w.must(w.client.Create(w.t.Context(), account))
	w.must(w.apply(rights...))
	kubeconfig := filepath.Join(w.t.TempDir(), "kubeconfig")
	w.must(w.stack.WriteAccountKubeconfig(w.t.Context(), kubeconfig, types.NamespacedName{Namespace: stateNamespace, Name: stateAccount}))
	server := filepath.Join(w.root, ".local", "bin", "kube-state-metrics")
	run(w.t, exec.Command("go", "build", "-C", filepath.Join(w.root, "cluster", "kubestatemetrics"), "-o", server, "k8s.io/kube-state-metrics/v2"))
	address, own := free(w.t), free(w.t)
	host, port, _ := strings.Cut(address, ":")
	_, ownPort, _ := strings.Cut(own, ":")
	c := exec.Command(server, "--kubeconfig", kubeconfig, "--custom-resource-state-only",
		"--custom-resource-state-config-file", filepath.Join(examples, "kube-state-metrics.yaml"),
		"--host", host, "--port", port, "--telemetry-host", host, "--telemetry-port", ownPort)
	end := startLogging(w.t, c, filepath.Join(folderOf(w.t, w.root), stateLogFile))
	w.t.Cleanup(func() { _ = end() })
	return address
}

// untold returns of how many objects kube-state-metrics tells, and the first of which it tells nothing or not that it is ready.
func (w *world) untold() (told int, lacks string, err error) {
	made, err := w.prometheus.byObject(w.t.Context(), "capz_object_created")
	if err != nil {
		return 0, "", err
	}
	ready, err := w.prometheus.byObject(w.t.Context(), `capz_object_condition{type="Ready",status="True"}`)
	if err != nil {
		return 0, "", err
	}
	for _, kind := range composite.Select(func(k composite.Kind) bool { return k.Role != composite.Template }) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: kind.Group, Version: kind.Version, Kind: kind.Kind + "List"})
		if err := w.client.List(w.t.Context(), list); err != nil {
			return 0, "", err
		}
		for _, u := range list.Items {
			of := kind.Kind + " " + u.GetNamespace() + "/" + u.GetName()
			if made[of] != float64(u.GetCreationTimestamp().Unix()) || ready[of] != 1 {
				return told, fmt.Sprintf("%s was made at %v and has Ready=True %v", of, made[of], ready[of]), nil
			}
			told++
		}
	}
	if told == 0 {
		return 0, "there are no objects", nil
	}
	return told, "", nil
}

// byObject returns the values that kube-state-metrics tells, by kind, namespace and name of the objects.
func (p *prometheus) byObject(ctx context.Context, query string) (map[string]float64, error) {
	found, _, err := p.api.Query(ctx, query, time.Now())
	if err != nil {
		return nil, err
	}
	vector, ok := found.(model.Vector)
	if !ok {
		return nil, fmt.Errorf("%s is no vector but a %T", query, found)
	}
	values := map[string]float64{}
	for _, s := range vector {
		values[string(s.Metric["customresource_kind"]+" "+s.Metric["namespace"]+"/"+s.Metric["name"])] = float64(s.Value)
	}
	return values, nil
}
