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
	// webhookPort is the name of the port on which it serves webhooks and conversions.
	webhookPort string
	account     types.NamespacedName
	// aggregated is the ClusterRole that others are added to; empty when there is none.
	aggregated string
	// title is what the log calls it.
	title string
}

var (
	capiCore = capiController{
		name: CAPI, manifests: inCAPI("core"), webhookPort: portCAPIWebhook, account: capiAccount,
		aggregated: "capi-aggregated-manager-role", title: "Cluster API core",
	}
	capiKubeadm = capiController{
		name: KubeadmBootstrap, manifests: inCAPI("bootstrap/kubeadm"), webhookPort: portKubeadmWebhook,
		account: kubeadmAccount, title: "Cluster API's kubeadm bootstrap provider",
	}
	capiControl = capiController{
		name: KubeadmControl, manifests: inCAPI("controlplane/kubeadm"), webhookPort: portControlWebhook, account: controlAccount,
		aggregated: "capi-kubeadm-control-plane-aggregated-manager-role", title: "Cluster API's kubeadm control-plane provider",
	}
)

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

// Gates that `clusterctl init` opens by variables, and that CAPZ's documentation asks for: ClusterClasses, and Flatcar's format.
const kubeadmGates = "--feature-gates=ClusterTopology=true,KubeadmBootstrapFormatIgnition=true"

func (s *Stack) kubeadmBootstrap() launch {
	return launch{
		binary: KubeadmBootstrap,
		args: []string{
			"--webhook-port=" + s.port(portKubeadmWebhook), "--webhook-cert-dir=" + s.path("certs", "webhooks"),
			"--health-addr=" + s.address(portKubeadm), "--diagnostics-address=" + s.address(portKubeadmStat),
			"--insecure-diagnostics", kubeadmGates,
		},
		env:   append(s.azureEnv(), "KUBECONFIG="+s.kubeconfigOf(KubeadmBootstrap), "POD_NAMESPACE="+kubeadmNamespace),
		ports: []string{portKubeadm, portKubeadmWebhook, portKubeadmStat},
		probe: process.Probe{URL: "http://" + s.address(portKubeadm) + "/readyz"},
	}
}

func (s *Stack) kubeadmControl() launch {
	return launch{
		binary: KubeadmControl,
		args: []string{
			"--webhook-port=" + s.port(portControlWebhook), "--webhook-cert-dir=" + s.path("certs", "webhooks"),
			"--health-addr=" + s.address(portControl), "--diagnostics-address=" + s.address(portControlStat),
			"--insecure-diagnostics", kubeadmGates,
		},
		// It reaches the API servers of the clusters, and their etcd by port-forward, through the proxy.
		env:   append(s.azureEnv(), "KUBECONFIG="+s.kubeconfigOf(KubeadmControl), "POD_NAMESPACE="+controlNamespace),
		ports: []string{portControl, portControlWebhook, portControlStat},
		probe: process.Probe{URL: "http://" + s.address(portControl) + "/readyz"},
	}
}
