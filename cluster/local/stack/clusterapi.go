package stack

import (
	"context"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

// A capiController is one of Cluster API's own controllers or a provider, installed as its kustomization has it.
type capiController struct {
	// name of the component.
	name string
	// manifests returns the folder of its kustomization.
	manifests func(sources) string
	// The names of the ports on which it serves webhooks and conversions, its health, and its metrics.
	webhookPort, healthPort, statPort string
	account                           types.NamespacedName
	// gates are its feature gates.
	gates string
	// aggregated is the ClusterRole that others are added to; empty when there is none.
	aggregated string
	// title is what the log calls it.
	title string
}

var (
	capiCore = capiController{
		name: CAPI, manifests: inCAPI("core"), webhookPort: portCAPIWebhook, healthPort: portCAPI, statPort: portCAPIStat,
		account: capiAccount, gates: "ClusterTopology=true",
		aggregated: "capi-aggregated-manager-role", title: "Cluster API core",
	}
	capiKubeadm = capiController{
		name: KubeadmBootstrap, manifests: inCAPI("bootstrap/kubeadm"), webhookPort: portKubeadmWebhook, healthPort: portKubeadm,
		statPort: portKubeadmStat, account: kubeadmAccount, gates: kubeadmGates, title: "Cluster API's kubeadm bootstrap provider",
	}
	capiControl = capiController{
		name: KubeadmControl, manifests: inCAPI("controlplane/kubeadm"), webhookPort: portControlWebhook, healthPort: portControl,
		statPort: portControlStat, account: controlAccount, gates: kubeadmGates,
		aggregated: "capi-kubeadm-control-plane-aggregated-manager-role", title: "Cluster API's kubeadm control-plane provider",
	}
)

// kubeadmGates are opened by variables of `clusterctl init`, and CAPZ's documentation asks for them: ClusterClasses, and Flatcar's format.
const kubeadmGates = "ClusterTopology=true,KubeadmBootstrapFormatIgnition=true"

// launch is how the controller is started on a stack. It reaches the API servers of clusters, and the control-plane provider their etcd by
// port-forward, through the proxy.
func (c capiController) launch(s *Stack) launch {
	return launch{
		binary: c.name,
		args: []string{
			"--webhook-port=" + s.port(c.webhookPort), "--webhook-cert-dir=" + s.path("certs", "webhooks"),
			"--health-addr=" + s.address(c.healthPort), "--diagnostics-address=" + s.address(c.statPort),
			"--insecure-diagnostics", "--feature-gates=" + c.gates, "--sync-period=" + s.options.CAPISyncPeriod.String(),
		},
		env:   append(s.azureEnv(), "KUBECONFIG="+s.kubeconfigOf(c.name), "POD_NAMESPACE="+c.account.Namespace),
		ports: []string{c.healthPort, c.webhookPort, c.statPort},
		probe: process.Probe{URL: "http://" + s.address(c.healthPort) + "/readyz"},
	}
}

// inCAPI is the kustomization of a folder of Cluster API's module.
func inCAPI(folder string) func(sources) string {
	return func(from sources) string { return filepath.Join(from.capi, folder, "config", "default") }
}

// installCAPI installs and starts one of the controllers. It closes installed when its kinds are served.
func (s *Stack) installCAPI(ctx context.Context, c capiController, m milestones, installed chan<- struct{}) error {
	if s.without(c.name) {
		return nil
	}
	objects, err := renderKustomization(c.manifests(s.sources))
	if err != nil {
		return fmt.Errorf("manifests of %s: %w", c.title, err)
	}
	ca, err := s.webhookCA()
	if err != nil {
		return err
	}
	objects = objects.withoutPods()
	for _, crd := range objects.kind(crdKind) {
		labels := crd.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		// As `clusterctl init` does: `clusterctl move` looks at no other kinds.
		labels["clusterctl.cluster.x-k8s.io"] = ""
		crd.SetLabels(labels)
	}
	if err := reach(ctx, m.crossplaneKinds); err != nil {
		return err
	}
	if err := objects.serveWebhooks(s.state.Ports[c.webhookPort], ca); err != nil {
		return err
	}
	if err := s.apply(ctx, objects.notKind(mutatingKind, validatingKind)); err != nil {
		return err
	}
	if err := s.grantToken(ctx, c.name, c.account); err != nil {
		return err
	}
	if err := s.established(ctx, objects); err != nil {
		return err
	}
	close(installed)
	if c.aggregated != "" {
		if err := s.aggregated(ctx, c.aggregated); err != nil {
			return err
		}
	}
	if err := s.run(ctx, c.name); err != nil {
		return err
	}
	// They fail closed, so that they come last.
	if err := s.apply(ctx, objects.kind(mutatingKind, validatingKind)); err != nil {
		return err
	}
	s.logf("%s is ready", c.title)
	return nil
}

// installKubeadmBootstrap installs the bootstrap provider that `clusterctl init` installs by default: the ClusterClasses
// of CAPZ name its templates. It watches Clusters and MachinePools, so that core comes first.
func (s *Stack) installKubeadmBootstrap(ctx context.Context, m milestones) error {
	if s.without(CAPI) {
		return nil
	}
	if err := reach(ctx, m.capiKinds); err != nil {
		return err
	}
	return s.installCAPI(ctx, capiKubeadm, m, m.bootstrapKinds)
}

// installKubeadmControl installs the control-plane provider for clusters whose control plane are machines. It writes KubeadmConfigs,
// so that the bootstrap provider comes first.
func (s *Stack) installKubeadmControl(ctx context.Context, m milestones) error {
	if s.without(CAPI) || s.without(KubeadmControl) {
		return nil
	}
	if err := reach(ctx, m.bootstrapKinds); err != nil {
		return err
	}
	return s.installCAPI(ctx, capiControl, m, make(chan struct{}))
}
