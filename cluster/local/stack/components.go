package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// Names of the components. Function and Provider are the product's; their packages are installed, and the node runs them.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Registry          = "registry"
	Node              = "node"
	Crossplane        = "crossplane"
	CrossplaneRBAC    = "crossplane-rbac-manager"
	ASO               = "aso"
	CAPI              = "capi"
	KubeadmBootstrap  = parts.KubeadmBootstrap
	KubeadmControl    = parts.KubeadmControl
	AzureSim          = "azuresim"
	Fabric            = parts.Fabric
	CloudController   = "cloud-controller"
	CAPZ              = parts.CAPZ
	Function          = xpkg.Function
	Provider          = xpkg.Provider
)

// Components returns the names of all components, in the order in which they come up.
func Components() []string { return append(launched(), Function, Provider) }

// launched returns the components that the stack starts itself.
func launched() []string {
	return []string{
		Etcd, APIServer, Fabric, AzureSim, Registry, ControllerManager, Node, Crossplane, CrossplaneRBAC, CAPI, KubeadmBootstrap,
		KubeadmControl, ASO, CloudController,
	}
}

// ForMachines returns the components that only clusters of virtual machines need. Two of them are parts of the same name.
func ForMachines() []string { return []string{Fabric, KubeadmControl, CloudController} }

// launch is how a component is started.
type launch struct {
	binary string
	args   []string
	env    []string
	ports  []string
	probe  process.Probe
}

// launchOf returns how a component of this stack is started.
func (s *Stack) launchOf(name string) (launch, error) {
	switch name {
	case Etcd:
		return s.etcd(), nil
	case APIServer:
		return s.audited(s.apiServer()), nil
	case ControllerManager:
		return s.controllerManager(), nil
	case AzureSim:
		return s.azureSim(), nil
	case Fabric:
		return s.fabric(), nil
	case CloudController:
		return s.cloudController(), nil
	case Registry:
		return s.registry(), nil
	case Node:
		return s.node(), nil
	case Crossplane:
		return s.crossplane(), nil
	case CrossplaneRBAC:
		return s.crossplaneRBAC(), nil
	case CAPI:
		return capiCore.launch(s), nil
	case KubeadmBootstrap:
		return capiKubeadm.launch(s), nil
	case KubeadmControl:
		return capiControl.launch(s), nil
	case ASO:
		return s.aso(), nil
	case CAPZ:
		return s.capz(), nil
	}
	return launch{}, fmt.Errorf("no component is called %q; there are %v", name, launched())
}

func (s *Stack) etcd() launch {
	client := "https://" + s.address(portEtcd)
	peer := "http://" + s.address(portEtcdPeer)
	health := "http://" + s.address(portEtcdHealth)
	return launch{
		binary: Etcd,
		args: []string{
			"--name=local", "--data-dir=" + s.path("etcd"), "--log-level=warn",
			"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=local=" + peer,
			"--listen-metrics-urls=" + health,
			"--client-cert-auth", "--trusted-ca-file=" + s.cert("etcd", "ca.crt"),
			"--cert-file=" + s.cert("etcd", "tls.crt"), "--key-file=" + s.cert("etcd", "tls.key"),
			// What is lost with the power is lost: the cluster is made anew by the next `up`.
			"--unsafe-no-fsync",
		},
		ports: []string{portEtcd, portEtcdPeer, portEtcdHealth},
		probe: process.Probe{URL: health + "/health"},
	}
}

