package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/compare"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/sides"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// enoughPools set every field and show every documented difference.
const enoughPools = 200

// A machinePools compares what the two sides send to Azure for AzureMachinePools, and counts while it goes.
type machinePools struct {
	capz *sides.SelfManagedCAPZ
	ours *sides.SelfManagedOurs
	out  io.Writer

	pools, changed, refused, differences int
	documented                           map[string]int
	fields                               specs.Coverage
}

// runMachinePools compares the pools, and reports whether all differences are documented.
func runMachinePools(ctx context.Context, out io.Writer, count int, seed uint64) (bool, error) {
	sources, err := capzSources()
	if err != nil {
		return false, err
	}
	c := &machinePools{out: out, documented: map[string]int{}, fields: specs.Coverage{}}
	if c.capz, err = sides.NewSelfManagedCAPZ(sources); err != nil {
		return false, err
	}
	if c.ours, err = sides.NewSelfManagedOurs(root); err != nil {
		return false, err
	}
	if err := c.compareRandom(ctx, count, seed); err != nil {
		return false, err
	}
	lacking := c.lacking()
	fmt.Fprintf(out, "machine pools: %d pools, %d of them changed while they run, %d differences, %d documented\n", c.pools, c.changed, c.differences, len(c.documented))
	return c.differences == 0 && !lacking, nil
}

// compareRandom compares random pools until there are as many as the count.
func (c *machinePools) compareRandom(ctx context.Context, count int, seed uint64) error {
	if count == 0 {
		return nil
	}
	cluster, pool := specOf(c.capz.Schemas["azureclusters"].OpenAPI), specOf(c.capz.Schemas["azuremachinepools"].OpenAPI)
	var err error
	inOrder(seed, func(seed uint64) *poolAnswers {
		return c.answer(ctx, specs.RandomMachinePool(seed, cluster, pool))
	}, func(a *poolAnswers) bool {
		err = c.take(a)
		if c.refused > 10*count+100 {
			err = fmt.Errorf("CAPZ refuses nearly all random pools, %d of %d", c.refused, c.refused+c.pools)
		}
		return err == nil && c.pools < count
	})
	return err
}

// poolAnswers are what both sides send for a pool.
type poolAnswers struct {
	pool *specs.MachinePool
	// refusal is CAPZ's, refused this project's.
	refusal, refused error
	capz, ours       *sides.PoolAnswer
	err              error
}

// answer has both sides say what they send for a pool. It may run several times at once.
func (c *machinePools) answer(ctx context.Context, p *specs.MachinePool) *poolAnswers {
	a := &poolAnswers{pool: p}
	if a.capz, a.refusal, a.err = c.capz.Pool(ctx, p); a.err == nil && a.refusal == nil {
		a.ours, a.refused, a.err = c.ours.Pool(ctx, p)
	}
	return a
}

// take counts what both sides send for a pool, unless CAPZ refuses it, and reports the differences. Clusters are compared elsewhere.
func (c *machinePools) take(a *poolAnswers) error {
	switch {
	case a.err != nil:
		return fmt.Errorf("%s: %w", a.pool.Cluster.Name, a.err)
	case a.refusal != nil, errors.Is(a.refused, sides.ErrNoCluster):
		c.refused++
		return nil
	}
	c.pools++
	c.fields.Add("", a.pool.Created.Spec())
	if a.refused != nil {
		c.report(a.pool, "admission", compare.Difference{Object: "manifest", CAPZ: "accepted", Ours: "refused: " + a.refused.Error()})
		return nil
	}
	for _, phase := range sides.PoolPhases {
		capz, ours := a.capz.Phases[phase], a.ours.Phases[phase]
		if capz == nil || ours == nil {
			break
		}
		if phase == changedPhase {
			c.changed++
		}
		for _, d := range slices.DeleteFunc(sentDifferently(capz, ours), notSentTwice) {
			c.report(a.pool, phase, d)
		}
	}
	if a.capz.Phases[changedPhase] != nil && a.ours.Refused != nil {
		c.report(a.pool, "change", compare.Difference{Object: "manifest", CAPZ: "accepted", Ours: "refused: " + a.ours.Refused.Error()})
	}
	return nil
}

// changedPhase is that in which a running pool is changed.
var (
	changedPhase  = sides.PoolPhases[2]
	followedPhase = sides.PoolPhases[3]
)

// notSentTwice tells fields that each side chooses at random, and principals, which Azure chooses.
func notSentTwice(d compare.Difference) bool {
	random := strings.HasSuffix(d.Path, ".osProfile.adminPassword") || d.Path == "properties.principalId"
	return random && d.CAPZ != nil && d.Ours != nil
}

// lacking says which fields were never set and which documented differences not found, once there were enough pools.
func (c *machinePools) lacking() bool {
	if c.pools < enoughPools {
		return false
	}
	missing := c.fields.Missing(reflect.TypeFor[infrav1exp.AzureMachinePoolSpec]())
	return printLacking(c.out, missing, meantOfPools, c.documented)
}

// report notes a difference, and prints it if it is not documented.
func (c *machinePools) report(p *specs.MachinePool, phase string, d compare.Difference) {
	row := rowOf(meantOfPools, func(is func(*specs.MachinePool, string, compare.Difference) bool) bool { return is(p, phase, d) })
	if row != "" {
		c.documented[row]++
		return
	}
	c.differences++
	if c.differences <= mostShown {
		fmt.Fprintf(c.out, "%s, pool %s: %s\n", p.Cluster.Name, phase, d)
	}
}
