package takeover

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// The steps of the way to this project. From "stop CAPZ" until the end of "hand over" nobody reconciles the kinds, so that all else comes before, and what
// Crossplane is not needed for while it installs the packages.
func (w *Walk) stepsTo() []walk.Step {
	return []walk.Step{
		{Name: "keep", Changes: w.keepCAPZ},
		{Name: "hold", Changes: w.holdForTo, Independent: true},
		{Name: "stop CAPZ", Changes: w.stopCAPZ, Awaited: w.capzStopped},
		{Name: "remove webhooks", Changes: w.removeWebhooks, Independent: true},
		{Name: "hold", Changes: w.holdForTo, Independent: true}, // What CAPZ has made meanwhile.
		{Name: "install", Changes: w.install},
		{Name: "hand over ASO objects", Changes: w.handOverComposed, Independent: true, Awaited: w.installed},
		{Name: "hand over", Changes: w.handOver, Independent: true},
		{Name: "verify", Awaited: w.settled},
	}
}

// checkTo says what stands in the way.
func (w *Walk) checkTo(ctx context.Context, dry bool) error {
	var problems []string
	deployment, err := w.capz(ctx)
	if err != nil {
		return err
	}
	if deployment == nil {
		return &walk.BlockedError{Problems: []string{fmt.Sprintf("there is no Deployment %s with label %s=%s: this cluster has no CAPZ to take over", capzDeployment, capzProviderLabel, capzProvider)}}
	}
	served, err := w.Get(ctx, definitionKind, "", "compositeresourcedefinitions.apiextensions.crossplane.io")
	if err != nil {
		return err
	}
	if served == nil {
		problems = append(problems, "Crossplane is not installed: install version 2.4 or later first, see docs/installation.md")
	}
	configuration, err := w.Get(ctx, configurationKind, "", configurationName)
	if err != nil {
		return err
	}
	if len(w.Install) == 0 && configuration == nil && !dry {
		problems = append(problems, "-f is missing: it names what installs crossplane-capz, install.yaml of a release")
	}
	composites, err := w.composites(ctx)
	if err != nil {
		return err
	}
	for _, xr := range composites {
		problems = append(problems, obstacles(xr)...)
	}
	problems = append(problems, w.kindsLacking(composites)...)
	members, err := w.List(ctx, poolMachineKind)
	if err != nil {
		return err
	}
	for _, o := range members {
		if o.GetDeletionTimestamp() != nil && !slices.Contains(o.GetFinalizers(), names.Finalizer) {
			problems = append(problems, fmt.Sprintf("%s %s/%s is being deleted: wait until it is gone, or start again then", o.GetKind(), o.GetNamespace(), o.GetName()))
		}
	}
	if len(problems) > 0 {
		return &walk.BlockedError{Problems: problems}
	}
	return nil
}

// maxName is the longest name of a composite resource (Crossplane, crd.go).
const maxName = 63

// obstacles returns why an object cannot be taken over now.
func obstacles(xr *unstructured.Unstructured) []string {
	var problems []string
	say := func(format string, args ...any) {
		problems = append(problems, fmt.Sprintf("%s %s/%s ", xr.GetKind(), xr.GetNamespace(), xr.GetName())+fmt.Sprintf(format, args...))
	}
	switch {
	case xr.GetAnnotations()[stateAnnotation] == stateBack:
		say("is on its way to CAPZ: end that first, with --back")
		return problems
	case slices.Contains(xr.GetFinalizers(), names.Finalizer):
		return nil // It is this project's already.
	}
	if xr.GetDeletionTimestamp() != nil {
		say("is being deleted: wait until it is gone, or start again then")
	}
	if len(xr.GetName()) > maxName {
		say("has a name of %d characters, but a composite resource may have %d: CAPZ must keep this cluster", len(xr.GetName()), maxName)
	}
	return problems
}

func (w *Walk) stopCAPZ(ctx context.Context) ([]walk.Change, error) {
	deployment, err := w.capz(ctx)
	if err != nil || replicas.Value(deployment) == 0 {
		return nil, err
	}
	what := fmt.Sprintf("spec.replicas goes from %d to 0", replicas.Value(deployment))
	return []walk.Change{walk.ChangeOf(deployment, what, w.scale(deployment, 0))}, nil
}

func (w *Walk) scale(deployment *unstructured.Unstructured, count int64) func(context.Context) error {
	return func(ctx context.Context) error {
		scaled := deployment.DeepCopy()
		if err := replicas.Set(scaled, count); err != nil {
			return err
		}
		return w.Patch(ctx, deployment, scaled)
	}
}

func (w *Walk) capzStopped(ctx context.Context) ([]string, error) {
	deployment, err := w.capz(ctx)
	if err != nil {
		return nil, err
	}
	if count := runningReplicas.Value(deployment); count > 0 {
		return []string{fmt.Sprintf("%d pods of CAPZ to end", count)}, nil
	}
	return nil, nil
}

