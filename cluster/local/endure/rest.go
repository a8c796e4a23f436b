package endure

import (
	"context"
	"sync"
	"time"
)

// A rest is what the lives of the end of a run come to before they end: all stand still while it is looked who writes nevertheless.
type rest struct {
	mu      sync.Mutex
	cond    *sync.Cond
	wanted  bool
	over    bool
	lives   map[int]bool
	arrived int
}

func newRest() *rest {
	r := &rest{lives: map[int]bool{}}
	r.cond = sync.NewCond(&r.mu)
	return r
}

// isWanted reports whether lives are to come to rest.
func (r *rest) isWanted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wanted
}

func (r *rest) enter(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lives[number] = true
}

func (r *rest) leave(number int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.lives, number)
	r.cond.Broadcast()
}

// arrive returns when the rest is over, at once if there is none.
func (r *rest) arrive(ctx context.Context) {
	defer context.AfterFunc(ctx, r.cond.Broadcast)()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.wanted || r.over {
		return
	}
	r.arrived++
	r.cond.Broadcast()
	for !r.over && ctx.Err() == nil {
		r.cond.Wait()
	}
	r.arrived--
}

// want has lives that are not at their end yet come to rest, and returns how many have when all of them have, or patience is over. Those
// that are ending are waited for.
func (r *rest) want(ctx context.Context, patience time.Duration) int {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer context.AfterFunc(ctx, r.cond.Broadcast)()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = true
	for r.arrived < len(r.lives) && ctx.Err() == nil {
		r.cond.Wait()
	}
	if r.arrived < len(r.lives) {
		return 0
	}
	return r.arrived
}

// end lets all go on.
func (r *rest) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.cond.Broadcast()
}
