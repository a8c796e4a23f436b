package e2e

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/internal/azuresim/admin"
)

// tokenLifetime is how long an Entra token lives: short enough to expire while a scenario runs.
const tokenLifetime = 40 * time.Second

// superviseInterval is how often it is looked whether a component has ended by itself.
const superviseInterval = time.Second

// An environment is the management cluster that all scenarios run on.
type environment struct {
	// ctx ends shortly before the time for all tests is over, or by a signal.
	ctx    context.Context
	root   string
	stack  *stack.Stack
	config *rest.Config
	client client.Client
	// kinds are what may belong to a scenario, see kinds_test.go.
	kinds kinds
	azure *admin.Client

	mu sync.Mutex
	// turn admits one kill at a time of a component.
	turn map[string]*sync.Mutex
	// killed are the components that we have ended and are about to start again.
	killed map[string]bool
	ended  []error
}

// newEnvironment returns the environment of a stack that is up.
func newEnvironment(ctx context.Context, root string, s *stack.Stack) (*environment, error) {
	config, err := s.RESTConfig()
	if err != nil {
		return nil, err
	}
	config.WarningHandler = rest.NoWarnings{}
	e := &environment{
		ctx: ctx, root: root, stack: s, config: config, azure: &admin.Client{URL: s.AdminURL()},
		turn: map[string]*sync.Mutex{}, killed: map[string]bool{},
	}
	for _, component := range stack.Components() {
		e.turn[component] = &sync.Mutex{}
	}
	if e.client, err = client.New(config, client.Options{Scheme: scheme.Scheme}); err != nil {
		return nil, err
	}
	server, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	if e.kinds, err = discoverKinds(server); err != nil {
		return nil, err
	}
	if err := e.azure.SetTokenLifetime(ctx, tokenLifetime); err != nil {
		return nil, err
	}
	go e.supervise()
	return e, nil
}

// supervise starts again what has ended by itself, as a kubelet would, and remembers it: nothing may.
func (e *environment) supervise() {
	for e.ctx.Err() == nil {
		for _, component := range e.stack.Dead() {
			e.mu.Lock()
			ours := e.killed[component]
			e.mu.Unlock()
			if ours || e.ctx.Err() != nil {
				continue
			}
			err := fmt.Errorf("%s has ended by itself: %w", component, e.stack.Check())
			say("%v", err)
			e.mu.Lock()
			e.ended = append(e.ended, err)
			e.mu.Unlock()
			if err := e.restart(component, false); err != nil {
				say("%v", err)
			}
		}
		time.Sleep(superviseInterval)
	}
}

// crashes returns an error for each time that a component has ended by itself.
func (e *environment) crashes() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return errors.Join(e.ended...)
}

// restart ends a component with SIGKILL, if asked to, and starts it again at once.
func (e *environment) restart(component string, kill bool) error {
	turn := e.turn[component]
	turn.Lock()
	defer turn.Unlock()
	e.setKilled(component, true)
	defer e.setKilled(component, false)
	if kill {
		if err := e.stack.Kill(component); err != nil {
			return fmt.Errorf("kill %s: %w", component, err)
		}
	}
	if !slices.Contains(e.stack.Dead(), component) {
		return nil
	}
	if err := e.stack.Start(e.ctx, component); err != nil {
		return fmt.Errorf("start %s again: %w", component, err)
	}
	return nil
}

func (e *environment) setKilled(component string, killed bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.killed[component] = killed
}
