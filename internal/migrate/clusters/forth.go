package clusters

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/handover"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// within returns changes that are due only in some states of the Cluster.
func (m *Migration) within(ctx context.Context, states []string, changes func(*picture) ([]walk.Change, error)) ([]walk.Change, error) {
	p, err := m.read(ctx)
	if err != nil || !slices.Contains(states, p.state) {
		return nil, err
	}
	return changes(p)
}

// beforeForth are the states in which the objects are still to change hands.
var beforeForth = []string{"", toInline}

// change returns the change of an object to what it is after edit; none when that is the same.
func (m *Migration) change(o *unstructured.Unstructured, what string, edit func(*unstructured.Unstructured) error) ([]walk.Change, error) {
	changed := o.DeepCopy()
	if err := edit(changed); err != nil {
		return nil, err
	}
	if same(o, changed) {
		return nil, nil
	}
	return []walk.Change{walk.ChangeOf(o, what, func(ctx context.Context) error { return m.Patch(ctx, o, changed) })}, nil
}

// pauseForth pauses the Cluster, and by themselves the objects that are to be replaced: they stay paused when the Cluster goes on.
func (m *Migration) pauseForth(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeForth, func(p *picture) ([]walk.Change, error) { return m.pause(p, toInline, typedOf) })
}

// pause pauses the Cluster for a way, and by themselves the objects of the side that it leads away from.
func (m *Migration) pause(p *picture, state string, side func(*pair) *unstructured.Unstructured) ([]walk.Change, error) {
	cluster, err := m.change(p.cluster, "is paused", func(o *unstructured.Unstructured) error {
		walk.Annotate(o, func(a map[string]string) { a[StateAnnotation] = state })
		return clusterPaused.Set(o, true)
	})
	if err != nil {
		return nil, err
	}
	objects, err := p.each(func(of *pair) ([]walk.Change, error) { return m.pauseObject(side(of)) })
	return append(cluster, objects...), err
}

func (m *Migration) pauseObject(o *unstructured.Unstructured) ([]walk.Change, error) {
	if o == nil {
		return nil, nil
	}
	return m.change(o, "is paused for itself, too, so that it stays so when the Cluster goes on", func(o *unstructured.Unstructured) error {
		walk.Annotate(o, func(a map[string]string) { a[clusterv1.PausedAnnotation] = "true" })
		return nil
	})
}

// pausedForth says what is not paused yet.
func (m *Migration) pausedForth(ctx context.Context) ([]string, error) {
	p, err := m.read(ctx)
	if err != nil || p.state != toInline {
		return nil, err
	}
	var open []string
	for _, of := range p.pairs() {
		if of.typed != nil && of.typed.GetAnnotations()[names.CrossplanePausedAnnotation] != "true" {
			open = append(open, title(of.typed)+" to be paused")
		}
	}
	return append(open, p.unskipped()...), nil
}

// unskipped says of which ASO objects Azure may still be changed.
func (p *picture) unskipped() []string {
	var open []string
	for _, c := range p.children {
		if c.GetAnnotations()[aso.AnnotationReconcilePolicy] != aso.PolicySkip {
			open = append(open, title(c)+" to be left alone by Azure Service Operator")
		}
	}
	return open
}

// convert makes the inline objects.
func (m *Migration) convert(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeForth, func(p *picture) ([]walk.Change, error) {
		return p.each(func(of *pair) ([]walk.Change, error) {
			if of.inline != nil {
				return nil, nil
			}
			o, err := p.converted(of)
			if err != nil {
				return nil, err
			}
			what := fmt.Sprintf("is made, with %s", counted(len(p.of(of)), "ASO object"))
			return []walk.Change{walk.ChangeOf(o, what, func(ctx context.Context) error {
				return m.Client.Create(ctx, o, client.FieldOwner(m.FieldOwner))
			})}, nil
		})
	})
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// refer has Cluster API refer to the inline objects.
func (m *Migration) refer(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeForth, func(p *picture) ([]walk.Change, error) {
		return m.referTo(p, func(of *pair) string { return of.inlineKind.Kind })
	})
}

