package power

import (
	"context"
	"strings"
	"sync"
)

// Unbooted returns a host that boots no machines of one size: they count as provisioned, and as bootstrapped, as soon as they are started.
// The other machines, and all networks, are those of the given host.
func Unbooted(host Host, size string) Host {
	return &unbooted{Host: host, size: size, started: map[string]bool{}}
}

type unbooted struct {
	Host
	size string

	mu sync.Mutex
	// started are the machines of that size that are powered on, by identifier in lower case.
	started map[string]bool
}

// Start implements Host.
func (u *unbooted) Start(ctx context.Context, machine Machine) error {
	if !strings.EqualFold(machine.Size, u.size) {
		return u.Host.Start(ctx, machine)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.started[strings.ToLower(machine.ID)] = true
	return nil
}

// Stop implements Host.
func (u *unbooted) Stop(ctx context.Context, id string) error {
	if u.forget(id) {
		return nil
	}
	return u.Host.Stop(ctx, id)
}

// Delete implements Host.
func (u *unbooted) Delete(ctx context.Context, id string) error {
	if u.forget(id) {
		return nil
	}
	return u.Host.Delete(ctx, id)
}

// State implements Host.
func (u *unbooted) State(ctx context.Context, id string) (State, error) {
	u.mu.Lock()
	started := u.started[strings.ToLower(id)]
	u.mu.Unlock()
	if started {
		return State{Phase: Provisioned, CustomDataEnded: true, Bootstrapped: true}, nil
	}
	return u.Host.State(ctx, id)
}

// forget reports whether a machine was one of those that boot nothing, which it is no more.
func (u *unbooted) forget(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := strings.ToLower(id)
	known := u.started[key]
	delete(u.started, key)
	return known
}
