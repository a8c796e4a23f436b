package plan

import (
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

var subnetGK = schema.GroupKind{Group: "network.azure.com", Kind: "VirtualNetworksSubnet"}

// subnet returns a subnet of network net, with edits made.
func subnet(edits ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"owner": map[string]any{"name": "net"}, "azureName": "a"}}}
	o.SetAPIVersion("network.azure.com/v1api20240301")
	o.SetKind("VirtualNetworksSubnet")
	o.SetName("s")
	o.SetNamespace("ns")
	for _, edit := range edits {
		edit(o)
	}
	return o
}

func annotated(pairs ...string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		annotations := o.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		for n := 0; n < len(pairs); n += 2 {
			annotations[pairs[n]] = pairs[n+1]
		}
		o.SetAnnotations(annotations)
	}
}

func azureNamed(name string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(o.Object, name, "spec", "azureName")
	}
}

// asoSays writes ASO's condition.
func asoSays(status, severity, reason string) func(*unstructured.Unstructured) {
	return func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": status, "severity": severity, "reason": reason, "message": "said"}}}
	}
}

// applied has Crossplane own what was applied: the spec, and the annotations that are there.
func applied(o *unstructured.Unstructured) {
	fields := `{"f:spec":{"f:owner":{"f:name":{}},"f:azureName":{}},"f:metadata":{"f:annotations":{`
	for n, name := range []string{aso.AnnotationReconcilePolicy, aso.AnnotationHeld, aso.AnnotationSkippedByPause, aso.AnnotationOperator} {
		if n > 0 {
			fields += ","
		}
		fields += `"f:` + name + `":{}`
	}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{entry(o, ComposedManager+"/x", metav1.ManagedFieldsOperationApply, "", fields+"}}}")})
}

