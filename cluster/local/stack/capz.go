package stack

import (
	"context"
	"path/filepath"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

// capz is Cluster API Provider Azure, which is installed as its own kustomization has it, but for ASO, which is the same for all.
var capz = capiController{
	name: CAPZ, manifests: func(from sources) string { return filepath.Join(from.capz, "config", "capz") },
	webhookPort: portCAPZWebhook, account: capzAccount, title: "Cluster API Provider Azure",
}

// installCAPZ installs CAPZ where it is in the place of the product, or comes before it. It watches Cluster API's kinds, so that core comes first.
func (s *Stack) installCAPZ(ctx context.Context, m milestones) error {
	if !s.options.Peer && !s.options.Predecessor {
		return nil
	}
	if err := reach(ctx, m.capiKinds); err != nil {
		return err
	}
	return s.installCAPI(ctx, capz, m, make(chan struct{}))
}

// capz starts with the arguments of CAPZ's own Deployment.
func (s *Stack) capz() launch {
	return launch{
		binary: parts.CAPZ,
		args: []string{
			"--leader-elect", "--leader-election-namespace=" + capzNamespace,
			"--diagnostics-address=" + s.address(portCAPZStat), "--insecure-diagnostics",
			"--feature-gates=MachinePool=true,ASOAPI=true", "--v=0",
			"--webhook-port=" + s.port(portCAPZWebhook), "--webhook-cert-dir=" + s.path("certs", "webhooks"),
			"--health-addr=" + s.address(portCAPZ),
		},
		env:   append(s.azureEnv(), "KUBECONFIG="+s.kubeconfigOf(CAPZ), "POD_NAMESPACE="+capzNamespace),
		ports: []string{portCAPZ, portCAPZWebhook, portCAPZStat},
		probe: process.Probe{URL: "http://" + s.address(portCAPZ) + "/readyz"},
	}
}
