package contract

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

func myMachinePool() *clusterv1.MachinePool {
	return &clusterv1.MachinePool{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-machinepool", UID: "machinepool", Labels: map[string]string{clusterv1.ClusterNameLabel: "my-cluster"}},
		Spec: clusterv1.MachinePoolSpec{ClusterName: "my-cluster", Template: clusterv1.MachineTemplateSpec{Spec: clusterv1.MachineSpec{
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: asoMachinePoolKind.Group, Kind: asoMachinePoolKind.Kind, Name: "pool0"},
		}}},
	}
}

// told returns kind and name of each object that is told of, nil when nothing is.
func (m *management) told() []string {
	m.t.Helper()
	told := &v1alpha1.ClusterFacts{}
	if err := m.Get(m.t.Context(), client.ObjectKey{Namespace: "default", Name: "my-cluster"}, told); err != nil {
		if client.IgnoreNotFound(err) != nil {
			m.t.Fatal(err)
		}
		return nil
	}
	var all []string
	for _, o := range told.Spec.Objects {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(o.Raw); err != nil {
			m.t.Fatal(err)
		}
		all = append(all, u.GetKind()+" "+u.GetName())
	}
	return all
}

func (m *management) teach(watchFilter string) []string {
	m.t.Helper()
	t := &factsTeller{Client: m.Client, family: asoFamily, watchFilter: watchFilter, mapper: m.RESTMapper(),
		operators: newOperators(azure.Operators{Secrets: m.Client, Namespaces: []string{"aso", "more"}})}
	if _, err := t.Reconcile(m.t.Context(), ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: "my-cluster"}}); err != nil {
		m.t.Fatal(err)
	}
	return m.takeWrites()
}

func TestFactsAreMade(t *testing.T) {
	all := []string{"AzureASOManagedCluster my-cluster", "AzureASOManagedControlPlane my-cluster", "AzureASOManagedMachinePool pool0", "Cluster my-cluster", "MachinePool my-machinepool"}
	infra, cp, pool := func() client.Object { return with(parse(t, infrastructureYAML), ofCluster) },
		func() client.Object { return with(parse(t, controlPlaneYAML), ofCluster) },
		func() client.Object { return parse(t, poolYAML) }
	typed := func(c *clusterv1.Cluster) { c.Spec.ControlPlaneRef.Kind = typedControlPlaneKind.Kind }
	cases := map[string]struct {
		objects     []client.Object
		watchFilter string
		want        []string
	}{
		"all there":             {objects: []client.Object{myCluster(), infra(), cp(), pool(), myMachinePool()}, want: all},
		"pool not there yet":    {objects: []client.Object{myCluster(), infra(), cp(), myMachinePool()}, want: []string{all[0], all[1], all[3], all[4]}},
		"not owned yet":         {objects: []client.Object{myCluster(), parse(t, infrastructureYAML), parse(t, controlPlaneYAML), pool(), myMachinePool()}, want: all},
		"no infrastructure yet": {objects: []client.Object{myCluster(), cp(), pool(), myMachinePool()}},
		"no control plane yet":  {objects: []client.Object{myCluster(), infra(), pool(), myMachinePool()}},
		"being deleted":         {objects: []client.Object{myCluster(clusterDeleting), infra(), cp(), pool(), myMachinePool()}},
		"of another family":     {objects: []client.Object{myCluster(typed), infra(), cp(), pool(), myMachinePool()}},
		"another's to act on":   {objects: []client.Object{myCluster(), infra(), cp(), pool(), myMachinePool()}, watchFilter: "blue"},
		"no Cluster":            {objects: []client.Object{infra(), cp(), pool(), myMachinePool()}},
		"another Cluster's too": {objects: []client.Object{myCluster(), infra(), cp(), with(parse(t, poolYAML), func(o *unstructured.Unstructured) { o.SetName("other") }), pool(), myMachinePool()}, want: all},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, c.objects...)
			m.teach(c.watchFilter)
			if diff := cmp.Diff(c.want, m.told()); diff != "" {
				t.Errorf("told: -want, +got:\n%s", diff)
			}
			if writes := m.teach(c.watchFilter); len(writes) > 0 {
				t.Errorf("nothing has changed, but %v", writes)
			}
		})
	}
}

