package compatibility

import "strings"

// OthersTarget is the target of make that runs other versions.
const OthersTarget = "compatibility"

// A Result says what came of a run.
type Result string

// The results.
const (
	Passed Result = "passed"
	Failed Result = "failed"
	// NotBuilt is the result where the other version could not be built here, so that nothing was seen of how it runs.
	NotBuilt Result = "not built"
)

// An Other is a part in another version than the one that its module names. All other parts stay as they are.
type Other struct {
	// Part is the name of the part.
	Part    string
	Version string
	// Inside are modules that this version has within its own.
	Inside []string
	// Edits are where the checkout names what this version has elsewhere.
	Edits []Edit
}

// An Edit replaces a text in a file of the checkout.
type Edit struct{ File, Old, New string }

// machineFile is what the kubelet of simulated machines measures by.
const machineFile = "cluster/local/parts/kubernetes/machine.go"

// others are those that `make compatibility` runs, the supported ones first.
var others = []Other{
	{
		Part: clusterAPI, Version: "v1.13.6", Inside: []string{"sigs.k8s.io/cluster-api/api"},
		// The core has no folder of its own yet.
		Edits: []Edit{
			{"cluster/local/parts/capi/go.mod", "\tsigs.k8s.io/cluster-api/core\n", "\tsigs.k8s.io/cluster-api\n"},
			{"cluster/local/parts/parts.go", `"sigs.k8s.io/cluster-api/core"`, `"sigs.k8s.io/cluster-api"`},
			{"cluster/local/stack/clusterapi.go", `inCAPI("core")`, `inCAPI("")`},
		},
	},
	{Part: aso, Version: "v2.18.0"},
	{Part: crossplane, Version: "v2.4.2"},
	{Part: kubernetes, Version: "v1.35.4"},
	{
		Part: kubernetes, Version: "v1.37.2",
		// The kubelet measures with a later cAdvisor, which has one version of its types.
		Edits: []Edit{
			{machineFile, `"github.com/google/cadvisor/info/v1"`, `"github.com/google/cadvisor/lib/model"`},
			{machineFile, `"github.com/google/cadvisor/info/v2"`, `"github.com/google/cadvisor/lib/model"`},
			{machineFile, `	cadvisortesting "`, "\t\"k8s.io/klog/v2\"\n\tcadvisortesting \""},
			{machineFile, "MachineInfo() (", "MachineInfo(klog.Logger) ("},
		},
	},
	{Part: crossplane, Version: "v2.3.3"},
}

// Others returns the other versions that `make compatibility` runs.
func Others() []Other { return append([]Other(nil), others...) }

// Name selects it: the part and the version, such as cluster-api-v1.13.6.
func (o Other) Name() string {
	return strings.ReplaceAll(strings.ToLower(o.Part), " ", "-") + "-" + o.Version
}

// Scenarios are the end-to-end scenarios that run with each other version: a cluster by ASO's manifests that is scaled and one that is upgraded, one of the
// typed AKS kinds and one of machines. Each is created and deleted.
func Scenarios() []string { return []string{"scale", "upgrade", "typed", "self-managed"} }

// Last returns the last run of each other version, by its name.
func Last(runs []Run) map[string]Run {
	last := map[string]Run{}
	for _, r := range runs {
		if r.Other != "" {
			last[r.Other] = r
		}
	}
	return last
}
