package compute

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

const (
	tagsOf    = "/providers/Microsoft.Resources/tags/default"
	ownedTags = `"sigs.k8s.io_cluster-api-provider-azure_cluster_my-cluster":"owned"`

	taggedNICYAML = `
apiVersion: network.azure.com/v1api20201101
kind: NetworkInterface
metadata:
  name: m0-nic
  labels: {cluster.x-k8s.io/cluster-name: my-cluster}
  finalizers: [` + aso.RemovalFinalizer + `]
  annotations: {serviceoperator.azure.com/credential-from: my-cluster-aso-secret, serviceoperator.azure.com/resource-id: ` + nicID + `}
spec: {azureName: m0-nic}
`
)

// asksFor has an object ask for tags.
func asksFor(tags map[string]any) fixture.Change {
	return func(o *unstructured.Unstructured) {
		o.Object["spec"].(map[string]any)["tags"] = tags
	}
}

// TestTags shows which tags are written to a machine and its network interface, which are taken away, and what is noted.
func TestTags(t *testing.T) {
	const (
		getVM, patchVM   = "GET " + machineID + tagsOf, "PATCH " + machineID + tagsOf
		getNIC, patchNIC = "GET " + nicID + tagsOf, "PATCH " + nicID + tagsOf
		notedBefore      = `{"resource":"VirtualMachine m0","tags":{"Name":"m0","old":"1","team":"a"}}`
		notedAfter       = `{"resource":"VirtualMachine m0","tags":{"Name":"m0","team":"b"}}`
	)
	has := func(tags string) []anAnswer {
		return []anAnswer{{200, `{"properties":{"tags":{` + ownedTags + tags + `}}}`}}
	}
	written := []anAnswer{{200, "{}"}}
	wanted := map[string]any{"Name": "m0", "team": "b"}
	cases := map[string]struct {
		noted, byCAPZ string
		nic           map[string]any
		ownership     string
		answers       map[string][]anAnswer
		asked         []string
		bodies        map[string]string
		want          string
		fails         bool
	}{
		"noted": {noted: notedAfter, want: notedAfter},
		"changed, and one is gone": {
			noted:   notedBefore,
			answers: map[string][]anAnswer{getVM: has(`,"Name":"m0","old":"1","team":"a","other":"x"`), getNIC: has(`,"Name":"m0-nic","old":"1","team":"a"`), patchVM: written, patchNIC: written},
			asked:   []string{getVM, patchVM, patchVM, getNIC, patchNIC, patchNIC},
			bodies:  map[string]string{patchVM: `{"operation":"Delete","properties":{"tags":{"old":"1"}}}`, patchNIC: `{"operation":"Delete","properties":{"tags":{"old":"1"}}}`},
			want:    notedAfter,
		},
		"somebody has changed what is gone": {
			noted:   notedBefore,
			answers: map[string][]anAnswer{getVM: has(`,"Name":"m0","old":"2","team":"b"`), getNIC: has(`,"Name":"m0-nic","team":"a"`), patchNIC: written},
			asked:   []string{getVM, getNIC, patchNIC},
			bodies:  map[string]string{patchNIC: `{"operation":"Merge","properties":{"tags":{"team":"b"}}}`},
			want:    notedAfter,
		},
		"nothing is noted": {
			answers: map[string][]anAnswer{getVM: has(`,"Name":"m0","old":"1"`), getNIC: has(`,"Name":"m0-nic","team":"b"`), patchVM: written},
			asked:   []string{getVM, patchVM, getNIC},
			bodies:  map[string]string{patchVM: `{"operation":"Merge","properties":{"tags":{"team":"b"}}}`},
			want:    notedAfter,
		},
		"taken over from CAPZ": {
			byCAPZ:  `{"old":"1","Name":"m0"}`,
			answers: map[string][]anAnswer{getVM: has(`,"Name":"m0","old":"1","team":"b"`), getNIC: has(`,"Name":"m0-nic","team":"b"`), patchVM: written},
			asked:   []string{getVM, patchVM, getNIC},
			bodies:  map[string]string{patchVM: `{"operation":"Delete","properties":{"tags":{"old":"1"}}}`},
			want:    notedAfter,
		},
		"the network interface is not composed anew yet": {noted: notedBefore, nic: map[string]any{"Name": "m0-nic", "team": "a"}, want: notedBefore},
		"moved here, and not looked at yet":              {noted: notedBefore, ownership: v1beta1.OwnershipUndecided, want: notedBefore},
		"somebody else's": {
			noted:   notedBefore,
			answers: map[string][]anAnswer{getVM: {{200, `{"properties":{"tags":{"team":"a"}}}`}}, getNIC: {absent}},
			asked:   []string{getVM, getNIC},
			want:    notedAfter,
		},
		"refused": {
			noted:   notedBefore,
			answers: map[string][]anAnswer{getVM: has(""), patchVM: {{403, `{"error":{"code":"AuthorizationFailed","message":"no"}}`}}},
			asked:   []string{getVM, patchVM}, want: notedBefore, fails: true,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			facts, err := v1alpha1.MachineFacts{Created: v1alpha1.FactsOfCreation{State: v1alpha1.Created}}.Encode()
			if err != nil {
				t.Fatal(err)
			}
			nicTags := c.nic
			if nicTags == nil {
				nicTags = map[string]any{"Name": "m0-nic", "team": "b"}
			}
			notes := map[string]string{v1alpha1.AnnotationMachineFacts: facts}
			if c.noted != "" {
				notes[v1alpha1.AnnotationAppliedTags] = c.noted
			}
			if c.byCAPZ != "" {
				notes[v1alpha1.AnnotationTagsAppliedByCAPZ] = c.byCAPZ
			}
			vm := fixture.With(fixture.Parse(t, virtualMachineYAML), fixture.Controlled(composite.AzureMachine.GroupVersionKind, "m0"), asksFor(wanted), fixture.Annotated(aso.AnnotationResourceID, machineID))
			vm.SetLabels(map[string]string{"cluster.x-k8s.io/cluster-name": "my-cluster"})
			nic := fixture.With(fixture.Parse(t, taggedNICYAML), fixture.Controlled(composite.AzureMachine.GroupVersionKind, "m0"), asksFor(nicTags))
			if c.ownership != "" {
				for _, obj := range []*unstructured.Unstructured{vm, nic} {
					aso.Annotate(obj, v1beta1.AnnotationOwnership, c.ownership)
					delete(obj.Object["spec"].(map[string]any), "tags")
				}
			}
			xr := fixture.With(fixture.Parse(t, azureMachineYAML), ofMachine, func(o *unstructured.Unstructured) {
				o.SetAnnotations(notes)
				o.Object["spec"].(map[string]any)["crossplane"] = map[string]any{"resourceRefs": []any{
					map[string]any{"apiVersion": "compute.azure.com/v1api20220301", "kind": "VirtualMachine", "name": "m0"},
					map[string]any{"apiVersion": "network.azure.com/v1api20201101", "kind": "NetworkInterface", "name": "m0-nic"},
				}}
			})
			s := newScene(t, c.answers, []client.Object{cluster(), xr, vm, nic, credentialSecret()}...)
			w := &work{Machine: &Machine{API: s.API(), Azure: s.own}, look: &look{Scope: s.Scope(composite.AzureMachine, "m0")}}
			w.facts, _ = v1alpha1.ReadMachineFacts(w.XR.GetAnnotations())
			if err := w.applyTags(t.Context()); (err != nil) != c.fails {
				t.Fatalf("fails: %v", err)
			}
			if err := note(t.Context(), w.API, w.XR, w.facts, "", w.applied.note); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.asked, s.azure.take()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for key, want := range c.bodies {
				if got := s.azure.bodies[key]; got != want {
					t.Errorf("%s: sent %s, want %s", key, got, want)
				}
			}
			if got := s.Find(composite.AzureMachine.GroupVersionKind, "m0").GetAnnotations()[v1alpha1.AnnotationAppliedTags]; got != c.want {
				t.Errorf("noted %s, want %s", got, c.want)
			}
		})
	}
}
