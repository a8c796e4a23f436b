package compute

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// TestPoolOfAnySize takes pools of ten and of fifty instances through their life, and counts what they cost: compositions, as each write of
// the AzureMachinePool leads to one, and requests to Azure. Neither may grow with the number of instances.
func TestPoolOfAnySize(t *testing.T) {
	if _, composed := composite.Lookup(PoolMachineKind.GroupKind()); composed {
		t.Fatal("an AzureMachinePoolMachine is composed")
	}
	few, many := costOf(newPoolPlay(t, 10), 10), costOf(newPoolPlay(t, 50), 50)
	if diff := cmp.Diff(few, many); diff != "" {
		t.Errorf("-10 +50 instances:\n%s", diff)
	}
	if want := "3 looks: 0 compositions, 3 lists, 3 reads of the scale set, 0 changes"; few["rests"] != want {
		t.Errorf("at rest it costs %s, want %s", few["rests"], want)
	}
}

// BenchmarkPoolOfThousand prints the same of a thousand, which takes minutes with the client in memory, so that it is not run by itself.
func BenchmarkPoolOfThousand(b *testing.B) {
	for range b.N {
		p := newPoolPlay(b, 1000)
		for step, cost := range costOf(p, 1000) {
			b.Logf("%s, %s", step, cost)
		}
	}
}

// costOf returns what each step in the life of a pool costs.
func costOf(p *poolPlay, size int) map[string]string {
	p.t.Helper()
	costs := map[string]string{}
	for _, s := range []struct {
		name  string
		looks int
		act   func()
	}{
		{"comes up", 5, func() {}},
		{"rests", 3, func() {}},
		{"half of the Nodes are not ready", 3, func() {
			for n, m := range p.members() {
				p.unready[m.Name] = n%2 == 0
			}
		}},
		{"they are ready again", 3, func() { p.unready = map[string]bool{} }},
		{"Azure takes a tenth away", 5, func() {
			for _, name := range slices.Sorted(maps.Keys(p.azure.instances))[:size/10] {
				p.azure.lose(name)
			}
		}},
	} {
		s.act()
		p.TakeWrites()
		p.azure.asked = map[string]int{}
		p.rounds(s.looks)
		composed := 0
		for _, write := range p.TakeWrites() {
			if strings.HasSuffix(write, " AzureMachinePool "+poolName) {
				composed++
			}
		}
		costs[s.name] = fmt.Sprintf("%d looks: %d compositions, %d lists, %d reads of the scale set, %d changes",
			s.looks, composed, p.azure.asked["GET instances"], p.azure.asked["GET scale set"], p.azure.asked["PUT scale set"])
	}
	if facts := p.facts().Pool; len(p.azure.instances) != size || int(facts.Ready) != size {
		p.t.Errorf("there are %d instances, %d are ready", len(p.azure.instances), facts.Ready)
	}
	return costs
}
