package identity

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// going is what a deleted AzureClusterIdentity has in its metadata.
const going = `deletionTimestamp: "2026-11-20T00:00:00Z", `

// typedUser is the finalizer of an AzureManagedControlPlane.
func typedUser(namespace, name string) string {
	return finalizerOf(composite.AzureManagedControlPlane.GroupKind(), client.ObjectKey{Namespace: namespace, Name: name})
}

func TestFinalizer(t *testing.T) {
	typed := typedUser("team", "cp")
	if problems := validation.IsQualifiedName(typed); len(problems) > 0 {
		t.Errorf("%s: %v", typed, problems)
	}
	if !strings.HasPrefix(typed, finalizersOfNamespace("team")) {
		t.Errorf("%s does not have its namespace", typed)
	}
	for _, other := range []string{
		typedUser("team", "cp2"), typedUser("team2", "cp"),
		finalizerOf(composite.AzureASOManagedControlPlane.GroupKind(), client.ObjectKey{Namespace: "team", Name: "cp"}),
	} {
		if other == typed {
			t.Errorf("two control planes have the finalizer %s", typed)
		}
	}
}

// TestKeeper shows which finalizers an identity gets, keeps and loses.
func TestKeeper(t *testing.T) {
	cp, aso := typedUser("team", "cp"), finalizerOf(composite.AzureASOManagedControlPlane.GroupKind(), client.ObjectKey{Namespace: "team", Name: "cp"})
	gone, elsewhere := typedUser("team", "gone"), typedUser("other", "gone")
	theASO := replaced(theControlPlane, "kind: AzureManagedControlPlane", "kind: AzureASOManagedControlPlane")
	cases := map[string]struct {
		identity, controlPlane []string
		others                 []string
		// namespace is the only one that is known.
		namespace string
		has       []string
		want      []string
	}{
		"one that it allows":               {want: []string{cp}},
		"both families":                    {others: []string{theASO}, want: []string{aso, cp}},
		"has it already":                   {has: []string{cp}, want: []string{cp}},
		"never allowed":                    {identity: []string{"list: [team]", "list: [other]"}},
		"an unreadable selector":           {identity: []string{"list: [team]", "selector: {matchExpressions: [{key: a, operator: Guess}]}"}},
		"no longer allowed":                {identity: []string{"list: [team]", "list: [other]"}, has: []string{cp}, want: []string{cp}},
		"uses another":                     {controlPlane: []string{"name: id,", "name: id2,"}, has: []string{cp}},
		"gone":                             {has: []string{gone, elsewhere, cp}, want: []string{cp}},
		"somebody else's finalizers":       {has: []string{"example.org/f", gone, "azurecluster.infrastructure.cluster.x-k8s.io/3a7c"}, want: []string{"example.org/f", "azurecluster.infrastructure.cluster.x-k8s.io/3a7c", cp}},
		"another namespace's are kept":     {namespace: "team", has: []string{gone, elsewhere}, want: []string{elsewhere, cp}},
		"while it is deleted, the old":     {identity: []string{"metadata: {", "metadata: {" + going}, has: []string{cp, gone}, want: []string{cp}},
		"while it is deleted, none is new": {identity: []string{"metadata: {", "metadata: {" + going}, has: []string{"example.org/f"}, want: []string{"example.org/f"}},
		"while clusterctl moves it":        {identity: []string{"metadata: {", `metadata: {annotations: {clusterctl.cluster.x-k8s.io/delete-for-move: ""}, `}},
		"claimed by another": {
			controlPlane: []string{"subscriptionID: sub,", "subscriptionID: sub, resourceGroupName: rg,"},
			others:       []string{replaced(theControlPlane, "namespace: team", "namespace: first", "subscriptionID: sub,", "subscriptionID: sub, resourceGroupName: rg,", "metadata: {", `metadata: {annotations: {infrastructure.cluster.x-k8s.io/credential-secret: s}, `)},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			identity := object(t, replaced(theIdentity, tc.identity...))
			identity.SetFinalizers(tc.has)
			m := manage(t, append(tc.others, theTeam, replaced(theControlPlane, tc.controlPlane...))...)
			m.create(identity)
			k := m.keeper()
			k.namespace = tc.namespace
			m.keep(k)
			if diff := cmp.Diff(tc.want, m.finalizers()); diff != "" {
				t.Errorf("finalizers: -want +got:\n%s", diff)
			}
			m.writes = nil
			if m.keep(k); len(m.writes) > 0 {
				t.Errorf("wrote again: %v", m.writes)
			}
		})
	}
}

