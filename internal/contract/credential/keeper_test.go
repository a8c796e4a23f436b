package credential

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

const (
	made = "{apiVersion: v1, kind: Secret, metadata: {name: my-cluster-aso-secret, labels: {cluster.x-k8s.io/cluster-name: my-cluster}}}"
	own  = "{apiVersion: v1, kind: Secret, metadata: {name: own}}"
	byNS = "{apiVersion: v1, kind: Secret, metadata: {name: aso-credential}}"
)

// signsIn has ASO sign in with a Secret for an object.
func signsIn(secret string) fixture.Change {
	return fixture.Annotated(aso.AnnotationCredentialFrom, secret)
}

func withFinalizer(o *unstructured.Unstructured) {
	o.SetFinalizers([]string{names.CredentialFinalizer})
}

// TestHold shows which Secrets get the finalizer for what a living composite resource has composed.
func TestHold(t *testing.T) {
	held := func(name string) []string { return []string{"patch Secret " + name} }
	tests := map[string]struct {
		object  []fixture.Change
		secrets []*unstructured.Unstructured
		xr      []fixture.Change
		want    []string
	}{
		"the one made":              {object: fixture.Changes(signsIn("my-cluster-aso-secret")), secrets: all(t, made, own, byNS), want: held("my-cluster-aso-secret")},
		"a person's":                {object: fixture.Changes(signsIn("own")), secrets: all(t, made, own, byNS), want: held("own")},
		"the namespace's":           {secrets: all(t, made, own, byNS), want: held("aso-credential")},
		"ASO's own credential":      {secrets: all(t, made, own)},
		"of another namespace":      {object: fixture.Changes(signsIn("other/own")), secrets: all(t, made, own, byNS)},
		"none yet":                  {object: fixture.Changes(signsIn("own"))},
		"one that is held":          {secrets: []*unstructured.Unstructured{fixture.With(fixture.Parse(t, byNS), withFinalizer)}},
		"one that goes":             {secrets: []*unstructured.Unstructured{fixture.With(fixture.Parse(t, byNS), fixture.Deleting("other"))}},
		"nothing composed":          {xr: fixture.Changes(fixture.ComposedNothing), secrets: all(t, made, own, byNS)},
		"something transferred":     {xr: fixture.Changes(fixture.ComposedNothing, fixture.Annotated(names.AwaitsDeletionAnnotation, "ManagedCluster.v1api20250801.containerservice.azure.com/my-cluster")), secrets: all(t, byNS), want: held("aso-credential")},
		"something that is not ASO": {xr: fixture.Changes(composes("v1", "ConfigMap", "x")), secrets: all(t, byNS)},
		"something that is gone":    {xr: fixture.Changes(composes("containerservice.azure.com/v1api20250801", "ManagedCluster", "gone")), secrets: all(t, byNS)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			xr := fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), append(fixture.Changes(fixture.OfCluster), tc.xr...)...)
			objects := []client.Object{xr, fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), tc.object...)}
			for _, secret := range tc.secrets {
				objects = append(objects, secret)
			}
			m := fixture.New(t, objects...)
			k := &Keeper{API: m.API()}
			for range 2 {
				if err := k.Hold(t.Context(), xr); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tc.want, m.TakeWrites()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func all(t *testing.T, texts ...string) []*unstructured.Unstructured {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, text := range texts {
		objects = append(objects, fixture.Parse(t, text))
	}
	return objects
}

// composes has a composite resource note one object as composed.
func composes(apiVersion, kind, name string) fixture.Change {
	return fixture.InSpec("crossplane", map[string]any{"resourceRefs": []any{map[string]any{"apiVersion": apiVersion, "kind": kind, "name": name}}})
}

// TestReconcile shows when a Secret has the finalizer, and what is said while it is being deleted.
func TestReconcile(t *testing.T) {
	ofControlPlane := fixture.Controlled(fixture.ASOControlPlane, "my-cluster")
	elsewhere := func(o *unstructured.Unstructured) {
		o.SetLabels(map[string]string{"cluster.x-k8s.io/cluster-name": "other"})
	}
	namesIt := fixture.InSpec("resources", []any{map[string]any{"metadata": map[string]any{"annotations": map[string]any{aso.AnnotationCredentialFrom: "my-cluster-aso-secret"}}}})
	going := fixture.Deleting(names.CredentialFinalizer)
	const waits = "is being deleted and stays until Azure Service Operator no longer signs in with it: ManagedCluster my-cluster"
	tests := map[string]struct {
		secret string
		as     []fixture.Change
		// of are changes of the control plane, object those of what it has composed.
		of, object []fixture.Change
		gone       bool
		held       bool
		event      string
		again      bool
	}{
		"used, without a finalizer":        {secret: byNS, held: true},
		"not used":                         {secret: byNS, as: fixture.Changes(withFinalizer), object: fixture.Changes(signsIn("own"))},
		"of nobody any more":               {secret: byNS, as: fixture.Changes(withFinalizer), gone: true},
		"used, going":                      {secret: byNS, as: fixture.Changes(going), held: true, event: waits, again: true},
		"a person's, used, going":          {secret: own, as: fixture.Changes(going), object: fixture.Changes(signsIn("own")), held: true, event: waits, again: true},
		"not used, going":                  {secret: byNS, as: fixture.Changes(going), object: fixture.Changes(signsIn("own"))},
		"made, its owner lives":            {secret: made, as: fixture.Changes(withFinalizer, ofControlPlane), held: true},
		"made, its owner goes":             {secret: made, as: fixture.Changes(withFinalizer, ofControlPlane), of: fixture.Changes(fixture.Deleting("x"))},
		"made, its owner goes, used":       {secret: made, as: fixture.Changes(withFinalizer, ofControlPlane), of: fixture.Changes(fixture.Deleting("x")), object: fixture.Changes(signsIn("my-cluster-aso-secret")), held: true},
		"made for another of the name":     {secret: made, as: fixture.Changes(withFinalizer, ofControlPlane), of: fixture.Changes(func(o *unstructured.Unstructured) { o.SetUID("new") })},
		"made, named in another Cluster":   {secret: made, as: fixture.Changes(withFinalizer, fixture.Controlled(fixture.ASOControlPlane, "gone")), of: fixture.Changes(elsewhere, namesIt), object: fixture.Changes(signsIn("my-cluster-aso-secret")), held: true},
		"made, another Cluster names none": {secret: made, as: fixture.Changes(withFinalizer, fixture.Controlled(fixture.ASOControlPlane, "gone")), of: fixture.Changes(elsewhere)},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			secret := fixture.With(fixture.Parse(t, tc.secret), tc.as...)
			objects := []client.Object{secret, fixture.Namespace()}
			if !tc.gone {
				objects = append(objects, fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), append(fixture.Changes(fixture.OfCluster), tc.of...)...),
					fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), tc.object...))
			}
			m := fixture.New(t, objects...)
			k := &Keeper{API: m.API()}
			result := m.Reconcile(k, secret.GetName())
			if (result.RequeueAfter == lookInterval) != tc.again {
				t.Errorf("looks again after %s", result.RequeueAfter)
			}
			left := m.Find(secretKind, secret.GetName())
			if is := left != nil && held(left); is != tc.held {
				t.Errorf("has the finalizer: %v", is)
			}
			m.TakeWrites()
			m.Reconcile(k, secret.GetName())
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("wrote again: %v", writes)
			}
			events := m.TakeEvents()
			if tc.event == "" && len(events) > 0 || tc.event != "" && (len(events) != 1 || !strings.Contains(events[0], tc.event)) {
				t.Errorf("events %q, want one: %q", events, tc.event)
			}
		})
	}
}

