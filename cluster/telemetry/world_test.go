package telemetry

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/example"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// The clusters, each in a namespace and a resource group of its name.
const (
	plain    = "plain"    // examples/aks-aso
	typed    = "typed"    // examples/aks, with a certificate
	tokens   = "tokens"   // examples/aks-aso-local-accounts-disabled
	machines = "machines" // examples/self-managed
	slow     = "slow"     // examples/aks-aso, for which Azure takes long
)

const (
	// upTime is how long the management cluster may take to come up.
	upTime = 10 * time.Minute
	// tokenLifetime is how long tokens of Entra are good for: one in a kubeconfig is replaced six minutes after it was fetched. It has to
	// be more than twice the five minutes before its end, as with tokens of a shorter life that is done earlier.
	tokenLifetime = 11 * time.Minute
	// lookInterval is how often it is looked whether something has come true.
	lookInterval = time.Second
	fieldOwner   = "person"
	// packages is the namespace that packages run in.
	packages = "crossplane-system"
)

// A world is the management cluster, and what is done there.
type world struct {
	t      *testing.T
	root   string
	stack  *stack.Stack
	client client.Client
	azure  *admin.Client
	// prometheus is nil until it runs.
	prometheus *prometheus
	begun      time.Time

	mu sync.Mutex
	// rows are those of the table of alerts.
	rows []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, ".local", "telemetry")
	if _, err := stack.Down(root, dir); err != nil { // What an earlier run may have left.
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), upTime)
	defer cancel()
	s, err := stack.Up(ctx, stack.Options{Root: root, StateDir: dir, Log: os.Stdout, AzureMaxRetryAfter: time.Second, SelfManaged: true, Unaudited: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Down(); err != nil {
			t.Error(err)
		}
	})
	config, err := s.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, stack: s, client: c, azure: &admin.Client{URL: s.AdminURL()}, begun: time.Now()}
	w.must(w.azure.SetTokenLifetime(t.Context(), tokenLifetime))
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// deployments returns those of the namespace that packages run in.
func (w *world) deployments() []appsv1.Deployment {
	w.t.Helper()
	list := &appsv1.DeploymentList{}
	w.must(w.client.List(w.t.Context(), list, client.InNamespace(packages)))
	return list.Items
}

// say tells how far it is.
func (w *world) say(format string, args ...any) {
	fmt.Printf("%s %6.1fs  %s\n", time.Now().Format(time.TimeOnly), time.Since(w.begun).Seconds(), fmt.Sprintf(format, args...))
}

// apply applies objects as kubectl does on the server's side.
func (w *world) apply(objects ...*unstructured.Unstructured) error {
	for _, u := range objects {
		if err := w.client.Apply(w.t.Context(), client.ApplyConfigurationFromUnstructured(u.DeepCopy()), client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
			return fmt.Errorf("apply %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	return nil
}

// applyText applies objects that are given in YAML.
func (w *world) applyText(text string) error {
	objects, err := kubeyaml.Parse([]byte(text))
	if err != nil {
		return err
	}
	return w.apply(objects...)
}

// merge changes an object by a merge patch.
func (w *world) merge(u *unstructured.Unstructured, patch string, args ...any) error {
	return w.client.Patch(w.t.Context(), u, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, patch, args...)), client.FieldOwner(fieldOwner))
}

// remove deletes an object, without waiting.
func (w *world) remove(u *unstructured.Unstructured) error {
	return client.IgnoreNotFound(w.client.Delete(w.t.Context(), u, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

// named returns an example with another name for its cluster, in a namespace of that name, and changed.
func (w *world) named(folder, name string, change func(*unstructured.Unstructured) error) (*example.Example, error) {
	files, err := filepath.Glob(filepath.Join(w.root, "examples", folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var objects []*unstructured.Unstructured
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, mine := range []string{"my-cluster", "my-identity"} {
			content = bytes.ReplaceAll(content, []byte(mine), []byte(strings.Replace(mine, "my", name, 1)))
		}
		content = bytes.ReplaceAll(content, []byte(name+"-cluster"), []byte(name))
		more, err := kubeyaml.Parse(content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, more...)
	}
	for _, u := range objects {
		u.SetNamespace(name)
		if change == nil {
			continue
		}
		if err := change(u); err != nil {
			return nil, err
		}
	}
	return example.From(objects)
}

// enter makes the namespace of a cluster.
func (w *world) enter(name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	return client.IgnoreAlreadyExists(w.client.Create(w.t.Context(), namespace))
}

// bringUp brings the clusters of the healthy phase up, all at once.
func (w *world) bringUp() {
	w.t.Helper()
	w.must(w.enter(typed))
	w.must(w.setCertificate(365 * 24 * time.Hour))
	clusters := []struct {
		name, folder string
		change       func(*unstructured.Unstructured) error
	}{
		{name: machines, folder: "self-managed"},
		{name: plain, folder: "aks-aso"},
		{name: tokens, folder: "aks-aso-local-accounts-disabled"},
		{name: typed, folder: "aks", change: withCertificate},
	}
	var going sync.WaitGroup
	for _, c := range clusters {
		going.Go(func() {
			ex, err := w.named(c.folder, c.name, c.change)
			if err == nil {
				err = w.enter(c.name)
			}
			if err == nil {
				err = ex.BringUp(w.t.Context(), w.stack, os.Stdout)
			}
			if err != nil {
				w.t.Errorf("%s: %v", c.name, err)
			}
		})
	}
	going.Wait()
	if w.t.Failed() {
		w.t.FailNow()
	}
}

// row adds a row to the table of alerts.
func (w *world) row(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows = append(w.rows, fmt.Sprintf(format, args...))
	w.say(format, args...)
}