// TestKeeperMany shows that control planes which are applied together are noted together, and that one that goes is noted by itself.
func TestKeeperMany(t *testing.T) {
	objects := []string{theCluster, theControlPlane, theTeam, theIdentity, theSource}
	const many = 50
	for i := range many - 1 {
		objects = append(objects, replaced(theControlPlane, "name: cp,", fmt.Sprintf("name: cp%d,", i), "name: c,", fmt.Sprintf("name: c%d,", i)))
	}
	m := manage(t, objects...)
	writes, _ := m.reconcile()
	m.keep(m.keeper())
	if diff := cmp.Diff([]string{"patch AzureClusterIdentity id", "create Secret c-aso-secret", "patch AzureManagedControlPlane cp"}, writes); diff != "" {
		t.Errorf("writes: -want +got:\n%s", diff)
	}
	if got := len(m.finalizers()); got != many {
		t.Errorf("%d finalizers, want %d", got, many)
	}
	if err := m.Delete(context.Background(), object(t, theControlPlane)); err != nil {
		t.Fatal(err)
	}
	m.keep(m.keeper())
	if got := m.finalizers(); len(got) != many-1 || slices.Contains(got, typedUser("team", "cp")) {
		t.Errorf("%d finalizers, want %d", len(got), many-1)
	}
}

// TestHold shows that an identity which is being deleted stays good for who uses it, and for nobody else.
func TestHold(t *testing.T) {
	deleted := object(t, replaced(theIdentity, "metadata: {", "metadata: {"+going))
	deleted.SetFinalizers([]string{typedUser("team", "old")})
	m := manage(t, theCluster, theControlPlane, theTeam, theSource)
	m.create(deleted)
	if _, event := m.reconcile(); m.credential() != nil || !strings.Contains(event, "AzureClusterIdentity ids/id, to which spec.identityRef refers, is being deleted") {
		t.Errorf("event %q, Secret %v", event, m.credential())
	}
	deleted.SetFinalizers([]string{typedUser("team", "cp")})
	m = manage(t, theCluster, theControlPlane, theTeam, theSource)
	m.create(deleted)
	if _, event := m.reconcile(); event != "" || m.credential() == nil {
		t.Errorf("who uses it: event %q, Secret %v", event, m.credential())
	}
}

// TestKeeperTells shows once what a deletion waits for.
func TestKeeperTells(t *testing.T) {
	identity := object(t, replaced(theIdentity, "metadata: {", "metadata: {"+going))
	objects := []string{theTeam}
	users := []string{"example.org/f", typedUser("elsewhere", "cp")}
	for _, name := range []string{"b", "a", "d", "c"} {
		objects = append(objects, replaced(theControlPlane, "name: cp,", "name: "+name+","))
		users = append(users, typedUser("team", name))
	}
	identity.SetFinalizers(users)
	m := manage(t, objects...)
	m.create(identity)
	k := m.keeper()
	k.namespace = "team"
	m.keep(k)
	m.keep(k)
	m.expectEvent(t, "Warning InUse waits until it is not used: AzureManagedControlPlane team/a, AzureManagedControlPlane team/b, AzureManagedControlPlane team/c, 1 more, "+
		"1 in namespaces that another provider-capz is for; delete these clusters, or name another AzureClusterIdentity in spec.identityRef")
	for _, name := range []string{"a", "b", "c"} {
		if err := m.Delete(context.Background(), object(t, replaced(theControlPlane, "name: cp,", "name: "+name+","))); err != nil {
			t.Fatal(err)
		}
	}
	m.keep(k)
	m.keep(k)
	m.expectEvent(t, "Warning InUse waits until it is not used: AzureManagedControlPlane team/d, 1 in namespaces that another provider-capz is for; "+
		"delete these clusters, or name another AzureClusterIdentity in spec.identityRef")
}

