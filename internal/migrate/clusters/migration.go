package clusters

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// FieldOwner is the field manager of all that is written here.
const FieldOwner = "kubectl-capz-migrate"

// StateAnnotation on a Cluster says where on its way it is. It is absent before and after.
const StateAnnotation = "infrastructure.cluster.x-k8s.io/migration"

// The values of StateAnnotation.
const (
	// toInline and toTyped are the ways there and back, while the Cluster is paused.
	toInline = "to-azureasomanaged"
	toTyped  = "to-azuremanaged"
	// atInline and atTyped say that the objects have changed hands, and that what they came from is still to be removed.
	atInline = "at-azureasomanaged"
	atTyped  = "at-azuremanaged"
)

// On AzureASOManaged* objects until the end of the migration.
const (
	// fromAnnotation is the UID of the object that it takes the place of.
	fromAnnotation = "infrastructure.cluster.x-k8s.io/migrated-from"
	// generationsAnnotation has the generations of the ASO objects before, as JSON by their names among what is composed.
	generationsAnnotation = "infrastructure.cluster.x-k8s.io/migrated-generations"
)

// A Migration is that of one Cluster.
type Migration struct {
	walk.Walker

	Namespace, Name string
	// Keep leaves the AzureManaged* objects where they are, so that the Cluster can go back. Without it they are removed in the last step.
	Keep bool
}

// Forth brings the Cluster to AzureASOManaged*; with dry nothing is written. It returns the changes that were made, or would be; none when it is
// there already. The error is a walk.BlockedError where the Cluster is in no state for it.
func (m *Migration) Forth(ctx context.Context, dry bool) ([]walk.Change, error) {
	done, err := m.checkForth(ctx)
	if err != nil || done {
		return nil, err
	}
	steps := []walk.Step{
		{Name: "pause", Changes: m.pauseForth, Awaited: m.pausedForth},
		{Name: "convert", Changes: m.convert},
		{Name: "hand over", Changes: m.handOver},
		{Name: "refer", Changes: m.refer},
		{Name: "compose", Changes: m.compose, Awaited: m.composed},
		{Name: "go on", Changes: m.goOn, Awaited: m.openForth},
	}
	if !m.Keep {
		steps = append(steps,
			walk.Step{Name: "remove", Changes: m.removeTyped, Awaited: m.typedLeft},
			walk.Step{Name: "remove the infrastructure", Changes: m.removeTypedInfrastructure, Awaited: m.typedInfrastructureLeft},
			walk.Step{Name: "clean up", Changes: m.cleanUp})
	}
	return m.Walk(ctx, dry, steps)
}

// Back returns the Cluster to the AzureManaged* objects that it came from, as long as they are there. Its results are those of Forth.
func (m *Migration) Back(ctx context.Context, dry bool) ([]walk.Change, error) {
	if err := m.checkBack(ctx); err != nil {
		return nil, err
	}
	return m.Walk(ctx, dry, []walk.Step{
		{Name: "pause", Changes: m.pauseBack, Awaited: m.pausedBack},
		{Name: "hold", Changes: m.hold},
		{Name: "hand back", Changes: m.handBack},
		{Name: "refer", Changes: m.referBack},
		{Name: "go on", Changes: m.goOnBack, Awaited: m.openBack},
		{Name: "remove", Changes: m.removeInline, Awaited: m.inlineLeft},
		{Name: "clean up", Changes: m.cleanUp},
	})
}

// Manifests returns the AzureASOManaged* objects that Forth makes, as a user would write them. The error is a walk.BlockedError where the Cluster
// is in no state for it.
func (m *Migration) Manifests(ctx context.Context) ([]*unstructured.Unstructured, error) {
	if done, err := m.checkForth(ctx); err != nil || done {
		return nil, err
	}
	p, err := m.read(ctx)
	if err != nil {
		return nil, err
	}
	var all []*unstructured.Unstructured
	for _, of := range p.pairs() {
		if of.typed == nil {
			continue
		}
		o, err := p.converted(of)
		if err != nil {
			return nil, err
		}
		o.SetOwnerReferences(nil)
		specProviderIDList.Remove(o)
		specEndpoint.Remove(o)
		setOrRemove(o, "annotations", o.GetAnnotations(), func(name, _ string) bool { return isUsers(name) })
		all = append(all, o)
	}
	return all, nil
}