// TestReconcileInEndingNamespace shows that nothing is said of Secrets that go with all else.
func TestReconcileInEndingNamespace(t *testing.T) {
	namespace, now := fixture.Namespace(), metav1.Now()
	namespace.DeletionTimestamp, namespace.Finalizers = &now, []string{"kubernetes"}
	m := fixture.New(t, namespace, fixture.With(fixture.Parse(t, byNS), fixture.Deleting(names.CredentialFinalizer)),
		fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster, fixture.Deleting("x")), fixture.Parse(t, fixture.ManagedClusterYAML))
	m.Reconcile(&Keeper{API: m.API()}, "aso-credential")
	if events := m.TakeEvents(); len(events) > 0 || m.Find(secretKind, "aso-credential") == nil {
		t.Errorf("events %q, or the Secret is gone", events)
	}
}

// TestGone shows that the loss of a Secret, which somebody has forced, is told on those whose objects name it.
func TestGone(t *testing.T) {
	for name, tc := range map[string]struct {
		object []fixture.Change
		secret string
		told   bool
	}{
		"named":           {object: fixture.Changes(signsIn("own")), secret: "own", told: true},
		"not named":       {object: fixture.Changes(signsIn("own")), secret: "other"},
		"the namespace's": {secret: "aso-credential"}, // ASO may have one of its own.
	} {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.Namespace(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), fixture.With(fixture.Parse(t, fixture.ManagedClusterYAML), tc.object...))
			m.Reconcile(&Keeper{API: m.API()}, tc.secret)
			if events := m.TakeEvents(); (len(events) == 1 && strings.Contains(events[0], "CredentialLost Secret own is gone")) != tc.told {
				t.Errorf("events %q", events)
			}
		})
	}
}

