// Package stack runs a Kubernetes management cluster with Crossplane, Cluster API, Azure Service Operator, the
// simulated Azure, function-capz and provider-capz as processes on 127.0.0.1. Every component has an identity of its
// own with the RBAC that its project ships.
//
//	s, err := stack.Up(ctx, stack.Options{Root: checkout, StateDir: dir, Log: os.Stderr})
//	defer s.Down()
//	config, err := s.RESTConfig()       // for clients of the management cluster
//	azure := &admin.Client{URL: s.AdminURL()} // for the simulator's admin API
//	err = s.Kill(stack.ASO)             // SIGKILL
//	err = s.Start(ctx, stack.ASO)       // the same command again, until it is ready
//
// Up builds nothing: the binaries have to be in <Root>/.local/bin, see package parts.
package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrUp says that a stack is up in the state folder already. Open gives it.
var ErrUp = errors.New("the stack is up already")

// Options of a stack. Root is required.
type Options struct {
	// Root of the checkout: its .local/bin and .local/aso are used, and its package/ is installed.
	Root string
	// StateDir keeps everything that the stack writes; <Root>/.local/up when empty. Two stacks need two of them.
	StateDir string
	// Log receives a line for each stage; nothing is written when nil.
	Log io.Writer
	// Ports are given ports by name, see PortNames. The others are free ones.
	Ports map[string]int
	// AzureLatency is the simulator's latency by resource type; "default=1s,Microsoft.ContainerService/managedClusters=3s"
	// when empty.
	AzureLatency string
	// AzureMaxRetryAfter is the most that the simulator asks its clients to wait between two looks at an operation; as
	// Azure asks when 0.
	AzureMaxRetryAfter time.Duration
	// AzureUnbootedSize is a size of virtual machines that count as provisioned at once and boot nothing, where the others boot; there is
	// none when empty.
	AzureUnbootedSize string
	// ASOSyncPeriod is how often ASO writes to Azure what has not changed; an hour when 0, as upstream.
	ASOSyncPeriod time.Duration
	// CAPISyncPeriod is how often Cluster API looks again at what has not changed; ten minutes when 0, as upstream. Whoever kills Cluster API
	// wants PatientCAPISync.
	CAPISyncPeriod time.Duration
	// Azure is the state folder of another stack, which is up and whose simulated Azure this one uses; it has its own when
	// empty. The AzureLatency and AzureMaxRetryAfter are the other's then.
	Azure string
	// Observed has function-capz and provider-capz log more, and keeps what Crossplane and function-capz say to each other.
	Observed bool
	// CrossplaneFlags are those of `core start`; those of docs/performance.md when nil.
	CrossplaneFlags []string
	// Peer has CAPZ in the place of Crossplane and the product. Its binary is no part that Builder.Build builds.
	Peer bool
	// Predecessor has CAPZ run beside Crossplane, and the product not installed yet: Product returns what brings it.
	Predecessor bool
	// Unaudited leaves out the audit log, which costs the API server time for those that are in it.
	Unaudited bool
	// APIServerMemory is how much memory the API server has before it collects garbage at the cost of all else, as GOMEMLIMIT has it; what
	// leaves virtual machines theirs when empty.
	APIServerMemory string
	// SelfManaged has what clusters of virtual machines take besides: machines that boot, and the providers and kinds for them. What
	// runs AKS clusters only is spared its memory.
	SelfManaged bool
	// Databases has ASO serve PostgreSQL, which no cluster needs.
	Databases bool
	// Without are components that are left out, and what is only for them.
	Without []string
}

// PatientCAPISync is a period of Cluster API that is shorter than the patience of tests. If it is restarted while it deletes a MachinePool, it
// does not notice that the infrastructure of that is gone until then, as it watches the infrastructure of other MachinePools only. It takes twice the
// period where client-go's first resync comes just before it is due.
const PatientCAPISync = 2 * time.Minute

// CrossplaneWorkers is Crossplane's flag for how many composite resources of a kind are composed at a time (docs/performance.md).
const CrossplaneWorkers = "--max-concurrent-reconciles=4"