// TestHeld shows when an object is held in Kubernetes, when it is kept out of it, and when it is released.
func TestHeld(t *testing.T) {
	held := annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationHeld, "true")
	taken := annotated("serviceoperator.azure.com/resource-id", "/some/id")
	waiting := asoSays("False", "Warning", "WaitingForOwner")
	found := asoSays("True", "", "Succeeded")
	absent := asoSays("False", "Warning", aso.ReasonResourceNotFound)
	wasThere := func(o *unstructured.Unstructured) {
		must(t, unstructured.SetNestedField(o.Object, "/a", "status", "id"))
	}
	live := func(edits ...func(*unstructured.Unstructured)) *unstructured.Unstructured {
		return subnet(append([]func(*unstructured.Unstructured){held, waiting}, append(edits, applied)...)...)
	}
	const (
		waits    = "WaitingForResource: waits until x is there"
		creating = "Creating: is being created"
		paused   = "Paused: is not created while the Cluster is paused"
		kept     = `ImmutableField: p.spec.azureName is "b", but must stay "a" because Azure Service Operator has taken it up so; give another resource another metadata.name`
	)
	both := []string{aso.AnnotationHeld, aso.AnnotationReconcilePolicy}
	cases := map[string]struct {
		spec     *unstructured.Unstructured // a subnet if nil
		observed *unstructured.Unstructured
		waits    string
		needs    string
		plan     Plan
		unserved bool
		problem  *composer.Blocked
		// composed are those of the annotations that the desired object has; nil when it is not composed.
		composed []string
		want     string
	}{
		"new, nothing is waited for":                {composed: both, want: creating},
		"new, it waits":                             {waits: "x is there", composed: both, want: waits},
		"new, it cannot be written yet":             {needs: "x is there", want: waits},
		"new, without a credential":                 {plan: Plan{Gate: "x is there"}, want: waits},
		"new, paused":                               {waits: "x is there", plan: Plan{Paused: true}, want: paused},
		"new, with a policy of the user's":          {spec: subnet(annotated(aso.AnnotationReconcilePolicy, "detach-on-delete")), waits: "x is there", want: waits},
		"new, of a kind that is not served":         {waits: "x is there", unserved: true, want: "KindNotInstalled"},
		"new, wrong":                                {waits: "x is there", problem: &composer.Blocked{Reason: "Wrong", Message: "w"}, want: "Wrong: w"},
		"held, it waits":                            {observed: live(), waits: "x is there", composed: both, want: waits},
		"held, it cannot be written any more":       {observed: live(), needs: "x is there", composed: both, want: waits},
		"held, without a credential":                {observed: live(), plan: Plan{Gate: "x is there"}, composed: both, want: waits},
		"held, somebody else has it in Azure":       {observed: live(taken, found), waits: "x is there", composed: both, want: waits},
		"held, Azure refuses to be asked":           {observed: live(asoSays("False", "Error", "AuthorizationFailed")), waits: "x is there", composed: both, want: waits},
		"held, nothing is waited for any more":      {observed: live(), composed: []string{}, want: creating},
		"held, ready at once":                       {observed: live(taken, found), composed: []string{}, want: creating},
		"held, paused":                              {observed: live(), waits: "x is there", plan: Plan{Paused: true}, composed: both, want: paused},
		"held, paused, nothing is waited for":       {observed: live(), plan: Plan{Paused: true}, composed: both, want: paused},
		"held, the user sets a policy":              {spec: subnet(annotated(aso.AnnotationReconcilePolicy, "manage")), observed: live(), waits: "x is there", composed: both, want: waits},
		"released, the user has set a policy":       {spec: subnet(annotated(aso.AnnotationReconcilePolicy, "manage")), observed: live(), composed: []string{aso.AnnotationReconcilePolicy}, want: creating},
		"held, wrong":                               {observed: live(), problem: &composer.Blocked{Reason: "Wrong", Message: "w"}, composed: both, want: "Wrong: w"},
		"held, renamed in Azure":                    {spec: subnet(azureNamed("b")), observed: live(), waits: "x is there", composed: both, want: waits},
		"held and taken up, renamed in Azure":       {spec: subnet(azureNamed("b")), observed: live(taken), waits: "x is there", composed: both, want: kept},
		"held, who owns its fields is forgotten":    {observed: forgotten(live()), waits: "x is there", composed: both, want: waits},
		"released, who owns its fields is forgot":   {observed: forgotten(live()), composed: both, want: creating},
		"released, ASO has not looked again":        {observed: subnet(absent, applied), waits: "x is there", composed: []string{}, want: creating},
		"sent, and gone from Azure":                 {observed: subnet(absent, annotated(aso.AnnotationSent, "1"), wasThere, applied), composed: []string{}, want: "AzureResourceNotFound: said"},
		"sent, which ASO has not said yet":          {observed: subnet(absent, annotated(aso.AnnotationSent, "1"), applied), composed: []string{}, want: creating},
		"skipped by its user":                       {spec: subnet(annotated(aso.AnnotationReconcilePolicy, "skip")), observed: subnet(absent, annotated(aso.AnnotationReconcilePolicy, "skip"), applied), composed: both[1:], want: "AzureResourceNotFound: said"},
		"there, applied by an older version":        {observed: subnet(waiting, applied), waits: "x is there", composed: []string{}, want: "WaitingForOwner: said"},
		"there, ready, what it refers to is not":    {observed: subnet(found, applied), waits: "x is there", composed: []string{}, want: "Succeeded: said"},
		"there, paused":                             {observed: subnet(found, applied), plan: Plan{Paused: true}, composed: []string{aso.AnnotationReconcilePolicy, aso.AnnotationSkippedByPause}, want: "Succeeded: said"},
		"there, of a kind that may not go, renamed": {spec: subnet(azureNamed("b")), observed: subnet(taken, found, applied), composed: []string{}, want: "ImmutableField"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			i := &Resource{Source: "p", Object: subnet(), Declared: true, Err: c.problem}
			if c.spec != nil {
				i.Object = c.spec
			}
			if c.waits != "" {
				i.After = append(i.After, Precondition{Description: c.waits})
			}
			if c.needs != "" {
				i.After = append(i.After, Precondition{Description: c.needs, OfObject: true})
			}
			out := makeWith(t, c.plan, c.unserved, []*Resource{i}, c.observed)
			var composed []string
			if made, ok := out.Composed[i.Name()]; ok {
				composed = []string{}
				for _, name := range []string{aso.AnnotationHeld, aso.AnnotationReconcilePolicy, aso.AnnotationSkippedByPause} {
					if _, has := made.Object.GetAnnotations()[name]; has {
						composed = append(composed, name)
					}
				}
				if made.Ready && aso.Held(made.Object) {
					t.Error("ready while it is held")
				}
			}
			if diff := cmp.Diff(c.composed, composed); diff != "" {
				t.Errorf("annotations of what is composed: -want, +got:\n%s", diff)
			}
			state := out.Of[0].State
			if got := state.Reason + ": " + state.Message; got != c.want && state.Reason != c.want {
				t.Errorf("want %s, got %s", c.want, got)
			}
		})
	}
}

