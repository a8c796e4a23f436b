package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/admission"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/compute"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/facts"
	"github.com/crossplane-capz/crossplane-capz/internal/identity"
	"github.com/crossplane-capz/crossplane-capz/internal/journal"
	"github.com/crossplane-capz/crossplane-capz/internal/platform"
	"github.com/crossplane-capz/crossplane-capz/internal/settings"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry/objects"
	"github.com/crossplane-capz/crossplane-capz/internal/traces/export"
)

// run serves until ctx is done. What serves the webhooks, health and metrics and holds the Lease stays when the settings
// change; the controllers are a manager of their own inside, which starts again.
func run(ctx context.Context, f *flags, level *slog.LevelVar) error {
	if h := f.ResourceHealthInterval; h != 0 && h < settings.MinResourceHealth {
		return fmt.Errorf("--resource-health-interval is %s, but must be 0 or at least %s, because Azure limits requests", h, settings.MinResourceHealth)
	}
	cluster, err := f.restConfig()
	if err != nil {
		return fmt.Errorf("cannot reach the management cluster: %w", err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.AddToScheme, v1alpha1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	follower, err := f.follow(ctx, cluster, scheme, level)
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(cluster, f.servingOptions(scheme))
	if err != nil {
		return fmt.Errorf("cannot set up: %w", err)
	}
	f.registerWebhooks(mgr, follower)
	told := objects.New()
	if err := serveMetrics(told); err != nil {
		return err
	}
	end, err := export.Start(ctx, string(telemetry.Provider), func(err error) { ctrl.Log.WithName("traces").Error(err, "Cannot send traces") })
	if err != nil {
		return err
	}
	defer end()
	runner := &settings.Runner{Follower: follower, Run: func(ctx context.Context, s settings.Settings, ready func()) error {
		return runControllers(ctx, cluster, scheme, s, told, ready)
	}}
	for _, add := range []func() error{
		func() error { return mgr.Add(follower) },
		func() error { return mgr.Add(runner) },
		func() error { return mgr.AddHealthzCheck("ping", healthz.Ping) },
		func() error { return mgr.AddReadyzCheck("webhook", mgr.GetWebhookServer().StartedChecker()) },
	} {
		if err := add(); err != nil {
			return err
		}
	}
	return mgr.Start(ctx)
}

// follow returns what knows the settings, those of the ProviderConfig already among them.
func (f *flags) follow(ctx context.Context, cluster *rest.Config, scheme *runtime.Scheme, level *slog.LevelVar) (*settings.Follower, error) {
	direct, err := journal.NewClient(cluster, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("cannot set up: %w", err)
	}
	follower := &settings.Follower{
		Client: direct,
		Flags: settings.Settings{
			Namespace: f.Namespace, WatchFilter: f.WatchFilter, Concurrency: f.Concurrency, SyncPeriod: f.SyncPeriod, Debug: f.Debug,
			OperatorNamespaces: f.ASONamespaces, ResourceHealth: f.ResourceHealthInterval,
		},
		Observe: func(s settings.Settings) { setLevel(level, s.Debug) },
		Log:     ctrl.Log.WithName("settings"),
	}
	return follower, follower.Read(ctx)
}

func (f *flags) servingOptions(scheme *runtime.Scheme) ctrl.Options {
	return ctrl.Options{
		Scheme:                        scheme,
		LeaderElection:                f.LeaderElect,
		LeaderElectionID:              leaderElectionID,
		LeaderElectionNamespace:       f.LeaderElectionNamespace,
		LeaderElectionReleaseOnCancel: true, // run returns, and the process ends, when the manager stops.
		HealthProbeBindAddress:        f.HealthAddr,
		Metrics:                       metricsserver.Options{BindAddress: f.MetricsAddr},
		PprofBindAddress:              f.PprofAddr,
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: f.WebhookHost, Port: f.WebhookPort, CertDir: f.WebhookCertDir,
		}),
	}
}