func (o *Options) setDefaults() {
	if o.StateDir == "" {
		o.StateDir = DefaultStateDir(o.Root)
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	if o.AzureLatency == "" {
		o.AzureLatency = "default=1s,Microsoft.ContainerService/managedClusters=3s"
	}
	if o.CrossplaneFlags == nil {
		// Many composed objects make many events, which the default burst of 100 would drop.
		o.CrossplaneFlags = []string{"--circuit-breaker-burst=5000", CrossplaneWorkers}
	}
	if o.APIServerMemory == "" {
		o.APIServerMemory = "5GiB"
	}
	if o.ASOSyncPeriod == 0 {
		o.ASOSyncPeriod = time.Hour
	}
	if o.CAPISyncPeriod == 0 {
		o.CAPISyncPeriod = 10 * time.Minute
	}
	if o.Peer {
		o.Without = append(slices.Clone(o.Without), Registry, Node, Crossplane, CrossplaneRBAC, Function, Provider)
	}
	if !o.SelfManaged {
		o.Without = append(slices.Clone(o.Without), ForMachines()...)
	}
}

// DefaultStateDir is the state folder of a checkout's own stack.
func DefaultStateDir(root string) string { return filepath.Join(root, ".local", "up") }

// A Stack is a management cluster that runs, or is on its way to.
type Stack struct {
	options Options
	dir     string
	begun   time.Time
	client  client.Client
	sources sources
	// azure is the stack whose simulated Azure this one uses; itself when nil.
	azure *Stack

	state    *state
	reserved *reservation
	logMu    sync.Mutex
}

// Up starts a new stack and returns it when everything is installed and ready. The processes live on when this one
// ends. When it fails, or ctx ends, everything that it started is ended again; the error of a component that failed
// names it and has its last log lines. ErrUp is returned when the state folder has a stack that is up.
func Up(ctx context.Context, options Options) (*Stack, error) {
	options.setDefaults()
	dir, err := filepath.Abs(options.StateDir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	unlock, err := lock(dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := clear(dir); err != nil {
		return nil, err
	}
	s := &Stack{options: options, dir: dir, begun: time.Now(), state: &state{Phase: phaseStarting, ServiceRange: serviceRange()}}
	if err := s.shareAzure(options.Azure); err != nil {
		return nil, err
	}
	if s.state.Ports, s.reserved, err = reserve(options.Ports); err != nil {
		return nil, err
	}
	defer s.reserved.releaseAll()
	if err := s.bringUp(ctx); err != nil {
		return nil, errors.Join(err, s.endProcesses())
	}
	return s, nil
}

// clear makes room for a new stack: it ends what an interrupted one left behind and removes its files.
func clear(dir string) error {
	old, err := readState(dir)
	if err != nil {
		return err
	}
	if old != nil {
		s := &Stack{dir: dir, state: old}
		running, dead, err := s.census()
		if err != nil {
			return err
		}
		if old.Phase == phaseUp && len(dead) == 0 {
			return ErrUp
		}
		if old.Phase == phaseUp && len(running) > 0 {
			return fmt.Errorf("the stack in %s is up without %v: end it first (make down)", dir, dead)
		}
		if err := s.endProcesses(); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		// Other stacks' state folders may lie in this one.
		if !slices.Contains(stateEntries, e.Name()) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// stateEntries are the files and folders of a stack in its state folder.
var stateEntries = []string{
	"state.json", "admin.kubeconfig", "azure", "cache", "certs", "etcd", "fabric", "fabric.sock", "home", "kubeconfigs", "logs", "pods", "processes",
	"recorded", "registry", "tmp",
}

// Open returns the stack that is up in a state folder; an error when there is none.
func Open(root, stateDir string) (*Stack, error) {
	options := Options{Root: root, StateDir: stateDir}
	options.setDefaults()
	dir, err := filepath.Abs(options.StateDir)
	if err != nil {
		return nil, err
	}
	st, err := readState(dir)
	if err != nil {
		return nil, err
	}
	if st == nil || st.Phase != phaseUp {
		return nil, fmt.Errorf("no stack is up in %s", dir)
	}
	s := &Stack{options: options, dir: dir, begun: time.Now(), state: st}
	return s, s.shareAzure(st.Azure)
}

// Down ends every process of the stack in a state folder, and reports whether there was any. Its files stay for reading
// until the next Up.
func Down(root, stateDir string) (bool, error) {
	options := Options{Root: root, StateDir: stateDir}
	options.setDefaults()
	dir, err := filepath.Abs(options.StateDir)
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	unlock, err := lock(dir)
	if err != nil {
		return false, err
	}
	defer unlock()
	st, err := readState(dir)
	if err != nil || st == nil {
		return false, err
	}
	s := &Stack{options: options, dir: dir, state: st}
	running, _, err := s.census()
	if err != nil {
		return false, err
	}
	return len(running) > 0, s.endProcesses()
}

// Down ends every process of the stack.
func (s *Stack) Down() error {
	_, err := Down(s.options.Root, s.dir)
	return err
}

// Server returns the URL of the management cluster's API server.
func (s *Stack) Server() string { return "https://" + s.address(portAPIServer) }

// Kubeconfig returns the path of the person's kubeconfig: the only identity in group system:masters.
func (s *Stack) Kubeconfig() string { return s.path("admin.kubeconfig") }

// KubeconfigOf returns the path of the kubeconfig that a component uses.
func (s *Stack) KubeconfigOf(component string) string { return s.kubeconfigOf(component) }

// RESTConfig returns the configuration of a client with the person's identity, which neither limits its rate nor
// prints the API server's warnings.
func (s *Stack) RESTConfig() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.WarningHandler = rest.NoWarnings{}
	return config, nil
}

// Bin returns the path of a binary, such as "kubectl" or "clusterctl".
func (s *Stack) Bin(name string) string { return filepath.Join(s.options.Root, ".local", "bin", name) }

// LogFile returns the path of a component's log.
func (s *Stack) LogFile(component string) string { return s.path("logs", component+".log") }

// Dir returns the state folder.
func (s *Stack) Dir() string { return s.dir }

// logf writes one line with the time since Up began.
func (s *Stack) logf(format string, args ...any) {
	s.logMu.Lock()
	defer s.logMu.Unlock()
	fmt.Fprintf(s.options.Log, "%5.1fs  %s\n", time.Since(s.begun).Seconds(), fmt.Sprintf(format, args...))
}
