package main

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/gobuffalo/flect"
	arv1 "k8s.io/api/admissionregistration/v1"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// Files with rules for many kinds, below the root of the checkout.
const (
	rolesFile    = "package/install/rbac.yaml"
	webhooksFile = "package/provider/webhooks.yaml"
)

// ruleTemplates are the templates of the files with rules, by file. What is in one for one kind only is written there by hand.
var ruleTemplates = map[string]string{rolesFile: "rbac.yaml.tmpl", webhooksFile: "webhooks.yaml.tmpl"}

//go:embed *.yaml.tmpl
var templates embed.FS

const rulesHeader = "# Generated from package/generate/%s and the catalogues of kinds by `go run ./package/generate`. Do not edit.\n\n"

// addRules adds the files with rules for all kinds of the catalogues.
func addRules(files fileSet) error {
	parsed, err := template.New("").Funcs(template.FuncMap{"list": list}).ParseFS(templates, "rbac.yaml.tmpl", "webhooks.yaml.tmpl")
	if err != nil {
		return err
	}
	for file, name := range ruleTemplates {
		var out bytes.Buffer
		fmt.Fprintf(&out, rulesHeader, name)
		if err := parsed.ExecuteTemplate(&out, name, catalogued()); err != nil {
			return err
		}
		files[file] = out.Bytes()
	}
	return nil
}

// kinds are what the templates loop over, each list in the order of the API groups.
type kinds struct {
	// ASO are the kinds of Azure Service Operator that may be composed.
	ASO []resources
	// Contract are the composite kinds that Cluster API refers to, ControlPlanes those among them that own a kubeconfig Secret.
	Contract, ControlPlanes []resources
	Identities, Templates   []resources
	// Applications are the kinds for application teams, Claims the claims of those that have one.
	Applications, Claims []resources
}

// resources are kinds of one API group, as the rules of roles and webhooks name them.
type resources struct {
	Group string
	// Names are the plural names, in order.
	Names []string
	// Versions are those in which one of the kinds is served, in order. Kinds of Azure Service Operator have none here.
	Versions []string
	// Scope is that of all the kinds.
	Scope arv1.ScopeType
}

// Subresources returns the names of a subresource of each kind.
func (r resources) Subresources(name string) []string {
	var names []string
	for _, n := range r.Names {
		names = append(names, n+"/"+name)
	}
	return names
}

// catalogued returns the kinds of both catalogues.
func catalogued() kinds {
	return kinds{
		ASO:           asoKinds(),
		Contract:      compositeKinds(composite.InContract),
		ControlPlanes: compositeKinds(composite.Is(composite.ControlPlane)),
		Identities:    compositeKinds(composite.Is(composite.Identity)),
		Templates:     compositeKinds(composite.Is(composite.Template)),
		Applications:  compositeKinds(composite.Is(composite.Application)),
		Claims:        claims(),
	}
}

func asoKinds() []resources {
	groups := byGroup{}
	for _, k := range aso.Catalogue() {
		// As controller-gen does, which makes ASO's CustomResourceDefinitions.
		groups.add(k.Group, flect.Pluralize(strings.ToLower(k.Name)), arv1.NamespacedScope)
	}
	return groups.sorted()
}

func compositeKinds(condition func(composite.Kind) bool) []resources {
	groups := byGroup{}
	for _, k := range composite.Select(condition) {
		scope := arv1.NamespacedScope
		if k.ClusterScoped {
			scope = arv1.ClusterScope
		}
		groups.add(k.Group, k.Plural(), scope, k.Served()...)
	}
	return groups.sorted()
}

func claims() []resources {
	groups := byGroup{}
	for _, k := range composite.Select(func(k composite.Kind) bool { return k.Claim != "" }) {
		groups.add(k.Group, k.ClaimPlural(), arv1.NamespacedScope, k.Served()...)
	}
	return groups.sorted()
}

// byGroup has resources by their API group.
type byGroup map[string]resources

func (b byGroup) add(group, name string, scope arv1.ScopeType, versions ...string) {
	r, others := b[group]
	r.Group, r.Names, r.Versions = group, append(r.Names, name), append(r.Versions, versions...)
	if others && r.Scope != scope {
		scope = arv1.AllScopes
	}
	r.Scope = scope
	b[group] = r
}

func (b byGroup) sorted() []resources {
	var out []resources
	for _, group := range slices.Sorted(maps.Keys(b)) {
		r := b[group]
		slices.Sort(r.Names)
		slices.Sort(r.Versions)
		r.Versions = slices.Compact(r.Versions)
		out = append(out, r)
	}
	return out
}

// longestLine is the length of a line up to which a list stays on it.
const longestLine = 132

// list writes a field of YAML that is a list of words, on one line if that is not too long. The key comes with its indentation.
func list(key string, words []string) string {
	if line := fmt.Sprintf("%s: [%s]", key, strings.Join(words, ", ")); len(line) <= longestLine {
		return line
	}
	item := "\n" + strings.Repeat(" ", len(key)-len(strings.TrimLeft(key, " "))) + "- "
	return key + ":" + item + strings.Join(words, item)
}
