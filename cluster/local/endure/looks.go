package endure

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/example"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// composing are the kinds whose objects, in the namespace of a life, compose others.
var composing = composite.Select(func(k composite.Kind) bool {
	return composite.InContract(k) || k.Role == composite.Application && !k.ClusterScoped
})

// list returns the objects of a kind in the life's namespace; none if the kind is not there.
func (w *world) list(ctx context.Context, gvk schema.GroupVersionKind) ([]unstructured.Unstructured, error) {
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(gvk)
	if err := w.home.Load().client.List(ctx, l, client.InNamespace(w.life.Name())); err != nil && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("list %s: %w", gvk.Kind, err)
	}
	return l.Items, nil
}

// whole says what the cluster lacks to be as its owner wants it.
func whole(ctx context.Context, w *world) ([]string, error) {
	clusters, err := w.list(ctx, clusterKind)
	if err != nil {
		return nil, err
	}
	var missing []string
	if len(clusters) == 0 {
		missing = append(missing, "there is no Cluster")
	}
	for i := range clusters {
		missing = append(missing, conditionLacks(&clusters[i], "Available", false)...)
	}
	for _, gvk := range []schema.GroupVersionKind{kubeadmKind, deploymentKind, poolKind} {
		sets, err := w.list(ctx, gvk)
		if err != nil {
			return nil, err
		}
		for i := range sets {
			if lack := example.NodesLack(&sets[i]); lack != "" {
				missing = append(missing, lack)
			}
		}
	}
	for _, l := range []look{compositesReady, composedReady} {
		lacks, err := l(ctx, w)
		if err != nil {
			return nil, err
		}
		missing = append(missing, lacks...)
	}
	return missing, nil
}

// composites says of which composite resources something does not hold. AzureMachines that no Machine owns are left out: Cluster API
// leaves one behind when somebody else writes to it while it makes it, and makes another.
func composites(lack string, holds func(*unstructured.Unstructured) bool) look {
	return func(ctx context.Context, w *world) ([]string, error) {
		all, err := w.composites(ctx)
		if err != nil {
			return nil, err
		}
		var missing []string
		for i := range all {
			if !holds(&all[i]) {
				missing = append(missing, fmt.Sprintf("%s %s %s", all[i].GetKind(), all[i].GetName(), lack))
			}
		}
		return missing, nil
	}
}

func (w *world) composites(ctx context.Context) ([]unstructured.Unstructured, error) {
	var all []unstructured.Unstructured
	for _, kind := range composing {
		items, err := w.list(ctx, kind.GroupVersionKind)
		if err != nil {
			return nil, err
		}
		for _, u := range items {
			owned := slices.ContainsFunc(u.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.Kind == "Machine" })
			if u.GetKind() != "AzureMachine" || owned {
				all = append(all, u)
			}
		}
	}
	return all, nil
}

func compositesReady(ctx context.Context, w *world) ([]string, error) {
	all, err := w.composites(ctx)
	if err != nil {
		return nil, err
	}
	var missing []string
	for i := range all {
		missing = append(missing, conditionLacks(&all[i], "Synced", false)...)
		missing = append(missing, conditionLacks(&all[i], "Ready", false)...)
	}
	return missing, nil
}

// composedReady says which ASO objects are not Ready.
func composedReady(ctx context.Context, w *world) ([]string, error) {
	composed, err := w.composed(ctx)
	if err != nil {
		return nil, err
	}
	var missing []string
	for i := range composed {
		missing = append(missing, conditionLacks(&composed[i], "Ready", true)...)
	}
	return missing, nil
}

// composed returns the ASO objects of the life, of the kinds that its composite resources refer to: to look at all kinds each time
// would cost more than the product does.
func (w *world) composed(ctx context.Context) ([]unstructured.Unstructured, error) {
	all, err := w.composites(ctx)
	if err != nil {
		return nil, err
	}
	kinds := map[schema.GroupVersionKind]bool{}
	for i := range all {
		refs, err := access.ComposedRefs(&all[i])
		if err != nil {
			return nil, err
		}
		for _, ref := range refs {
			if strings.HasSuffix(ref.Group, asoGroups) {
				kinds[ref.GroupVersionKind] = true
			}
		}
	}
	var composed []unstructured.Unstructured
	for gvk := range kinds {
		items, err := w.list(ctx, gvk)
		if err != nil {
			return nil, err
		}
		composed = append(composed, items...)
	}
	return composed, nil
}

