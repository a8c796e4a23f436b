// Command local runs a management cluster on this machine and brings an example cluster up on it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/example"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

type commands struct {
	Root string `help:"The checkout. Found from the working folder when not given." type:"path"`

	Up    upCommand    `cmd:"" help:"Build everything, start the management cluster and bring an example up on it."`
	Down  downCommand  `cmd:"" help:"End what up started."`
	Parts partsCommand `cmd:"" help:"Build everything and start nothing."`

	Templates templatesCommand `cmd:"" help:"Bring the templates of Cluster API Provider Azure up, one after another, and write what became of them."`

	Endure endureCommand `cmd:"" help:"Live the lives of clusters while components are killed and Azure answers wrongly, and write what became of them."`

	Registry registryCommand `cmd:"" hidden:"" help:"Serve a container registry. up starts it."`
	Node     nodeCommand     `cmd:"" hidden:"" help:"Run the pods of Crossplane's packages as processes. up starts it."`

	CloudController cloudControllerCommand `cmd:"" hidden:"" help:"Stand for Azure's cloud controllers in self-managed clusters. up starts it."`
}

type upCommand struct {
	Example string         `default:"aks-aso" help:"The folder below examples/ to apply."`
	State   string         `help:"The folder for everything that is written; .local/up when not given." type:"path"`
	Port    map[string]int `help:"A given port in place of a free one, such as kube-apiserver=6443." placeholder:"NAME=PORT"`
	Without []string       `hidden:"" help:"Components that are left out; then no example is applied."`
}

type downCommand struct {
	State string `help:"The folder that up was given." type:"path"`
}

type partsCommand struct{}

func main() {
	var c commands
	k := kong.Parse(&c, kong.Name("local"), kong.UsageOnError())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	k.BindTo(ctx, (*context.Context)(nil))
	root, err := findRoot(c.Root)
	if err == nil {
		err = k.Run(checkout(root))
	}
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = errors.New("interrupted; everything that was started is stopped")
		}
		fmt.Fprintf(os.Stderr, "local: %v\n", err)
		os.Exit(1)
	}
}

// checkout is the root folder of the product's source.
type checkout string

// findRoot returns the given checkout, or the one that the working folder lies in.
func findRoot(given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cluster", "local", "parts")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("the working folder is in no checkout of crossplane-capz: give --root")
		}
	}
}

func (c *partsCommand) Run(ctx context.Context, root checkout) error {
	return (&parts.Builder{Root: string(root), Log: os.Stdout}).Build(ctx)
}

func (c *downCommand) Run(root checkout) error {
	running, err := stack.Down(string(root), c.State)
	if err != nil {
		return err
	}
	if !running {
		fmt.Println("nothing is up")
		return nil
	}
	fmt.Println("everything that up started has ended")
	return nil
}

func (c *upCommand) Run(ctx context.Context, root checkout) error {
	begun := time.Now()
	out := os.Stdout
	// An example that does not exist is said before minutes are spent.
	ex, err := example.Load(filepath.Join(string(root), "examples", c.Example))
	if err != nil && len(c.Without) == 0 {
		return err
	}
	if s, err := stack.Open(string(root), c.State); err == nil && len(s.Dead()) == 0 {
		fmt.Fprintln(out, "the management cluster is up already")
		hints(out, s, ex)
		return nil
	}
	selfManaged := ex != nil && ex.SelfManaged()
	without := c.Without
	if !selfManaged {
		without = append(slices.Clone(without), stack.ForMachines()...)
	}
	builder := &parts.Builder{Root: string(root), Log: out}
	if err := builder.Build(ctx, without...); err != nil {
		return err
	}
	s, err := stack.Up(ctx, stack.Options{
		Root: string(root), StateDir: c.State, Log: out, Ports: c.Port, Without: c.Without, SelfManaged: selfManaged,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "management cluster: up after %s\n", since(begun))
	if len(c.Without) == 0 {
		if err := ex.BringUp(ctx, s, out); err != nil {
			return errors.Join(err, s.Down())
		}
	}
	hints(out, s, ex)
	fmt.Fprintf(out, "total: %s\n", since(begun))
	return nil
}

func since(t time.Time) time.Duration { return time.Since(t).Round(100 * time.Millisecond) }

// hints prints how to look further.
func hints(out io.Writer, s *stack.Stack, ex *example.Example) {
	fmt.Fprintf(out, "\nLook further:\n  export KUBECONFIG=%s\n  export PATH=%s:$PATH\n",
		s.Kubeconfig(), filepath.Dir(s.Bin("kubectl")))
	if ex != nil {
		fmt.Fprintf(out, "  clusterctl describe cluster %s --namespace %s --show-conditions all\n", ex.Cluster.Name, ex.Cluster.Namespace)
		fmt.Fprintf(out, "  kubectl --kubeconfig %s get nodes\n", ex.WorkloadKubeconfig(s))
	}
	fmt.Fprintf(out, "  kubectl get composite,azure --all-namespaces\nEnd it:\n  make down\n")
}