func (s *Stack) apiServer() launch {
	return launch{
		binary: APIServer,
		args: []string{
			"--etcd-servers=https://" + s.address(portEtcd), "--etcd-cafile=" + s.cert("etcd", "ca.crt"),
			"--etcd-certfile=" + s.cert("etcd", "tls.crt"), "--etcd-keyfile=" + s.cert("etcd", "tls.key"),
			"--bind-address=127.0.0.1", "--secure-port=" + s.port(portAPIServer),
			"--tls-cert-file=" + s.cert("server", "tls.crt"), "--tls-private-key-file=" + s.cert("server", "tls.key"),
			"--client-ca-file=" + s.cert("server", "ca.crt"),
			"--authorization-mode=RBAC",
			// No aggregated API server is there, but the controller manager reads this configuration.
			"--requestheader-client-ca-file=" + s.cert("front-proxy", "ca.crt"),
			"--requestheader-allowed-names=front-proxy", "--requestheader-username-headers=X-Remote-User",
			"--requestheader-group-headers=X-Remote-Group", "--requestheader-extra-headers-prefix=X-Remote-Extra-",
			"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
			"--service-account-key-file=" + s.cert("service-accounts", "sa.pub"),
			"--service-account-signing-key-file=" + s.cert("service-accounts", "sa.key"),
			"--service-cluster-ip-range=" + s.state.ServiceRange,
			// The endpoint of the Service "kubernetes" may not be a loopback address.
			"--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
			"--profiling=true",
		},
		// A third of the time that it takes to install everything would go into collecting garbage.
		env:   []string{"GOGC=200", "GOMEMLIMIT=" + s.options.APIServerMemory},
		ports: []string{portAPIServer},
		probe: process.Probe{URL: s.Server() + "/readyz", CA: s.cert("server", "ca.crt")},
	}
}

func (s *Stack) controllerManager() launch {
	kubeconfig := s.kubeconfigOf(ControllerManager)
	return launch{
		binary: ControllerManager,
		args: []string{
			"--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig,
			"--authorization-kubeconfig=" + kubeconfig,
			"--bind-address=127.0.0.1", "--secure-port=" + s.port(portKCM),
			"--tls-cert-file=" + s.cert("server", "tls.crt"), "--tls-private-key-file=" + s.cert("server", "tls.key"),
			"--root-ca-file=" + s.cert("server", "ca.crt"),
			"--service-account-private-key-file=" + s.cert("service-accounts", "sa.key"),
			"--use-service-account-credentials", "--leader-elect=false",
			// There are no nodes and no pods: what is about those is left out.
			"--controllers=garbage-collector-controller,namespace-controller,serviceaccount-controller," +
				"clusterrole-aggregation-controller,root-ca-certificate-publisher-controller",
			"--kube-api-qps=200", "--kube-api-burst=400",
		},
		ports: []string{portKCM},
		probe: process.Probe{URL: "https://" + s.address(portKCM) + "/healthz", CA: s.cert("server", "ca.crt")},
	}
}

func (s *Stack) azureSim() launch {
	args := []string{
		"--listen", s.address(portAzure), "--admin", s.address(portAzureAdmin),
		"--state-dir", s.path("azure"), "--latency", s.options.AzureLatency,
		"--max-retry-after", strconv.Itoa(int(s.options.AzureMaxRetryAfter.Seconds())),
	}
	if !s.without(Fabric) {
		args = append(args, "--fabric", s.fabricSocket())
		if s.options.AzureUnbootedSize != "" {
			args = append(args, "--unbooted-size", s.options.AzureUnbootedSize)
		}
	}
	return launch{
		binary: parts.AzureSim,
		args:   args,
		ports:  []string{portAzure, portAzureAdmin},
		probe:  process.Probe{URL: s.AdminURL() + "/healthz"},
	}
}

func (s *Stack) registry() launch {
	return launch{
		binary: parts.Local,
		args:   []string{"--root", s.options.Root, "registry", "--address", s.address(portRegistry), "--dir", s.path("registry")},
		ports:  []string{portRegistry},
		probe:  process.Probe{URL: "http://" + s.address(portRegistry) + "/v2/"},
	}
}