// conditionLacks says what a condition is instead of True, for the present generation where that is told.
func conditionLacks(u *unstructured.Unstructured, name string, current bool) []string {
	condition := field.Condition(u, name)
	if condition == nil {
		return []string{fmt.Sprintf("%s %s has no condition %s", u.GetKind(), u.GetName(), name)}
	}
	seen, _, _ := unstructured.NestedInt64(condition, "observedGeneration")
	if condition["status"] == "True" && (!current || seen >= u.GetGeneration()) {
		return nil
	}
	message := strings.Join(strings.Fields(field.Text(condition["message"])), " ")
	return []string{fmt.Sprintf("%s %s is not %s (%v: %s)", u.GetKind(), u.GetName(), name, condition["reason"], cut(message))}
}

// longestMessage is how much of a message is shown.
const longestMessage = 240

func cut(message string) string {
	if letters := []rune(message); len(letters) > longestMessage {
		return string(letters[:longestMessage]) + " ..."
	}
	return message
}

// inAzure looks at a field, as in "properties.count", of the resource whose ID ends as given. A nil value stands for none.
func inAzure(ending, path string, want any) look {
	return func(ctx context.Context, w *world) ([]string, error) {
		all, err := w.Azure.Resources(ctx, "/subscriptions/"+w.subscription)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if !strings.HasSuffix(strings.ToLower(all[i].ID), strings.ToLower(ending)) {
				continue
			}
			have, _, _ := unstructured.NestedFieldNoCopy(all[i].Body, strings.Split(path, ".")...)
			if fmt.Sprint(have) == fmt.Sprint(want) {
				return nil, nil
			}
			return []string{fmt.Sprintf("Azure: %s of %s is %v, want %v", path, ending, have, want)}, nil
		}
		return []string{"Azure has no " + ending}, nil
	}
}

// countedInAzure looks for so many resources whose IDs have a part, and no more below them.
func countedInAzure(part string, want int) look {
	return func(ctx context.Context, w *world) ([]string, error) {
		all, err := w.Azure.Resources(ctx, "/subscriptions/"+w.subscription)
		if err != nil {
			return nil, err
		}
		have := 0
		for i := range all {
			if _, name, found := strings.Cut(strings.ToLower(all[i].ID), strings.ToLower(part)); found && !strings.Contains(name, "/") {
				have++
			}
		}
		if have == want {
			return nil, nil
		}
		return []string{fmt.Sprintf("Azure has %d of %s, want %d", have, part, want)}, nil
	}
}

// gone says what is left of a life: on its management cluster, and in Azure.
func gone(ctx context.Context, w *world) ([]string, error) {
	left, err := w.home.Load().remains(ctx, w.life.Name())
	if err != nil || len(left) > 0 {
		return left, err
	}
	secrets, err := w.list(ctx, secretKind)
	if err != nil {
		return nil, err
	}
	for i := range secrets {
		if len(secrets[i].GetOwnerReferences()) > 0 {
			left = append(left, fmt.Sprintf("Secret %s is still there", secrets[i].GetName()))
		}
	}
	ids, err := w.idsInAzure(ctx)
	return append(left, Orphans(ids)...), err
}

// remains says what there is in a namespace of all kinds that a cluster consists of: those of Azure Service Operator if no other is left.
func (m *management) remains(ctx context.Context, namespace string) ([]string, error) {
	var left []string
	for _, kinds := range [][]schema.GroupVersionKind{m.ours, m.aso} {
		for _, gvk := range kinds {
			l := &metav1.PartialObjectMetadataList{}
			l.SetGroupVersionKind(gvk)
			if err := m.client.List(ctx, l, client.InNamespace(namespace)); err != nil && !apierrors.IsNotFound(err) {
				return nil, fmt.Errorf("list %s: %w", gvk.Kind, err)
			}
			for i := range l.Items {
				left = append(left, fmt.Sprintf("%s %s is still there (finalizers %s)", gvk.Kind, l.Items[i].Name, strings.Join(l.Items[i].Finalizers, ", ")))
			}
		}
		if len(left) > 0 {
			return left, nil
		}
	}
	return nil, nil
}

var secretKind = schema.GroupVersionKind{Version: "v1", Kind: "Secret"}

func (w *world) idsInAzure(ctx context.Context) ([]string, error) {
	all, err := w.Azure.Resources(ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i := range all {
		ids = append(ids, all[i].ID)
	}
	return ids, nil
}
