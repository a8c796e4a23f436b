package composertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// A Play has one composite resource with Crossplane, Azure Service Operator (ASO) and Azure around it, each as far as a composer can tell.
type Play struct {
	T         testing.TB
	Composers Composers
	World     World
	XR        *unstructured.Unstructured
	// Live are the composed objects by composition resource name.
	Live Live
	// Azure has the tags of what is in Azure, by what InAzure calls it.
	Azure map[string]map[string]any
	// ByFacts compares each answer with the one by ClusterFacts.
	ByFacts bool
	// Status returns what Azure says of a resource beside ID and tags; nil for nothing of any.
	Status func(*unstructured.Unstructured) map[string]any
	// Did is what ASO did in Azure, in order.
	Did []string
	// zones are those that resources were made in, by what InAzure calls them.
	zones map[string]any
	// Response is the last answer of the function.
	Response *fnv1.RunFunctionResponse
}

// NewPlay returns a play in whose Azure there are the named resources of somebody else's.
func NewPlay(t testing.TB, c Composers, w World, xr *unstructured.Unstructured, inAzure ...string) *Play {
	p := &Play{T: t, Composers: c, World: w, XR: xr, Live: Live{}, Azure: map[string]map[string]any{}, zones: map[string]any{}}
	for _, resource := range inAzure {
		p.Azure[resource] = map[string]any{"somebody": "else"}
	}
	return p
}

// InAzure is how an object's resource is called in a play's Azure.
func InAzure(o *unstructured.Unstructured) string { return o.GetKind() + " " + aso.AzureName(o) }

// Compose runs the function once and does with its answer what Crossplane does.
func (p *Play) Compose() {
	p.T.Helper()
	settle := p.Composers.SettleByObjects
	if p.ByFacts {
		settle = p.Composers.Settle
	}
	p.Response = settle(p.T, p.World, Request(p.T, p.XR, p.Live.Objects()...))
	if Fatal(p.Response) != "" {
		return
	}
	p.XR = Edited(p.XR, Set(Status(p.Response), "status"))
	desired := Desired(p.T, p.Response)
	for _, name := range slices.Sorted(maps.Keys(p.Live)) {
		if desired[name] == nil {
			p.delete(name)
		}
	}
	for name, o := range desired {
		p.Live.Apply(p.T, p.XR, name, o)
	}
}

func (p *Play) delete(name string) {
	o := p.Live.Object(name)
	delete(p.Live, name)
	if o.GetAnnotations()[aso.AnnotationReconcilePolicy] == aso.PolicySkip {
		return
	}
	p.Did = append(p.Did, "delete "+InAzure(o))
	delete(p.Azure, InAzure(o))
}

// ASO has ASO look at every object once, one after another.
func (p *Play) ASO() {
	for _, name := range slices.Sorted(maps.Keys(p.Live)) {
		p.reconcile(name)
	}
}

func (p *Play) reconcile(name string) {
	o := p.Live.Object(name)
	_, there := p.Azure[InAzure(o)]
	skips := o.GetAnnotations()[aso.AnnotationReconcilePolicy] == aso.PolicySkip
	sent := o.GetAnnotations()[aso.AnnotationSent]
	generation := fmt.Sprint(p.Live[name].Generation)
	switch {
	case skips && !there:
		p.Live.Say(name, "False", "Warning", aso.ReasonResourceNotFound, nil)
		return
	case !skips && sent != generation:
		done := "create "
		if there {
			done = "update "
		} else if zones, has, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "zones"); has {
			p.zones[InAzure(o)] = zones
		}
		p.Did = append(p.Did, done+InAzure(o))
		p.Azure[InAzure(o)], _, _ = unstructured.NestedMap(o.Object, "spec", "tags")
		p.Live.Edit(p.T, name, Annotate(aso.AnnotationSent, generation), Annotate(aso.AnnotationResourceID, p.id(o)))
	}
	status := map[string]any{"id": p.id(o)}
	if tags := p.Azure[InAzure(o)]; len(tags) > 0 {
		status["tags"] = tags
	}
	if zones := p.zones[InAzure(o)]; zones != nil {
		status["zones"] = zones
	}
	if p.Status != nil {
		maps.Copy(status, p.Status(o))
	}
	p.Live.Say(name, "True", "", "Succeeded", status)
}

// id returns the ID of a resource in Azure, as far as the play knows what it lies in.
func (p *Play) id(o *unstructured.Unstructured) string {
	kind, _ := aso.KindOf(o.GroupVersionKind().GroupKind())
	if kind == aso.ResourceGroup {
		return "/subscriptions/sub/resourceGroups/" + aso.AzureName(o)
	}
	owner, types := aso.SpecOwnerARMID.Value(o), strings.Split(kind.ARM(), "/")
	if name := aso.SpecOwnerName.Value(o); owner == "" && p.Live[aso.OwnerKind(kind.GroupKind()).String()+"/"+name] != nil {
		owner = p.id(p.Live.Object(aso.OwnerKind(kind.GroupKind()).String() + "/" + name))
	}
	if len(types) > 2 { // It lies in another one of its provider.
		return owner + "/" + types[len(types)-1] + "/" + aso.AzureName(o)
	}
	return owner + "/providers/" + kind.ARM() + "/" + aso.AzureName(o)
}

// Rounds lets Crossplane and ASO take turns, so many times or until neither has anything to say, and returns the play.
func (p *Play) Rounds(n int) *Play {
	p.T.Helper()
	quiet := 0
	for range n {
		before, done := p.Response, len(p.Did)
		p.Compose()
		p.ASO()
		if len(p.Did) > done || !proto.Equal(before, p.Response) {
			quiet = 0
		} else if quiet++; quiet == 2 { // What ASO says may be news in the first.
			return p
		}
	}
	p.Compose()
	return p
}

// Scene returns the play as it stands.
func (p *Play) Scene() Scene {
	return Scene{XR: p.XR, World: p.World, Observed: p.Live.Objects()}
}

// Whose returns, for each composed object, the policy of ASO and whose the resource is, by kind and name in Azure.
func (p *Play) Whose() map[string]string {
	out := map[string]string{}
	for _, o := range p.Live.Objects() {
		annotations := o.GetAnnotations()
		is := annotations[aso.AnnotationReconcilePolicy]
		if aso.Held(o) {
			is = "held, " + is
		}
		out[InAzure(o)] = is + "/" + annotations["infrastructure.cluster.x-k8s.io/ownership"]
	}
	return out
}
