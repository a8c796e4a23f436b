package telemetry

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// The ServiceAccount that kube-state-metrics-rbac.yaml names.
const (
	stateNamespace = "monitoring"
	stateAccount   = "kube-state-metrics"
)

// checkKubeStateMetrics has kube-state-metrics tell of each object of this project, and that it is ready, with no more rights than the example gives.
func (w *world) checkKubeStateMetrics() {
	w.t.Helper()
	address := w.startKubeStateMetrics()
	told := 0
	await(w.t, time.Minute, "kube-state-metrics tells of all objects", func() (lacks string, err error) {
		told, lacks, err = w.untold("http://" + address + "/metrics")
		return lacks, err
	})
	w.say("kube-state-metrics tells of %d objects", told)
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
	token := &authenticationv1.TokenRequest{}
	w.must(w.client.SubResource("token").Create(w.t.Context(), account, token))

	dir := w.t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	w.must(w.writeKubeconfig(kubeconfig, token.Status.Token))
	server := filepath.Join(w.root, ".local", "bin", "kube-state-metrics")
	run(w.t, exec.Command("go", "build", "-C", filepath.Join(w.root, "cluster", "kubestatemetrics"), "-o", server, "k8s.io/kube-state-metrics/v2"))
	log, err := os.Create(filepath.Join(folderOf(w.t, w.root), "kube-state-metrics.log"))
	w.must(err)
	address, own := free(w.t), free(w.t)
	host, port, _ := strings.Cut(address, ":")
	_, ownPort, _ := strings.Cut(own, ":")
	c := exec.Command(server, "--kubeconfig", kubeconfig, "--custom-resource-state-only",
		"--custom-resource-state-config-file", filepath.Join(examples, "kube-state-metrics.yaml"),
		"--host", host, "--port", port, "--telemetry-host", host, "--telemetry-port", ownPort)
	c.Stdout, c.Stderr = log, log
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	w.must(c.Start())
	w.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
		_ = log.Close()
	})
	return address
}

// writeKubeconfig writes one with which a token is used on the management cluster.
func (w *world) writeKubeconfig(file, token string) error {
	const only = "only"
	admin, err := clientcmd.LoadFromFile(w.stack.Kubeconfig())
	if err != nil {
		return err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters[only] = admin.Clusters[admin.Contexts[admin.CurrentContext].Cluster]
	config.AuthInfos[only] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts[only] = &clientcmdapi.Context{Cluster: only, AuthInfo: only}
	config.CurrentContext = only
	return clientcmd.WriteToFile(*config, file)
}

// untold returns of how many objects kube-state-metrics tells, and the first of which it tells nothing or not that it is ready.
func (w *world) untold(url string) (told int, lacks string, err error) {
	response, err := http.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(response.Body)
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
			is := map[string]string{"customresource_kind": kind.Kind, "name": u.GetName()}
			if !kind.ClusterScoped {
				is["namespace"] = u.GetNamespace()
			}
			made := valueOf(families["capz_object_created"], is)
			is["type"], is["status"] = "Ready", "True"
			if ready := valueOf(families["capz_object_condition"], is); made != float64(u.GetCreationTimestamp().Unix()) || ready != 1 {
				return told, fmt.Sprintf("%s %s/%s was made at %v and has Ready=True %v", kind.Kind, u.GetNamespace(), u.GetName(), made, ready), nil
			}
			told++
		}
	}
	if told == 0 {
		return 0, "there are no objects", nil
	}
	return told, "", nil
}

// valueOf returns that of the series with these labels; 0 if there is none.
func valueOf(family *dto.MetricFamily, labels map[string]string) float64 {
	for _, m := range family.GetMetric() {
		same := 0
		for _, label := range m.GetLabel() {
			if want, ok := labels[label.GetName()]; ok && want == label.GetValue() {
				same++
			}
		}
		if same == len(labels) {
			return m.GetGauge().GetValue() + m.GetUntyped().GetValue()
		}
	}
	return 0
}
