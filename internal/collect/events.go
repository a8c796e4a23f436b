package collect

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

var (
	eventKind   = kind{schema.GroupVersionKind{Version: "v1", Kind: "Event"}, "events", true}
	eventObject = field.At[map[string]any]("involvedObject")
	eventSource = field.At[string]("source", "component")
	eventSeries = field.At[int64]("series", "count")
	seriesTime  = field.At[string]("series", "lastObservedTime")
)

// writeEvents writes the Events about objects that are collected, and about the components, a file for each namespace.
func (c *collector) writeEvents(ctx context.Context) error {
	c.progress("reading Events")
	about := map[types.UID]bool{}
	named := map[[3]string]bool{} // Also what was there before under the same name.
	inNamespaces := map[string]bool{}
	for _, o := range slices.Concat(c.objects, c.pods) {
		about[o.GetUID()] = true
		named[[3]string{o.GetKind(), o.GetNamespace(), o.GetName()}] = true
	}
	for _, o := range c.pods {
		inNamespaces[o.GetNamespace()] = true
	}
	events, unread := c.list(ctx, eventKind, "")
	c.report.NotRead = append(c.report.NotRead, unread...)
	byNamespace := map[string][]*unstructured.Unstructured{}
	for _, e := range events {
		object := eventObject.Value(e)
		gv, _ := schema.ParseGroupVersion(field.Text(object["apiVersion"]))
		name := [3]string{field.Text(object["kind"]), field.Text(object["namespace"]), field.Text(object["name"])}
		interesting := about[types.UID(field.Text(object["uid"]))] || named[name] || inNamespaces[e.GetNamespace()] || c.options.Namespace == "" && wanted(gv.Group)
		if interesting && (c.options.Since == 0 || c.options.Now.Sub(lastSeen(e)) <= c.options.Since) {
			byNamespace[e.GetNamespace()] = append(byNamespace[e.GetNamespace()], e)
		}
	}
	for _, namespace := range c.namespaces() {
		if len(byNamespace[namespace]) == 0 {
			continue
		}
		c.report.Events += len(byNamespace[namespace])
		if err := c.writeText(path.Join("events", namespace+".txt"), eventLines(byNamespace[namespace])); err != nil {
			return err
		}
	}
	return nil
}

// eventLines returns a line for each Event, in the order of time.
func eventLines(events []*unstructured.Unstructured) []byte {
	slices.SortFunc(events, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(lastSeen(a).Compare(lastSeen(b)), cmp.Compare(a.GetName(), b.GetName()))
	})
	var b strings.Builder
	for _, e := range events {
		object := eventObject.Value(e)
		count, _ := e.Object["count"].(int64)
		who := cmp.Or(eventSource.Value(e), field.Text(e.Object["reportingComponent"]))
		fmt.Fprintf(&b, "%s %s %s %s %s/%s x%d: %s\n", lastSeen(e).UTC().Format(time.RFC3339), field.Text(e.Object["type"]), who, field.Text(e.Object["reason"]),
			field.Text(object["kind"]), field.Text(object["name"]), max(1, count, eventSeries.Value(e)), strings.TrimSpace(field.Text(e.Object["message"])))
	}
	return []byte(b.String())
}

// lastSeen returns when an Event has happened last.
func lastSeen(e *unstructured.Unstructured) time.Time {
	for _, text := range []string{seriesTime.Value(e), field.Text(e.Object["lastTimestamp"]), field.Text(e.Object["eventTime"])} {
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return at
		}
	}
	return e.GetCreationTimestamp().Time
}