func (m *Migration) referTo(p *picture, kind func(*pair) string) ([]walk.Change, error) {
	var changes []walk.Change
	of := map[*unstructured.Unstructured][]*pair{}
	var referrers []*unstructured.Unstructured
	for _, one := range p.pairs() {
		if of[one.referrer] == nil {
			referrers = append(referrers, one.referrer)
		}
		of[one.referrer] = append(of[one.referrer], one)
	}
	for _, referrer := range referrers {
		var to []string
		for _, one := range of[referrer] {
			to = append(to, kind(one))
		}
		change, err := m.change(referrer, "refers to "+strings.Join(to, " and "), func(o *unstructured.Unstructured) error {
			if o.GetAnnotations()[clusterv1.ReplicasManagedByAnnotation] == v1beta1.ReplicasManagedByCAPZ {
				walk.Annotate(o, func(a map[string]string) { a[clusterv1.ReplicasManagedByAnnotation] = v1beta1.ReplicasManagedByAKS })
			}
			for _, one := range of[referrer] {
				ref := maps.Clone(one.ref.Value(o))
				ref["kind"] = kind(one)
				if err := one.ref.Set(o, ref); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		changes = append(changes, change...)
	}
	return changes, nil
}

// compose lets Crossplane compose the inline objects from what they have now, while Azure Service Operator still leaves all alone.
func (m *Migration) compose(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeForth, func(p *picture) ([]walk.Change, error) {
		return p.each(func(of *pair) ([]walk.Change, error) {
			inline := of.inline
			if inline == nil {
				planned, err := p.converted(of)
				if err != nil {
					return nil, err
				}
				inline = planned
			}
			if inline.GetAnnotations()[names.CrossplanePausedAnnotation] != "true" || inline.GetAnnotations()[names.PausedByAnnotation] != "" {
				return nil, nil // It has been let go on; provider-capz may have paused it since.
			}
			return m.change(inline, fmt.Sprintf("is composed, of %s", counted(len(p.of(of)), "ASO object")), func(o *unstructured.Unstructured) error {
				return p.letCompose(of, o)
			})
		})
	})
}

// letCompose has an inline object refer to its ASO objects, and lets Crossplane act: both at once, as it would compose them anew.
func (p *picture) letCompose(of *pair, o *unstructured.Unstructured) error {
	walk.Annotate(o, func(a map[string]string) { delete(a, names.CrossplanePausedAnnotation) })
	var refs []any
	for _, c := range p.of(of) {
		refs = append(refs, handover.RefTo(c, c.GroupVersionKind()))
	}
	if len(refs) == 0 {
		return nil
	}
	return access.SpecResourceRefs.Set(o, refs)
}

// composed says which inline objects are not composed as they shall be. It returns a walk.BlockedError when what is composed is something else than before.
func (m *Migration) composed(ctx context.Context) ([]string, error) {
	p, err := m.read(ctx)
	if err != nil || p.state != toInline {
		return nil, err
	}
	var open, problems []string
	for _, of := range p.pairs() {
		if of.inline == nil {
			return nil, blocked("%s %s is gone", of.inlineKind.Kind, of.name)
		}
		problems = append(problems, p.differences(of)...)
		if waits := unsettled(of.inline, true); waits != "" {
			open = append(open, waits)
		}
	}
	if len(problems) > 0 {
		return nil, &walk.BlockedError{Problems: append(problems, "Azure has not been changed, as Azure Service Operator is told to leave all alone; --back returns the Cluster to what it was")}
	}
	return open, nil
}

// differences returns which ASO objects of an inline object are others, or another, than before.
func (p *picture) differences(of *pair) []string {
	before := map[string]int64{}
	if err := json.Unmarshal([]byte(of.inline.GetAnnotations()[generationsAnnotation]), &before); err != nil {
		return []string{fmt.Sprintf("annotation %s of %s cannot be read: %v", generationsAnnotation, title(of.inline), err)}
	}
	var problems []string
	for _, c := range p.of(of) {
		name := plan.NameOf(c.Unstructured)
		generation, had := before[name]
		delete(before, name)
		switch {
		case !had:
			problems = append(problems, fmt.Sprintf("%s is composed by %s, which was not before", title(c), title(of.inline)))
		case generation != c.GetGeneration():
			problems = append(problems, fmt.Sprintf("the spec of %s is another than before (generation %d, was %d): compare it with spec.resources of %s", title(c), c.GetGeneration(), generation, title(of.inline)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		problems = append(problems, fmt.Sprintf("%s of %s is gone", name, title(of.inline)))
	}
	return problems
}

// goOn lets the Cluster go on.
func (m *Migration) goOn(ctx context.Context) ([]walk.Change, error) {
	return m.within(ctx, beforeForth, func(p *picture) ([]walk.Change, error) { return m.unpause(p, atInline) })
}

func (m *Migration) unpause(p *picture, state string) ([]walk.Change, error) {
	return m.change(p.cluster, "goes on", func(o *unstructured.Unstructured) error {
		walk.Annotate(o, func(a map[string]string) { a[StateAnnotation] = state })
		return clusterPaused.Set(o, false)
	})
}

// openForth says what is not as it should be after the Cluster goes on.
func (m *Migration) openForth(ctx context.Context) ([]string, error) {
	return m.open(ctx, inlineOf)
}

func (m *Migration) open(ctx context.Context, side func(*pair) *unstructured.Unstructured) ([]string, error) {
	p, err := m.read(ctx)
	if err != nil {
		return nil, err
	}
	var open []string
	for _, of := range p.pairs() {
		xr := side(of)
		if xr == nil {
			return nil, blocked("what took the place of %s %s is gone", of.typedKind.Kind, of.name)
		}
		if waits := unsettled(xr, false); waits != "" {
			open = append(open, waits)
		}
	}
	for _, c := range p.children {
		if aso.SkippedByPause(c) {
			open = append(open, title(c)+" to be managed again")
		}
	}
	if !walk.ConditionTrue(p.cluster, clusterv1.AvailableCondition) {
		open = append(open, fmt.Sprintf("%s to be Available: %s", title(p.cluster), field.Text(field.Condition(p.cluster, clusterv1.AvailableCondition)["message"])))
	}
	return open, nil
}