// removeWebhooks removes what would refuse every change of the kinds, as nobody answers.
func (w *Walk) removeWebhooks(ctx context.Context) ([]walk.Change, error) {
	webhooks, err := w.webhooks(ctx)
	var changes []walk.Change
	for _, o := range webhooks {
		changes = append(changes, walk.ChangeOf(o, "is deleted, as CAPZ no longer answers it", w.Remove(o)))
	}
	return changes, err
}

// holdForTo marks what is CAPZ's, so that Crossplane leaves it alone until it is handed over.
func (w *Walk) holdForTo(ctx context.Context) ([]walk.Change, error) {
	composites, err := w.composites(ctx)
	var changes []walk.Change
	for _, xr := range composites {
		if xr.GetAnnotations()[stateAnnotation] == stateTo || slices.Contains(xr.GetFinalizers(), names.Finalizer) {
			continue
		}
		changes = append(changes, walk.ChangeOf(xr, "is held from Crossplane until it is handed over", func(ctx context.Context) error {
			return w.Patch(ctx, xr, paused(xr, stateTo))
		}))
	}
	return changes, err
}

// The packages of this project.
const (
	configurationName = "crossplane-capz-configuration-capz"
	packagesPrefix    = "crossplane-capz-"
)

var (
	configurationKind = schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: "Configuration"}
	packages          = map[schema.GroupVersionKind]string{
		configurationKind: configurationName,
		{Group: "pkg.crossplane.io", Version: "v1", Kind: "Provider"}: packagesPrefix + "provider-capz",
		{Group: "pkg.crossplane.io", Version: "v1", Kind: "Function"}: packagesPrefix + "function-capz",
	}
	xrdKind = schema.GroupVersionKind{Group: "apiextensions.crossplane.io", Version: "v1", Kind: "CompositeResourceDefinition"}
)

// install applies what brings this project, but what was applied already.
func (w *Walk) install(ctx context.Context) ([]walk.Change, error) {
	var changes []walk.Change
	for _, o := range w.Install {
		current, err := w.Get(ctx, o.GroupVersionKind(), o.GetNamespace(), o.GetName())
		if err != nil {
			return nil, err
		}
		if current != nil && appliedHere(current) {
			continue
		}
		what := "is applied"
		if current != nil {
			what = "is applied over what is there"
		}
		changes = append(changes, walk.ChangeOf(o, what, func(ctx context.Context) error {
			return w.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o.DeepCopy()), client.FieldOwner(FieldOwner), client.ForceOwnership)
		}))
	}
	definitions, err := w.definitions(ctx)
	for _, o := range definitions {
		if o.GetName() != poolMachines && !definedBy(o, xrdKind.Kind) {
			changes = append(changes, walk.ChangeOf(o, "becomes that of the CompositeResourceDefinition of the same name; its objects stay",
				func(context.Context) error { return nil })) // Crossplane does it.
		}
	}
	return changes, err
}

// appliedHere reports whether an object was applied from here, and is still as it was.
func appliedHere(o *unstructured.Unstructured) bool {
	return slices.ContainsFunc(o.GetManagedFields(), func(m metav1.ManagedFieldsEntry) bool {
		return m.Manager == FieldOwner && m.Operation == metav1.ManagedFieldsOperationApply
	})
}

// installed says what is not there yet of this project.
func (w *Walk) installed(ctx context.Context) ([]string, error) {
	var open []string
	for kind, name := range packages {
		o, err := w.Get(ctx, kind, "", name)
		if err != nil {
			return nil, err
		}
		if o == nil || !walk.ConditionTrue(o, "Installed") || !walk.ConditionTrue(o, "Healthy") {
			open = append(open, fmt.Sprintf("%s %s to be healthy", kind.Kind, name))
		}
	}
	slices.Sort(open)
	others, _, err := w.definedByOthers(ctx, xrdKind.Kind)
	if err != nil {
		return nil, err
	}
	others = slices.DeleteFunc(others, func(name string) bool { return name == poolMachines })
	if len(others) > 0 {
		open = append(open, fmt.Sprintf("%d definitions to be taken over by Crossplane", len(others)))
	}
	return open, nil
}

// heldForTo returns what is still to be handed over, with its ASO objects.
func (w *Walk) heldForTo(ctx context.Context) ([]held, error) {
	composites, err := w.composites(ctx)
	if err != nil {
		return nil, err
	}
	composites = slices.DeleteFunc(composites, func(xr *unstructured.Unstructured) bool {
		return xr.GetAnnotations()[stateAnnotation] != stateTo && slices.Contains(xr.GetFinalizers(), names.Finalizer)
	})
	all, err := w.hold(ctx, composites)
	for _, h := range all {
		if deleted := deletedMeanwhile(h.composite); deleted != nil {
			return nil, deleted
		}
	}
	return all, err
}

