package facts

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// TestOperatorNamespace shows when new objects are handed to an Azure Service Operator, and to which.
func TestOperatorNamespace(t *testing.T) {
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
			m := newManagement(t, append(c.objects, fixture.Cluster())...)
			m.reconcile("")
			found := &v1alpha1.ClusterFacts{}
			if err := m.Get(t.Context(), types.NamespacedName{Namespace: "default", Name: "my-cluster"}, found); err != nil {
				t.Fatal(err)
			}
			if got := found.Spec.OperatorNamespace; got != c.want {
				t.Errorf("spec.operatorNamespace: want %q, got %q", c.want, got)
			}
			if writes := m.reconcile(""); len(writes) > 0 {
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