func (s *Stack) node() launch {
	args := []string{
		"--root", s.options.Root, "node", "--kubeconfig", s.kubeconfigOf(Node), "--namespace", crossplaneNamespace, "--proxy", s.address(portNode),
		"--state", s.dir,
	}
	if s.options.Observed {
		args = append(args, "--record", filepath.Join(s.Recorded(), Messages), "--client", s.path("certs", "crossplane"))
	}
	return launch{
		binary: parts.Local,
		args:   args,
		// The product's packages get theirs by their DeploymentRuntimeConfigs.
		ports: []string{portNode, portFunction, portFunctionStat, portProvider, portProviderHook, portProviderStat},
		probe: process.Probe{Address: s.address(portNode)},
	}
}

func (s *Stack) crossplane() launch {
	return launch{
		binary: parts.Crossplane,
		args:   append([]string{"core", "start"}, s.options.CrossplaneFlags...),
		env: append(s.crossplaneEnv(),
			// The node knows where Services are, as DNS would.
			"HTTPS_PROXY=http://"+s.address(portNode), "NO_PROXY=127.0.0.1,localhost",
			"TLS_CLIENT_CERTS_DIR="+s.path("certs", "crossplane"),
			"XPKG_CACHE_DIR="+s.path("cache", "xpkg"), "XFN_CACHE_DIR="+s.path("cache", "xfn"),
			"TLS_SERVER_CERTS_DIR="+s.path("certs", "webhooks"), "WEBHOOK_PORT="+s.port(portCrossplaneHook),
			"METRICS_PORT="+s.port(portCrossplaneStat), "HEALTH_PROBE_PORT="+s.port(portCrossplane)),
		ports: []string{portCrossplane, portCrossplaneStat, portCrossplaneHook},
		probe: process.Probe{URL: "http://" + s.address(portCrossplane) + "/readyz"},
	}
}

// crossplaneEnv is what `core init` and `core start` have in common.
func (s *Stack) crossplaneEnv() []string {
	return []string{
		"KUBECONFIG=" + s.kubeconfigOf(Crossplane), "POD_NAMESPACE=" + crossplaneNamespace,
		"POD_SERVICE_ACCOUNT=" + crossplaneAccount.Name,
	}
}

func (s *Stack) crossplaneRBAC() launch {
	return launch{
		binary: parts.Crossplane,
		args:   []string{"rbac", "start", "--provider-clusterrole=crossplane:allowed-provider-permissions"},
		env:    []string{"KUBECONFIG=" + s.kubeconfigOf(CrossplaneRBAC)},
	}
}

func (s *Stack) aso() launch {
	return launch{
		binary: parts.ASO,
		args: []string{
			"--crd-management=none", "--metrics-addr=0", "--health-addr=" + s.address(portASO),
			"--webhook-port=" + s.port(portASOWebhook), "--webhook-cert-dir=" + s.path("certs", "webhooks"),
		},
		env: append(s.azureEnv(), "KUBECONFIG="+s.kubeconfigOf(ASO), "POD_NAMESPACE="+asoNamespace,
			"AZURE_SYNC_PERIOD="+s.options.ASOSyncPeriod.String(), "ALLOW_MULTI_ENV_MANAGEMENT=true"),
		ports: []string{portASO, portASOWebhook},
		probe: process.Probe{URL: "http://" + s.address(portASO) + "/readyz"},
	}
}

// baseEnv is the environment of every component. Nothing of the person's reaches it: an AZURE_ or proxy variable of
// theirs would send a component elsewhere.
func (s *Stack) baseEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.path("home"), "TMPDIR=" + s.path("tmp")}
}

func (s *Stack) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

func (s *Stack) cert(owner, file string) string { return s.path("certs", owner, file) }

func (s *Stack) kubeconfigOf(component string) string { return s.path("kubeconfigs", component) }

func (s *Stack) port(name string) string { return strconv.Itoa(s.state.Ports[name]) }

func (s *Stack) address(name string) string { return "127.0.0.1:" + s.port(name) }
