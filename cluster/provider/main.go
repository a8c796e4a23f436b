// Command provider-capz keeps Cluster API's provider contract for the composite resources of crossplane-capz.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/alecthomas/kong"
	"github.com/go-logr/logr"
	_ "golang.org/x/crypto/x509roots/fallback" // The image has no CA certificates, but Entra ID is asked for tokens.
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/crossplane-capz/crossplane-capz/internal/admission"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/version"
)

// leaderElectionID is the name of the Lease.
const leaderElectionID = "provider-capz-leader"

// The management cluster's API server does its own queueing; the client's limit only guards against a runaway loop.
const (
	clientQPS   = 100
	clientBurst = 200
)

// flags are the command line.
type flags struct {
	Kubeconfig              string        `help:"Kubeconfig of the management cluster; empty means KUBECONFIG, else the pod's own account." type:"path"`
	Namespace               string        `help:"Only namespace to act in; empty means all."`
	WatchFilter             string        `help:"Value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all."`
	Concurrency             int           `help:"How many composite resources of a kind are reconciled at once." default:"10"`
	SyncPeriod              time.Duration `help:"How often everything is looked at though nothing has changed." default:"10m"`
	LeaderElect             bool          `help:"Act only while holding the Lease, so that several replicas can run."`
	LeaderElectionNamespace string        `help:"Namespace of the Lease; empty means the pod's own."`
	HealthAddr              string        `help:"Address of /healthz and /readyz; 0 for none." default:":9440"`
	MetricsAddr             string        `help:"Address of /metrics; 0 for none." default:":8080"`
	WebhookHost             string        `help:"Host to serve the admission webhook on; empty means all."`
	WebhookPort             int           `help:"Port to serve the admission webhook on." default:"9443"`
	WebhookCertDir          string        `help:"Folder with tls.crt and tls.key of the admission webhook." env:"WEBHOOK_TLS_CERT_DIR" type:"path"`
	LogFormat               string        `help:"How logs are written: ${enum}." enum:"text,json" default:"text"`
	Debug                   bool          `help:"Log more."`

	Version kong.VersionFlag `help:"Print the version and end."`
}

func main() {
	f := &flags{}
	kong.Parse(f, kong.Name("provider-capz"), kong.Description("Keeps Cluster API's provider contract for crossplane-capz."),
		kong.Vars{"version": version.Version})
	log := f.logger()
	ctrl.SetLogger(log)
	klog.SetLogger(log)
	if err := run(ctrl.SetupSignalHandler(), f); err != nil {
		ctrl.Log.Error(err, "provider-capz failed")
		os.Exit(1)
	}
}

// run serves until ctx is done.
func run(ctx context.Context, f *flags) error {
	config, err := f.restConfig()
	if err != nil {
		return fmt.Errorf("cannot reach the management cluster: %w", err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	mgr, err := ctrl.NewManager(config, f.managerOptions(scheme))
	if err != nil {
		return fmt.Errorf("cannot set up: %w", err)
	}
	(&admission.Claimer{Namespace: f.Namespace, WatchFilter: f.WatchFilter}).Register(mgr.GetWebhookServer())
	options := contract.Options{WatchFilter: f.WatchFilter, Concurrency: f.Concurrency}
	if err := contract.SetupWithManager(ctx, mgr, options); err != nil {
		return err
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("webhook", mgr.GetWebhookServer().StartedChecker()); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

func (f *flags) managerOptions(scheme *runtime.Scheme) ctrl.Options {
	return ctrl.Options{
		Scheme:                        scheme,
		Cache:                         contract.CacheOptions(f.Namespace, f.SyncPeriod),
		Client:                        contract.ClientOptions(),
		LeaderElection:                f.LeaderElect,
		LeaderElectionID:              leaderElectionID,
		LeaderElectionNamespace:       f.LeaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true, // run returns, and the process ends, when the manager stops.
		HealthProbeBindAddress:        f.HealthAddr,
		Metrics:                       metricsserver.Options{BindAddress: f.MetricsAddr},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: f.WebhookHost, Port: f.WebhookPort, CertDir: f.WebhookCertDir,
		}),
	}
}

func (f *flags) restConfig() (*rest.Config, error) {
	load := ctrl.GetConfig
	if f.Kubeconfig != "" {
		load = func() (*rest.Config, error) { return clientcmd.BuildConfigFromFlags("", f.Kubeconfig) }
	}
	config, err := load()
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = clientQPS, clientBurst
	config.UserAgent = contract.FieldOwner
	return config, nil
}

func (f *flags) logger() logr.Logger {
	level := slog.LevelInfo
	if f.Debug {
		level = slog.LevelDebug
	}
	options := &slog.HandlerOptions{Level: level}
	if f.LogFormat == "json" {
		return logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, options))
	}
	return logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, options))
}