// TestKeeperWatches shows of which identity an event of a control plane is.
func TestKeeperWatches(t *testing.T) {
	for name, tc := range map[string]struct {
		controlPlane string
		want         []ctrl.Request
	}{
		"another namespace's": {theControlPlane, []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: "ids", Name: "id"}}}},
		"its own namespace's": {replaced(theControlPlane, ", namespace: ids", ""), []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: "team", Name: "id"}}}},
		"none":                {replaced(theControlPlane, "name: id,", ""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, identityOf(context.Background(), object(t, tc.controlPlane))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// create puts an object into the cluster that the tracker of the fake client would not take, being deleted without finalizers.
func (m *management) create(obj client.Object) {
	m.t.Helper()
	deleted := obj.GetDeletionTimestamp() != nil
	copied := obj.DeepCopyObject().(client.Object)
	copied.SetDeletionTimestamp(nil)
	if err := m.Create(context.Background(), copied); err != nil {
		m.t.Fatal(err)
	}
	if deleted {
		if err := m.Delete(context.Background(), copied); err != nil {
			m.t.Fatal(err)
		}
	}
	m.writes = nil
}

// keep has a keeper look at the identity.
func (m *management) keep(k *keeper) {
	m.t.Helper()
	if _, err := k.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ids", Name: "id"}}); err != nil {
		m.t.Fatal(err)
	}
}

func (m *management) finalizers() []string {
	m.t.Helper()
	identity := &v1beta1.AzureClusterIdentity{}
	if err := m.Get(context.Background(), client.ObjectKey{Namespace: "ids", Name: "id"}, identity); err != nil {
		m.t.Fatal(err)
	}
	return identity.Finalizers
}

// expectEvent expects one Event, and no more.
func (m *management) expectEvent(t *testing.T, want string) {
	t.Helper()
	var event []string
	for len(m.recorder.Events) > 0 {
		event = append(event, <-m.recorder.Events)
	}
	if diff := cmp.Diff([]string{want}, event); diff != "" {
		t.Errorf("Events: -want +got:\n%s", diff)
	}
}

// TestHoldConflict shows that a finalizer which somebody else writes meanwhile is not lost.
func TestHoldConflict(t *testing.T) {
	ctx := context.Background()
	m := manage(t, theCluster, theControlPlane, theTeam, theIdentity, theSource)
	before := &v1beta1.AzureClusterIdentity{}
	if err := m.Get(ctx, client.ObjectKey{Namespace: "ids", Name: "id"}, before); err != nil {
		t.Fatal(err)
	}
	after := before.DeepCopy()
	after.Finalizers = []string{"example.org/f"}
	if err := m.Update(ctx, after); err != nil {
		t.Fatal(err)
	}
	hold := func(identity *v1beta1.AzureClusterIdentity) error {
		return m.keeper().hold(ctx, identity, composite.AzureManagedControlPlane.GroupKind(), client.ObjectKey{Namespace: "team", Name: "cp"})
	}
	if err := hold(before); !apierrors.IsConflict(err) {
		t.Errorf("an old copy: %v", err)
	}
	if err := hold(after); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"example.org/f", typedUser("team", "cp")}, m.finalizers()); diff != "" {
		t.Errorf("finalizers: -want +got:\n%s", diff)
	}
}

// TestLeftOver shows which identities are looked at when a provider-capz for one namespace starts.
func TestLeftOver(t *testing.T) {
	kept := object(t, theIdentity)
	kept.SetFinalizers([]string{typedUser("team", "gone")})
	others := object(t, replaced(theIdentity, "name: id}", "name: others}"))
	others.SetFinalizers([]string{typedUser("other", "gone"), "example.org/f"})
	m := manage(t)
	m.create(kept)
	m.create(others)
	for namespace, want := range map[string]int{"team": 1, "third": 0, "": 0} {
		queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
		k := m.keeper()
		k.namespace = namespace
		if err := k.leftOver(context.Background(), queue); err != nil {
			t.Fatal(err)
		}
		if got := queue.Len(); got != want {
			t.Errorf("%d for namespace %q, want %d", got, namespace, want)
		}
	}
}
