// Package parts builds every binary of the local management cluster from Go modules, and the manifests that upstream
// projects generate but do not ship. Results lie in <checkout>/.local and are reused while their inputs stay the same.
package parts

// A Part is one binary and how it is built.
type Part struct {
	// Name of the binary, and of the part in progress lines.
	Name string
	// Module is the folder, relative to the checkout, of the module that the part is built in.
	Module string
	// Package to build, as `go build` takes it.
	Package string
	// Flags go before the package. ${PATH} in them is the version of the module of that path that the part's module requires, ${PATH minor} its
	// second number.
	Flags []string
	// Links are further names for a binary that looks at the name it is called by.
	Links []string
	// Upstream parts depend on nothing but their module's own files, and are not built again while those stay.
	// The others are left to `go build`, which knows the sources that a binary came from.
	Upstream bool
}

// Names of the parts that others refer to.
const (
	Kubernetes       = "kubernetes"
	CAPI             = "capi"
	KubeadmBootstrap = "capi-kubeadm-bootstrap"
	KubeadmControl   = "capi-kubeadm-control-plane"
	Clusterctl       = "clusterctl"
	ControllerGen    = "controller-gen"
	ASO              = "aso"
	Crossplane       = "crossplane-core"
	CrossplaneCLI    = "crossplane"
	Function         = "function-capz"
	Plugin           = "kubectl-capz"
	Fabric           = "fabric"
	Local            = "local"
	AzureSim         = "azuresim"
	CAPZ             = "capz"
	PatchTransform   = "function-patch-and-transform"
)

// The module folders of the upstream parts.
const (
	kubernetesModule = "cluster/local/parts/kubernetes"
	capiModule       = "cluster/local/parts/capi"
	asoModule        = "cluster/local/parts/aso"
	crossplaneModule = "cluster/local/parts/crossplane"
	cliModule        = "cluster/local/parts/crossplane-cli"
	capzModule       = "cluster/local/parts/capz"
	transformModule  = "cluster/local/parts/patch-and-transform"
)

const (
	ldFlags  = "-ldflags"
	stripped = "-s -w"

	kubernetesLDFlags = stripped + " -X k8s.io/component-base/version.gitVersion=${k8s.io/kubernetes}" +
		" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${k8s.io/kubernetes minor}"

	// The RBAC manager has no flag for its metrics address: its default port would clash with a second checkout's.
	crossplaneLDFlags = stripped + " -X github.com/crossplane/crossplane-runtime/v2/pkg/version.version=${" + crossplanePath + "}" +
		" -X sigs.k8s.io/controller-runtime/pkg/metrics/server.DefaultBindAddress=0"
)

// cliLDFlags are those of the CLI's own releases.
const cliLDFlags = stripped + " -X github.com/crossplane/crossplane-runtime/v2/pkg/version.version=${github.com/crossplane/cli/v2}"

// All returns every part, in the order in which they are built: what the first stages need comes first.
func All() []Part {
	return []Part{
		{
			Name: Kubernetes, Module: kubernetesModule, Package: ".", Upstream: true,
			Flags: []string{ldFlags, kubernetesLDFlags},
			Links: []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubeadm", "kubectl", "kubelet"},
		},
		{
			Name: CAPI, Module: capiModule, Package: "sigs.k8s.io/cluster-api/core", Upstream: true,
			Flags: []string{ldFlags, stripped},
		},
		{
			Name: Clusterctl, Module: capiModule, Package: "sigs.k8s.io/cluster-api/cmd/clusterctl", Upstream: true,
			Flags: []string{ldFlags, stripped},
		},
		{
			Name: KubeadmBootstrap, Module: capiModule, Package: "sigs.k8s.io/cluster-api/bootstrap/kubeadm", Upstream: true,
			Flags: []string{ldFlags, stripped},
		},
		{
			Name: KubeadmControl, Module: capiModule, Package: "sigs.k8s.io/cluster-api/controlplane/kubeadm", Upstream: true,
			Flags: []string{ldFlags, stripped},
		},
		{
			Name: ControllerGen, Module: asoModule, Package: "sigs.k8s.io/controller-tools/cmd/controller-gen", Upstream: true,
		},
		{
			Name: ASO, Module: asoModule, Package: "github.com/Azure/azure-service-operator/v2/cmd/controller", Upstream: true,
			Flags: []string{ldFlags, stripped},
		},
		{
			Name: Crossplane, Module: crossplaneModule, Package: "github.com/crossplane/crossplane/v2/cmd/crossplane", Upstream: true,
			Flags: []string{ldFlags, crossplaneLDFlags},
		},
		{
			Name: CrossplaneCLI, Module: cliModule, Package: "github.com/crossplane/cli/v2/cmd/crossplane", Upstream: true,
			Flags: []string{ldFlags, cliLDFlags},
		},
		{Name: AzureSim, Module: ".", Package: "./cluster/azuresim/serve"},
		{Name: Fabric, Module: "cluster/local", Package: "./machine"},
		{Name: Function, Module: ".", Package: "./functions/function-capz"},
		{Name: Plugin, Module: ".", Package: "./cluster/kubectl-capz"},
		{Name: Local, Module: "cluster/local", Package: "."},
	}
}

// Peers returns what this project is measured against. Beside that only examples need them: function-patch-and-transform composes one.
func Peers() []Part {
	return []Part{
		{Name: CAPZ, Module: capzModule, Package: capzPath, Upstream: true, Flags: []string{ldFlags, stripped}},
		{Name: PatchTransform, Module: transformModule, Package: transformPath, Upstream: true, Flags: []string{ldFlags, stripped}},
	}
}
