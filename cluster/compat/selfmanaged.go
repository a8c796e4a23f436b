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
	if err := c.compareRandom(ctx, count+c.published, seed); err != nil {
		return false, err
	}
	lacking := c.lacking()
	fmt.Fprintf(out, "%d of the specs are from CAPZ's templates, %d more were refused by CAPZ\n", c.published, c.refused)
	fmt.Fprintf(out, "self-managed: %d specs, %d differences, %d documented\n", c.specs, c.differences, len(c.documented))
	return c.differences == 0 && !lacking, nil
}

// compareRandom compares random specs until there are as many as the count.
func (c *selfManaged) compareRandom(ctx context.Context, count int, seed uint64) error {
	cluster, machine := specOf(c.capz.Schemas["azureclusters"].OpenAPI), specOf(c.capz.Schemas["azuremachines"].OpenAPI)
	var err error
	inOrder(seed, func(seed uint64) *sentFor {
		return c.answer(ctx, specs.RandomSelfManaged(seed, cluster, machine))
	}, func(sent *sentFor) bool {
		err = c.take(sent)
		if c.refused > 10*count+100 {
			err = fmt.Errorf("CAPZ refuses nearly all random specs, %d of %d", c.refused, c.refused+c.specs)
		}
		return err == nil && c.specs < count
	})
	return err
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
	inOrder(0, func(i uint64) *sentFor {
		if i >= uint64(len(published)) {
			return nil
		}
		return c.answer(ctx, published[i])
	}, func(sent *sentFor) bool {
		switch {
		case sent == nil:
			return false
		case sent.refusal != nil:
			err = fmt.Errorf("%s: CAPZ refuses its own template: %w", sent.spec.Name, sent.refusal)
		default:
			err = c.take(sent)
		}
		return err == nil
	})
	c.published = len(published)
	return err
}

// neverTaken are fields that CAPZ refuses whatever they say.
var neverTaken = []string{"cloudProviderConfigOverrides", "networkSpec.nodeOutboundLB.privateLinks", "networkSpec.controlPlaneOutboundLB.privateLinks"}

// missing returns the fields that no spec has set.
func (c *selfManaged) missing() []string {
	all := append(c.clusters.Missing(reflect.TypeFor[infrav1.AzureClusterSpec]()), c.machines.Missing(reflect.TypeFor[infrav1.AzureMachineSpec]())...)
	return slices.DeleteFunc(all, func(field string) bool {
		return slices.ContainsFunc(neverTaken, func(never string) bool { return strings.HasPrefix(field, never) })
	})
}

// lacking says which fields were never set and which documented differences not found, once there were enough specs.
func (c *selfManaged) lacking() bool {
	if c.specs < enough {
		return false
	}
	return printLacking(c.out, c.missing(), meantSent, c.documented)
}

// A sentFor is what both sides send for a spec.
type sentFor struct {
	spec *specs.SelfManaged
	// refusal is CAPZ's, refused this project's.
	refusal, refused error
	capz, ours       map[string]*sides.Sent
	err              error
}

// The phases in which both sides are asked: of a cluster that does not exist, and of one that runs.
var phases = []string{"created", "running"}

// answer has both sides say what they send for a spec. It may run several times at once.
func (c *selfManaged) answer(ctx context.Context, s *specs.SelfManaged) *sentFor {
	sent := &sentFor{spec: s}
	created, running, refusal, err := c.capz.Answer(ctx, s)
	if sent.refusal = refusal; err != nil || refusal != nil {
		sent.err = err
		return sent
	}
	sent.capz = map[string]*sides.Sent{"created": created, "running": running}
	admitted, err := c.ours.Admit(ctx, s)
	if err != nil {
		sent.refused = err
		return sent
	}
	created, running, sent.err = c.ours.Sent(ctx, s, admitted)
	sent.ours = map[string]*sides.Sent{"created": created, "running": running}
	return sent
}

// take counts what both sides send for a spec, unless CAPZ refuses it, and reports the differences.
func (c *selfManaged) take(sent *sentFor) error {
	s := sent.spec
	switch {
	case sent.err != nil:
		return fmt.Errorf("%s: %w", s.Name, sent.err)
	case sent.refusal != nil:
		c.refused++
		return nil // What CAPZ refuses is not compared.
	}
	c.specs++
	c.clusters.Add("", s.AzureCluster["spec"])
	for _, m := range s.Machines {
		c.machines.Add("", m.Object["spec"])
	}
	if sent.refused != nil {
		c.report(s, "admission", compare.Difference{Object: "manifest", CAPZ: "accepted", Ours: "refused: " + sent.refused.Error()})
		return nil
	}
	for _, phase := range phases {
		for _, d := range slices.DeleteFunc(sentDifferently(sent.capz[phase], sent.ours[phase]), notSentHere) {
			c.report(s, phase, d)
		}
	}
	return nil
}

// sentDifferently returns the differences between what the two sides have sent. Where either sends no more for an object, what it has not
// sent is not compared; nor are the machines of an AzureCluster that it does not go on with.
func sentDifferently(capz, ours *sides.Sent) []compare.Difference {
	var all []compare.Difference
	stopped := stoppedAtCluster(capz) || stoppedAtCluster(ours)
	for _, object := range keys(capz.Failures, ours.Failures) {
		if stopped && !ofCluster(object) {
			continue
		}
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

// stoppedAtCluster reports whether a side has not gone on with the AzureCluster.
func stoppedAtCluster(sent *sides.Sent) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(sent.Failures)), ofCluster)
}

// ofCluster reports whether a failure is that of an AzureCluster, by its object.
func ofCluster(object string) bool { return strings.HasPrefix(object, "AzureCluster/") }

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
	if row := rowOf(meantSent, func(is func(*specs.SelfManaged, compare.Difference) bool) bool { return is(s, d) }); row != "" {
		c.documented[row]++
		return
	}
	c.differences++
	if c.differences <= mostShown {
		fmt.Fprintf(c.out, "%s, %s: %s\n", s.Name, phase, d)
	}
}
