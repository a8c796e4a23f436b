package takeover

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// The steps of the way back. Crossplane deletes the objects of a definition with it, unless somebody else controls the CustomResourceDefinition by then
// (Crossplane, definition/reconciler.go): so the CustomResourceDefinitions go to CAPZ's Namespace before the packages are deleted.
func (w *Walk) stepsBack() []walk.Step {
	return []walk.Step{
		{Name: "hold", Changes: w.holdForBack, Independent: true},
		{Name: "take the definitions from Crossplane", Changes: w.parkDefinitions},
		{Name: "uninstall", Changes: w.uninstall, Awaited: w.uninstalled},
		{Name: "detach", Changes: w.detach, Independent: true},
		{Name: "let go", Changes: w.letGo, Independent: true, Awaited: w.gone},
		{Name: "restore the definitions", Changes: w.restoreDefinitions},
		{Name: "hand back ASO objects", Changes: w.handBackComposed, Independent: true},
		{Name: "hand back", Changes: w.handBack, Independent: true},
		{Name: "start CAPZ", Changes: w.startCAPZ, Awaited: w.capzStarted},
		{Name: "restore the webhooks", Changes: w.restoreWebhooks},
		{Name: "verify", Awaited: w.clustersOpen},
		{Name: "clean up", Changes: w.forget},
	}
}

// checkBack says what stands in the way.
func (w *Walk) checkBack(ctx context.Context) error {
	kept, err := w.kept(ctx)
	if err != nil {
		return err
	}
	if kept == nil {
		return &walk.BlockedError{Problems: []string{fmt.Sprintf("there is no ConfigMap %s in CAPZ's namespace: this cluster was not taken over from CAPZ", keptName)}}
	}
	var problems []string
	for _, kind := range composite.Select(composite.Is(composite.Application)) {
		all, err := w.List(ctx, kind.GroupVersionKind)
		if err != nil {
			return err
		}
		for _, o := range all {
			problems = append(problems, fmt.Sprintf("%s %s would be deleted with its kind, which CAPZ does not have: delete it first", o.GetKind(), client.ObjectKeyFromObject(o)))
		}
	}
	composites, err := w.composites(ctx)
	if err != nil {
		return err
	}
	members, err := w.List(ctx, poolMachineKind)
	if err != nil {
		return err
	}
	for _, xr := range slices.Concat(composites, members) {
		if xr.GetDeletionTimestamp() != nil && ours(xr) { // What still is CAPZ's goes on there.
			problems = append(problems, fmt.Sprintf("%s %s is being deleted: wait until it is gone", xr.GetKind(), client.ObjectKeyFromObject(xr)))
		}
	}
	if len(problems) > 0 {
		return &walk.BlockedError{Problems: problems}
	}
	return nil
}

// holdForBack has Crossplane leave everything alone.
func (w *Walk) holdForBack(ctx context.Context) ([]walk.Change, error) {
	composites, err := w.composites(ctx)
	var changes []walk.Change
	for _, xr := range composites {
		if !onThisSide(xr) || xr.GetAnnotations()[stateAnnotation] == stateBack {
			continue
		}
		changes = append(changes, walk.ChangeOf(xr, "is held from Crossplane until it is CAPZ's", func(ctx context.Context) error {
			return w.Patch(ctx, xr, paused(xr, stateBack))
		}))
	}
	return changes, err
}

// onThisSide reports whether an object is this project's, or was about to be when a takeover ended in the middle.
func onThisSide(xr *unstructured.Unstructured) bool {
	return ours(xr) || xr.GetAnnotations()[stateAnnotation] != ""
}

// ours reports whether this project or Crossplane keeps an object.
func ours(xr *unstructured.Unstructured) bool {
	return slices.Contains(xr.GetFinalizers(), names.Finalizer) || slices.Contains(xr.GetFinalizers(), crossplaneFinalizer)
}

// parkDefinitions has CAPZ's Namespace control the definitions that Crossplane controls.
func (w *Walk) parkDefinitions(ctx context.Context) ([]walk.Change, error) {
	deployment, err := w.capz(ctx)
	if err != nil {
		return nil, err
	}
	namespace, err := w.Get(ctx, namespaceKind, "", deployment.GetNamespace())
	if err != nil {
		return nil, err
	}
	definitions, err := w.definitions(ctx)
	var changes []walk.Change
	for _, o := range definitions {
		if !definedBy(o, xrdKind.Kind) {
			continue
		}
		parked := o.DeepCopy()
		parked.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(namespace, namespaceKind)})
		changes = append(changes, walk.ChangeOf(o, "is no longer Crossplane's, so that its objects stay when Crossplane's definition goes", func(ctx context.Context) error {
			return w.Patch(ctx, o, parked)
		}))
	}
	return changes, err
}

var usageKind = schema.GroupVersionKind{Group: "protection.crossplane.io", Version: "v1beta1", Kind: "ClusterUsage"}

// usageName keeps the Configuration (package/install/protection.yaml).
const usageName = "crossplane-capz-configuration"

