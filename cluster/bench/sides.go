package main

import (
	"slices"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// Names of the sides, as they stand in what is written.
const (
	product = "crossplane-capz"
	peer    = "CAPZ"
)

// A side is one of the two that are compared.
type side struct {
	name string
	// components replace each other: what one side has and the other has not.
	components []string
	// besides are processes that come with them and have no part in what is done for a Cluster.
	besides []string
}

// processes are all that a side has and the other has not.
func (s side) processes() []string { return slices.Concat(s.components, s.besides) }

var sides = []side{
	{name: product, components: []string{stack.Crossplane, stack.Function, stack.Provider}, besides: []string{stack.CrossplaneRBAC}},
	{name: peer, components: []string{stack.CAPZ}},
}

// alternate returns the sides in the order of a round, so that neither is always the first.
func alternate(round int) []side {
	order := slices.Clone(sides)
	if round%2 == 1 {
		slices.Reverse(order)
	}
	return order
}
