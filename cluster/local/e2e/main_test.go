package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	// parallel is how many scenarios run at once unless -parallel says otherwise: most of them wait most of the time.
	parallel = "8"
	// reserve is the time before the test binary's own timeout, which ends the process on the spot, that is kept for
	// saying what was awaited and for ending the components.
	reserve = time.Minute
)

// latency is how long the simulated Azure takes, by resource type.
var latency = latencies{
	byDefault: 300 * time.Millisecond,
	byType:    map[string]time.Duration{"Microsoft.ContainerService/managedClusters": time.Second},
}

// suite is what all scenarios share; TestMain sets it.
var suite *environment

func TestMain(m *testing.M) {
	guardIfAsked()
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if flag.Lookup("test.list").Value.String() != "" {
		return m.Run() // Nothing is run.
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if given := flag.Lookup("test.timeout").Value.(flag.Getter).Get().(time.Duration); given > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, given-reserve, fmt.Errorf("the tests' timeout of %s is almost over", given))
		defer cancel()
	}
	if !isSet("test.parallel") {
		if err := flag.Set("test.parallel", parallel); err != nil {
			return failed(err)
		}
	}
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		return failed(err)
	}
	output := filepath.Join(root, ".local", "e2e", "output.log")
	if err := os.MkdirAll(filepath.Dir(output), 0o700); err != nil {
		return failed(err)
	}
	restore, err := keepOutput(output)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = restore() }() // What is printed then is no longer kept.
	say("seed %d; E2E_SEED=%[1]d makes the same choices again", seed())
	s, err := bringUp(ctx, root)
	if err != nil {
		return failed(err)
	}
	defer func() {
		if err := s.Down(); err != nil {
			say("the components did not end: %v", err)
		}
	}()
	if suite, err = newEnvironment(ctx, root, s); err != nil {
		return failed(err)
	}
	if _, err := watchSecrets(s); err != nil {
		return failed(err)
	}
	if err := plantCanary(suite); err != nil {
		return failed(err)
	}
	beside, err := suite.record("", ofCluster, time.Now())
	if err != nil {
		return failed(err)
	}
	suite.granted.Since = time.Now()
	code := m.Run()
	suite.close()
	passed := code == 0
	for _, check := range []func() error{
		suite.crashes, beside.end,
		func() error { return checkSecrets(ctx, output) },
		func() error { return checkJournal(ctx, suite.azure) },
		func() error {
			if !passed {
				return nil
			}
			return checkRights(s, root, suite.granted)
		},
	} {
		if err := check(); err != nil {
			code = failed(err)
		}
	}
	if code != 0 {
		repeatFailures()
		say("logs of the components: %s", filepath.Dir(s.LogFile(stack.ASO)))
	}
	return code
}

// bringUp builds everything and starts a management cluster, with a guard that ends it when this process dies.
func bringUp(ctx context.Context, root string) (*stack.Stack, error) {
	dir := filepath.Join(root, ".local", "e2e")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := only(dir); err != nil {
		return nil, err
	}
	// What an earlier run may have left.
	if _, err := stack.Down(root, dir); err != nil {
		return nil, err
	}
	if err := (&parts.Builder{Root: root, Log: os.Stdout}).Build(ctx); err != nil {
		return nil, err
	}
	if err := startGuard(root, dir); err != nil {
		return nil, err
	}
	begun := time.Now()
	s, err := stack.Up(ctx, stack.Options{
		Root: root, StateDir: dir, Log: os.Stdout, AzureLatency: latency.String(), AzureMaxRetryAfter: time.Second,
		CAPISyncPeriod: stack.PatientCAPISync, Observed: true, SelfManaged: true, Databases: true,
	})
	if err == nil {
		say("management cluster: up after %s", time.Since(begun).Round(100*time.Millisecond))
	}
	return s, err
}

func isSet(name string) bool {
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

func say(format string, args ...any) {
	fmt.Printf("%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

func failed(err error) int {
	say("FAIL: %v", err)
	return 1
}
