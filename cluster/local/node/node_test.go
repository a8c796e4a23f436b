package node

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

// newNode returns a node of a cluster with the objects; it has no registry.
func newNode(t *testing.T, objects ...client.Object) *Node {
	t.Helper()
	kube := fake.NewClientBuilder().WithScheme(clientgoscheme.Scheme).WithObjects(objects...).
		WithStatusSubresource(&appsv1.Deployment{}).
		WithInterceptorFuncs(interceptor.Funcs{
			SubResourceCreate: func(_ context.Context, _ client.Client, _ string, _, request client.Object, _ ...client.SubResourceCreateOption) error {
				request.(*authenticationv1.TokenRequest).Status.Token = "token" //nolint:forcetypeassert // The node asks for nothing else.
				return nil
			},
		}).Build()
	n := &Node{
		Client: kube, Config: &rest.Config{Host: "https://127.0.0.1:6443"}, Namespace: "crossplane-system", Dir: t.TempDir(),
		Log: t.Output(), forwards: map[string]context.CancelFunc{}, ready: map[string]bool{}, said: map[string]string{},
	}
	for _, dir := range []string{"logs", "kubeconfigs"} {
		if err := os.MkdirAll(n.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestRecordedProcesses looks at what the node does about processes that run, or have run, already.
func TestRecordedProcesses(t *testing.T) {
	const name = "function"
	cases := map[string]struct {
		deployment *appsv1.Deployment
		// prepare changes the record of a process that runs for the Deployment.
		prepare func(*testing.T, *Node)
		// kept reports whether the record is there afterwards, runs whether the process is.
		kept, runs bool
		available  corev1.ConditionStatus
	}{
		"Runs":             {deployment: deployment(nil), kept: true, runs: true, available: corev1.ConditionTrue},
		"DeploymentIsGone": {},
		"HasEnded": {
			deployment: deployment(nil), kept: true, available: corev1.ConditionFalse,
			prepare: func(t *testing.T, n *Node) {
				p, err := n.records().Read(name)
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Kill(); err != nil {
					t.Fatal(err)
				}
			},
		},
		"ScaledToNothing": {deployment: func() *appsv1.Deployment {
			d := deployment(nil)
			d.Spec.Replicas = new(int32)
			return d
		}()},
	}
	for label, tc := range cases {
		t.Run(label, func(t *testing.T) {
			var objects []client.Object
			if tc.deployment != nil {
				objects = append(objects, tc.deployment)
			}
			n := newNode(t, objects...)
			running(t, n, name, deployment(nil))
			if tc.prepare != nil {
				tc.prepare(t, n)
			}
			if err := n.sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			p, err := n.records().Read(name)
			if err != nil {
				t.Fatal(err)
			}
			if (p != nil) != tc.kept {
				t.Fatalf("the record is there: %v, want %v", p != nil, tc.kept)
			}
			if p != nil && p.Alive() != tc.runs {
				t.Errorf("the process runs: %v, want %v", p.Alive(), tc.runs)
			}
			if tc.available != "" {
				d := &appsv1.Deployment{}
				if err := n.Client.Get(t.Context(), client.ObjectKeyFromObject(tc.deployment), d); err != nil {
					t.Fatal(err)
				}
				if len(d.Status.Conditions) != 1 || d.Status.Conditions[0].Status != tc.available {
					t.Errorf("conditions are %v, want Available=%s", d.Status.Conditions, tc.available)
				}
			}
		})
	}
}

// TestChangedTemplateNeedsItsImage shows that what runs is not ended before what comes after it can be started.
func TestChangedTemplateNeedsItsImage(t *testing.T) {
	d := deployment(func(c *corev1.Container) { c.Image = "127.0.0.1:1/acme/function:v2" })
	n := newNode(t, d)
	running(t, n, "function", deployment(nil))
	if err := n.sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	p, err := n.records().Read("function")
	if err != nil {
		t.Fatal(err)
	}
	if !p.Alive() || p.Ending {
		t.Error("the process of the earlier template has been ended")
	}
	if err := n.Client.Get(t.Context(), client.ObjectKeyFromObject(d), d); err != nil {
		t.Fatal(err)
	}
	if len(d.Status.Conditions) != 1 || !strings.Contains(d.Status.Conditions[0].Message, "pull 127.0.0.1:1/acme/function:v2") {
		t.Errorf("conditions are %v, want one that says that the image could not be pulled", d.Status.Conditions)
	}
}

func TestNewest(t *testing.T) {
	at := func(name string, age time.Duration) appsv1.Deployment {
		d := deployment(nil)
		d.Name, d.CreationTimestamp = name, metav1.NewTime(time.Unix(1e9, 0).Add(-age))
		return *d
	}
	leaving := at("leaving", 0)
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Unix(1e9, 0)}
	got := newest([]appsv1.Deployment{at("old", time.Hour), at("new", time.Minute), leaving})
	if len(got) != 1 || got["function"] == nil || got["function"].Name != "new" {
		t.Errorf("newest() = %v, want Deployment new", got)
	}
}

func TestStatusKeepsItsTimes(t *testing.T) {
	before, now := metav1.NewTime(time.Unix(1, 0)), metav1.NewTime(time.Unix(2, 0))
	d := deployment(nil)
	d.Status = statusOf(d, os.ErrNotExist, before)
	if diff := cmp.Diff(d.Status, statusOf(d, os.ErrNotExist, now)); diff != "" {
		t.Errorf("the status changed though nothing did: -before, +after:\n%s", diff)
	}
	ready := statusOf(d, nil, now)
	if ready.AvailableReplicas != 1 || ready.Conditions[0].LastTransitionTime != now {
		t.Errorf("statusOf() = %v of a process that became ready", ready)
	}
}

func TestSecretsAreMounted(t *testing.T) {
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "crossplane-system", Name: "server"},
		Data:       map[string][]byte{"tls.crt": []byte("certificate"), "../escape": []byte("no")},
	}
	d := deployment(func(c *corev1.Container) {
		c.VolumeMounts = []corev1.VolumeMount{{Name: "certs", MountPath: "/tls/server/"}}
	})
	volume := func(items ...corev1.KeyToPath) []corev1.Volume {
		return []corev1.Volume{{Name: "certs", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "server", Items: items}}}}
	}
	n := newNode(t, secret)
	d.Spec.Template.Spec.Volumes = volume()
	m, err := n.mount(t.Context(), "function", d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(m["/tls/server"], "tls.crt"))
	if err != nil || string(got) != "certificate" {
		t.Errorf("tls.crt is %q, %v", got, err)
	}
	if _, err := os.Stat(n.path("pods", "function", "escape")); err == nil {
		t.Error("a key has been written outside of its volume")
	}
	d.Spec.Template.Spec.Volumes = volume(corev1.KeyToPath{Key: "tls.key", Path: "tls.key"})
	if _, err := n.mount(t.Context(), "function", d); err == nil || !strings.Contains(err.Error(), "no key tls.key") {
		t.Errorf("mount() = %v, want an error about the missing key", err)
	}
}

// running records a process that sleeps for a Deployment.
func running(t *testing.T, n *Node, name string, d *appsv1.Deployment) {
	t.Helper()
	purpose, err := purposeOf(d)
	if err != nil {
		t.Fatal(err)
	}
	p := &process.Process{Name: name, Path: "/bin/sleep", Args: []string{"600"}, Log: n.path("logs", name+".log"), For: purpose}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	if err := n.records().Write(p); err != nil {
		t.Fatal(err)
	}
}
