package access

import (
	"context"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

func TestSecretReader(t *testing.T) {
	key := client.ObjectKey{Namespace: "default", Name: "credential"}
	secret := func(value string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}, Data: map[string][]byte{"k": []byte(value)}}
	}
	reads := 0
	server := fake.NewClientBuilder().WithObjects(secret("old")).Build()
	live := interceptor.NewClient(server, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
		reads++
		return c.Get(ctx, key, obj, opts...)
	}})
	var cache client.Client = fake.NewClientBuilder().Build()
	// see brings the cache up to date.
	see := func() {
		t.Helper()
		current := &corev1.Secret{}
		if err := server.Get(t.Context(), key, current); err != nil {
			t.Fatal(err)
		}
		cache = fake.NewClientBuilder().WithObjects(current).Build()
	}
	var r *SecretReader
	for _, step := range []struct {
		name  string
		do    func() error
		want  string
		reads int
	}{
		{"the cache does not have it", func() error { return nil }, "", 0},
		{"the cache has it", func() error { see(); return nil }, "old", 1},
		{"it is read again", func() error { return nil }, "old", 0},
		{"it is changed", func() error {
			current := &corev1.Secret{}
			if err := server.Get(t.Context(), key, current); err != nil {
				return err
			}
			current.Data = secret("new").Data
			return server.Update(t.Context(), current)
		}, "old", 0}, // Its event has not come yet, and leads to a new look.
		{"the event has come", func() error { see(); return nil }, "new", 1},
		{"once more", func() error { return nil }, "new", 0},
		{"it is deleted", func() error {
			err := server.Delete(t.Context(), secret(""))
			cache = fake.NewClientBuilder().Build()
			return err
		}, "", 0},
		{"the cache has nothing of the namespace", func() error {
			cache = interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
				return errors.New("unknown namespace")
			}})
			return server.Create(t.Context(), secret("elsewhere"))
		}, "elsewhere", 1},
		{"once more from there", func() error { return nil }, "elsewhere", 1},
	} {
		if err := step.do(); err != nil {
			t.Fatal(step.name, err)
		}
		if r == nil {
			r = NewSecretReader(live, nil)
		}
		r.metadata = cache
		reads = 0
		got := &corev1.Secret{}
		err := r.Get(t.Context(), key, got)
		if step.want == "" && !apierrors.IsNotFound(err) || step.want != "" && err != nil {
			t.Fatalf("%s: error is %v", step.name, err)
		}
		if string(got.Data["k"]) != step.want || reads != step.reads {
			t.Errorf("%s: read %q with %d requests, want %q with %d", step.name, got.Data["k"], reads, step.want, step.reads)
		}
		if got.Data != nil {
			got.Data["k"] = []byte("altered by the reader's user")
		}
	}
}
