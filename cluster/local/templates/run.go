package templates

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// checkInterval is how often it is looked whether what is awaited has come.
const checkInterval = time.Second

// A Runner brings templates up on one management cluster, which has what machines take.
type Runner struct {
	Stack  *stack.Stack
	Client client.Client
	Azure  *admin.Client
	// Password is the client secret of service principals; the simulated Azure takes any.
	Password string
	// Patience is how long a template may take to come to its end, and then to go.
	Patience time.Duration
	// Log receives a line for each step of a template.
	Log func(format string, args ...any)
}

// NotRun says why a template cannot be run on the management cluster; empty if it can.
func (r *Runner) NotRun(t Template) string {
	if !t.has(azurePoolKind.Kind) {
		return t.outside()
	}
	if _, err := r.Client.RESTMapper().RESTMapping(azurePoolKind.GroupKind()); meta.IsNoMatchError(err) {
		return "not yet: " + azurePoolKind.Kind
	}
	return t.outside()
}

// Run brings a template up, and takes it down again. What went wrong is in the result.
func (r *Runner) Run(ctx context.Context, t Template) Result {
	result := Result{Template: t.Path}
	if reason := r.NotRun(t); reason != "" {
		result.NotRun = reason
		return result
	}
	w := r.newWorld(t)
	if err := w.run(ctx, &result); err != nil {
		result.Failure = err.Error()
		r.Log("%s: FAILED: %v", t.Path, err)
		return result
	}
	r.Log("%s: %s (%s), and gone after %ds", t.Path, result.Reached, result.NodesInWords(), result.DownSeconds)
	return result
}

func (w *world) run(ctx context.Context, result *Result) error {
	if err := w.enter(ctx); err != nil {
		return fmt.Errorf("before the template: %w", err)
	}
	begun := time.Now()
	err := w.apply(ctx)
	if text, expected := refusals[w.template.Path]; expected {
		switch {
		case err == nil:
			return errors.Join(fmt.Errorf("it is taken; want a refusal with %q", text), w.leave(ctx))
		case !strings.Contains(err.Error(), text):
			return errors.Join(fmt.Errorf("want a refusal with %q: %w", text, err), w.leave(ctx))
		}
		result.Reached, result.LeftOut = refused, kindsOf(w.leftOut)
		return w.leave(ctx)
	}
	if err != nil {
		return errors.Join(err, w.leave(ctx))
	}
	w.Log("%s: applied %d objects", w.template.Path, len(w.applied))
	result.LeftOut = kindsOf(w.leftOut)
	var end string
	err = w.await(ctx, func(ctx context.Context) (lacks []string, err error) {
		if end, err = w.end(ctx); err != nil {
			return nil, err
		}
		return w.missing(ctx, end)
	})
	if err != nil {
		err = fmt.Errorf("on the way to %q: %w", end, err)
		return errors.Join(err, w.leave(ctx))
	}
	result.Reached, result.UpSeconds = end, seconds(begun)
	result.Machines, result.Nodes = w.machines(ctx)
	_, waiting, err := w.appliedSets(ctx)
	if err != nil {
		return errors.Join(err, w.leave(ctx))
	}
	for _, set := range waiting {
		result.NotApplied = append(result.NotApplied, set.GetKind()+" "+set.GetName())
	}
	begun = time.Now()
	err = w.leave(ctx)
	result.DownSeconds = seconds(begun)
	return err
}

// seconds returns the whole seconds since a time.
func seconds(begun time.Time) int { return int(time.Since(begun).Round(time.Second).Seconds()) }

// kindsOf returns the kinds of objects, each once.
func kindsOf(objects []*unstructured.Unstructured) []string {
	var kinds []string
	for _, u := range objects {
		kinds = append(kinds, u.GetKind())
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// machines returns how many machines there are, and how many Nodes, those of MachinePools among both.
func (w *world) machines(ctx context.Context) (machines, nodes int) {
	found, err := w.list(ctx, machineKind)
	if err != nil {
		return 0, 0
	}
	for i := range found {
		machines++
		if name, _, _ := unstructured.NestedString(found[i].Object, "status", "nodeRef", "name"); name != "" {
			nodes++
		}
	}
	pools, err := w.list(ctx, poolKind)
	if err != nil {
		return machines, nodes
	}
	for i := range pools {
		refs, _, _ := unstructured.NestedSlice(pools[i].Object, "status", "nodeRefs")
		if machines == 0 || !slices.ContainsFunc(found, func(m unstructured.Unstructured) bool {
			return m.GetLabels()["cluster.x-k8s.io/pool-name"] == pools[i].GetName()
		}) {
			machines, nodes = machines+len(refs), nodes+len(refs)
		}
	}
	return machines, nodes
}
