package plan

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

const (
	ownership = v1beta1.AnnotationOwnership
	policy    = aso.AnnotationReconcilePolicy
	tag       = "sigs.k8s.io_cluster-api-provider-azure_cluster_c1"
)

// network is a VirtualNetwork as the API server has it, with the annotations and the status given in YAML.
func network(t testing.TB, annotations, status string) *unstructured.Unstructured {
	t.Helper()
	o := object(t, fmt.Sprintf(`{apiVersion: network.azure.com/v1api20201101, kind: VirtualNetwork,
		metadata: {name: net, namespace: ns, generation: 2, annotations: {%s}}, spec: {owner: {name: rg}}, status: {%s}}`, annotations, status))
	o.SetManagedFields([]metav1.ManagedFieldsEntry{entry(o, "somebody", metav1.ManagedFieldsOperationApply, "",
		fmt.Sprintf(`{"f:metadata":{"f:annotations":{"f:%s":{},"f:%s":{},"f:%s":{}}}}`, policy, ownership, aso.AnnotationSkippedByPause))})
	return o
}

const (
	skip      = policy + ": skip"
	owned     = ownership + ": owned"
	externalA = ownership + ": external"
	undecideA = ownership + ": undecided"
	byPause   = aso.AnnotationSkippedByPause + ": 'true'"
	notFound  = "conditions: [{type: Ready, status: 'False', severity: Warning, reason: AzureResourceNotFound, message: nowhere, observedGeneration: 2}]"
	found     = "conditions: [{type: Ready, status: 'True', reason: Succeeded, observedGeneration: 2}]"
	tagged    = found + ", tags: {" + tag + ": owned}"
	shared    = found + ", tags: {" + tag + ": shared}"
	stale     = "conditions: [{type: Ready, status: 'True', reason: Succeeded, observedGeneration: 1}], tags: {" + tag + ": owned}"
	staleGone = "conditions: [{type: Ready, status: 'False', severity: Warning, reason: AzureResourceNotFound, observedGeneration: 1}]"
	forbidden = "conditions: [{type: Ready, status: 'False', severity: Error, reason: AuthorizationFailed, message: refused, observedGeneration: 2}]"
)

func TestFinding(t *testing.T) {
	cases := map[string]struct {
		annotations, status string
		within              string
		want                finding
	}{
		"ASO has not looked":                        {annotations: skip + ", " + undecideA, want: findingOpen},
		"not in Azure":                              {annotations: skip + ", " + undecideA, status: notFound, want: findingAbsent},
		"in Azure, nobody's":                        {annotations: skip + ", " + undecideA, status: found, want: findingExternal},
		"in Azure, of the Cluster":                  {annotations: skip + ", " + undecideA, status: tagged, want: findingOwned},
		"in Azure, the tag says shared":             {annotations: skip + ", " + undecideA, status: shared, want: findingExternal},
		"the answer is about an older spec: there":  {annotations: skip + ", " + undecideA, status: stale, want: findingOpen},
		"the answer is about an older spec: absent": {annotations: skip + ", " + undecideA, status: staleGone, want: findingOpen},
		"Azure refuses to tell":                     {annotations: skip + ", " + undecideA, status: forbidden, want: findingOpen},
		"recorded as owned":                         {annotations: owned, status: notFound, want: findingOwned},
		"recorded as owned, the tag is gone":        {annotations: owned, status: found, want: findingOwned},
		"recorded as owned, paused":                 {annotations: owned + ", " + skip + ", " + byPause, status: found, want: findingOwned},
		"recorded as external":                      {annotations: skip + ", " + externalA, status: found, want: findingExternal},
		"recorded as external, the tag came":        {annotations: skip + ", " + externalA, status: tagged, want: findingExternal},
		"recorded as external, gone":                {annotations: skip + ", " + externalA, status: notFound, want: findingExternal},
		"external, a user set its policy":           {annotations: policy + ": manage, " + externalA, status: found, want: findingExternal},
		"the record is nonsense":                    {annotations: skip + ", " + ownership + ": mine", status: found, want: findingExternal},
		"all annotations are gone, nobody's":        {status: found, want: findingExternal},
		"all annotations are gone, of the Cluster":  {status: tagged, want: findingOwned},
		"made by CAPZ":                              {annotations: policy + ": manage", status: tagged, want: findingOwned},
		"in an owned network":                       {annotations: skip + ", " + undecideA, status: found, within: "owned", want: findingOwned},
		"in an external network":                    {annotations: skip + ", " + undecideA, status: found, within: "external", want: findingExternal},
		"in a user's network":                       {annotations: skip + ", " + undecideA, status: found, within: "user", want: findingExternal},
		"in a network nobody knows of":              {annotations: skip + ", " + undecideA, status: found, within: "undecided", want: findingOpen},
		"not in Azure, in an external network":      {annotations: skip + ", " + undecideA, status: notFound, within: "external", want: findingAbsent},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			within := &Resource{Object: object(t, "{apiVersion: resources.azure.com/v1, kind: ResourceGroup, metadata: {name: rg}}")}
			kind := aso.VirtualNetwork
			if c.within != "" {
				kind.Ownership = aso.OfParent
			}
			r := &Resource{Object: network(t, "", "")}
			p := &Plan{Cluster: "c1", Resources: []*Resource{within, r}, resolver: aso.NewResolver(within.Object, r.Object), decisions: map[*Resource]decision{within: {ownership: c.within}}}
			if got := p.findingOf(r, kind, network(t, c.annotations, c.status)); got != c.want {
				t.Errorf("want %s, got %s", c.want, got)
			}
			if got := p.findingOf(r, kind, nil); got != findingOpen {
				t.Errorf("not composed yet: want open, got %s", got)
			}
		})
	}
}