// TestFactsTellTheOperator says when new objects are handed to an Azure Service Operator, and to which.
func TestFactsTellTheOperator(t *testing.T) {
	settings := func(namespace, serves string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: azure.SettingsSecret}, Data: map[string][]byte{"AZURE_TARGET_NAMESPACES": []byte(serves)}}
	}
	answers := settings("aso", "")
	answers.Data["AZURE_OPERATOR_MODE"] = []byte("webhooks")
	cases := map[string]struct {
		objects []client.Object
		want    string
	}{
		"none":                            {},
		"one for all namespaces":          {[]client.Object{settings("aso", "")}, "aso"},
		"one for this one, one for other": {[]client.Object{settings("aso", "other"), settings("more", "other,default")}, "more"},
		"one for other namespaces":        {[]client.Object{settings("aso", "other")}, ""},
		"one for webhooks, one that acts": {[]client.Object{answers, settings("more", "default")}, "more"},
		"two":                             {[]client.Object{settings("aso", ""), settings("more", "default")}, ""},
		"one where none may be":           {[]client.Object{settings("elsewhere", "")}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, append(c.objects, myCluster())...)
			m.teach("")
			told := &v1alpha1.ClusterFacts{}
			if err := m.Get(t.Context(), types.NamespacedName{Namespace: "default", Name: "my-cluster"}, told); err != nil {
				t.Fatal(err)
			}
			if got := told.Spec.OperatorNamespace; got != c.want {
				t.Errorf("spec.operatorNamespace: want %q, got %q", c.want, got)
			}
			if writes := m.teach(""); len(writes) > 0 {
				t.Errorf("nothing has changed, but %v", writes)
			}
		})
	}
}

// TestTheOperatorIsAskedForOnce reads its settings once for all Clusters of a namespace, and goes on without when it may not.
func TestTheOperatorIsAskedForOnce(t *testing.T) {
	reads := 0
	var refusal error
	c := interceptor.NewClient(fake.NewClientBuilder().WithObjects(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "aso", Name: azure.SettingsSecret}}).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			reads++
			if refusal != nil {
				return refusal
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
	o := newOperators(azure.Operators{Secrets: c, Namespaces: []string{"aso"}})
	refusal = apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, azure.SettingsSecret, nil)
	if got := o.serving(t.Context(), "default"); got != "" {
		t.Errorf("want nothing said without the right to know, got %q", got)
	}
	refusal = nil
	for range 3 {
		if got := o.serving(t.Context(), "default"); got != "aso" {
			t.Errorf("want aso, got %q", got)
		}
	}
	if reads != 2 {
		t.Errorf("want a read that fails and one more, got %d", reads)
	}
}

// TestFactsChange says which changes are told of, and which are not.
func TestFactsChange(t *testing.T) {
	set := func(value any, fields ...string) func(*unstructured.Unstructured) {
		return func(o *unstructured.Unstructured) {
			if err := unstructured.SetNestedField(o.Object, value, fields...); err != nil {
				t.Fatal(err)
			}
		}
	}
	resource := func(ready bool, message string) []any {
		return []any{map[string]any{"resource": map[string]any{"kind": "ManagedCluster", "name": "my-cluster"}, "ready": ready, "message": message}}
	}
	cases := map[string]struct {
		change func(*unstructured.Unstructured)
		want   bool
	}{
		"version":          {set("v1.33.2", "status", "version"), true},
		"readiness":        {set(resource(true, ""), "status", "resources"), true},
		"message":          {set(resource(false, "still at it"), "status", "resources"), false},
		"condition":        {set([]any{map[string]any{"type": "Ready"}}, "status", "conditions"), false},
		"what is composed": {set([]any{}, "spec", "crossplane", "resourceRefs"), false},
		"spec":             {set("v1.33.2", "spec", "version"), true},
		"credential":       {annotated("infrastructure.cluster.x-k8s.io/credential-secret", "s"), true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			before := with(parse(t, controlPlaneYAML), ofCluster, set(resource(false, ""), "status", "resources"))
			m := newManagement(t, myCluster(), with(parse(t, infrastructureYAML), ofCluster), before)
			m.teach("")
			m.update(asoControlPlaneKind, "my-cluster", c.change)
			after := m.get(asoControlPlaneKind, "my-cluster")
			m.takeWrites()
			if writes := m.teach(""); (len(writes) > 0) != c.want {
				t.Errorf("want told: %v, got %v", c.want, writes)
			}
			if passes := factsChanged().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); passes != c.want {
				t.Errorf("want noticed: %v, got %v", c.want, passes)
			}
		})
	}
}

// TestFactsOfAnotherClusterStay has facts that go with an earlier Cluster of the name: they are neither changed nor used.
func TestFactsOfAnotherClusterStay(t *testing.T) {
	earlier := &v1alpha1.ClusterFacts{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-cluster", OwnerReferences: []metav1.OwnerReference{{
		APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: "my-cluster", UID: "earlier",
	}}}, Spec: v1alpha1.ClusterFactsSpec{Format: v1alpha1.ClusterFactsFormat}}
	m := newManagement(t, myCluster(), with(parse(t, infrastructureYAML), ofCluster), with(parse(t, controlPlaneYAML), ofCluster), earlier)
	if writes := m.teach(""); len(writes) > 0 {
		t.Errorf("written: %v", writes)
	}
}

