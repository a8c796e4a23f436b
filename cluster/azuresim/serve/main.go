// Command azuresim runs the simulated Azure: an HTTP proxy that answers for Azure's hosts and refuses every other
// one, and a plain HTTP administration API.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/fabric"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/requestlog"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// arguments are the command line.
type arguments struct {
	Listen        string `default:"127.0.0.1:8080" help:"Address of the HTTP proxy."`
	Admin         string `default:"127.0.0.1:8081" help:"Address of the administration API."`
	StateDir      string `required:"" help:"Folder for the state, the request log and the CA certificate, ca.crt." type:"path"`
	Latency       string `default:"default=1s" help:"How long operations take: default=1s,Microsoft.ContainerService/managedClusters=3s."`
	TenantID      string `default:"00000000-0000-0000-0000-000000000000" help:"Tenant of every subscription."`
	Fabric        string `help:"Socket of what the virtual machines run on. Without it they are provisioned at once and nothing boots." type:"path"`
	UnbootedSize  string `help:"Size of virtual machines that count as provisioned at once and boot nothing, beside those of the fabric."`
	MaxRetryAfter int    `default:"0" help:"Upper bound of the Retry-After of long-running operations in seconds; 0 answers what Azure answers."`
}

func main() {
	var args arguments
	kong.Parse(&args, kong.Name("azuresim"), kong.Description("Simulated Azure on 127.0.0.1."))
	if err := run(args); err != nil {
		slog.Error("azuresim ends", "error", err)
		os.Exit(1)
	}
}

func run(args arguments) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	proxyListener, err := net.Listen("tcp", args.Listen)
	if err != nil {
		return fmt.Errorf("listen for the proxy: %w", err)
	}
	adminListener, err := net.Listen("tcp", args.Admin)
	if err != nil {
		return fmt.Errorf("listen for the administration API: %w", err)
	}
	simulator, journal, err := load(args, "http://"+proxyListener.Addr().String())
	if err != nil {
		return err
	}
	return errors.Join(serve(ctx, simulator, proxyListener, adminListener), journal.Close())
}

func load(args arguments, proxyURL string) (*azuresim.Simulator, *state.Journal, error) {
	latencies, err := azuresim.ParseLatencies(args.Latency)
	if err != nil {
		return nil, nil, err
	}
	journal, err := state.Open(args.StateDir)
	if err != nil {
		return nil, nil, err
	}
	requests, err := requestlog.Open(filepath.Join(args.StateDir, "requests.jsonl"))
	if err != nil {
		return nil, nil, err
	}
	var host power.Host
	if args.Fabric != "" {
		host = fabric.NewClient(args.Fabric)
		if args.UnbootedSize != "" {
			host = power.Unbooted(host, args.UnbootedSize)
		}
	}
	simulator, err := azuresim.New(azuresim.Options{
		Host:          host,
		Journal:       journal,
		Clock:         clock.RealClock{},
		Latencies:     latencies,
		ProxyURL:      proxyURL,
		TenantID:      args.TenantID,
		MaxRetryAfter: args.MaxRetryAfter,
		Log:           requests,
		Report:        func(err error) { slog.Error("azuresim", "error", err) },
	})
	if err != nil {
		return nil, nil, err
	}
	if err := os.WriteFile(filepath.Join(args.StateDir, "ca.crt"), simulator.Authority.PEM(), 0o644); err != nil {
		return nil, nil, fmt.Errorf("write CA certificate: %w", err)
	}
	return simulator, journal, nil
}

// serve answers until ctx ends or a listener fails.
func serve(ctx context.Context, simulator *azuresim.Simulator, proxyListener, adminListener net.Listener) error {
	proxy := simulator.Proxy()
	adminServer := &http.Server{Handler: simulator.AdminHandler(), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 2)
	go func() { failed <- proxy.Serve(proxyListener) }()
	go func() { failed <- adminServer.Serve(adminListener) }()
	done := make(chan struct{})
	go simulator.Run(done)
	slog.Info("azuresim answers", "proxy", proxyListener.Addr().String(), "admin", adminListener.Addr().String())

	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	close(done)
	ending, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	return errors.Join(err, adminServer.Shutdown(ending), proxy.Shutdown(ending))
}
