// Package collect gathers what a bug report needs of a management cluster: objects, Events, logs of the components, and why Clusters are not
// ready. It only reads, with the rights of whoever asks, and says what it could not read. No value of a Secret is in what it gathers: each
// file is redacted before it is written, and searched once more.
package collect

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
	"github.com/crossplane-capz/crossplane-capz/internal/why"
)

// Options say what is collected.
type Options struct {
	// Namespace is where objects are collected; empty for all namespaces. Those of the components are always looked at.
	Namespace string
	// Cluster is the name of the Cluster in that namespace whose objects are collected; empty for all objects.
	Cluster string
	// Home is the namespace in which is looked when not all may be read.
	Home string
	// Since is how far logs and Events go back; zero for all that there are.
	Since time.Duration
	// NoLogs leaves the logs out.
	NoLogs bool
	// NoSecrets has no Secret read. Then secrets are told by their form and by the names of fields alone.
	NoSecrets bool
	// Now is when it is collected, Version is that of who collects.
	Now     time.Time
	Version string
}

// A Source is a management cluster.
type Source struct {
	Discovery interface {
		discovery.ServerResourcesInterface
		discovery.ServerVersionInterface
	}
	Dynamic  dynamic.Interface
	Metadata metadata.Interface
	// Reader reads single objects.
	Reader why.Reader
	// Logs returns the log of a container.
	Logs func(ctx context.Context, namespace, pod string, options *corev1.PodLogOptions) (io.ReadCloser, error)
}

// A collector is at work on one collection.
type collector struct {
	Source

	options  Options
	out      Output
	progress func(string)

	kinds  []kind
	haul   leaks.Haul
	search *leaks.Search
	again  *leaks.Search
	report Report
	// objects are what was found, pods the components' among them.
	objects, pods []*unstructured.Unstructured
}

// Run writes what there is to out, and reports what that is. Its error is that there is nothing to report on: no cluster answers, there is no
// such Cluster, or out cannot be written. progress is told what is being done.
func Run(ctx context.Context, source Source, options Options, out Output, progress func(string)) (*Report, error) {
	c := &collector{Source: source, options: options, out: out, progress: progress}
	c.report = Report{Version: options.Version, Taken: options.Now.UTC(), Namespace: options.Namespace, Cluster: options.Cluster, Objects: map[string]int{}}
	if options.Since > 0 {
		c.report.Since = options.Since.String()
	}
	for _, step := range []func(context.Context) error{
		c.discover, c.readObjects, c.readComponents, c.readSecrets, // All that is secret must be known before anything is written.
		c.writeObjects, c.writeDefinitions, c.writeEvents, c.writeAnswers, c.writeLogs, c.writeReport,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return &c.report, nil
}

// writeObjects writes a file for each object.
func (c *collector) writeObjects(context.Context) error {
	c.progress("writing objects")
	for _, o := range slices.Concat(c.objects, c.pods) {
		prune(o)
		name := fileOf("objects", o)
		c.search.RedactObject(name, o.Object)
		content, err := kubeyaml.Marshal(o.Object)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := c.add(name, content); err != nil {
			return err
		}
		gvk := o.GroupVersionKind()
		c.report.Objects[gvk.GroupKind().String()]++
	}
	return nil
}

// writeText redacts a text and writes it.
func (c *collector) writeText(name string, text []byte) error {
	return c.add(name, c.search.Redact(name, text, lineOf(text)))
}

// lineOf names lines of a text.
func lineOf(text []byte) func(at int) string {
	return func(at int) string { return fmt.Sprintf("line %d", strings.Count(string(text[:at]), "\n")+1) }
}

// add writes a file that has been redacted. Where a secret is in it nonetheless, it is left out, and that is said.
func (c *collector) add(name string, content []byte) error {
	before := len(c.again.Findings())
	c.again.Text(name, append([]byte(name+"\n"), content...), func(int) string { return "" })
	if len(c.again.Findings()) > before {
		c.report.Withheld++
		return nil
	}
	c.report.Files++
	return c.out.Add(name, content)
}

// unread notes what could not be read.
func (c *collector) unread(what string, err error) {
	c.report.NotRead = append(c.report.NotRead, Unread{What: what, Why: err.Error()})
}

// fileOf names the file of an object. Names of objects may have colons, which not all file systems take.
func fileOf(folder string, o *unstructured.Unstructured) string {
	namespace := o.GetNamespace()
	if namespace == "" {
		namespace = "_cluster"
	}
	name := path.Join(folder, namespace, strings.ToLower(o.GroupVersionKind().GroupKind().String()), o.GetName()+".yaml")
	return strings.ReplaceAll(name, ":", "_")
}
