package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/sides"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// A defaulted object is what both sides make of one that is created or, with what they had made of it before, changed.
type defaulted struct {
	kind                   schema.GroupVersionKind
	plural                 string
	manifest               map[string]any
	capzBefore, oursBefore map[string]any
	capz, ours             map[string]any
	differences            []compare.Difference
}

// A defaults compares what the two sides write into objects that nobody has written there.
type defaults struct {
	capz *sides.CAPZDefaults
	ours *sides.OurDefaults
	out  io.Writer

	objects, differences int
	documented           map[string]int
}

func newDefaults(sources string, out io.Writer) (*defaults, error) {
	d := &defaults{out: out, documented: map[string]int{}}
	var err error
	if d.capz, err = sides.NewCAPZDefaults(sources); err != nil {
		return nil, err
	}
	d.ours, err = sides.NewOurDefaults(root)
	return d, err
}

// shared returns the kinds that CAPZ has as well, in all versions.
func shared() []composite.Kind {
	return composite.Select(func(k composite.Kind) bool { return k.Group == composite.InfrastructureGroup })
}

// runDefaults compares objects of every kind, when they are created and when they are changed, and reports whether all differences are
// documented.
func runDefaults(ctx context.Context, out io.Writer, count int, seed uint64) (bool, error) {
	c, err := newComparison(out)
	if err != nil {
		return false, err
	}
	d, err := newDefaults(c.sources, out)
	if err != nil {
		return false, err
	}
	for ; d.objects < count; seed++ {
		for _, k := range shared() {
			for _, version := range k.Served() {
				if err := d.compareSeed(ctx, k, version, seed); err != nil {
					return false, fmt.Errorf("seed %d, %s %s: %w", seed, version, k.Kind, err)
				}
			}
		}
	}
	unseen := 0
	if d.objects >= enough {
		unseen = printUnseen(out, meantDefaults, d.documented)
	}
	fmt.Fprintf(out, "defaults: %d objects of %d kinds, %d differences, %d documented\n", d.objects, len(shared()), d.differences, len(d.documented))
	return d.differences+unseen == 0, nil
}

// compareSeed compares the object of a seed as it is created, and as the one of another seed takes its place.
func (d *defaults) compareSeed(ctx context.Context, k composite.Kind, version string, seed uint64) error {
	kind := schema.GroupVersionKind{Group: k.Group, Version: version, Kind: k.Kind}
	s, err := d.capz.Schema(sides.Kind{Plural: k.Plural(), Version: version})
	if err != nil {
		return err
	}
	created, err := d.compare(ctx, defaulted{kind: kind, plural: k.Plural(), manifest: specs.RandomObject(2*seed, kind, s.OpenAPI)})
	if err != nil {
		return err
	}
	d.report(fmt.Sprintf("seed %d, created", seed), created)
	changed, err := d.compare(ctx, defaulted{
		kind: kind, plural: k.Plural(), manifest: specs.RandomObject(2*seed+1, kind, s.OpenAPI), capzBefore: created.capz, oursBefore: created.ours})
	if err != nil {
		return err
	}
	d.report(fmt.Sprintf("seed %d, changed", seed), changed)
	return nil
}

// compare has both sides write their defaults.
func (d *defaults) compare(ctx context.Context, o defaulted) (defaulted, error) {
	kind := sides.Kind{Plural: o.plural, Version: o.kind.Version}
	var err error
	if o.capz, err = d.capz.Default(ctx, kind, o.manifest, o.capzBefore); err != nil {
		return o, fmt.Errorf("CAPZ: %w", err)
	}
	if o.ours, err = d.ours.Default(ctx, kind, o.manifest, o.oursBefore); err != nil {
		return o, err
	}
	o.findDifferences()
	return o, nil
}

// findDifferences finds the differences.
func (o *defaulted) findDifferences() {
	o.differences = slices.DeleteFunc(compare.Objects(o.kind.Kind, o.capz, o.ours), noDefault)
}

// noDefault tells differences that no default makes: both generate a key where an empty one is asked for, and the name of a role assignment,
// and CAPZ's Go types write zeros of what controllers write later.
func noDefault(d compare.Difference) bool {
	random := strings.HasSuffix(d.Path, ".sshPublicKey") || strings.HasSuffix(d.Path, "spec.systemAssignedIdentityRole.name")
	generated := random && d.CAPZ != nil && d.Ours != nil
	return generated || d.Path == "spec.controlPlaneEndpoint" || d.Path == "status"
}

// report counts the differences, and prints those that are not documented.
func (d *defaults) report(when string, o defaulted) {
	d.objects++
	for _, difference := range o.differences {
		if row := documentedDefault(o, difference); row != "" {
			d.documented[row]++
			continue
		}
		if d.differences++; d.differences <= mostShown {
			fmt.Fprintf(d.out, "%s: %s\n", when, difference)
		}
	}
}
