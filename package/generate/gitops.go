package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/remedy"
)

// gitopsTemplates are the templates of health checks, by file below the root of the checkout.
var gitopsTemplates = map[string]string{
	"examples/gitops/argocd/health.yaml": "argocd.yaml.tmpl",
	"examples/gitops/flux/health.yaml":   "flux.yaml.tmpl",
}

// A healthRule is how the health of some kinds is read from their conditions.
type healthRule struct {
	// Name is what the rule is called in the file for Flux.
	Name string
	// Patterns are the kinds as Argo CD is told of them, Kinds as Flux is.
	Patterns []string
	Kinds    []fluxKind
	// Good is the condition that is True when all is well.
	Good string
	// Busy are the conditions that are True while something is being done.
	Busy []string
	// Judged are the conditions that say, where they are False, what is wrong; all but Good and Paused if there are none.
	Judged []string
	// Waits are the reasons for which nobody has to do anything yet.
	Waits []string
	// Contract says that status.v1beta2 has a Ready of its own, which also waits for what is not composed, such as the endpoint of the control plane.
	Contract bool
	// Made says that what is not in Azure is not wrong where this project is to make it.
	Made *toBeMade
	// Ignored are fields that others write, as JSON pointers.
	Ignored []string
}

// A toBeMade is how an ASO object says that Azure does not have it yet: by the reason of what is not there, if ASO does not only read it, or reads it
// before it is made.
type toBeMade struct {
	Reason string
	// Policy is the annotation that has the value Skip on what ASO only reads.
	Policy, Skip string
	// Ownership is the annotation that has one of Values on what is made.
	Ownership string
	Values    []string
}

// A fluxKind is a kind as a Kustomization of Flux names it.
type fluxKind struct{ APIVersion, Kind string }

const capiVersion = "cluster.x-k8s.io/v1beta2"

// healthRules returns the rules for this project's kinds, Azure Service Operator's, Cluster API's and Crossplane's packages.
func healthRules() []healthRule {
	waits := waitingReasons()
	rolling := []string{"RollingOut", "ScalingUp", "ScalingDown", "Deleting"}
	return []healthRule{
		{
			Name: "composite", Patterns: []string{composite.InfrastructureGroup + "/Azure*"}, Kinds: fluxKinds(func(k composite.Kind) bool { return k.Group == composite.InfrastructureGroup }),
			Good: "Ready", Contract: true, Waits: waits, Ignored: []string{"/spec/controlPlaneEndpoint", "/spec/providerID", "/spec/providerIDList"},
		},
		{
			Name: "application", Patterns: []string{composite.PlatformGroup + "/*"}, Kinds: fluxKinds(composite.Is(composite.Application)),
			Good: "Ready", Judged: []string{"Synced", "Accepted", "ControlPlaneReady"}, Waits: waits,
		},
		{
			Name: "azure", Patterns: []string{"*.azure.com/*"}, Kinds: asoFluxKinds(), Good: "Ready", Judged: []string{"Ready"}, Waits: waits,
			Made: &toBeMade{
				Reason: aso.ReasonResourceNotFound, Policy: aso.AnnotationReconcilePolicy, Skip: aso.PolicySkip,
				Ownership: v1beta1.AnnotationOwnership, Values: []string{v1beta1.OwnershipUndecided, v1beta1.OwnershipOwned},
			},
		},
		{
			Name: "cluster", Patterns: []string{"cluster.x-k8s.io/Cluster"}, Kinds: []fluxKind{{capiVersion, "Cluster"}},
			Good: "Available", Busy: rolling, Judged: []string{"InfrastructureReady", "ControlPlaneAvailable"}, Waits: waits,
			Ignored: []string{"/spec/controlPlaneEndpoint"},
		},
		{
			Name: "machines", Patterns: []string{"cluster.x-k8s.io/MachineDeployment", "controlplane.cluster.x-k8s.io/KubeadmControlPlane"},
			Kinds: []fluxKind{{capiVersion, "MachineDeployment"}, {"controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane"}},
			Good:  "Available", Busy: rolling, Judged: []string{"CertificatesAvailable"}, Waits: []string{"NotAvailable", "Unknown"},
		},
		{
			Name: "package", Patterns: []string{"pkg.crossplane.io/*"},
			Kinds: []fluxKind{{"pkg.crossplane.io/v1", "Configuration"}, {"pkg.crossplane.io/v1", "Function"}, {"pkg.crossplane.io/v1", "Provider"}},
			Good:  "Healthy", Judged: []string{"Installed", "Healthy"}, Waits: waits,
		},
	}
}

// waitingReasons are the reasons for which nobody has to act: those of internal/remedy, those of progress, and those that a resource has as long as
// what comes with it has not been applied, or not been made of a topology. Cluster API has its own for an object that it has not seen, or not seen ready.
func waitingReasons() []string {
	waits := []string{"NotInitialized", "ReferenceNotFound", "SecretNotFound", "ConfigMapNotFound", "WaitingForBootstrapData", "ReadyUnknown", "AvailableUnknown", "ObjectDoesNotExist"}
	for _, origin := range remedy.Origins() {
		for reason, r := range origin.Remedies {
			if r.Waiting || aso.Progressing(reason) {
				waits = append(waits, reason)
			}
		}
	}
	slices.Sort(waits)
	return slices.Compact(waits)
}

// fluxKinds returns the composite kinds for which a condition holds, and their claims.
func fluxKinds(condition func(composite.Kind) bool) []fluxKind {
	var kinds []fluxKind
	for _, k := range composite.Select(condition) {
		kinds = append(kinds, fluxKind{k.GroupVersion().String(), k.Kind})
		if k.Claim != "" {
			kinds = append(kinds, fluxKind{k.GroupVersion().String(), k.Claim})
		}
	}
	return kinds
}

func asoFluxKinds() []fluxKind {
	var kinds []fluxKind
	for _, k := range aso.Catalogue() {
		// Flux goes by group and kind, whatever the version.
		version := k.Version
		if version == "" {
			version = "v1"
		}
		kinds = append(kinds, fluxKind{k.Group + "/" + version, k.Name})
	}
	return kinds
}

// addGitOps adds the health checks for Argo CD and Flux.
func addGitOps(files fileSet) error {
	quoted := func(quote string) func([]string) string {
		return func(words []string) string {
			if len(words) == 0 {
				return ""
			}
			return quote + strings.Join(words, quote+", "+quote) + quote
		}
	}
	parsed, err := template.New("").Funcs(template.FuncMap{"lua": quoted(`"`), "cel": quoted(`'`)}).ParseFS(templates, "argocd.yaml.tmpl", "flux.yaml.tmpl")
	if err != nil {
		return err
	}
	for file, name := range gitopsTemplates {
		var out bytes.Buffer
		fmt.Fprintf(&out, "# Generated from package/generate/gitops.go and %s by `go run ./package/generate`. Do not edit.\n\n", name)
		if err := parsed.ExecuteTemplate(&out, name, healthRules()); err != nil {
			return err
		}
		files[filepath.FromSlash(file)] = out.Bytes()
	}
	return nil
}
