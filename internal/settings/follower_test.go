package settings

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

func newFollower(t *testing.T, funcs interceptor.Funcs, objects ...client.Object) *Follower {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&v1alpha1.ProviderConfig{}).
		WithInterceptorFuncs(funcs).WithObjects(objects...).Build()
	return &Follower{Client: c, Flags: flags, Log: logr.Discard()}
}

func providerConfig(spec v1alpha1.ProviderConfigSpec) *v1alpha1.ProviderConfig {
	return &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "default", Generation: 7}, Spec: spec}
}

func TestRead(t *testing.T) {
	filtered := flags
	filtered.WatchFilter = "blue"
	fails := func(err error) interceptor.Funcs {
		return interceptor.Funcs{Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return err
		}}
	}
	other := providerConfig(v1alpha1.ProviderConfigSpec{WatchFilter: "blue"})
	other.Name = "other"
	cases := map[string]struct {
		funcs   interceptor.Funcs
		objects []client.Object
		want    Settings
		err     string
	}{
		"None":      {want: flags},
		"Another":   {objects: []client.Object{other}, want: flags},
		"One":       {objects: []client.Object{providerConfig(v1alpha1.ProviderConfigSpec{WatchFilter: "blue"})}, want: filtered},
		"Invalid":   {objects: []client.Object{providerConfig(v1alpha1.ProviderConfigSpec{WatchFilter: "-"})}, want: flags},
		"NoKind":    {funcs: fails(&meta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "ProviderConfig"}}), want: flags},
		"Forbidden": {funcs: fails(errors.New("no")), want: flags, err: "cannot read ProviderConfig default: no"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFollower(t, tc.funcs, tc.objects...)
			got := ""
			if err := f.Read(t.Context()); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tc.err, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			current, _ := f.Current()
			if diff := cmp.Diff(tc.want, current); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFollow goes through what happens to a ProviderConfig while the controllers run.
func TestFollow(t *testing.T) {
	var observed []Settings
	f := newFollower(t, interceptor.Funcs{}, providerConfig(v1alpha1.ProviderConfigSpec{}))
	f.Observe = func(s Settings) { observed = append(observed, s) }
	if err := f.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := conditionOf(t, f); got != nil {
		t.Errorf("a replica whose controllers do not run has written %+v", got)
	}
	f.setRunning(&Settings{Namespace: flags.Namespace, Concurrency: 10, SyncPeriod: 10 * time.Minute})
	step(t, f, v1alpha1.ProviderConfigSpec{}, metav1.ConditionTrue, "InForce", "provider-capz works by these settings.")

	_, changed := f.Current()
	step(t, f, v1alpha1.ProviderConfigSpec{Concurrency: ptr.To[int32](-1)}, metav1.ConditionFalse, "Invalid",
		"spec.concurrency is -1, but must be at least 1. The settings before stay in force.")
	select {
	case <-changed:
		t.Error("an invalid ProviderConfig changed the settings")
	default:
	}

	// The condition is as it was until the controllers run by the new settings.
	step(t, f, v1alpha1.ProviderConfigSpec{Namespace: "n"}, metav1.ConditionFalse, "Invalid",
		"spec.concurrency is -1, but must be at least 1. The settings before stay in force.")
	select {
	case <-changed:
	default:
		t.Error("nobody was told that the settings changed")
	}
	current, _ := f.Current()
	f.setRunning(&current)
	step(t, f, v1alpha1.ProviderConfigSpec{Namespace: "n"}, metav1.ConditionTrue, "InForce", "provider-capz works by these settings.")

	if err := f.Client.Delete(t.Context(), providerConfig(v1alpha1.ProviderConfigSpec{})); err != nil {
		t.Fatal(err)
	}
	if err := f.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	inNamespace := flags
	inNamespace.Namespace = "n"
	if diff := cmp.Diff([]Settings{inNamespace, flags}, observed); diff != "" {
		t.Errorf("settings in turn (-want +got):\n%s", diff)
	}
}

// step changes the spec, lets the follower look once and checks the condition.
func step(t *testing.T, f *Follower, spec v1alpha1.ProviderConfigSpec, status metav1.ConditionStatus, reason, message string) {
	t.Helper()
	config := &v1alpha1.ProviderConfig{}
	if err := f.Client.Get(t.Context(), client.ObjectKey{Name: "default"}, config); err != nil {
		t.Fatal(err)
	}
	config.Spec = spec
	if err := f.Client.Update(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if err := f.follow(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := &metav1.Condition{Type: "Applied", Status: status, Reason: reason, Message: message, ObservedGeneration: config.Generation}
	if diff := cmp.Diff(want, conditionOf(t, f), cmpopts.IgnoreFields(metav1.Condition{}, "LastTransitionTime")); diff != "" {
		t.Errorf("condition (-want +got):\n%s", diff)
	}
}

func conditionOf(t *testing.T, f *Follower) *metav1.Condition {
	t.Helper()
	config := &v1alpha1.ProviderConfig{}
	if err := f.Client.Get(t.Context(), client.ObjectKey{Name: "default"}, config); err != nil {
		t.Fatal(err)
	}
	return meta.FindStatusCondition(config.Status.Conditions, "Applied")
}

// TestSay checks that what fails for long is logged once.
func TestSay(t *testing.T) {
	var lines []string
	f := &Follower{Log: funcr.New(func(_, args string) { lines = append(lines, args) }, funcr.Options{})}
	for _, err := range []error{errors.New("a"), errors.New("a"), nil, errors.New("a"), errors.New("b")} {
		f.say(err)
	}
	if len(lines) != 3 {
		t.Errorf("logged %d lines, want 3: %q", len(lines), lines)
	}
}