func forgotten(o *unstructured.Unstructured) *unstructured.Unstructured {
	o = o.DeepCopy()
	o.SetManagedFields([]metav1.ManagedFieldsEntry{entry(o, ComposedManager+"/x", metav1.ManagedFieldsOperationApply, "", `{"f:spec":{"f:azureName":{}}}`)})
	return o
}

// makeWith carries a plan out on what is observed.
func makeWith(t *testing.T, plan Plan, unserved bool, resources []*Resource, observed ...*unstructured.Unstructured) *Outcomes {
	t.Helper()
	req := requestFor(t, "{}", observed...)
	if unserved {
		req.Meta = &fnv1.RequestMeta{Capabilities: []fnv1.Capability{fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS}}
		req.RequiredSchemas = map[string]*fnv1.Schema{}
		for _, i := range resources {
			gvk := i.Object.GroupVersionKind()
			req.RequiredSchemas["schema/"+gvk.Kind+"."+gvk.GroupVersion().String()] = &fnv1.Schema{}
		}
	}
	in, err := composer.NewRequest(req)
	must(t, err)
	plan.Resources = resources
	observations := &Observations{}
	if unserved {
		observations, err = Observe(in, resources)
		must(t, err)
	}
	out, err := plan.Make(in, observations)
	must(t, err)
	return out
}

// TestOperator shows which operator an object is composed for, when it is known which one serves the namespace, and when it is not.
func TestOperator(t *testing.T) {
	const serving, other = "aso", "other"
	held := annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationHeld, "true")
	by := func(operator string) func(*unstructured.Unstructured) {
		return annotated(aso.AnnotationOperator, operator)
	}
	absent := asoSays("False", "Warning", aso.ReasonResourceNotFound)
	cases := map[string]struct {
		observed *unstructured.Unstructured
		spec     *unstructured.Unstructured // a subnet if nil
		waits    string
		plan     Plan
		// known and unknown are the operator that is composed, with "held" where it is, when facts tell of one and when they do not.
		known, unknown string
	}{
		"new":                               {known: "aso", unknown: " held"},
		"new, it waits":                     {waits: "x is there", known: aso.OperatorNone + " held", unknown: " held"},
		"new, with a policy of the user's":  {spec: subnet(annotated(aso.AnnotationReconcilePolicy, "detach-on-delete")), known: "aso", unknown: ""},
		"held for nobody":                   {observed: subnet(held, by(aso.OperatorNone), applied), waits: "x is there", known: aso.OperatorNone + " held", unknown: aso.OperatorNone + " held"},
		"held for nobody, paused":           {observed: subnet(held, by(aso.OperatorNone), applied), plan: Plan{Paused: true}, known: aso.OperatorNone + " held", unknown: aso.OperatorNone + " held"},
		"held for nobody, released":         {observed: subnet(held, by(aso.OperatorNone), applied), known: "aso", unknown: ""},
		"held, who owns its fields is lost": {observed: forgotten(subnet(held, by(aso.OperatorNone))), known: "aso held", unknown: aso.OperatorNone + " held"},
		"held, not taken up yet":            {observed: subnet(held, applied), waits: "x is there", known: "aso held", unknown: " held"},
		"held, taken up":                    {observed: subnet(held, by(other), absent, applied), waits: "x is there", known: "other held", unknown: "other held"},
		"held, taken up, released":          {observed: subnet(held, by(other), absent, applied), known: "other", unknown: "other"},
		"there":                             {observed: subnet(by(serving), absent, applied), known: "aso", unknown: "aso"},
		"there, of another operator":        {observed: subnet(by(other), absent, applied), known: "other", unknown: "other"},
		"there, of no operator":             {observed: subnet(absent, applied), known: "aso", unknown: ""},
		"its user has taken the mark off":   {observed: subnet(by(aso.OperatorNone), applied), known: "aso", unknown: ""},
	}
	for name, c := range cases {
		for operator, want := range map[string]string{serving: c.known, "": c.unknown} {
			t.Run(name+", served by "+operator, func(t *testing.T) {
				i := &Resource{Source: "p", Object: subnet(), Declared: true}
				if c.spec != nil {
					i.Object = c.spec.DeepCopy()
				}
				if c.waits != "" {
					i.After = append(i.After, Precondition{Description: c.waits})
				}
				in := servedBy(t, operator, c.observed)
				plan := c.plan
				plan.Resources = []*Resource{i}
				out, err := plan.Make(in, &Observations{})
				must(t, err)
				made, ok := out.Composed[i.Name()]
				if !ok {
					t.Fatal("it is not composed")
				}
				got := made.Object.GetAnnotations()[aso.AnnotationOperator]
				if aso.Held(made.Object) {
					got += " held"
				}
				if got != want {
					t.Errorf("want %q, got %q", want, got)
				}
			})
		}
	}
}

