package collect

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
	"github.com/crossplane-capz/crossplane-capz/internal/why"
)

var (
	secretKind = kind{schema.GroupVersionKind{Version: "v1", Kind: "Secret"}, "secrets", true}
	secretData = field.At[map[string]any]("data")
)

// A secret is what is told of a Secret.
type secret struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Type      string   `json:"type,omitempty"`
	Keys      []string `json:"keys"`
}

// readSecrets learns from the Secrets what has to be redacted, and writes their names, types and keys.
func (c *collector) readSecrets(ctx context.Context) error {
	var told []secret
	unknown := false
	for _, namespace := range c.namespaces() {
		c.progress("reading Secrets in namespace " + namespace)
		found, err := c.secretsIn(ctx, namespace)
		if err != nil {
			unknown = true
			c.unread("Secrets in namespace "+namespace, err)
		}
		for _, s := range found {
			if c.ofInterest(s) {
				told = append(told, secret{s.Namespace, s.Name, s.Type, s.Keys})
			}
		}
	}
	if unknown || c.options.NoSecrets {
		c.report.Notes = append(c.report.Notes, "Not all Secrets were read: what they have is found in other places only where it looks like a secret.")
	}
	c.report.Secrets = len(told)
	c.learn()
	content, err := kubeyaml.Marshal(map[string]any{"secrets": told})
	if err != nil {
		return err
	}
	return c.writeText("secrets.yaml", content)
}

// learn prepares the search for all that is known to be secret.
func (c *collector) learn() {
	c.search, c.again = leaks.NewSearch(c.haul.Values()), leaks.NewSearch(c.haul.Values())
}

// namespaces returns those in which objects or components were found.
func (c *collector) namespaces() []string {
	found := map[string]bool{}
	for _, o := range slices.Concat(c.objects, c.pods) {
		if o.GetNamespace() != "" {
			found[o.GetNamespace()] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// A named secret is a Secret without its values.
type named struct {
	secret

	labels map[string]string
}

// secretsIn returns the Secrets of a namespace. What they have goes to the haul if they may be read, else only their metadata is asked for.
func (c *collector) secretsIn(ctx context.Context, namespace string) ([]named, error) {
	var forbidden error
	if !c.options.NoSecrets {
		all, err := c.listIn(ctx, secretKind, namespace)
		if err == nil {
			return c.hauled(all), nil
		}
		if !apierrors.IsForbidden(err) {
			return nil, err
		}
		forbidden = err
	}
	list, err := c.Metadata.Resource(secretKind.gvr()).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var told []named
	for i := range list.Items {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&list.Items[i])
		if err != nil {
			return nil, err
		}
		o := &unstructured.Unstructured{Object: content}
		keys, _ := why.KeysOf(o)
		told = append(told, named{secret{o.GetNamespace(), o.GetName(), "", keys}, o.GetLabels()})
	}
	return told, forbidden
}

// hauled takes what is secret in Secrets.
func (c *collector) hauled(all []*unstructured.Unstructured) []named {
	var told []named
	for _, o := range all {
		data, kindOfSecret := secretData.Value(o), field.Text(o.Object["type"])
		told = append(told, named{secret{o.GetNamespace(), o.GetName(), kindOfSecret, slices.Sorted(maps.Keys(data))}, o.GetLabels()})
		if strings.HasPrefix(kindOfSecret, "helm.sh/") {
			continue // What Helm keeps there are manifests as they were applied.
		}
		values := map[string][]byte{}
		for key, value := range data {
			if decoded, err := base64.StdEncoding.DecodeString(field.Text(value)); err == nil {
				values[key] = decoded
			}
		}
		c.haul.AddSecret(fmt.Sprintf("Secret %s/%s", o.GetNamespace(), o.GetName()), values)
	}
	return told
}

// ofInterest reports whether a Secret may have to do with the Cluster that is asked for.
func (c *collector) ofInterest(s named) bool {
	name := c.options.Cluster
	return name == "" || s.Namespace != c.options.Namespace || s.labels[clusterv1.ClusterNameLabel] == name || strings.HasPrefix(s.Name, name+"-")
}
