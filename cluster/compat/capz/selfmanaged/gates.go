package selfmanaged

import (
	"sync"

	"sigs.k8s.io/cluster-api-provider-azure/feature"
)

// Gates are the feature gates of CAPZ that a manifest may need: edge zones, and an internal load balancer beside a public one.
type Gates struct{ EdgeZone, Internal bool }

// gates are those of the process, and how many rely on them.
var gates = struct {
	sync.Mutex
	changed *sync.Cond
	open    Gates
	relying int
}{}

func init() { gates.changed = sync.NewCond(&gates) }

// While does something while CAPZ's gates are these. Whoever needs others waits.
func (g Gates) While(do func() error) error {
	if err := g.enter(); err != nil {
		return err
	}
	defer func() {
		gates.Lock()
		defer gates.Unlock()
		gates.relying--
		gates.changed.Broadcast()
	}()
	return do()
}

func (g Gates) enter() error {
	gates.Lock()
	defer gates.Unlock()
	for gates.relying > 0 && gates.open != g {
		gates.changed.Wait()
	}
	if gates.open != g {
		if err := feature.MutableGates.SetFromMap(map[string]bool{string(feature.EdgeZone): g.EdgeZone, string(feature.APIServerILB): g.Internal}); err != nil {
			return err
		}
	}
	gates.open = g
	gates.relying++
	return nil
}
