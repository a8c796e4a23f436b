package selfmanaged

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// conditionTagsApplied is about tags that have changed since a resource was made that ASO only reads.
const conditionTagsApplied = "TagsApplied"

var (
	specTags   = field.At[map[string]string]("spec", "tags")
	statusTags = field.At[map[string]string]("status", "tags")
)

// tagsConditions says which resources of the Cluster have other tags in Azure than the spec asks for: nobody writes a virtual machine or a
// network interface again. It takes that back once they are the same.
func tagsConditions(in *composer.Request, resources []*plan.Resource, cluster string) []composer.Condition {
	var stale []string
	for _, r := range resources {
		live := r.Live(in)
		if live == nil || r.Lifecycle == aso.Managed || statusTags.Value(live)[v1beta1.OwnedTag(cluster)] != "owned" {
			continue
		}
		have, wanted := statusTags.Value(live), specTags.Value(r.Object)
		for _, tag := range slices.Sorted(maps.Keys(wanted)) {
			if have[tag] != wanted[tag] {
				stale = append(stale, fmt.Sprintf("%s has tag %s %q in Azure, and not %q", r, tag, have[tag], wanted[tag]))
			}
		}
	}
	switch {
	case len(stale) > 0:
		return []composer.Condition{composer.False(conditionTagsApplied, "ChangedSinceCreation", strings.Join(stale, "; ")+
			": tags of machines are written when they are made; replace the Machine, or change them in Azure")}
	case slices.Contains(composer.Shown(in.XR), conditionTagsApplied):
		return []composer.Condition{composer.True(conditionTagsApplied, "Applied", "")}
	}
	return nil
}
