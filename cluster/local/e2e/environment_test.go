package e2e

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/rights"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
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
	// granted is while the rights of package/install/rbac.yaml are; TestUninstall takes them away.
	granted rights.Span

	mu sync.Mutex
	// turn admits one at a time who ends or starts a component.
	turn map[string]*sync.Mutex
	// closed is set when the components are about to be ended for good.
	closed bool
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
		ctx: ctx, root: root, stack: s, config: config,
		azure: &admin.Client{URL: s.AdminURL(), HTTP: &http.Client{Transport: patientTransport{http.DefaultTransport}}},
		turn:  map[string]*sync.Mutex{},
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
	for ; e.ctx.Err() == nil; time.Sleep(superviseInterval) {
		for _, component := range e.stack.Dead() {
			if err := e.revive(component); err != nil {
				say("%v", err)
			}
		}
	}
}

// revive starts a component that has ended by itself. It waits for its turn, as the end may be ours.
func (e *environment) revive(component string) error {
	turn := e.turnOf(component)
	turn.Lock()
	defer turn.Unlock()
	if e.isClosed() || !slices.Contains(e.stack.Dead(), component) {
		return nil
	}
	err := fmt.Errorf("%s has ended by itself; the last lines of its log:\n%s", component, strings.Join(e.lastLines(component, ""), "\n"))
	say("%v", err)
	e.mu.Lock()
	e.ended = append(e.ended, err)
	e.mu.Unlock()
	return e.start(component)
}

// close returns when no component is being started and none will be any more.
func (e *environment) close() {
	e.mu.Lock()
	e.closed = true
	turns := slices.Collect(maps.Values(e.turn))
	e.mu.Unlock()
	for _, turn := range turns {
		turn.Lock()
		defer turn.Unlock()
	}
}

// turnOf returns the lock of a component: of one of the stack's, or of what the node runs for a package of a test.
func (e *environment) turnOf(component string) *sync.Mutex {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.turn[component] == nil {
		e.turn[component] = &sync.Mutex{}
	}
	return e.turn[component]
}

// crashes returns an error for each time that a component has ended by itself.
func (e *environment) crashes() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return errors.Join(e.ended...)
}

// restart ends a component with SIGKILL and starts it again at once.
func (e *environment) restart(component string) error {
	turn := e.turnOf(component)
	turn.Lock()
	defer turn.Unlock()
	if e.isClosed() {
		return errors.New("the tests are over")
	}
	if err := e.stack.Kill(component); err != nil {
		return fmt.Errorf("kill %s: %w", component, err)
	}
	return e.start(component)
}

// without ends a component with SIGKILL and starts it again when act is done.
func (e *environment) without(component string, act func() error) error {
	turn := e.turnOf(component)
	turn.Lock()
	defer turn.Unlock()
	if err := e.stack.Kill(component); err != nil {
		return fmt.Errorf("kill %s: %w", component, err)
	}
	return errors.Join(act(), e.start(component))
}

func (e *environment) start(component string) error {
	if err := e.stack.Start(e.ctx, component); err != nil {
		return fmt.Errorf("start %s again: %w", component, err)
	}
	return nil
}

func (e *environment) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}
