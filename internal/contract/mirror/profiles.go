package mirror

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// setByManagedCluster is the reason of Events about what a user's ManagedCluster says of an agent pool that Cluster API is to decide.
const setByManagedCluster = "SetByManagedCluster"

var specAgentPoolProfiles = field.At[[]any]("spec", "agentPoolProfiles")

// warnOfProfiles tells the user which of the decisions about an agent pool do not last, as the user's ManagedCluster has the fields as well:
// Azure gets its values whenever ASO writes it.
func (m *MachinePool) warnOfProfiles(ctx context.Context, s *access.Scope, pool *unstructured.Unstructured, wanted decisions) error {
	if len(wanted) == 0 {
		m.Events.Clear(s.XR, setByManagedCluster)
		return nil
	}
	controlPlane, err := access.ControlPlaneOf(ctx, m.Client, s.Cluster)
	if err != nil || controlPlane == nil {
		return err
	}
	managedCluster, err := ManagedCluster(ctx, m.Live, controlPlane)
	if err != nil || managedCluster == nil {
		return err
	}
	set := inProfiles(managedCluster, aso.AzureName(pool), wanted)
	if len(set) == 0 || access.ControlledByComposite(managedCluster) {
		m.Events.Clear(s.XR, setByManagedCluster)
		return nil
	}
	m.Events.Warn(s.XR, setByManagedCluster, "", fmt.Sprintf(
		"ManagedCluster %s has %s, which Azure gets whenever Azure Service Operator writes that object, in place of what Cluster API decides of %s %s; take spec.agentPoolProfiles out of your ManagedCluster, as Azure has the pool",
		managedCluster.GetName(), strings.Join(set, " and "), pool.GetKind(), pool.GetName()))
	return nil
}

// inProfiles returns, as in "spec.agentPoolProfiles[0].count: 3", which of the fields a ManagedCluster has for the agent pool of a name in Azure.
func inProfiles(managedCluster *unstructured.Unstructured, pool string, fields decisions) []string {
	var set []string
	for i, entry := range specAgentPoolProfiles.Value(managedCluster) {
		profile, _ := entry.(map[string]any)
		if name, _ := profile["name"].(string); !strings.EqualFold(name, pool) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if value, found := profile[name]; found {
				set = append(set, fmt.Sprintf("spec.agentPoolProfiles[%d].%s: %v", i, name, value))
			}
		}
	}
	return set
}
