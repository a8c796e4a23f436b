package platform

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestConnects(t *testing.T) {
	ctx := context.Background()
	eachForm(t, func(t *testing.T, f form) {
		m := newManagement(t, f.objects(f.cluster(), kubeconfigSecret("first"))...)
		if diff := cmp.Diff([]string{"create Secret connection"}, m.reconcile(f.xr)); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
		s := m.secret("connection")
		want := map[string][]byte{"kubeconfig": []byte("first"), "endpoint": []byte("https://shop.example.org:443")}
		if diff := cmp.Diff(want, s.Data); diff != "" {
			t.Errorf("data (-want +got):\n%s", diff)
		}
		if s.Type != secretType || s.Labels[ClusterLabel] != "shop" || !metav1.IsControlledBy(s, f.owner) || len(s.OwnerReferences) != 1 {
			t.Errorf("Secret %s %v %v", s.Type, s.Labels, s.OwnerReferences)
		}
		if diff := cmp.Diff([]string(nil), m.reconcile(f.xr)); diff != "" {
			t.Errorf("writes again (-want +got):\n%s", diff)
		}
		// The token is renewed, and somebody changes the copy.
		source := m.secret("shop-kubeconfig")
		source.Data["value"] = []byte("second")
		s.Data["extra"] = []byte("x")
		for _, changed := range []*corev1.Secret{source, s} {
			if err := m.Update(ctx, changed); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]string{"patch Secret connection"}, m.reconcile(f.xr)); diff != "" {
			t.Errorf("writes after a change (-want +got):\n%s", diff)
		}
		want["kubeconfig"] = []byte("second")
		if diff := cmp.Diff(want, m.secret("connection").Data); diff != "" {
			t.Errorf("data after a change (-want +got):\n%s", diff)
		}
	})
}

// TestConnectsNot are situations in which nothing is written.
func TestConnectsNot(t *testing.T) {
	cases := map[string]func(*testing.T, *form) []client.Object{
		"no Secret is asked for": func(t *testing.T, f *form) []client.Object {
			set(t, f.owner, map[string]any{}, "spec", "writeConnectionSecretToRef")
			return []client.Object{f.cluster(), kubeconfigSecret("k")}
		},
		"no Cluster":    func(*testing.T, *form) []client.Object { return []client.Object{kubeconfigSecret("k")} },
		"no kubeconfig": func(_ *testing.T, f *form) []client.Object { return []client.Object{f.cluster()} },
		"a kubeconfig that is not Cluster API's": func(_ *testing.T, f *form) []client.Object {
			s := kubeconfigSecret("k")
			s.Labels = nil
			return []client.Object{f.cluster(), s}
		},
		"a Cluster of somebody else's": func(_ *testing.T, f *form) []client.Object {
			c := f.cluster()
			c.OwnerReferences[0].UID = "somebody-else"
			return []client.Object{c, kubeconfigSecret("k")}
		},
		"a Cluster of nobody's": func(_ *testing.T, f *form) []client.Object {
			c := f.cluster()
			c.OwnerReferences = nil
			return []client.Object{c, kubeconfigSecret("k")}
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			eachForm(t, func(t *testing.T, f form) {
				more := prepare(t, &f)
				m := newManagement(t, f.objects(more...)...)
				if diff := cmp.Diff([]string(nil), m.reconcile(f.xr)); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestLeavesSecretsOfOthers has a Secret in the way: of nobody, and of somebody else.
func TestLeavesSecretsOfOthers(t *testing.T) {
	eachForm(t, func(t *testing.T, f form) {
		for name, owners := range map[string][]metav1.OwnerReference{
			"of nobody": nil, "of somebody else": {controllerRef(named(claimKind, "team", "other").DeepCopy())},
		} {
			t.Run(name, func(t *testing.T) {
				for i := range owners {
					owners[i].UID = "somebody-else"
				}
				theirs := &corev1.Secret{
					ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "connection", OwnerReferences: owners, Labels: map[string]string{ClusterLabel: "shop"}},
					Data:       map[string][]byte{"password": []byte("theirs")},
				}
				m := newManagement(t, f.objects(f.cluster(), kubeconfigSecret("k"), theirs)...)
				if diff := cmp.Diff([]string(nil), m.reconcile(f.xr)); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
				e := m.event()
				if !strings.Contains(e, reasonSecretTaken) || !strings.Contains(e, `spec.writeConnectionSecretToRef.name is "connection", but must be another because`) {
					t.Errorf("event is %q", e)
				}
				if strings.Contains(e, "theirs") {
					t.Errorf("the event has what is in the Secret: %q", e)
				}
			})
		}
	})
}

// TestRenamesSecret has the spec name another Secret, and none.
func TestRenamesSecret(t *testing.T) {
	ctx := context.Background()
	eachForm(t, func(t *testing.T, f form) {
		m := newManagement(t, f.objects(f.cluster(), kubeconfigSecret("k"))...)
		m.reconcile(f.xr)
		for _, step := range []struct {
			name string
			want []string
		}{
			{"elsewhere", []string{"delete Secret connection", "create Secret elsewhere"}},
			{"", []string{"delete Secret elsewhere"}},
		} {
			owner := f.owner.DeepCopy()
			if err := m.Get(ctx, client.ObjectKeyFromObject(owner), owner); err != nil {
				t.Fatal(err)
			}
			set(t, owner, step.name, "spec", "writeConnectionSecretToRef", "name")
			if err := m.Update(ctx, owner); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(step.want, m.reconcile(f.xr)); diff != "" {
				t.Errorf("writes for %q (-want +got):\n%s", step.name, diff)
			}
		}
	})
}

// TestNoOwnerNoSecret has a claim that is gone, or is another one than the composite resource's.
func TestNoOwnerNoSecret(t *testing.T) {
	f := forms(t)["AKSClusterClaim"]
	another := f.owner.DeepCopy()
	set(t, another, "shop-later", "spec", "resourceRef", "name")
	for name, objects := range map[string][]client.Object{"gone": nil, "another": {another}} {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, append(objects, f.xr.DeepCopy(), f.cluster(), kubeconfigSecret("k"))...)
			if diff := cmp.Diff([]string(nil), m.reconcile(f.xr)); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
			if err := m.Get(context.Background(), client.ObjectKey{Namespace: "team", Name: "connection"}, &corev1.Secret{}); !apierrors.IsNotFound(err) {
				t.Errorf("there is a Secret: %v", err)
			}
		})
	}
}