// uninstall deletes the packages and what keeps them.
func (w *Walk) uninstall(ctx context.Context) ([]walk.Change, error) {
	var changes []walk.Change
	add := func(o *unstructured.Unstructured, what string, do func(context.Context) error) {
		if o != nil && o.GetDeletionTimestamp() == nil {
			changes = append(changes, walk.ChangeOf(o, what, do))
		}
	}
	usage, err := w.Get(ctx, usageKind, "", usageName)
	if err != nil {
		return nil, err
	}
	if usage != nil {
		add(usage, "is deleted: it keeps the Configuration", w.Remove(usage))
	}
	for _, kind := range []string{"Configuration", "Provider", "Function"} {
		for gvk, name := range packages {
			if gvk.Kind != kind {
				continue
			}
			o, err := w.Get(ctx, gvk, "", name)
			if err != nil {
				return nil, err
			}
			if o != nil {
				add(o, "is deleted", w.removePackage(o))
			}
		}
	}
	return changes, nil
}

// removePackage deletes a package when that deletes no object of the kinds. provider-capz would refuse it while there are any, so that its webhooks go before.
func (w *Walk) removePackage(o *unstructured.Unstructured) func(context.Context) error {
	return func(ctx context.Context) error {
		return w.Await(ctx, walk.Step{Name: "uninstall", Awaited: func(ctx context.Context) ([]string, error) {
			_, theirs, err := w.definedByOthers(ctx, xrdKind.Kind)
			if err != nil {
				return nil, err
			}
			if len(theirs) > 0 {
				return nil, fmt.Errorf("CustomResourceDefinition %s is Crossplane's again, and would be deleted with its objects; start again", theirs[0])
			}
			webhooks, err := w.webhooksWhere(ctx, func(o *unstructured.Unstructured) bool {
				controller := metav1.GetControllerOf(o)
				return controller != nil && controller.Kind == "ProviderRevision" && strings.HasPrefix(controller.Name, packagesPrefix+"provider-capz")
			})
			if err != nil {
				return nil, err
			}
			for _, webhook := range webhooks {
				if err := w.Remove(webhook)(ctx); err != nil {
					return nil, err
				}
			}
			if err := w.Remove(o)(ctx); err != nil {
				return []string{err.Error()}, nil //nolint:nilerr // The webhook may have been asked once more.
			}
			return nil, nil
		}})
	}
}

// uninstalled says what is left of this project that could act.
func (w *Walk) uninstalled(ctx context.Context) ([]string, error) {
	var open []string
	for _, kind := range []string{"Configuration", "Provider", "Function", "ConfigurationRevision", "ProviderRevision", "FunctionRevision"} {
		all, err := w.List(ctx, configurationKind.GroupVersion().WithKind(kind))
		if err != nil {
			return nil, err
		}
		for _, o := range all {
			if strings.HasPrefix(o.GetName(), packagesPrefix) {
				open = append(open, fmt.Sprintf("%s %s to be gone", kind, o.GetName()))
			}
		}
	}
	xrds, err := w.List(ctx, xrdKind)
	if err != nil {
		return nil, err
	}
	for _, o := range xrds {
		if strings.HasSuffix(o.GetName(), "."+composite.InfrastructureGroup) {
			open = append(open, fmt.Sprintf("CompositeResourceDefinition %s to be gone", o.GetName()))
		}
	}
	deployments, err := w.List(ctx, deploymentKind)
	for _, o := range deployments {
		if strings.HasPrefix(o.GetName(), packagesPrefix) && definedBy(o, "ProviderRevision") {
			open = append(open, fmt.Sprintf("Deployment %s to be gone", o.GetName()))
		}
	}
	return open, err
}

// restoreDefinitions gives the definitions the form that they had with CAPZ.
func (w *Walk) restoreDefinitions(ctx context.Context) ([]walk.Change, error) {
	return w.restore(ctx, func(kept *unstructured.Unstructured) bool { return kept.GetKind() == definitionKind.Kind }, func(current *unstructured.Unstructured) bool {
		return definedBy(current, namespaceKind.Kind) || appliedHere(current)
	})
}

// restoreWebhooks makes the webhook configurations anew.
func (w *Walk) restoreWebhooks(ctx context.Context) ([]walk.Change, error) {
	return w.restore(ctx, func(kept *unstructured.Unstructured) bool { return kept.GetKind() != definitionKind.Kind }, func(*unstructured.Unstructured) bool { return false })
}

// restore gives kept objects the form that they are kept in: those that are missing, and those that have another one.
func (w *Walk) restore(ctx context.Context, which func(*unstructured.Unstructured) bool, differs func(*unstructured.Unstructured) bool) ([]walk.Change, error) {
	kept, err := w.kept(ctx)
	if err != nil || kept == nil {
		return nil, err
	}
	objects, err := unpack(kept)
	if err != nil {
		return nil, err
	}
	var changes []walk.Change
	for _, o := range objects {
		if !which(o) {
			continue
		}
		current, err := w.Get(ctx, o.GroupVersionKind(), "", o.GetName())
		if err != nil {
			return nil, err
		}
		switch {
		case current == nil:
			changes = append(changes, walk.ChangeOf(o, "is made as CAPZ had it", func(ctx context.Context) error { return w.Client.Create(ctx, o, client.FieldOwner(FieldOwner)) }))
		case differs(current):
			o.SetResourceVersion(current.GetResourceVersion())
			o.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) // Begun anew: what was applied here is no longer there.
			changes = append(changes, walk.ChangeOf(o, "becomes what CAPZ had; its objects stay", func(ctx context.Context) error { return w.Client.Update(ctx, o, client.FieldOwner(FieldOwner)) }))
		}
	}
	return changes, nil
}