// TestFactsGone has facts go, as they do at once when the Cluster is deleted in the foreground, before the cache says so.
func TestFactsGone(t *testing.T) {
	gone := &v1alpha1.ClusterFacts{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "my-cluster", OwnerReferences: []metav1.OwnerReference{{
		APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: "my-cluster", UID: "cluster",
	}}}}
	m := newManagement(t, myCluster(clusterDeleting))
	teller := &factsTeller{Client: m.Client}
	if err := teller.update(t.Context(), myCluster(clusterDeleting), gone, v1alpha1.ClusterFactsSpec{Format: v1alpha1.ClusterFactsFormat}); err != nil {
		t.Error(err)
	}
}

// TestFactsOfADeletedCluster tell of pools as they were, so that nothing is composed anew because they go; unless the Cluster has yet
// to come up, which it must not any more.
func TestFactsOfADeletedCluster(t *testing.T) {
	for name, up := range map[string]bool{"is up": true, "comes up": false} {
		t.Run(name, func(t *testing.T) {
			cluster, controlPlane, machinePool, pool := myCluster(), with(parse(t, controlPlaneYAML), ofCluster), myMachinePool(), parse(t, poolYAML)
			for _, stays := range []client.Object{cluster, controlPlane, machinePool} {
				stays.SetFinalizers([]string{"stays"})
			}
			pool.SetFinalizers(nil)
			if err := unstructured.SetNestedField(controlPlane.Object, up, "status", "initialized"); err != nil {
				t.Fatal(err)
			}
			m := newManagement(t, cluster, with(parse(t, infrastructureYAML), ofCluster), controlPlane, machinePool, pool)
			m.teach("")
			before := m.told()
			steps := []struct {
				name    string
				deletes client.Object
				told    bool
			}{
				{"the Cluster is deleted", cluster, true},
				{"its MachinePool is being deleted", machinePool, !up},
				{"the pool is gone", pool, !up},
				{"the control plane is being deleted", controlPlane, true},
			}
			for _, step := range steps {
				if err := m.Delete(t.Context(), step.deletes); err != nil {
					t.Fatal(err)
				}
				m.takeWrites()
				if writes := m.teach(""); (len(writes) > 0) != step.told {
					t.Errorf("%s: want it told: %v, got %v", step.name, step.told, writes)
				}
			}
			if diff := cmp.Diff(before, m.told()); (diff == "") != up {
				t.Errorf("told: -before, +after:\n%s", diff)
			}
		})
	}
}

// TestFactsFollow says which Cluster is told of anew when a composite resource comes that Cluster API does not own yet.
func TestFactsFollow(t *testing.T) {
	pool := func(name string) client.Object {
		o := parse(t, poolYAML)
		o.SetName(name)
		o.SetLabels(nil)
		o.SetOwnerReferences(nil)
		return o
	}
	of := func(name, refersTo string) *clusterv1.MachinePool {
		p := myMachinePool()
		p.Name, p.Spec.Template.Spec.InfrastructureRef.Name = name, refersTo
		return p
	}
	cases := map[string]struct {
		obj     client.Object
		objects []client.Object
		want    bool
	}{
		"infrastructure":                    {obj: parse(t, infrastructureYAML), want: true},
		"pool":                              {obj: pool("a"), objects: []client.Object{of("a", "a")}, want: true},
		"pool before its MachinePool":       {obj: pool("a")},
		"pool of a MachinePool of another":  {obj: pool("a"), objects: []client.Object{of("a", "b")}},
		"pool named unlike its MachinePool": {obj: pool("a"), objects: []client.Object{of("b", "a")}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := mapper{client: newManagement(t, append(c.objects, myCluster())...)}
			if got := len(m.cluster(t.Context(), c.obj)) > 0; got != c.want {
				t.Errorf("want it told anew: %v, got %v", c.want, got)
			}
		})
	}
}

// TestClusterOf has members that Cluster API does not own yet.
func TestClusterOf(t *testing.T) {
	named := func(o *unstructured.Unstructured, name string) client.Object { o.SetName(name); return o }
	cases := map[string]struct {
		obj  client.Object
		want bool
	}{
		"owned":                             {with(parse(t, infrastructureYAML), ofCluster), true},
		"referred to, of the same name":     {parse(t, infrastructureYAML), true},
		"control plane":                     {parse(t, controlPlaneYAML), true},
		"of the same name, not referred to": {named(parse(t, poolYAML), "my-cluster"), false},
		"of another kind":                   {parse(t, typedInfrastructureYAML), false},
		"of another name":                   {named(parse(t, infrastructureYAML), "other"), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			cluster, err := ClusterOf(t.Context(), newManagement(t, myCluster()), c.obj)
			if err != nil || (cluster != nil) != c.want {
				t.Errorf("want a Cluster: %v, got %v, %v", c.want, cluster, err)
			}
		})
	}
}
