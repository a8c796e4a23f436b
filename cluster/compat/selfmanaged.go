package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/sides"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// A selfManaged compares what the two sides send to Azure for self-managed clusters, and counts while it goes.
type selfManaged struct {
	capz *sides.SelfManagedCAPZ
	ours *sides.SelfManagedOurs
	out  io.Writer

	specs, published, refused, differences int
	documented                             map[string]int
	clusters, machines                     specs.Coverage
}

func newSelfManaged(sources string, out io.Writer) (*selfManaged, error) {
	c := &selfManaged{out: out, documented: map[string]int{}, clusters: specs.Coverage{}, machines: specs.Coverage{}}
	var err error
	if c.capz, err = sides.NewSelfManagedCAPZ(sources); err != nil {
		return nil, err
	}
	c.ours, err = sides.NewSelfManagedOurs(root)
	return c, err
}

// runSelfManaged compares the specs, and reports whether all differences are documented.
func runSelfManaged(ctx context.Context, out io.Writer, count int, seed uint64) (bool, error) {
	sources, err := capzSources()
	if err != nil {
		return false, err
	}
	c, err := newSelfManaged(sources, out)
	if err != nil {
		return false, err
	}
	if err := c.comparePublished(ctx, sources); err != nil {
		return false, err
	}
	cluster, machine := specOf(c.capz.Schemas["azureclusters"].OpenAPI), specOf(c.capz.Schemas["azuremachines"].OpenAPI)
	for count += c.published; c.specs < count; seed++ {
		if c.refused > 10*count+100 {
			return false, fmt.Errorf("CAPZ refuses nearly all random specs, %d of %d", c.refused, c.refused+c.specs)
		}
		if err := c.compare(ctx, specs.RandomSelfManaged(seed, cluster, machine)); err != nil {
			return false, err
		}
	}
	lacking := c.lacking()
	fmt.Fprintf(out, "%d of the specs are from CAPZ's templates, %d more were refused by CAPZ\n", c.published, c.refused)
	fmt.Fprintf(out, "self-managed: %d specs, %d differences, %d documented\n", c.specs, c.differences, len(c.documented))
	return c.differences == 0 && !lacking, nil
}

// comparePublished compares the clusters in CAPZ's own templates, of which it may refuse none.
func (c *selfManaged) comparePublished(ctx context.Context, sources string) error {
	published, err := specs.PublishedSelfManaged(sources)
	if err != nil {
		return err
	}
	if len(published) == 0 {
		return errors.New("no template of CAPZ has an AzureCluster")
	}
	for _, s := range published {
		if err := c.compare(ctx, s); err != nil {
			return err
		}
		if c.refused > 0 {
			return fmt.Errorf("%s: CAPZ refuses its own template", s.Name)
		}
	}
	c.published = len(published)
	return nil
}

// lacking says which fields were never set and which documented differences not found, once there were enough specs.
func (c *selfManaged) lacking() bool {
	if c.specs < enough {
		return false
	}
	missing := append(c.clusters.Missing(reflect.TypeFor[infrav1.AzureClusterSpec]()), c.machines.Missing(reflect.TypeFor[infrav1.AzureMachineSpec]())...)
	if len(missing) > 0 {
		fmt.Fprintf(c.out, "never set: %s\n", strings.Join(missing, ", "))
	}
	var unseen []string
	for _, m := range meantSent {
		if c.documented[m.row] == 0 {
			unseen = append(unseen, m.row)
		}
	}
	if len(unseen) > 0 {
		fmt.Fprintf(c.out, "documented, but not found: %s\n", strings.Join(unseen, "; "))
	}
	return len(missing)+len(unseen) > 0
}

// compare compares one spec, unless CAPZ refuses it.
func (c *selfManaged) compare(ctx context.Context, s *specs.SelfManaged) error {
	manifests, err := c.capz.Admit(ctx, s)
	if err != nil {
		c.refused++
		return nil //nolint:nilerr // What CAPZ refuses is not compared.
	}
	c.specs++
	c.clusters.Add("", s.AzureCluster["spec"])
	for _, m := range s.Machines {
		c.machines.Add("", m.Object["spec"])
	}
	created, running, err := c.capz.Sent(ctx, s, manifests)
	if err != nil {
		return fmt.Errorf("%s: CAPZ: %w", s.Name, err)
	}
	admitted, err := c.ours.Admit(ctx, s)
	if err != nil {
		c.report(s, "admission", compare.Difference{Object: "manifest", CAPZ: "accepted", Ours: "refused: " + err.Error()})
		return nil //nolint:nilerr // It is reported.
	}
	ours, err := c.ours.Sent(ctx, s, admitted)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	for phase, capz := range map[string]*sides.Sent{"created": created, "running": running} {
		for _, d := range slices.DeleteFunc(sentDifferently(capz, ours), notSentHere) {
			c.report(s, phase, d)
		}
	}
	return nil
}

// sentDifferently returns the differences between what the two sides have sent. Where either sends no more for an object, what it has not
// sent is not compared.
func sentDifferently(capz, ours *sides.Sent) []compare.Difference {
	var all []compare.Difference
	for _, object := range keys(capz.Failures, ours.Failures) {
		if a, b := capz.Failures[object], ours.Failures[object]; (a == "") != (b == "") {
			all = append(all, compare.Difference{Object: object, CAPZ: orNil(a), Ours: orNil(b)})
		}
	}
	failed := len(capz.Failures)+len(ours.Failures) > 0
	for _, id := range keys(capz.Resources, ours.Resources) {
		a, b := capz.Resources[id], ours.Resources[id]
		switch {
		case a != nil && b != nil:
			all = append(all, compare.Objects(short(id), a, b)...)
		case !failed:
			all = append(all, compare.Difference{Object: short(id), CAPZ: existing(a), Ours: existing(b)})
		}
	}
	return all
}

func keys[V any](a, b map[string]V) []string {
	all := slices.Concat(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
	slices.Sort(all)
	return slices.Compact(all)
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func existing(body map[string]any) any {
	if body == nil {
		return nil
	}
	return "a resource"
}

// short returns an ID without the subscription and the provider.
func short(id string) string {
	_, after, _ := strings.Cut(strings.TrimPrefix(id, "/"), "/resourcegroups/")
	return strings.NewReplacer("providers/microsoft.network/", "", "providers/microsoft.compute/", "").Replace(after)
}

// report notes a difference, and prints it if it is not documented.
func (c *selfManaged) report(s *specs.SelfManaged, phase string, d compare.Difference) {
	if i := slices.IndexFunc(meantSent, func(m documentedSent) bool { return m.is(s, d) }); i >= 0 {
		c.documented[meantSent[i].row]++
		return
	}
	c.differences++
	if c.differences <= mostShown {
		fmt.Fprintf(c.out, "%s, %s: %s\n", s.Name, phase, d)
	}
}