// handOverComposed has the ASO objects be what Crossplane finds as composed. All of them are before the first composite resource is handed over: one that is
// leads to its ASO objects no more.
func (w *Walk) handOverComposed(ctx context.Context) ([]walk.Change, error) {
	all, err := w.heldForTo(ctx)
	var changes []walk.Change
	for _, h := range all {
		for _, c := range h.children {
			if equality.Semantic.DeepEqual(c.PartialObjectMetadata, childFor(c, h.composite)) {
				continue
			}
			changes = append(changes, walk.ChangeOf(c, fmt.Sprintf("is composed by %s %s; what CAPZ has applied becomes what Crossplane applies", h.composite.GetKind(), h.composite.GetName()),
				func(ctx context.Context) error {
					return w.Patch(ctx, c.PartialObjectMetadata, childFor(c, h.composite))
				}))
		}
	}
	return changes, err
}

// handOver gives each composite resource what CAPZ has made of it, and lets Crossplane act.
func (w *Walk) handOver(ctx context.Context) ([]walk.Change, error) {
	all, err := w.heldForTo(ctx)
	if err != nil {
		return nil, err
	}
	var changes []walk.Change
	for _, h := range all {
		xr, err := compositeFor(h)
		if err != nil {
			return nil, err
		}
		what := fmt.Sprintf("refers to %d composed objects; finalizers %s become %s", len(h.children), listed(h.composite.GetFinalizers()), listed(xr.GetFinalizers()))
		changes = append(changes, w.change(h.composite, what, statusFor, func(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			return compositeFor(held{composite: current, children: h.children})
		}))
	}
	members, err := w.takeMembers(ctx)
	if err != nil {
		return nil, err
	}
	identities, err := w.releaseIdentities(ctx)
	return slices.Concat(changes, members, identities), err
}

// deletedMeanwhile says of an object that was deleted after CAPZ had stopped, which nobody can give a finalizer any more.
func deletedMeanwhile(xr *unstructured.Unstructured) error {
	if xr.GetDeletionTimestamp() == nil {
		return nil
	}
	return &walk.BlockedError{Problems: []string{fmt.Sprintf(
		"%s %s/%s was deleted after CAPZ had stopped, and only CAPZ can end that: return to it with --back, and start again when the object is gone", xr.GetKind(), xr.GetNamespace(), xr.GetName())}}
}

// releaseIdentities takes CAPZ's finalizers off the AzureClusterIdentities, as nobody else does. CAPZ sets them again by itself.
func (w *Walk) releaseIdentities(ctx context.Context) ([]walk.Change, error) {
	identities, err := w.List(ctx, composite.AzureClusterIdentity.GroupVersionKind)
	var changes []walk.Change
	for _, o := range identities {
		released := o.DeepCopy()
		released.SetFinalizers(slices.DeleteFunc(released.GetFinalizers(), keepsIdentity))
		if len(released.GetFinalizers()) < len(o.GetFinalizers()) {
			changes = append(changes, walk.ChangeOf(o, "loses the finalizers by which CAPZ keeps it for its clusters", func(ctx context.Context) error {
				return w.Patch(ctx, o, released)
			}))
		}
	}
	return changes, err
}

func listed(finalizers []string) string {
	if len(finalizers) == 0 {
		return "(none)"
	}
	return strings.Join(finalizers, ", ")
}

// settled says what is not as it should be after the takeover.
func (w *Walk) settled(ctx context.Context) ([]string, error) {
	composites, err := w.composites(ctx)
	if err != nil {
		return nil, err
	}
	var open []string
	for _, xr := range composites {
		// What is paused stays as it is until somebody lets it go on.
		if xr.GetAnnotations()[names.CrossplanePausedAnnotation] == "true" {
			continue
		}
		if !walk.ConditionTrue(xr, "Synced") || !walk.ConditionTrue(xr, "Ready") {
			open = append(open, fmt.Sprintf("%s %s/%s to be Synced and Ready", xr.GetKind(), xr.GetNamespace(), xr.GetName()))
		}
	}
	clusters, err := w.clustersOpen(ctx)
	return append(open, clusters...), err
}

var (
	clusterPaused = field.At[bool]("spec", "paused")
	infraGroup    = field.At[string]("spec", "infrastructureRef", "apiGroup")
)

// clustersOpen returns the Clusters of this group that are not Available.
func (w *Walk) clustersOpen(ctx context.Context) ([]string, error) {
	clusters, err := w.List(ctx, clusterKind)
	var open []string
	for _, c := range clusters {
		if infraGroup.Value(c) == composite.InfrastructureGroup && !clusterPaused.Value(c) && !walk.ConditionTrue(c, "Available") {
			open = append(open, fmt.Sprintf("Cluster %s/%s to be Available", c.GetNamespace(), c.GetName()))
		}
	}
	return open, err
}
