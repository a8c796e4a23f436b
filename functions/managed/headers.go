package managed

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

const (
	// headerAnnotation starts the annotations by which CAPZ once sent HTTP headers to AKS. ASO sends none.
	headerAnnotation = "infrastructure.cluster.x-k8s.io/custom-header-"
	headerCondition  = "CustomHeader."
	// mostHeaders leaves room for the other conditions in the list that Cluster API reads.
	mostHeaders = 16
)

// replacedHeaders says what has taken the place of the headers that AKS documented, in lower case as HTTP takes any.
var replacedHeaders = map[string]string{
	"customizedubuntu":             "spec.osSKU of the agent pool, in spec.asoManagedClustersAgentPoolPatches",
	"containerruntime":             "nothing: AKS runs containerd on every node",
	"windowscontainerruntime":      "nothing: AKS runs containerd on every node",
	"usegen2vm":                    "nothing: AKS chooses the generation of the machine by spec.sku",
	"usegpudedicatedvhd":           "nothing: AKS installs the GPU driver on machines whose spec.sku has a GPU",
	"enableencryptionathost":       "spec.enableEncryptionAtHost of the AzureManagedMachinePool",
	"enableultrassd":               "spec.enableUltraSSD of the AzureManagedMachinePool",
	"enablefips":                   "spec.enableFIPS of the AzureManagedMachinePool",
	"enableazurediskfilecsidriver": "spec.storageProfile of the ManagedCluster, in spec.asoManagedClusterPatches",
	"enableacrteleport": "spec.artifactStreamingProfile of the agent pool in API version v20251002preview: set spec.enablePreviewFeatures " +
		"of the AzureManagedControlPlane, and the field in spec.asoManagedClustersAgentPoolPatches",
}

// otherHeader replaces a header that is not known.
const otherHeader = "a field of the ManagedCluster or agent pool: set it in spec.asoManagedClusterPatches or spec.asoManagedClustersAgentPoolPatches, " +
	"with spec.enablePreviewFeatures of the AzureManagedControlPlane if only API version v20251002preview has it"

// headerConditions returns a condition for each annotation that asks for a header, and takes back the one about an annotation that
// is gone.
func headerConditions(in *composer.Request) []composer.Condition {
	var conditions []composer.Condition
	asked := map[string]bool{}
	for _, annotation := range slices.Sorted(maps.Keys(in.XR.GetAnnotations())) {
		header, found := strings.CutPrefix(annotation, headerAnnotation)
		if !found || header == "" || len(conditions) == mostHeaders {
			continue
		}
		asked[headerCondition+header] = true
		replaced, known := replacedHeaders[strings.ToLower(header)]
		if !known {
			replaced = otherHeader
		}
		conditions = append(conditions, composer.False(headerCondition+header, "NotSent",
			fmt.Sprintf("annotation %s has no effect: no header is sent to AKS. In its place is %s", annotation, replaced)))
	}
	for _, shown := range composer.Shown(in.XR) {
		if strings.HasPrefix(shown, headerCondition) && !asked[shown] && len(conditions) < mostHeaders {
			conditions = append(conditions, composer.True(shown, "NotAskedFor", "the annotation is gone"))
		}
	}
	return conditions
}
