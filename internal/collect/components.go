package collect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// components select the Pods of what runs here, by the labels that Crossplane gives those of packages, and by those of the manifests of
// Crossplane, Cluster API and its providers, and Azure Service Operator. The Provider has the name that Crossplane gives it as what the Configuration depends
// on, unless somebody has installed it alone.
var components = []labels.Selector{
	selector("pkg.crossplane.io/provider in (crossplane-capz-provider-capz, provider-capz)"),
	selector("pkg.crossplane.io/function"),
	selector("app in (crossplane, crossplane-rbac-manager)"),
	selector("cluster.x-k8s.io/provider"),
	selector("app.kubernetes.io/name=azure-service-operator"),
}

// selector returns what one of the texts above means.
func selector(text string) labels.Selector {
	s, err := labels.Parse(text)
	utilruntime.Must(err)
	return s
}

// usual are the namespaces in which components are when nobody has chosen others.
var usual = []string{
	"azureserviceoperator-system", "capi-kubeadm-bootstrap-system", "capi-kubeadm-control-plane-system", "capi-system", "capz-system", "crossplane-system",
}

var (
	podKind        = kind{schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, "pods", true}
	deploymentKind = kind{schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, "deployments", true}
	podLabels      = field.At[map[string]any]("spec", "template", "metadata", "labels")
	podContainers  = field.At[[]any]("spec", "template", "spec", "containers")
	ownContainers  = field.At[[]any]("spec", "containers")
	podStatuses    = field.At[[]any]("status", "containerStatuses")
)

// readComponents reads the Pods and Deployments of the components.
func (c *collector) readComponents(ctx context.Context) error {
	c.progress("reading Pods and Deployments of the components")
	for _, k := range []kind{podKind, deploymentKind} {
		found, unread := c.ofComponents(ctx, k)
		c.pods = append(c.pods, found...)
		c.report.NotRead = append(c.report.NotRead, unread...)
		if k == deploymentKind {
			c.report.addComponents(found)
		}
	}
	return nil
}

// ofComponents returns the Pods or Deployments of components in all namespaces, or in the usual ones if not all may be read.
func (c *collector) ofComponents(ctx context.Context, k kind) ([]*unstructured.Unstructured, []Unread) {
	found, err := c.listIn(ctx, k, "")
	var unread []Unread
	switch {
	case err == nil:
	case !apierrors.IsForbidden(err):
		return nil, []Unread{{What: k.String(), Why: err.Error()}}
	default:
		found = nil
		for _, namespace := range usual {
			some, err := c.listIn(ctx, k, namespace)
			if err != nil {
				unread = append(unread, Unread{What: fmt.Sprintf("%s in namespace %s", k, namespace), Why: err.Error()})
			}
			found = append(found, some...)
		}
	}
	return slices.DeleteFunc(found, func(o *unstructured.Unstructured) bool { return !isComponent(o) }), unread
}

// isComponent reports whether a Pod, or what a Deployment makes, is of a component.
func isComponent(o *unstructured.Unstructured) bool {
	has := labels.Set(o.GetLabels())
	if o.GetKind() == deploymentKind.Kind {
		has = labels.Set{}
		for name, value := range podLabels.Value(o) {
			has[name] = field.Text(value)
		}
	}
	return slices.ContainsFunc(components, func(s labels.Selector) bool { return s.Matches(has) })
}

// mostOfLog is how much of a log is kept, from its end.
const mostOfLog = 16 << 20

// writeLogs writes the logs of the components, also of containers that have ended before.
func (c *collector) writeLogs(ctx context.Context) error {
	if c.options.NoLogs {
		return nil
	}
	for _, pod := range c.pods {
		if pod.GetKind() != podKind.Kind {
			continue
		}
		for _, container := range field.Maps(ownContainers.Value(pod)) {
			name := field.Text(container["name"])
			if err := c.writeLog(ctx, pod, name, false); err != nil {
				return err
			}
			if hasEnded(pod, name) {
				if err := c.writeLog(ctx, pod, name, true); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// hasEnded reports whether a container has run before.
func hasEnded(pod *unstructured.Unstructured, container string) bool {
	return slices.ContainsFunc(field.Maps(podStatuses.Value(pod)), func(status map[string]any) bool {
		count, _ := status["restartCount"].(int64)
		return status["name"] == container && count > 0
	})
}

// writeLog writes the log of one container. That it cannot be read is only noted.
func (c *collector) writeLog(ctx context.Context, pod *unstructured.Unstructured, container string, previous bool) error {
	name := path.Join("logs", pod.GetNamespace(), pod.GetName(), container+".log")
	if previous {
		name = path.Join("logs", pod.GetNamespace(), pod.GetName(), container+".previous.log")
	}
	c.progress("reading " + name)
	options := &corev1.PodLogOptions{Container: container, Previous: previous}
	if seconds := int64(c.options.Since.Seconds()); seconds > 0 {
		options.SinceSeconds = &seconds
	}
	stream, err := c.Logs(ctx, pod.GetNamespace(), pod.GetName(), options)
	if err != nil {
		c.unread(name, err)
		return nil
	}
	text, cut, err := tail(stream, mostOfLog)
	if err := errors.Join(err, stream.Close()); err != nil {
		c.unread("the end of "+name, err)
	}
	if cut {
		c.report.Notes = append(c.report.Notes, fmt.Sprintf("%s begins late: of a log the last %d MiB are kept.", name, mostOfLog>>20))
	}
	c.report.Logs++
	return c.writeText(name, text)
}

// tail returns the end of a stream from the beginning of a line on, and whether more was before.
func tail(from io.Reader, most int) (text []byte, cut bool, err error) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		text = append(text, buffer[:n]...)
		if len(text) > 2*most || err != nil && len(text) > most {
			text, cut = append([]byte{}, text[len(text)-most:]...), true
			if at := bytes.IndexByte(text, '\n'); at >= 0 {
				text = text[at+1:]
			}
		}
		if errors.Is(err, io.EOF) {
			return text, cut, nil
		}
		if err != nil {
			return text, cut, err
		}
	}
}
