package collect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A kind is one that the cluster serves.
type kind struct {
	schema.GroupVersionKind

	resource   string
	namespaced bool
}

func (k kind) gvr() schema.GroupVersionResource {
	return k.GroupVersion().WithResource(k.resource)
}

func (k kind) String() string { return k.gvr().GroupResource().String() }

// What else than kinds of this project, Azure Service Operator and Cluster API is of interest: what Crossplane runs them by.
var crossplaneGroups = []string{"apiextensions.crossplane.io", "pkg.crossplane.io", "protection.crossplane.io"}

// unwanted are resources of these groups that say nothing here: there may be hundreds, or they are a company's own data.
var unwanted = []string{"managedresourcedefinitions", "environmentconfigs"}

// wanted reports whether objects of a group are collected.
func wanted(group string) bool {
	return slices.Contains(composite.Groups(), group) || aso.IsASO(group) || strings.HasSuffix(group, clusterv1.GroupVersion.Group) ||
		slices.Contains(crossplaneGroups, group) || strings.HasSuffix(group, "capz.crossplane.io")
}

// discover asks which kinds the cluster serves.
func (c *collector) discover(context.Context) error {
	c.progress("asking which kinds there are")
	server, err := c.Discovery.ServerVersion()
	if err != nil {
		return err
	}
	c.report.Server = server.GitVersion
	lists, err := c.Discovery.ServerPreferredResources()
	if err != nil && (len(lists) == 0 || !discovery.IsGroupDiscoveryFailedError(err)) {
		return err
	}
	if err != nil {
		c.unread("some kinds", err)
	}
	c.kinds = served(lists)
	if !slices.ContainsFunc(c.kinds, func(k kind) bool { return k.GroupKind() == clusterKind.GroupKind() }) {
		c.report.Notes = append(c.report.Notes, "Cluster API is not installed: the kind Cluster is not served.")
	}
	return nil
}

// served returns the kinds of which objects can be listed.
func served(lists []*metav1.APIResourceList) []kind {
	var kinds []kind
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		for _, r := range list.APIResources {
			if !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "list") {
				kinds = append(kinds, kind{gv.WithKind(r.Kind), r.Name, r.Namespaced})
			}
		}
	}
	return kinds
}

// collected returns the kinds of which all objects are collected.
func (c *collector) collected() []kind {
	return slices.DeleteFunc(slices.Clone(c.kinds), func(k kind) bool { return !wanted(k.Group) || slices.Contains(unwanted, k.resource) })
}

var (
	definitionKind = schema.GroupKind{Group: "apiextensions.crossplane.io", Kind: "CompositeResourceDefinition"}
	specVersions   = field.At[[]any]("spec", "versions")
)

// prune takes out what is long and says nothing: who manages which field, and the schemas of definitions.
func prune(o *unstructured.Unstructured) {
	o.SetManagedFields(nil)
	if o.GroupVersionKind().GroupKind() != definitionKind {
		return
	}
	for _, version := range field.Maps(specVersions.Value(o)) {
		delete(version, "schema")
	}
}

// writeDefinitions writes which versions of the kinds are served and stored.
func (c *collector) writeDefinitions(ctx context.Context) error {
	c.progress("reading definitions")
	var b strings.Builder
	fmt.Fprintf(&b, "%-70s %-30s %-24s %s\n", "DEFINITION", "SERVED", "STORED", "NOT AS IT SHOULD BE")
	for _, k := range c.collected() {
		if _, ours := composite.Lookup(k.GroupKind()); !ours && c.report.Objects[k.GroupKind().String()] == 0 || slices.Contains(crossplaneGroups, k.Group) {
			continue
		}
		crd, err := c.Reader.Get(ctx, crdKind, "", k.String())
		if err != nil {
			c.unread("definition "+k.String(), err)
			continue
		}
		if crd != nil {
			fmt.Fprintln(&b, strings.TrimRight(definitionRow(crd), " "))
		}
	}
	return c.writeText("definitions.txt", []byte(b.String()))
}

var (
	crdKind          = schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}
	storedVersions   = field.At[[]string]("status", "storedVersions")
	statusConditions = field.At[[]any]("status", "conditions")
)

// badWhenTrue are the conditions of a definition that are False when all is well.
var badWhenTrue = []string{"NonStructuralSchema", "Terminating"}

func definitionRow(crd *unstructured.Unstructured) string {
	var servedVersions, wrong []string
	for _, v := range field.Maps(specVersions.Value(crd)) {
		if v["served"] == true {
			servedVersions = append(servedVersions, field.Text(v["name"]))
		}
	}
	for _, condition := range field.Maps(statusConditions.Value(crd)) {
		kind, status := field.Text(condition["type"]), field.Text(condition["status"])
		if bad := slices.Contains(badWhenTrue, kind); !bad && status != "True" || bad && status == "True" {
			wrong = append(wrong, kind+"="+status+" "+field.Text(condition["message"]))
		}
	}
	return fmt.Sprintf("%-70s %-30s %-24s %s", crd.GetName(), strings.Join(servedVersions, ","), strings.Join(storedVersions.Value(crd), ","), strings.Join(wrong, "; "))
}
