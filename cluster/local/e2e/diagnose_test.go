package e2e

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	// logLines is how many lines of a component's log about a failed scenario are printed.
	logLines = 6
	// longestLine cuts the lines of logs.
	longestLine = 600
	// lastRequests is how many requests to Azure are printed.
	lastRequests = 25
)

// failures tells why scenarios failed, to say it again: where it happened it is lost among what ran at the same time.
var failures struct {
	sync.Mutex

	said []string
}

// repeatFailures says why scenarios failed up to now.
func repeatFailures() {
	failures.Lock()
	defer failures.Unlock()
	for _, failure := range failures.said {
		say("%s", failure)
	}
}

// fail ends the test, with what a person would look at.
func (w *world) fail(err error) {
	w.t.Helper()
	failures.Lock()
	failures.said = append(failures.said, fmt.Sprintf("%s: %v", w.t.Name(), err))
	failures.Unlock()
	w.t.Fatalf("%v\n%s", err, w.diagnosis())
}

// diagnosis returns what a person would look at after a failure: conditions, events, Azure's refusals, and what the
// components logged about the namespace.
func (w *world) diagnosis() string {
	// The scenario's own context may be over.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), 20*time.Second)
	defer cancel()
	out := &strings.Builder{}
	for _, gvk := range slices.Concat(w.kinds.ours, w.kinds.aso) {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gvk)
		if err := w.client.List(ctx, list, client.InNamespace(w.namespace)); err != nil {
			fmt.Fprintf(out, "  list %s: %v\n", gvk.Kind, err)
			continue
		}
		for i := range list.Items {
			describe(out, &list.Items[i])
		}
	}
	w.describeEvents(ctx, out)
	w.describeRequests(ctx, out)
	for _, component := range stack.Components() {
		w.describeLog(out, component)
	}
	return out.String()
}

func describe(out *strings.Builder, u *unstructured.Unstructured) {
	fmt.Fprintf(out, "  %s %s generation=%d", u.GetKind(), u.GetName(), u.GetGeneration())
	if at := u.GetDeletionTimestamp(); at != nil {
		fmt.Fprintf(out, " deleted at %s%s", at.Format(time.TimeOnly), finalizers(u))
	}
	fmt.Fprintln(out)
	for _, path := range [][]string{{"status", "conditions"}, {"status", "v1beta2", "conditions"}} {
		for _, c := range mapsAt(u, path...) {
			if c["status"] != "True" || c["type"] == "Paused" {
				fmt.Fprintf(out, "    %v=%v %v: %v\n", c["type"], c["status"], c["reason"], c["message"])
			}
		}
	}
}

func (w *world) describeEvents(ctx context.Context, out *strings.Builder) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(eventKind)
	if err := w.client.List(ctx, list, client.InNamespace(w.namespace)); err != nil {
		fmt.Fprintf(out, "  events: %v\n", err)
		return
	}
	for _, e := range list.Items {
		if e.Object["type"] == "Warning" {
			about, _, _ := unstructured.NestedStringMap(e.Object, "regarding")
			fmt.Fprintf(out, "  Warning %s %s: %v: %v\n", about["kind"], about["name"], e.Object["reason"], e.Object["note"])
		}
	}
}

func (w *world) describeRequests(ctx context.Context, out *strings.Builder) {
	requests, err := w.azure.Requests(ctx, admin.RequestFilter{Path: "^/subscriptions/" + w.subscription + "/", Since: w.begun})
	if err != nil {
		fmt.Fprintf(out, "  requests: %v\n", err)
		return
	}
	for _, r := range requests[max(0, len(requests)-lastRequests):] {
		fmt.Fprintf(out, "  %s %s %s -> %d %s\n", r.Time.Format(time.TimeOnly), r.Method, strings.TrimPrefix(r.Path, "/subscriptions/"+w.subscription), r.Status, r.Fault)
	}
}

// describeLog prints the last lines about the scenario's namespace.
func (w *world) describeLog(out *strings.Builder, component string) {
	for _, line := range w.lastLines(component, w.namespace) {
		fmt.Fprintf(out, "  %s: %s\n", component, line)
	}
}

// lastLines returns the last lines of a component's log that hold a text.
func (e *environment) lastLines(component, text string) []string {
	var last []string
	err := eachLine(e.stack.LogFile(component), func(line string) error {
		if strings.Contains(line, text) {
			last = append(last, line[:min(len(line), longestLine)])
			last = last[max(0, len(last)-logLines):]
		}
		return nil
	})
	if err != nil {
		last = append(last, err.Error())
	}
	return last
}

// eachLine calls do for every line of a log until that returns an error.
func eachLine(file string, do func(string) error) error {
	log, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := do(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}