// registerWebhooks serves what package/provider/webhooks.yaml sends here, by the settings at that time.
func (f *flags) registerWebhooks(mgr ctrl.Manager, follower *settings.Follower) {
	scope := func() admission.Scope {
		s, _ := follower.Current()
		return admission.Scope{Namespace: s.Namespace, WatchFilter: s.WatchFilter}
	}
	server := journal.Webhooks(mgr.GetWebhookServer())
	(&admission.Claimer{Scope: scope}).Register(server)
	(&admission.PlatformClaimer{Scope: scope}).Register(server)
	(&admission.Defaulter{SubscriptionID: f.SubscriptionID, Scope: scope}).Register(server)
	(&admission.TopologyVersion{Reader: mgr.GetAPIReader(), Scope: scope}).Register(server)
	(&admission.Rules{Reader: mgr.GetAPIReader(), Scope: scope}).Register(server)
	(&admission.IdentityGuard{}).Register(server)
	// What would be lost is lost in all namespaces, whatever the settings.
	(&admission.RemadeGuard{}).Register(server)
	(&admission.Guard{Reader: mgr.GetAPIReader()}).Register(server)
}

// serveMetrics adds the metrics of this provider to those of controller-runtime.
func serveMetrics(told *objects.Objects) error {
	if err := metrics.Registry.Register(told); err != nil {
		return fmt.Errorf("cannot serve metrics: %w", err)
	}
	if err := telemetry.Register(metrics.Registry, telemetry.Provider); err != nil {
		return fmt.Errorf("cannot serve metrics: %w", err)
	}
	return nil
}

// runControllers runs the controllers by some settings until ctx is done.
func runControllers(ctx context.Context, cluster *rest.Config, scheme *runtime.Scheme, s settings.Settings, told *objects.Objects, ready func()) error {
	mgr, err := ctrl.NewManager(cluster, ctrl.Options{
		Scheme:                 scheme,
		Cache:                  contract.CacheOptions(s.Namespace, s.SyncPeriod),
		Client:                 contract.ClientOptions(),
		NewClient:              journal.NewClient,
		HealthProbeBindAddress: "0",
		Metrics:                metricsserver.Options{BindAddress: "0"},
		// Controllers of these names may have run before, by other settings.
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	if err != nil {
		return fmt.Errorf("cannot set up: %w", err)
	}
	mgr = journal.Manager(mgr)
	if err := awaitKinds(ctx, mgr.GetRESTMapper(), watchedKinds()); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	options := contract.Options{
		WatchFilter: s.WatchFilter, Concurrency: s.Concurrency, OperatorNamespaces: s.OperatorNamespaces, ResourceHealth: s.ResourceHealth,
		Azure: compute.NewAzure(access.NewSecretReader(mgr.GetAPIReader(), mgr.GetCache()), s.OperatorNamespaces), Objects: told,
	}
	defer told.Begin(mgr.GetCache(), func(obj metav1.Object) bool { return contract.Watched(obj, s.WatchFilter) })()
	setups, err := contract.SetupWithManager(ctx, mgr, options)
	if err != nil {
		return err
	}
	for _, setup := range slices.Concat(setups, facts.Setups(ctx, mgr, options), identity.Setups(ctx, mgr, options, s.Namespace)) {
		if err := onceServed(mgr, setup.Kinds, setup.Add); err != nil {
			return err
		}
	}
	if err := platform.SetupWithManager(ctx, mgr, options, s.Namespace); err != nil {
		return err
	}
	if err := mgr.Add(onceSynced(mgr, ready)); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// onceSynced calls ready when the controllers have read everything that they watch from the start.
func onceSynced(mgr ctrl.Manager, ready func()) manager.RunnableFunc {
	return func(ctx context.Context) error {
		if mgr.GetCache().WaitForCacheSync(ctx) {
			ready()
		}
		return nil
	}
}
