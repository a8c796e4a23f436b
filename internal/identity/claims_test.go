package identity

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestClaims(t *testing.T) {
	cases := map[string]struct {
		replaced []string
		want     []string
	}{
		"names left out":    {want: []string{"sub/c/tag/c", "sub/c/aks/cp"}},
		"a resource group":  {[]string{"subscriptionID: sub,", "subscriptionID: SUB, resourceGroupName: RG,"}, []string{"sub/rg/aks/cp", "sub/rg/tag/c"}},
		"a network's group": {[]string{"subscriptionID: sub,", "subscriptionID: sub, resourceGroupName: rg, virtualNetwork: {resourceGroup: Net},"}, []string{"sub/rg/aks/cp", "sub/rg/tag/c", "sub/net/tag/c"}},
		"the same group":    {[]string{"subscriptionID: sub,", "subscriptionID: sub, resourceGroupName: rg, virtualNetwork: {resourceGroup: RG},"}, []string{"sub/rg/aks/cp", "sub/rg/tag/c"}},
		"another label":     {[]string{"uid: cp,", "uid: cp, labels: {cluster.x-k8s.io/cluster-name: d},"}, []string{"sub/c/tag/c", "sub/c/aks/cp", "sub/d/tag/d", "sub/d/aks/cp"}},
		"a label alone":     {[]string{"ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, name: c, uid: cluster}]", "labels: {cluster.x-k8s.io/cluster-name: d}"}, []string{"sub/d/tag/d", "sub/d/aks/cp"}},
		"no subscription":   {[]string{"subscriptionID: sub, ", ""}, nil},
		"the other family":  {[]string{"kind: AzureManagedControlPlane", "kind: AzureASOManagedControlPlane"}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, indexClaims(object(t, replaced(theControlPlane, tc.replaced...)))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestClaimsOfCluster(t *testing.T) {
	const azureCluster = `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureCluster, metadata: {namespace: team, name: ac,
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, name: c, uid: cluster}]}, spec: {location: l, subscriptionID: sub}}`
	cases := map[string]struct {
		replaced []string
		want     []string
	}{
		"names left out":    {want: []string{"sub/c/tag/c"}},
		"a resource group":  {[]string{"subscriptionID: sub", "subscriptionID: SUB, resourceGroup: RG"}, []string{"sub/rg/tag/c"}},
		"a network's group": {[]string{"subscriptionID: sub", "subscriptionID: sub, networkSpec: {vnet: {resourceGroup: Net}}"}, []string{"sub/c/tag/c", "sub/net/tag/c"}},
		"the same group":    {[]string{"subscriptionID: sub", "subscriptionID: sub, resourceGroup: rg, networkSpec: {vnet: {resourceGroup: RG}}"}, []string{"sub/rg/tag/c"}},
		"no subscription":   {[]string{", subscriptionID: sub", ""}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, indexClaims(object(t, replaced(azureCluster, tc.replaced...)))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestClaimedByOther shows which of two control planes gives way.
func TestClaimedByOther(t *testing.T) {
	const (
		early, late = `creationTimestamp: "2026-11-20T00:00:00Z", `, `creationTimestamp: "2026-11-20T00:00:01Z", `
		noted       = `annotations: {infrastructure.cluster.x-k8s.io/credential-secret: s}, `
		inGroup     = "subscriptionID: sub, resourceGroupName: rg,"
		sameCluster = "spec.resourceGroupName rg of subscription sub, with Cluster c, is what a control plane of another namespace has"
		sameName    = "spec.resourceGroupName rg of subscription sub, with metadata.name cp, is what a control plane of another namespace has"
	)
	// one returns the control plane of the tests, and other that of another namespace.
	one := func(metadata string, pairs ...string) string {
		return replaced(replaced(theControlPlane, "metadata: {", "metadata: {"+metadata, "subscriptionID: sub,", inGroup), pairs...)
	}
	other := func(metadata string, pairs ...string) string {
		return replaced(one(metadata, pairs...), "namespace: team", "namespace: other", "uid: cp", "uid: other")
	}
	cases := map[string]struct {
		one, other string
		holds      []string
		allowed    string
		// runs is set where the Secret is there.
		runs bool
		want string
	}{
		"no other":                                {one: one(late), other: other(early, "resourceGroupName: rg", "resourceGroupName: rg2")},
		"another subscription":                    {one: one(late), other: other(early, "subscriptionID: sub", "subscriptionID: sub2")},
		"the other is older":                      {one: one(late), other: other(early), want: sameName},
		"the other is younger":                    {one: one(early), other: other(late)},
		"both at once, by namespace":              {one: one(early), other: other(early), want: sameName},
		"letters of another size":                 {one: one(late), other: other(early, "resourceGroupName: rg", "resourceGroupName: RG"), want: sameName},
		"the Cluster's name alone":                {one: one(late), other: other(early, "name: cp,", "name: cp2,"), want: sameCluster},
		"the control plane's name alone":          {one: one(late), other: other(early, "name: c,", "name: c2,"), want: sameName},
		"two of one resource group":               {one: one(late), other: other(early, "name: c,", "name: c2,", "name: cp,", "name: cp2,")},
		"the network's group is the other's":      {one: one(late, "resourceGroupName: rg", "resourceGroupName: rg2, virtualNetwork: {resourceGroup: rg}"), other: other(early), want: "spec.virtualNetwork.resourceGroup rg of subscription sub, with Cluster c, is"},
		"within a namespace":                      {one: one(late), other: replaced(other(early, "name: cp,", "name: cp2,"), "namespace: other", "namespace: team")},
		"the other may not use its identity":      {one: one(late), other: other(early), allowed: "{list: [team]}"},
		"nor has it one":                          {one: one(late), other: other(early, "name: id,", "")},
		"nor is there one":                        {one: one(late), other: other(early, "name: id,", "name: none,")},
		"nor is it believed to have one":          {one: one(late), other: other(early + noted), allowed: "{list: [team]}"},
		"it had one before the right was lost":    {one: one(early), other: other(late), allowed: "{list: [team]}", holds: []string{typedUser("other", "cp")}, want: sameName},
		"the younger runs":                        {one: one(early), other: other(late), holds: []string{typedUser("other", "cp")}, want: sameName},
		"this one runs, and is the younger":       {one: one(late), other: other(early), holds: []string{typedUser("team", "cp")}},
		"this one runs, and the other says so":    {one: one(late), other: other(early + noted), holds: []string{typedUser("team", "cp")}},
		"was moved here, and is the younger":      {one: one(late + noted), other: other(early)},
		"both run":                                {one: one(late), other: other(early), runs: true, holds: []string{typedUser("team", "cp"), typedUser("other", "cp")}},
		"both run, but this one's Secret is gone": {one: one(late), other: other(early), holds: []string{typedUser("team", "cp"), typedUser("other", "cp")}, want: sameName},
		"this one has but a Secret":               {one: one(late), other: other(early), runs: true, want: sameName},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.allowed == "" {
				tc.allowed = "{list: [team, other]}"
			}
			identity := object(t, replaced(theIdentity, "{list: [team]}", tc.allowed))
			identity.SetFinalizers(tc.holds)
			m := manage(t, theCluster, theTeam, replaced(theTeam, "name: team", "name: other"), theSource, tc.one, tc.other)
			m.create(identity)
			if tc.runs {
				m.create(object(t, `{apiVersion: v1, kind: Secret, metadata: {namespace: team, name: c-aso-secret, ownerReferences: [
  {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, name: cp, uid: cp, controller: true}]}}`))
			}
			_, event := m.reconcile()
			if !strings.Contains(event, tc.want) || (event == "") != (tc.want == "") {
				t.Errorf("event %q, want %q", event, tc.want)
			}
			if strings.Contains(event, "other/") || (m.credential() == nil || len(m.credential().Data) == 0) != (tc.want != "") {
				t.Errorf("event %q, Secret %v", event, m.credential())
			}
		})
	}
}

// TestClaimSettles shows that who gave way goes on when the other is gone, and is not disturbed by one that comes later.
func TestClaimSettles(t *testing.T) {
	ctx := context.Background()
	ours := replaced(theControlPlane, "metadata: {", `metadata: {creationTimestamp: "2026-11-20T00:00:01Z", `)
	theirs := replaced(theControlPlane, "metadata: {", `metadata: {creationTimestamp: "2026-11-20T00:00:00Z", `, "namespace: team", "namespace: other")
	m := manage(t, theCluster, theTeam, theSource, ours, theirs, replaced(theIdentity, "{list: [team]}", "{}"))
	if _, event := m.reconcile(); event == "" || m.credential() != nil {
		t.Fatalf("event %q, Secret %v", event, m.credential())
	}
	requests := m.reconciler().fromClaim(ctx, object(t, theirs))
	if diff := cmp.Diff([]ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: "team", Name: "cp"}}}, requests); diff != "" {
		t.Errorf("the other's end leads to: -want +got:\n%s", diff)
	}
	if err := m.Delete(ctx, object(t, theirs)); err != nil {
		t.Fatal(err)
	}
	if _, event := m.reconcile(); event != "" || m.credential() == nil {
		t.Fatalf("event %q, Secret %v", event, m.credential())
	}
	m.create(object(t, theirs))
	if writes, event := m.reconcile(); event != "" || len(writes) > 0 || m.credential() == nil {
		t.Errorf("a newcomer: wrote %v, event %q, Secret %v", writes, event, m.credential())
	}
}

// TestEveryKindWithFieldsClaims shows that no kind has been forgotten of which two could take the same resources for their own. Those whose
// users write ASO objects claim nothing.
func TestEveryKindWithFieldsClaims(t *testing.T) {
	for _, kind := range carriers() {
		if claimed := claims[kind.GroupKind()] != nil; claimed == kind.Inline {
			t.Errorf("%s claims something: %v", kind.Kind, claimed)
		}
	}
}