// TestPlanLooksFirst shows what is composed in each state, with what policy, and what a person reads.
func TestPlanLooksFirst(t *testing.T) {
	type want struct{ Policy, Ownership, Reason, Message string }
	cases := map[string]struct {
		observed *unstructured.Unstructured
		paused   bool
		waits    string
		want     want
	}{
		"first":                             {want: want{"skip", "undecided", "Creating", "is being created"}},
		"first, what it needs is not there": {waits: "x is ready", want: want{"skip", "undecided", "Creating", "is being created"}},
		"looking":                           {observed: network(t, skip+", "+undecideA, ""), want: want{"skip", "undecided", "LookingInAzure", "Azure is asked whether it is there already"}},
		"Azure refuses":                     {observed: network(t, skip+", "+undecideA, forbidden), want: want{"skip", "undecided", "AuthorizationFailed", "refused"}},
		"absent":                            {observed: network(t, skip+", "+undecideA, notFound), want: want{"", "owned", "Creating", "is being created"}},
		"absent, it must wait":              {observed: network(t, skip+", "+undecideA, notFound), waits: "x is ready", want: want{"skip", "undecided", "WaitingForResource", "waits until x is ready"}},
		"absent, paused":                    {observed: network(t, skip+", "+undecideA, notFound), paused: true, want: want{"skip", "undecided", "Paused", "is not created while the Cluster is paused"}},
		"looking, paused":                   {observed: network(t, skip+", "+undecideA, ""), paused: true, want: want{"skip", "undecided", "LookingInAzure", "Azure is asked whether it is there already"}},
		"nobody's":                          {observed: network(t, skip+", "+undecideA, found), want: want{"skip", "external", "Succeeded", "was in Azure before: it is used, and neither changed nor deleted"}},
		"nobody's, it would wait":           {observed: network(t, skip+", "+undecideA, found), waits: "x is ready", want: want{"skip", "external", "Succeeded", "was in Azure before: it is used, and neither changed nor deleted"}},
		"of the Cluster":                    {observed: network(t, skip+", "+undecideA, tagged), want: want{"", "owned", "Succeeded", ""}},
		"owned, paused":                     {observed: network(t, owned, found), paused: true, want: want{"skip", "owned", "Succeeded", ""}},
		"owned, resumed":                    {observed: network(t, owned+", "+skip+", "+byPause, found), want: want{"", "owned", "Succeeded", ""}},
		"external, paused":                  {observed: network(t, skip+", "+externalA, found), paused: true, want: want{"skip", "external", "Succeeded", "was in Azure before: it is used, and neither changed nor deleted"}},
		"owned and skipped by a user":       {observed: network(t, owned+", "+skip, notFound), want: want{"", "owned", "AzureResourceNotFound", "nowhere"}},
		"external and gone": {observed: network(t, skip+", "+externalA, notFound), want: want{"skip", "external", "AzureResourceNotFound",
			"was in Azure before and is gone from there; it is not made here again. Make it again, or annotate VirtualNetwork net with " + ownership + "=owned to have it made and managed from now on"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			i := &Resource{Source: "spec.virtualNetwork", Object: network(t, "", "")}
			delete(i.Object.Object, "status")
			i.Object.SetManagedFields(nil)
			if c.waits != "" {
				i.After = []Precondition{{Description: c.waits}}
			}
			in, err := composer.NewRequest(requestFor(t, "{}", c.observed))
			must(t, err)
			plan := Plan{Resources: []*Resource{i}, Cluster: "c1", Paused: c.paused}
			out, err := plan.Make(in, &Observations{})
			must(t, err)
			composed := out.Composed[i.Name()].Object
			if composed == nil {
				t.Fatal("not composed")
			}
			got := want{composed.GetAnnotations()[policy], composed.GetAnnotations()[ownership], out.Of[0].State.Reason, out.Of[0].State.Message}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if out.Of[0].Ownership != c.want.Ownership {
				t.Errorf("status.resources: want ownership %q, got %q", c.want.Ownership, out.Of[0].Ownership)
			}
		})
	}
}

