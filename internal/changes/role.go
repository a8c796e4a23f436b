package changes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Role is a custom role of Azure, in the form that `az role definition create` takes.
type Role struct {
	Name             string
	IsCustom         bool
	Description      string
	Actions          []string
	NotActions       []string
	DataActions      []string
	NotDataActions   []string
	AssignableScopes []string
}

var specSubscription = field.At[string]("spec", "subscriptionID")

// MakeRole returns the role that the application needs which makes, changes and deletes what the manifests stand for, and no more. The
// subscription is the one that it is for; empty for the ones that the manifests and the cluster tell. The notes say what the role may lack.
func MakeRole(ctx context.Context, in Input, subscription string) (*Role, []Mistake, []string, error) {
	m := &maker{Input: in}
	made, wrong, err := m.first(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if len(wrong) == 0 {
		wrong = mistakes(made)
	}
	if len(wrong) > 0 {
		return nil, wrong, nil, nil
	}
	var actions []string
	subscriptions, clusters := map[string]bool{}, map[string]bool{}
	add := func(o *unstructured.Unstructured) {
		actions = append(actions, aso.Actions(o, o.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipExternal)...)
		if id := aso.ParseID(o.GetAnnotations()[aso.AnnotationResourceID]); id != nil && id.SubscriptionID != "" {
			subscriptions[id.SubscriptionID] = true
		}
	}
	for _, xr := range made.Composites() {
		for _, o := range made.Composed(xr) {
			add(o)
		}
		if id := specSubscription.Value(xr); id != "" {
			subscriptions[id] = true
		}
		if name := xr.GetLabels()[clusterv1.ClusterNameLabel]; name != "" {
			clusters[name] = true
		}
	}
	for _, o := range in.Manifests {
		if aso.IsASO(o.GroupVersionKind().Group) {
			add(o)
		}
	}
	if subscription != "" {
		subscriptions = map[string]bool{subscription: true}
	}
	if len(subscriptions) == 0 {
		return nil, nil, nil, fmt.Errorf("the manifests do not say which subscription they are for: name it with --subscription")
	}
	slices.Sort(actions)
	role := &Role{
		IsCustom: true, Actions: slices.CompactFunc(actions, strings.EqualFold), NotActions: []string{}, DataActions: []string{}, NotDataActions: []string{},
		Name:        "crossplane-capz " + strings.Join(slices.Sorted(maps.Keys(clusters)), " "),
		Description: "What the clusters need in Azure that it is named for, from creation to deletion.",
	}
	for _, id := range slices.Sorted(maps.Keys(subscriptions)) {
		role.AssignableScopes = append(role.AssignableScopes, "/subscriptions/"+id)
	}
	return role, nil, m.unknown, nil
}