// servedBy returns a request in a namespace that the ASO of another namespace serves.
func servedBy(t *testing.T, operator string, observed ...*unstructured.Unstructured) *composer.Request {
	t.Helper()
	cluster := object(t, "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c1, namespace: ns}}")
	world := composertest.World{}.WithFacts(cluster, composertest.Set(operator, "spec", "operatorNamespace"))
	req := requestFor(t, "{}", observed...)
	req.RequiredResources = map[string]*fnv1.Resources{"facts": {Items: []*fnv1.Resource{{Resource: composertest.Struct(t, world.Objects[0])}}}}
	in, err := composer.NewRequest(req)
	must(t, err)
	must(t, in.Know("c1", ""))
	return in
}

// TestHeldLeavesAtOnce shows that nothing keeps a held object that the spec no longer has: there is nothing of it in Azure.
func TestHeldLeavesAtOnce(t *testing.T) {
	held := annotated(aso.AnnotationReconcilePolicy, aso.PolicySkip, aso.AnnotationHeld, "true")
	keeps := OfKinds(subnetGK)
	unclear := []*Resource{unreadable("x", "spec.resources[0]", "an object")}
	cases := map[string]struct {
		observed *unstructured.Unstructured
		plan     Plan
		others   []*Resource
		stays    bool
	}{
		"held":                                  {observed: subnet(held, applied)},
		"held, of a kind that may not go":       {observed: subnet(held, applied), plan: Plan{Retain: keeps}},
		"made, of a kind that may not go":       {observed: subnet(applied), plan: Plan{Retain: keeps}, stays: true},
		"held, while paused":                    {observed: subnet(held, applied), plan: Plan{Paused: true}, stays: true},
		"held, an entry cannot be told":         {observed: subnet(held, applied), others: unclear, stays: true},
		"held, and skipped by an earlier pause": {observed: subnet(held, annotated(aso.AnnotationSkippedByPause, "true"), applied), stays: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			out := makeWith(t, c.plan, false, c.others, c.observed)
			composed, stays := out.Composed[NameOf(c.observed)]
			if stays != c.stays {
				t.Fatalf("stays: want %v, got %v", c.stays, stays)
			}
			if stays && aso.Held(c.observed) != aso.Held(composed.Object) {
				t.Error("it is released")
			}
		})
	}
}