// TestLookFirst has ASO read what the user wrote before it may write it.
func TestLookFirst(t *testing.T) {
	type want struct{ Policy, Ownership, Reason, Message string }
	asked := want{"skip", "undecided", "LookingInAzure", "Azure is asked whether it is there already"}
	written := want{"", "", "Creating", "is being created"}
	cases := map[string]struct {
		edit     func(*unstructured.Unstructured)
		observed *unstructured.Unstructured
		without  bool
		paused   bool
		waits    string
		want     want
	}{
		"first":                         {want: want{"skip", "undecided", "Creating", "is being created"}},
		"first, it is to wait later":    {waits: "x is ready", want: want{"skip", "undecided", "Creating", "is being created"}},
		"looking":                       {observed: network(t, skip+", "+undecideA, ""), want: asked},
		"looking, it was asked for":     {without: true, observed: network(t, skip+", "+undecideA, ""), want: asked},
		"Azure refuses":                 {observed: network(t, skip+", "+undecideA, forbidden), want: want{"skip", "undecided", "AuthorizationFailed", "refused"}},
		"absent":                        {observed: network(t, skip+", "+undecideA, notFound), want: written},
		"there":                         {observed: network(t, skip+", "+undecideA, found), want: written},
		"there, of the Cluster":         {observed: network(t, skip+", "+undecideA, tagged), want: written},
		"absent, it must wait":          {observed: network(t, skip+", "+undecideA, notFound), waits: "x is ready", want: want{"skip", "undecided", "WaitingForResource", "waits until x is ready"}},
		"there, it must wait":           {observed: network(t, skip+", "+undecideA, found), waits: "x is ready", want: want{"skip", "undecided", "WaitingForResource", "waits until x is ready"}},
		"absent, paused":                {observed: network(t, skip+", "+undecideA, notFound), paused: true, want: want{"skip", "undecided", "Paused", "is not created while the Cluster is paused"}},
		"written, the answer is old":    {observed: network(t, "", notFound), want: written},
		"written before there was this": {observed: network(t, "", found), want: want{"", "", "Succeeded", ""}},
		"in what the user names": {edit: func(o *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(o.Object, "rg", "spec", "owner", "name")
		}, want: want{"skip", "", "Creating", "is being created"}},
		"with a policy of the user's": {edit: func(o *unstructured.Unstructured) { aso.Annotate(o, aso.AnnotationReconcilePolicy, aso.PolicyManage) }, want: want{"manage", "", "Creating", "is being created"}},
		"not asked for":               {without: true, want: want{"skip", "", "Creating", "is being created"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := &Resource{Source: "spec.resources[0]", Object: network(t, "", ""), Declared: true}
			delete(r.Object.Object, "status")
			r.Object.SetManagedFields(nil)
			unstructured.RemoveNestedField(r.Object.Object, "spec", "owner")
			if c.edit != nil {
				c.edit(r.Object)
			}
			if c.waits != "" {
				r.After = []Precondition{{Description: c.waits}}
			}
			in, err := composer.NewRequest(requestFor(t, "{}", c.observed))
			must(t, err)
			out, err := (&Plan{Resources: []*Resource{r}, Cluster: "c1", Paused: c.paused, LookFirst: !c.without}).Make(in, &Observations{})
			must(t, err)
			composed := out.Composed[r.Name()].Object
			if composed == nil {
				t.Fatal("not composed")
			}
			got := want{composed.GetAnnotations()[policy], composed.GetAnnotations()[ownership], out.Of[0].State.Reason, out.Of[0].State.Message}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
