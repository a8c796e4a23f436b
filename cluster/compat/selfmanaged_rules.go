package main

import (
	"context"
	"fmt"
	"io"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/sides"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// objectAnswers are what both sides say to a request for one object of a self-managed kind: nil when they accept it.
type objectAnswers struct {
	requests *specs.ObjectRequests
	// change is nil when the object is created or deleted.
	change     *specs.Change
	capz, ours error
}

func (a objectAnswers) String() string {
	said := a.requests.Said
	if a.change != nil {
		said += " -> " + a.change.Said
		if a.change.Applied {
			said += ", applied"
		}
	}
	return fmt.Sprintf("%s, %s: %s\n  CAPZ: %v\n  here: %v", a.requests.Name, a.requests.Kind, said, a.capz, a.ours)
}

// An objectRules compares what the two sides refuse of the self-managed kinds, and counts while it goes.
type objectRules struct {
	capz *sides.SelfManagedCAPZ
	ours *sides.Requests
	out  io.Writer

	requests, refused, differences int
	documented                     map[string]int
}

func newObjectRules(sources string, out io.Writer) (*objectRules, error) {
	c := &objectRules{out: out, documented: map[string]int{}}
	var err error
	if c.capz, err = sides.NewSelfManagedCAPZ(sources); err != nil {
		return nil, err
	}
	c.ours, err = sides.NewRequests(root)
	return c, err
}

// runObjectRules compares what the two sides refuse, and reports whether all differences are documented.
func runObjectRules(ctx context.Context, out io.Writer, count int, seed uint64) (bool, error) {
	sources, err := capzSources()
	if err != nil {
		return false, err
	}
	c, err := newObjectRules(sources, out)
	if err != nil {
		return false, err
	}
	for ; c.requests < count; seed++ {
		for _, a := range c.judge(ctx, specs.RandomObjectRequests(seed)) {
			c.take(a)
		}
	}
	unseen := 0
	if c.requests >= enough {
		unseen = printUnseen(out, meantObjectAnswers, c.documented)
	}
	fmt.Fprintf(out, "self-managed rules: %d requests, of which CAPZ refuses %d, %d differences, %d documented\n", c.requests, c.refused, c.differences, len(c.documented))
	return c.differences+unseen == 0, nil
}

// judge has both sides answer requests, one after the other. Where only one of them accepts the object there is nothing to change.
func (c *objectRules) judge(ctx context.Context, r *specs.ObjectRequests) []objectAnswers {
	plural := sides.PluralOf(r.Kind)
	theirs, capzErr := c.capz.Request(ctx, plural, r.Object, nil)
	ours, err := c.ours.Request(ctx, plural, r.Object, nil)
	all := []objectAnswers{{requests: r, capz: capzErr, ours: err}}
	if capzErr != nil || err != nil {
		return all
	}
	for i := range r.Changes {
		change := &r.Changes[i]
		a := objectAnswers{requests: r, change: change}
		before, beforeHere := r.Object, r.Object
		if change.Applied {
			before, beforeHere = theirs.Stored, ours
		}
		_, a.capz = c.capz.Request(ctx, plural, change.To(before), theirs)
		_, a.ours = c.ours.Request(ctx, plural, change.To(beforeHere), ours)
		all = append(all, a)
	}
	return append(all, objectAnswers{requests: r, capz: c.capz.Admission.ValidateDelete(ctx, theirs.Typed), ours: c.ours.Delete(ctx, plural, ours)})
}

// take counts answers, and prints those that differ and are not documented.
func (c *objectRules) take(a objectAnswers) {
	c.requests++
	if a.capz != nil {
		c.refused++
	}
	if (a.capz == nil) == (a.ours == nil) {
		return
	}
	if row := rowOf(meantObjectAnswers, func(is func(objectAnswers) bool) bool { return is(a) }); row != "" {
		c.documented[row]++
		return
	}
	if c.differences++; c.differences <= mostShown {
		fmt.Fprintln(c.out, a)
	}
}
