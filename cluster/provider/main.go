// Command provider-capz keeps Cluster API's provider contract for the composite resources of crossplane-capz.
package main

import (
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/go-logr/logr"
	_ "golang.org/x/crypto/x509roots/fallback" // The image has no CA certificates, but Entra ID is asked for tokens.
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
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
	SyncPeriod              time.Duration `help:"How often everything is looked at though nothing has changed." default:"1h"`
	LeaderElect             bool          `help:"Act only while holding the Lease, so that several replicas can run."`
	LeaderElectionNamespace string        `help:"Namespace of the Lease; empty means the pod's own."`
	HealthAddr              string        `help:"Address of /healthz and /readyz; 0 for none." default:":9440"`
	MetricsAddr             string        `help:"Address of /metrics; 0 for none." default:":8080"`
	PprofAddr               string        `help:"Address of /debug/pprof; 0 for none." default:"0"`
	WebhookHost             string        `help:"Host to serve the admission webhook on; empty means all."`
	WebhookPort             int           `help:"Port to serve the admission webhook on." default:"9443"`
	WebhookCertDir          string        `help:"Folder with tls.crt and tls.key of the admission webhook." env:"WEBHOOK_TLS_CERT_DIR" type:"path"`
	ASONamespaces           []string      `help:"Namespaces in which Azure Service Operator may run." name:"aso-namespaces" default:"${asoNamespaces}"`
	ResourceHealthInterval  time.Duration `help:"How often Azure Resource Health is asked about each AKS cluster; 0 for never, else at least 1m." default:"0"`
	SubscriptionID          string        `help:"Azure subscription of AzureManagedControlPlanes that name none." env:"AZURE_SUBSCRIPTION_ID"`
	LogFormat               string        `help:"How logs are written: ${enum}." enum:"text,json" default:"text"`
	Debug                   bool          `help:"Log more."`

	Version kong.VersionFlag `help:"Print the version and end."`
}

func main() {
	f := &flags{}
	kong.Parse(f, kong.Name("provider-capz"), kong.Description("Keeps Cluster API's provider contract for crossplane-capz."),
		kong.Vars{"version": version.Version, "asoNamespaces": strings.Join(azure.DefaultOperatorNamespaces(), ",")})
	level := &slog.LevelVar{}
	log := f.logger(level)
	ctrl.SetLogger(log)
	klog.SetLogger(log)
	if err := run(ctrl.SetupSignalHandler(), f, level); err != nil {
		ctrl.Log.Error(err, "provider-capz failed")
		os.Exit(1)
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
	config.UserAgent = names.FieldOwner
	// The API server warns with each answer about a deprecated kind: once is enough to know.
	config.WarningHandlerWithContext = ctrllog.NewKubeAPIWarningLogger(ctrllog.KubeAPIWarningLoggerOptions{Deduplicate: true})
	return config, nil
}

func (f *flags) logger(level *slog.LevelVar) logr.Logger {
	setLevel(level, f.Debug)
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: nameLevel}
	if f.LogFormat == "json" {
		return logr.FromSlogHandler(slog.NewJSONHandler(os.Stderr, options))
	}
	return logr.FromSlogHandler(slog.NewTextHandler(os.Stderr, options))
}

// nameLevel has everything below Info be Debug: logr's verbosities have levels between the two, which slog calls "DEBUG+3".
func nameLevel(groups []string, a slog.Attr) slog.Attr {
	if level, ok := a.Value.Any().(slog.Level); ok && len(groups) == 0 && a.Key == slog.LevelKey && level < slog.LevelInfo {
		return slog.Any(slog.LevelKey, slog.LevelDebug)
	}
	return a
}

func setLevel(level *slog.LevelVar, debug bool) {
	if debug {
		level.Set(slog.LevelDebug)
	} else {
		level.Set(slog.LevelInfo)
	}
}
