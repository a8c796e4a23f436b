package agentpool

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Handover is where the pools of a ManagedCluster are between its creation, with the pools in it, and the day when each pool is an
// object of its own, so that each has one writer.
type Handover struct {
	// created is true once Azure has pools of the cluster, or the cluster where it is made without any.
	created bool
	// sent are the profiles that the ManagedCluster has now.
	sent []any
	// applied is the spec of the ManagedCluster as it was composed last, without these; nil when that is not known.
	applied map[string]any
	// refused is true while AKS refuses to scale a pool that it scales itself.
	refused bool
}

// HandoverOf returns where the pools of an observed ManagedCluster are; observed is nil when there is none.
func HandoverOf(observed *unstructured.Unstructured) Handover {
	if observed == nil {
		return Handover{}
	}
	h := Handover{sent: SpecProfiles.Value(observed), refused: aso.LastSaid(observed, refusedManualScale)}
	withoutPools := len(h.sent) == 0 && aso.StatusID.Value(observed) != ""
	// Of a cluster that is gone ASO's status has what was there last.
	h.created = (len(StatusProfiles.Value(observed)) > 0 || withoutPools) && !aso.Lost(observed)
	if applied, err := plan.AsApplied(observed); err == nil && len(h.sent) > 0 {
		h.applied = withoutProfiles(applied)
	}
	return h
}

func withoutProfiles(managedCluster *unstructured.Unstructured) map[string]any {
	without := maps.Clone(spec.Value(managedCluster))
	delete(without, "agentPoolProfiles")
	return without
}

// Uncounted returns the profiles without the numbers of nodes that AKS has refused, as it scales the pools itself: the cluster is there
// already, as it is after clusterctl move, and AKS has scaled since.
func (h Handover) Uncounted(wanted []any) []any {
	uncounted := map[string]bool{}
	for _, profile := range field.Maps(h.sent) {
		_, counted := profile["count"]
		uncounted[field.Text(profile["name"])] = profile["enableAutoScaling"] == true && (h.refused || !counted)
	}
	profiles := slices.Clone(wanted)
	for i := range profiles {
		profile, _ := profiles[i].(map[string]any)
		if uncounted[field.Text(profile["name"])] && profile["enableAutoScaling"] == true {
			profile = maps.Clone(profile)
			delete(profile, "count")
			profiles[i] = profile
		}
	}
	return profiles
}

// Done reports whether the pools are left to their objects already.
func (h Handover) Done() bool { return h.created && len(h.sent) == 0 }

// Separate reports whether the pools are left to their objects now. ASO must have taken those up, which is while comingUp says that one
// is not ready: earlier it would only keep Azure busy with the cluster, for which ASO has the pools wait. But as soon as a pool is to
// be another than it was sent, or is not known, it is left to its object at once. So it is when AKS scales a pool and the cluster is to
// be changed: the number of nodes that was sent at first would be sent again.
func (h Handover) Separate(managedCluster *unstructured.Unstructured, wanted []any, known, comingUp bool) bool {
	return h.created && (!known || !comingUp || len(h.sent) == 0 || !same(wanted, h.sent) || h.autoscaled() && h.changes(managedCluster))
}

func (h Handover) autoscaled() bool {
	return slices.ContainsFunc(field.Maps(h.sent), func(profile map[string]any) bool { return profile["enableAutoScaling"] == true })
}

// changes reports whether anything but its pools is to be changed of a ManagedCluster.
func (h Handover) changes(managedCluster *unstructured.Unstructured) bool {
	return h.applied != nil && !same(h.applied, withoutProfiles(managedCluster))
}

// Profiles returns the profiles to send. One that goes away while Azure works must not take the others with it, so those that were sent
// stay while not all are known.
func (h Handover) Profiles(wanted []any, known bool) []any {
	if !known && len(h.sent) > 0 {
		return h.sent
	}
	return wanted
}

// Outstanding says, in words, that a ManagedCluster is about to be changed: once Azure has its pools they are taken out of it. Pools
// that are sent before that is done find their owner at work, and ASO tries again only on a timer.
func Outstanding(observed *unstructured.Unstructured) string {
	applied, err := plan.AsApplied(observed)
	if err != nil || len(SpecProfiles.Value(applied)) == 0 {
		return ""
	}
	return "is updated: its agent pools are objects of their own from now on"
}
