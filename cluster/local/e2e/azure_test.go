package e2e

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// latencies are how long the simulated Azure takes for an operation.
type latencies struct {
	byDefault time.Duration
	byType    map[string]time.Duration
}

// String is what azuresim takes.
func (l latencies) String() string {
	text := "default=" + l.byDefault.String()
	for name, latency := range l.byType {
		text += "," + name + "=" + latency.String()
	}
	return text
}

// of returns the latency of a resource type.
func (l latencies) of(resourceType string) time.Duration {
	for name, latency := range l.byType {
		if strings.EqualFold(name, resourceType) {
			return latency
		}
	}
	return l.byDefault
}

// path returns the regular expression of the path of a resource of this scenario's subscription that ends as given.
func (w *world) path(ending string) string {
	return "^/subscriptions/" + w.subscription + "(/.*)?" + ending + "$"
}

// fault makes Azure answer otherwise for this scenario, until fix is called.
func (w *world) fault(name string, f admin.Fault) error {
	f.Name = w.namespace + "/" + name
	f.Path = w.path(f.Path)
	w.injected[name] = true
	_, err := w.azure.Inject(w.ctx, f)
	return err
}

// fix ends a fault.
func (w *world) fix(name string) error {
	return w.azure.ClearFault(w.ctx, w.namespace+"/"+name)
}

func (w *world) clearFaults(ctx context.Context) error {
	for name := range w.injected {
		if err := w.azure.ClearFault(ctx, w.namespace+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

// requests returns what Azure was asked for in this scenario's subscription since a time, with one of the methods.
func (w *world) requests(since time.Time, methods ...string) ([]admin.Request, error) {
	all, err := w.azure.Requests(w.ctx, admin.RequestFilter{Path: "^/subscriptions/" + w.subscription + "/", Since: since})
	if err != nil {
		return nil, err
	}
	var selected []admin.Request
	for _, r := range all {
		for _, m := range methods {
			if r.Method == m {
				selected = append(selected, r)
			}
		}
	}
	return selected, nil
}

// resource returns the Azure resource whose ID ends as given, as in "/agentPools/pool0"; nil when there is none.
func (w *world) resource(ending string) (*admin.Resource, error) {
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if strings.HasSuffix(strings.ToLower(all[i].ID), strings.ToLower(ending)) {
			return &all[i], nil
		}
	}
	return nil, nil
}

// inAzure expects a resource whose field, as in "properties.count", is as given; any value will do for no field.
func inAzure(ending, field string, want any) expectation {
	return func(w *world) []string {
		r, err := w.resource(ending)
		switch {
		case err != nil:
			return []string{err.Error()}
		case r == nil:
			return []string{"Azure has no " + ending}
		case field == "":
			return nil
		}
		have, _, _ := unstructured.NestedFieldNoCopy(r.Body, strings.Split(field, ".")...)
		if fmt.Sprint(have) != fmt.Sprint(want) {
			return []string{fmt.Sprintf("Azure: %s of %s is %v, want %v", field, ending, have, want)}
		}
		return nil
	}
}

// notInAzure expects that there is no such resource.
func notInAzure(ending string) expectation {
	return func(w *world) []string {
		r, err := w.resource(ending)
		switch {
		case err != nil:
			return []string{err.Error()}
		case r != nil:
			return []string{fmt.Sprintf("Azure still has %s (%v)", ending, r.Body["properties"])}
		}
		return nil
	}
}

// azureEmpty expects that the subscription has no resource at all.
func azureEmpty(w *world) []string {
	all, err := w.azure.Resources(w.ctx, "/subscriptions/"+w.subscription)
	if err != nil {
		return []string{err.Error()}
	}
	var left []string
	for _, r := range all {
		left = append(left, "Azure still has "+r.ID)
	}
	return left
}

// quietSince expects that Azure was asked to change nothing since the noted time.
func quietSince(note string, ending string) expectation {
	return func(w *world) []string {
		since, ok := w.noted[note].(time.Time)
		if !ok {
			return []string{"no time was noted as " + note}
		}
		requests, err := w.requests(since, http.MethodPut, http.MethodPatch, http.MethodDelete)
		if err != nil {
			return []string{err.Error()}
		}
		only := regexp.MustCompile("(?i)" + w.path(ending))
		var changes []string
		for _, r := range requests {
			if only.MatchString(r.Path) {
				changes = append(changes, fmt.Sprintf("%s %s was sent at %s", r.Method, r.Path, r.Time.Format(time.TimeOnly)))
			}
		}
		return changes
	}
}

// neverSent expects that Azure was never asked for something with a text in it.
func neverSent(text string) expectation {
	return func(w *world) []string {
		requests, err := w.requests(w.begun, http.MethodPut, http.MethodPatch)
		if err != nil {
			return []string{err.Error()}
		}
		for _, r := range requests {
			if strings.Contains(r.Body, text) {
				return []string{fmt.Sprintf("%s %s was sent with %q", r.Method, r.Path, text)}
			}
		}
		return nil
	}
}

// unless leaves an expectation out while a component is killed again and again.
func unless(component string, e expectation) expectation {
	return func(w *world) []string {
		if w.kills(component) {
			return nil
		}
		return e(w)
	}
}

// rewritten is the note of when ASO was given reason to write everything once more.
const rewritten = "rewritten"

// acceptedDeletes expects that Azure has refused no DELETE: the order was right. AKS refuses to delete what it is just
// changing, which it is when ASO writes everything once more: having started anew, or because it was resumed.
func acceptedDeletes(w *world) []string {
	requests, err := w.requests(w.begun, http.MethodDelete)
	if err != nil {
		return []string{err.Error()}
	}
	since, resumed := w.noted[rewritten].(time.Time)
	var refused []string
	for _, r := range requests {
		rewrites := w.kills(stack.ASO) || resumed && r.Time.After(since)
		busy := rewrites && r.Status == http.StatusConflict && strings.Contains(r.Path, "/Microsoft.ContainerService/")
		if r.Status >= 400 && r.Status < 500 && r.Status != http.StatusNotFound && !busy {
			refused = append(refused, fmt.Sprintf("DELETE %s was answered %d", r.Path, r.Status))
		}
	}
	return refused
}
