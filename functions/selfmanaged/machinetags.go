package selfmanaged

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// conditionTagsApplied is about tags that have changed since a resource was made that ASO only reads.
const conditionTagsApplied = "TagsApplied"

var specTags = field.At[map[string]string]("spec", "tags")

// tagsConditions says that tags have changed which provider-capz has not written yet, as it notes. It takes that back once it has.
func tagsConditions(in *composer.Request, resources []*plan.Resource) []composer.Condition {
	applied, _ := v1alpha1.ReadAppliedTags(in.XR.GetAnnotations())
	for _, r := range resources {
		if r.String() == applied.Resource && !maps.Equal(specTags.Value(r.Object), applied.Tags) {
			return []composer.Condition{composer.False(conditionTagsApplied, "Changed", fmt.Sprintf(
				"the tags of %s and of what belongs to it have changed, and are being written; Events say what is in the way", r))}
		}
	}
	if slices.Contains(composer.Shown(in.XR), conditionTagsApplied) {
		return []composer.Condition{composer.True(conditionTagsApplied, "Applied", "")}
	}
	return nil
}
