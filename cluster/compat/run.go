package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"reflect"
	"strings"
	"sync"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/sides"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// root is where this repository begins, seen from here.
const root = "../.."

// enough specs set every field and show every documented difference.
const enough = 1000

// mostShown is how many differences are printed.
const mostShown = 40

// everyComposed is how many specs come to one that the composers are asked about, round after round: that takes longer.
const everyComposed = 8

// A comparison counts while it goes.
type comparison struct {
	capz *sides.CAPZ
	ours *sides.Ours
	out  io.Writer

	// sources is where CAPZ's are.
	sources string

	specs, published, composed, refused, differences int
	documented                                       map[string]int
	controlPlanes, pools                             specs.Coverage
}

// run compares the specs, and reports whether all differences are documented.
func run(ctx context.Context, out io.Writer, count int, seed uint64) (bool, error) {
	c, err := newComparison(out)
	if err != nil {
		return false, err
	}
	if err := c.comparePublished(ctx); err != nil {
		return false, err
	}
	controlPlane, pool := specOf(c.capz.ControlPlane.OpenAPI), specOf(c.capz.Pool.OpenAPI)
	for count += c.specs; c.specs < count; seed++ {
		if c.refused > 10*count+100 {
			return false, fmt.Errorf("CAPZ refuses nearly all random specs, %d of %d", c.refused, c.refused+c.specs)
		}
		if err := c.compare(ctx, specs.Random(seed, controlPlane, pool)); err != nil {
			return false, err
		}
	}
	lacking := false
	if c.specs >= enough {
		missing := append(c.controlPlanes.Missing(reflect.TypeFor[infrav1.AzureManagedControlPlaneSpec]()), c.pools.Missing(reflect.TypeFor[infrav1.AzureManagedMachinePoolSpec]())...)
		lacking = printLacking(out, missing, meant, c.documented)
	}
	fmt.Fprintf(out, "%d of the specs are from CAPZ's templates, %d went through the composers, %d more were refused by CAPZ\n", c.published, c.composed, c.refused)
	fmt.Fprintf(out, "compat: %d specs, %d differences, %d documented\n", c.specs, c.differences, len(c.documented))
	return c.differences == 0 && !lacking, nil
}

func newComparison(out io.Writer) (*comparison, error) {
	sources, err := capzSources()
	if err != nil {
		return nil, err
	}
	c := &comparison{out: out, sources: sources, documented: map[string]int{}, controlPlanes: specs.Coverage{}, pools: specs.Coverage{}}
	if c.capz, err = sides.NewCAPZ(c.sources); err != nil {
		return nil, err
	}
	c.ours, err = sides.NewOurs(root)
	return c, err
}

// capzSources returns where the sources of CAPZ are.
var capzSources = sync.OnceValues(func() (string, error) {
	sources, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api-provider-azure").Output()
	if err != nil {
		return "", fmt.Errorf("cannot find the sources of CAPZ: %w", err)
	}
	return strings.TrimSpace(string(sources)), nil
})

// comparePublished compares the clusters in CAPZ's own templates, of which it may refuse none.
func (c *comparison) comparePublished(ctx context.Context) error {
	published, err := specs.Published(c.sources)
	if err != nil {
		return err
	}
	if len(published) == 0 {
		return fmt.Errorf("no template of CAPZ has an AzureManagedControlPlane")
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

func specOf(s *extv1.JSONSchemaProps) *extv1.JSONSchemaProps {
	spec := s.Properties["spec"]
	return &spec
}

// compare compares one spec, unless CAPZ refuses it.
func (c *comparison) compare(ctx context.Context, s *specs.Spec) error {
	manifests, err := c.capz.Admit(ctx, s, nil)
	if err != nil {
		c.refused++
		return nil
	}
	c.specs++
	c.count(s)
	created, running, err := c.capz.Answers(ctx, s, manifests)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	admitted, err := c.ours.Admit(ctx, s, nil)
	if err != nil {
		c.report(s, "admission", compare.Difference{Object: "manifest", CAPZ: "accepted", Ours: "refused: " + err.Error()})
		return nil
	}
	ours := c.ours.Created(admitted)
	c.reportAll(s, "created", compare.Answers(created, ours))
	if len(created.Failures)+len(ours.Failures) > 0 {
		return nil // Such a cluster never runs.
	}
	if c.published == 0 || c.specs%everyComposed == 0 {
		composed, err := c.ours.Composed(ctx, s, admitted)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		c.composed++
		c.reportAll(s, "composed", compare.Answers(created, composed))
	}
	c.reportAll(s, "running", compare.Answers(running, c.ours.Running(s, admitted, ours)))
	return nil
}

// count notes which fields the spec has set.
func (c *comparison) count(s *specs.Spec) {
	c.controlPlanes.Add("", s.ControlPlane["spec"])
	for _, p := range s.Pools {
		c.pools.Add("", p.Object["spec"])
	}
}

func (c *comparison) reportAll(s *specs.Spec, phase string, differences []compare.Difference) {
	for _, d := range differences {
		c.report(s, phase, d)
	}
}

// report notes a difference, and prints it if it is not documented.
func (c *comparison) report(s *specs.Spec, phase string, d compare.Difference) {
	if reason := documentation(s, d); reason != "" {
		c.documented[reason]++
		return
	}
	c.differences++
	if c.differences <= mostShown {
		fmt.Fprintf(c.out, "%s, %s: %s\n", s.Name, phase, d)
	}
}
