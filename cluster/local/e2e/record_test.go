package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// recordVariable names the folder that the lives of all objects are written to; without it nothing is recorded.
const recordVariable = "E2E_RECORD"

// ofCluster is where objects without a namespace are recorded, whatever the scenario.
const ofCluster = "management-cluster"

// A recordedState is an object as it was for a while: until one of its conditions changed, or whether it is paused, deleted, or all that is
// asked of it has been seen.
type recordedState struct {
	// Step is the step of the scenario, or what the test does.
	Step string `json:"step"`
	// Seconds have passed since the scenario began.
	Seconds float64 `json:"seconds"`
	// Settled is set when all that the step awaits had come true.
	Settled bool `json:"settled,omitempty"`

	Object map[string]any `json:"object"`
	state  string
}

// A recorder keeps the states of the objects of one scenario. A nil one does nothing.
type recorder struct {
	folder string
	begun  time.Time
	stop   context.CancelFunc

	mu    sync.Mutex
	step  string
	lives map[string][]*recordedState
}

// record returns the recorder of the objects in a namespace, those without one if it is empty; nil when none is asked for.
func (e *environment) record(namespace, name string, begun time.Time) (*recorder, error) {
	folder := os.Getenv(recordVariable)
	if folder == "" {
		return nil, nil
	}
	asked, err := dynamic.NewForConfig(e.config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(e.ctx)
	r := &recorder{folder: filepath.Join(folder, name), begun: begun, stop: cancel, lives: map[string][]*recordedState{}}
	informers := dynamicinformer.NewFilteredDynamicSharedInformerFactory(asked, 0, namespace, nil)
	for _, gvk := range e.recorded(namespace) {
		mapping, err := e.client.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		if meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			cancel()
			return nil, err
		}
		_, err = informers.ForResource(mapping.Resource).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: r.see, UpdateFunc: func(_, now any) { r.see(now) },
		})
		if err != nil {
			cancel()
			return nil, err
		}
	}
	informers.Start(ctx.Done())
	return r, nil
}

// recorded returns the kinds whose objects have a health: without a namespace packages, definitions and what claims are about.
func (e *environment) recorded(namespace string) []schema.GroupVersionKind {
	if namespace == "" {
		return []schema.GroupVersionKind{
			pkgKind("Configuration"), pkgKind("Provider"), pkgKind("Function"), composite.XAKSCluster.GroupVersionKind,
			{Group: "apiextensions.crossplane.io", Version: "v2", Kind: "CompositeResourceDefinition"},
		}
	}
	kinds := slices.DeleteFunc(slices.Clone(e.kinds.ours), func(gvk schema.GroupVersionKind) bool { return gvk.Group == bootstrapGroup })
	for _, gvk := range e.kinds.aso {
		if _, known := aso.KindOf(gvk.GroupKind()); known {
			kinds = append(kinds, gvk)
		}
	}
	return kinds
}

// begin says that a step begins.
func (r *recorder) begin(step string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.step = step
}

// settle says that all that the step awaits is there.
func (r *recorder) settle() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, life := range r.lives {
		if last := life[len(life)-1]; last.Step == r.step {
			last.Settled = true
		}
	}
}

func (r *recorder) seconds() float64 { return float64(time.Since(r.begun).Milliseconds()) / 1000 }

// see keeps an object in the state that it is in now.
func (r *recorder) see(now any) {
	u := now.(*unstructured.Unstructured).DeepCopy() //nolint:forcetypeassert // The informer's own.
	unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
	r.mu.Lock()
	defer r.mu.Unlock()
	key, state := u.GetKind()+"."+u.GetName(), stateOf(u)
	life := r.lives[key]
	if n := len(life); n > 0 && life[n-1].state == state && life[n-1].Step == r.step {
		life[n-1].Object = u.Object
		return
	}
	r.lives[key] = append(life, &recordedState{Step: r.step, Seconds: r.seconds(), Object: u.Object, state: state})
}

// stateOf returns what makes one state of an object differ from another.
func stateOf(u *unstructured.Unstructured) string {
	paused, _, _ := unstructured.NestedBool(u.Object, "spec", "paused")
	state := fmt.Sprint(u.GetDeletionTimestamp() != nil, paused, u.GetAnnotations()[capiPaused], u.GetAnnotations()[crossplanePaused])
	for _, c := range slices.Concat(mapsAt(u, "status", "conditions"), mapsAt(u, "status", "v1beta2", "conditions")) {
		state += fmt.Sprint(c["type"], c["status"], c["severity"], c["reason"], c["observedGeneration"] == u.GetGeneration())
	}
	return state
}

// end writes the lives, one file each.
func (r *recorder) end() error {
	if r == nil {
		return nil
	}
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := os.MkdirAll(r.folder, 0o755); err != nil {
		return err
	}
	var errs []error
	for key, life := range r.lives {
		out, err := yaml.Marshal(life)
		if err == nil {
			err = os.WriteFile(filepath.Join(r.folder, strings.ReplaceAll(key, ":", "_")+".yaml"), out, 0o644)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
