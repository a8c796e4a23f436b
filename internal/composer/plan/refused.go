package plan

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// reportsInvalidField reports whether the status says of a resource that a field of it is invalid. Nothing else remembers that: what is
// left out for it is refused no more.
func reportsInvalidField(xr *unstructured.Unstructured) bool {
	return slices.ContainsFunc(statusesOf(xr), func(s resourceStatus) bool { return s.reason == composer.ReasonInvalidField })
}

// invalidFields returns what of a resource its schema does not take, in words; empty when it takes all or there is no schema.
// Fields that are unknown, or of another type, server-side apply refuses whatever else happens. What webhooks may still add or change is
// told only once the API server has refused the object.
func invalidFields(r *Resource, schema *structpb.Struct, refused bool) string {
	check := shape.Types
	if refused {
		check = shape.Values
	}
	return shape.Sentence(check(withoutStatus(r.Object.Object), shape.OpenAPI(schema)), r.pathPrefix(), r.kindInWords())
}

// withoutStatus returns an object as it is applied.
func withoutStatus(object map[string]any) map[string]any {
	applied := map[string]any{}
	for name, value := range object {
		if name != "status" {
			applied[name] = value
		}
	}
	return applied
}

// pathPrefix goes before a field of the object in messages, so that they name a field of the user's.
func (r *Resource) pathPrefix() string {
	if r.Declared {
		return r.Source + "."
	}
	return fmt.Sprintf("%s gives %s %s a field that it cannot have: ", r.Source, r.Object.GetKind(), r.Object.GetName())
}

func (r *Resource) kindInWords() string {
	return r.Object.GetKind() + " of " + r.Object.GetAPIVersion()
}

// refusedBy returns the error about a resource that the API server has refused.
func refusedBy(r *Resource, answer string) *composer.Blocked {
	hint := ""
	switch {
	case answer == "":
		answer = refusal.InEvents
	case strings.Contains(answer, "is forbidden: User "):
		hint = "; give Crossplane the right with a ClusterRole that has label rbac.crossplane.io/aggregate-to-crossplane: \"true\""
	}
	return composer.Blockedf(composer.ReasonRefused, "%s (%s %s) is refused by the API server: %s%s", r.Source, r.Object.GetKind(), r.Object.GetName(), answer, hint)
}
