package plan

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// resourceOf returns a resource of a kind that lies in another one, whether by its owner or as its Parent says.
func resourceOf(t *testing.T, kind aso.Kind) (r, parent *Resource) {
	t.Helper()
	owner := aso.OwnerKind(kind.GroupKind())
	if kind.Parent != "" {
		owner = aso.ManagedCluster.GroupKind()
	}
	const cluster = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/parent"
	parent = &Resource{Source: "parent", Object: object(t, fmt.Sprintf("{apiVersion: %s/v1, kind: %s, metadata: {name: parent, namespace: ns}, spec: {}}", owner.Group, owner.Kind))}
	spec := fmt.Sprintf("{owner: {group: %s, kind: %s, name: parent}, tags: {a: b}}", owner.Group, owner.Kind)
	if kind.Parent != "" {
		spec = fmt.Sprintf("{%s: {armId: %s}}", strings.TrimPrefix(kind.Parent, "spec."), cluster)
	}
	r = &Resource{Source: "p", Object: object(t, fmt.Sprintf("{apiVersion: %s/v1, kind: %s, metadata: {name: r, namespace: ns}, spec: %s}", kind.Group, kind.Name, spec))}
	return r, parent
}

// there returns the object of a resource as ASO reports it that has looked and found the resource in Azure, without the Cluster's tag.
func there(t *testing.T, r *Resource, edits ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	t.Helper()
	o := r.Object.DeepCopy()
	annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, v1beta1.AnnotationOwnership, v1beta1.OwnershipUndecided)(o)
	asoSays("True", "", "Succeeded")(o)
	applied(o)
	for _, edit := range edits {
		edit(o)
	}
	return o
}

// TestNoKindTakesWhatIsThereAlready walks the catalogue: a resource that Azure has already and that was not made for the Cluster is
// composed with the policy skip, with which ASO neither changes nor deletes it, whether its parent is the Cluster's or not. Where the parent
// is, a kind without tags belongs to that.
func TestNoKindTakesWhatIsThereAlready(t *testing.T) {
	for _, kind := range aso.Catalogue() {
		for _, parentIs := range []string{v1beta1.OwnershipExternal, v1beta1.OwnershipOwned} {
			if parentIs == v1beta1.OwnershipOwned && (kind.New || kind.Ownership == aso.OfParent) {
				continue // See TestWhatLiesInTheClustersOwn.
			}
			t.Run(kind.Name+" in what is "+parentIs, func(t *testing.T) {
				r, parent := resourceOf(t, kind)
				parentObject := there(t, parent, annotated(v1beta1.AnnotationOwnership, parentIs))
				first := makeWith(t, Plan{Cluster: "c1"}, false, []*Resource{parent, r}, parentObject)
				if made, composed := first.Composed[r.Name()]; composed && made.Object.GetAnnotations()[aso.AnnotationReconcilePolicy] != aso.PolicySkip {
					t.Errorf("it is sent before anybody has looked: %v", made.Object.GetAnnotations())
				}
				for _, observed := range []*unstructured.Unstructured{there(t, r), there(t, r, annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipExternal))} {
					r, parent := resourceOf(t, kind)
					out := makeWith(t, Plan{Cluster: "c1"}, false, []*Resource{parent, r}, parentObject, observed)
					made, composed := out.Composed[r.Name()]
					if !composed {
						t.Fatal("it would be deleted")
					}
					annotations := made.Object.GetAnnotations()
					if annotations[aso.AnnotationReconcilePolicy] != aso.PolicySkip || annotations[v1beta1.AnnotationOwnership] != v1beta1.OwnershipExternal {
						t.Errorf("it would be changed, and deleted with the Cluster: %v", annotations)
					}
				}
			})
		}
	}
}

// TestWhatLiesInTheClustersOwn says of kinds without tags that they belong to what they lie in.
func TestWhatLiesInTheClustersOwn(t *testing.T) {
	for _, kind := range aso.Catalogue() {
		if kind.Ownership != aso.OfParent || kind.New || kind.ParentInStatus != "" {
			continue
		}
		t.Run(kind.Name, func(t *testing.T) {
			r, parent := resourceOf(t, kind)
			observed := there(t, parent, annotated(v1beta1.AnnotationOwnership, v1beta1.OwnershipOwned), func(o *unstructured.Unstructured) {
				annotations := o.GetAnnotations()
				delete(annotations, aso.AnnotationReconcilePolicy)
				o.SetAnnotations(annotations)
			})
			out := makeWith(t, Plan{Cluster: "c1"}, false, []*Resource{parent, r}, observed, there(t, r))
			if got := out.Composed[r.Name()].Object.GetAnnotations()[v1beta1.AnnotationOwnership]; got != v1beta1.OwnershipOwned {
				t.Errorf("ownership is %q", got)
			}
		})
	}
}

// TestAKindThatNobodyDeclared shows that a built resource of a kind which is not in the catalogue stops everything.
func TestAKindThatNobodyDeclared(t *testing.T) {
	r, _ := resourceOf(t, aso.Kind{Group: "cache.azure.com", Name: "Redis"})
	in := servedBy(t, "")
	p := Plan{Cluster: "c1", Resources: []*Resource{r}}
	if _, err := p.Make(in, &Observations{}); err == nil || !strings.Contains(err.Error(), "Redis.cache.azure.com is not in the catalogue") {
		t.Errorf("got %v", err)
	}
	r.Declared = true // Of a user's own objects their user decides.
	if _, err := p.Make(in, &Observations{}); err != nil {
		t.Error(err)
	}
}