// TestLiesInNew shows what need not be looked for in Azure.
func TestLiesInNew(t *testing.T) {
	net := func(annotations, status string) *unstructured.Unstructured { return network(t, annotations, status) }
	const isNew = v1beta1.AnnotationNew + ": 'true'"
	cases := map[string]struct {
		net   *unstructured.Unstructured
		plan  Plan
		edit  func(net, subnet *Resource)
		child string // ownership of the subnet, and whether it is held
	}{
		"Azure is being asked":               {net: net(skip+", "+undecideA, ""), child: ""},
		"Azure does not have it":             {net: net(skip+", "+undecideA, notFound), child: "owned, held"},
		"Azure does not have it, paused":     {net: net(skip+", "+undecideA, notFound), plan: Plan{Paused: true}, child: ""},
		"Azure does not have it, it waits":   {net: net(skip+", "+undecideA, notFound), edit: func(net, _ *Resource) { net.After = []Precondition{{Description: "x"}} }, child: ""},
		"Azure does not have it, wrong":      {net: net(skip+", "+undecideA, notFound), edit: func(net, _ *Resource) { net.Err = &composer.Blocked{Reason: "Wrong", Message: "w"} }, child: ""},
		"it is being made":                   {net: net(owned+", "+isNew, ""), child: "owned, held"},
		"it has been made":                   {net: net(owned+", "+isNew, found), child: "undecided"},
		"it has been made, and is changed":   {net: net(owned, ""), child: ""},
		"it was made for the Cluster before": {net: net(skip+", "+undecideA, tagged), child: "undecided"},
		"it is somebody else's":              {net: net(skip+", "+externalA, found), child: "undecided"},
		"external, whatever is noted":        {net: net(skip+", "+externalA+", "+isNew, ""), child: ""},
		"a policy of the user's":             {net: net(owned+", "+isNew, ""), edit: func(_, child *Resource) { child.Annotate(aso.AnnotationReconcilePolicy, "manage") }, child: ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			parent := &Resource{Source: "n", Object: network(t, "", "")}
			delete(parent.Object.Object, "status")
			child := &Resource{Source: "s", Object: subnet()}
			if c.edit != nil {
				c.edit(parent, child)
			}
			c.net.SetManagedFields(append(c.net.GetManagedFields(), entry(c.net, ComposedManager+"/x", metav1.ManagedFieldsOperationApply, "",
				fmt.Sprintf(`{"f:metadata":{"f:annotations":{"f:%s":{},"f:%s":{}}}}`, v1beta1.AnnotationNew, ownership))))
			out := makeWith(t, c.plan, false, []*Resource{parent, child}, c.net)
			got := ""
			if made, ok := out.Composed[child.Name()]; ok {
				got = made.Object.GetAnnotations()[ownership]
				if aso.Held(made.Object) {
					got += ", held"
				}
			}
			if got != c.child {
				t.Errorf("want %q, got %q", c.child, got)
			}
		})
	}
}

// TestNewIsForgottenWhenMade shows how long it is noted that Azure did not have a resource.
func TestNewIsForgottenWhenMade(t *testing.T) {
	const isNew = v1beta1.AnnotationNew + ": 'true'"
	cases := map[string]struct {
		observed *unstructured.Unstructured
		want     bool
	}{
		"Azure does not have it": {network(t, skip+", "+undecideA, notFound), true},
		"it is being made":       {network(t, owned+", "+isNew, ""), true},
		"it has been made":       {network(t, owned+", "+isNew, found), false},
		"it had been made":       {network(t, owned, ""), false},
		"it is external":         {network(t, skip+", "+externalA+", "+isNew, ""), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			i := &Resource{Source: "n", Object: network(t, "", "")}
			c.observed.SetManagedFields(append(c.observed.GetManagedFields(), entry(c.observed, "m", metav1.ManagedFieldsOperationApply, "",
				fmt.Sprintf(`{"f:metadata":{"f:annotations":{"f:%s":{}}}}`, v1beta1.AnnotationNew))))
			out := makeWith(t, Plan{Cluster: "c1"}, false, []*Resource{i}, c.observed)
			if _, got := out.Composed[i.Name()].Object.GetAnnotations()[v1beta1.AnnotationNew]; got != c.want {
				t.Errorf("noted: want %v, got %v", c.want, got)
			}
		})
	}
}