// TestReleaseAfter shows that no finalizer is left by a composite resource which somebody has forced to go.
func TestReleaseAfter(t *testing.T) {
	forced := fixture.With(fixture.Parse(t, made), fixture.Controlled(fixture.ASOControlPlane, "my-cluster"), fixture.Deleting(names.CredentialFinalizer))
	living := fixture.With(fixture.Parse(t, strings.ReplaceAll(made, "my-cluster", "other")), fixture.Controlled(fixture.ASOControlPlane, "other"), withFinalizer)
	m := fixture.New(t, forced, living, fixture.With(fixture.Parse(t, byNS), withFinalizer), fixture.Parse(t, own))
	if err := (&Keeper{API: m.API()}).ReleaseAfter(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	writes := m.TakeWrites()
	slices.Sort(writes)
	if diff := cmp.Diff([]string{"patch Secret aso-credential", "patch Secret my-cluster-aso-secret"}, writes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestConcerned shows of which Secrets the controller is told.
func TestConcerned(t *testing.T) {
	p := concerned()
	secret := func(name string, changes ...func(*corev1.Secret)) *corev1.Secret {
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: "1"}}
		for _, change := range changes {
			change(s)
		}
		return s
	}
	held := func(s *corev1.Secret) { s.Finalizers, s.ResourceVersion = []string{names.CredentialFinalizer}, "2" }
	owned := func(s *corev1.Secret) { s.OwnerReferences = []metav1.OwnerReference{{Controller: new(true)}} }
	later := func(s *corev1.Secret) { s.ResourceVersion = "3" }
	for name, tc := range map[string]struct{ got, want bool }{
		"created":                {p.Create(event.CreateEvent{Object: secret("x")}), false},
		"created held":           {p.Create(event.CreateEvent{Object: secret("x", held)}), true},
		"a namespace's":          {p.Create(event.CreateEvent{Object: secret("aso-credential")}), true},
		"made":                   {p.Create(event.CreateEvent{Object: secret("c-aso-secret")}), true},
		"deleted":                {p.Delete(event.DeleteEvent{Object: secret("x")}), true},
		"deleted with its owner": {p.Delete(event.DeleteEvent{Object: secret("x", owned)}), false},
		"altered":                {p.Update(event.UpdateEvent{ObjectOld: secret("x", held), ObjectNew: secret("x", held, later)}), false},
		"its finalizer is gone":  {p.Update(event.UpdateEvent{ObjectOld: secret("x", held), ObjectNew: secret("x", later)}), true},
		"read again":             {p.Update(event.UpdateEvent{ObjectOld: secret("x", held), ObjectNew: secret("x", held)}), true},
		"another, read again":    {p.Update(event.UpdateEvent{ObjectOld: secret("x"), ObjectNew: secret("x")}), false},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %v", name, tc.got)
		}
	}
}