// heldForBack returns what is this project's, with its ASO objects.
func (w *Walk) heldForBack(ctx context.Context) ([]held, error) {
	composites, err := w.composites(ctx)
	if err != nil {
		return nil, err
	}
	return w.hold(ctx, slices.DeleteFunc(composites, func(xr *unstructured.Unstructured) bool { return !onThisSide(xr) }))
}

// handBackComposed takes what is this project's off the ASO objects that stay, before anything leads to them no more.
func (w *Walk) handBackComposed(ctx context.Context) ([]walk.Change, error) {
	all, err := w.heldForBack(ctx)
	var changes []walk.Change
	for _, h := range all {
		for _, c := range h.children {
			if letGoOf(c, h) || equality.Semantic.DeepEqual(c.PartialObjectMetadata, childBack(c, h.composite)) {
				continue
			}
			changes = append(changes, walk.ChangeOf(c, "what Crossplane has applied becomes what CAPZ applies", func(ctx context.Context) error {
				return w.Patch(ctx, c.PartialObjectMetadata, childBack(c, h.composite))
			}))
		}
	}
	return changes, err
}

// handBack takes what is this project's off the other objects.
func (w *Walk) handBack(ctx context.Context) ([]walk.Change, error) {
	all, err := w.heldForBack(ctx)
	if err != nil {
		return nil, err
	}
	var changes []walk.Change
	for _, h := range all {
		what := fmt.Sprintf("finalizers %s become %s", listed(h.composite.GetFinalizers()), listed(compositeBack(h.composite).GetFinalizers()))
		changes = append(changes, w.change(h.composite, what, statusBack, func(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
			return compositeBack(current), nil
		}))
	}
	members, err := w.returnMembers(ctx)
	if err != nil {
		return nil, err
	}
	rest, err := w.releaseRest(ctx)
	return slices.Concat(changes, members, rest), err
}

// releaseRest takes the finalizers of this project off the objects that compose nothing, and off the Secrets with ASO's credentials.
func (w *Walk) releaseRest(ctx context.Context) ([]walk.Change, error) {
	var changes []walk.Change
	for _, kind := range composite.Select(composite.Is(composite.Template, composite.Identity)) {
		all, err := w.List(ctx, kind.GroupVersionKind)
		if err != nil {
			return nil, err
		}
		for _, o := range all {
			if ours(o) {
				changes = append(changes, walk.ChangeOf(o, "loses Crossplane's finalizer", func(ctx context.Context) error { return w.Patch(ctx, o, compositeBack(o)) }))
			}
		}
	}
	secrets, err := w.Metadata(ctx, secretKind)
	for i := range secrets {
		o := &secrets[i]
		if !slices.Contains(o.Finalizers, names.CredentialFinalizer) {
			continue
		}
		released := o.DeepCopy()
		released.Finalizers = slices.DeleteFunc(released.Finalizers, func(f string) bool { return f == names.CredentialFinalizer })
		changes = append(changes, walk.ChangeOf(o, "loses the finalizer of provider-capz", func(ctx context.Context) error { return w.Patch(ctx, o, released) }))
	}
	return changes, err
}

func (w *Walk) startCAPZ(ctx context.Context) ([]walk.Change, error) {
	deployment, err := w.capz(ctx)
	if err != nil || replicas.Value(deployment) > 0 {
		return nil, err
	}
	kept, err := w.kept(ctx)
	if err != nil || kept == nil {
		return nil, err
	}
	count, err := strconv.ParseInt(keptReplicas.Value(kept), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("data.replicas of ConfigMap %s/%s is no number: %w", kept.GetNamespace(), kept.GetName(), err)
	}
	return []walk.Change{walk.ChangeOf(deployment, fmt.Sprintf("spec.replicas goes from 0 to %d", count), w.scale(deployment, count))}, nil
}

func (w *Walk) capzStarted(ctx context.Context) ([]string, error) {
	deployment, err := w.capz(ctx)
	if err != nil || replicas.Value(deployment) == 0 || readyReplicas.Value(deployment) > 0 {
		return nil, err
	}
	return []string{"CAPZ to be ready"}, nil
}

// forget removes what was kept: the next takeover keeps what there is then.
func (w *Walk) forget(ctx context.Context) ([]walk.Change, error) {
	kept, err := w.kept(ctx)
	if err != nil || kept == nil {
		return nil, err
	}
	return []walk.Change{walk.ChangeOf(kept, "is deleted, as everything in it is back", w.Remove(kept))}, nil
}
