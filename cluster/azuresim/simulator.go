// Package azuresim simulates Azure Resource Manager, Microsoft Entra ID and the API servers of AKS clusters behind an HTTP
// CONNECT proxy, so that unmodified clients work against it on Azure's real host names.
package azuresim

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/catalogue"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/compute"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/certificates"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/entra"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/faults"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/proxy"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/requestlog"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/tenants"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

// Options configure a Simulator.
type Options struct {
	// Journal keeps everything that survives a restart.
	Journal *state.Journal
	// Clock is the simulator's time.
	Clock clock.PassiveClock
	// Latencies are how long operations take at first; the administration API changes them.
	Latencies Latencies
	// ProxyURL is where clients reach the simulator, for the kubeconfigs of AKS clusters.
	ProxyURL string
	// TenantID is the tenant of every subscription that is not registered.
	TenantID string
	// MaxRetryAfter bounds the Retry-After of long-running operations in seconds; 0 answers what Azure answers.
	MaxRetryAfter int
	// Host runs the virtual machines. They are provisioned at once, and nothing boots, when it is nil.
	Host power.Host
	// Log records requests.
	Log *requestlog.Log
	// Report takes errors that no client can be told.
	Report func(error)
}

// Simulator is all of the simulated Azure.
type Simulator struct {
	Authority *certificates.Authority
	Directory *entra.Directory
	ARM       *arm.Service
	// Machines is ARM's provider of virtual machines.
	Machines *compute.Provider
	Clusters *workload.Servers

	tenants   *tenants.Registry
	clock     *adjustableClock
	latencies *latencies
	faults    *faults.Set
	log       *requestlog.Log
	entra     http.Handler
	metadata  http.Handler
	report    func(error)
	host      power.Host
}

// New restores a Simulator from its journal.
func New(o Options) (*Simulator, error) {
	s := &Simulator{log: o.Log, report: o.Report, host: o.Host}
	var err error
	if s.clock, err = loadClock(o.Journal, o.Clock); err != nil {
		return nil, err
	}
	if s.latencies, err = loadLatencies(o.Journal, o.Latencies); err != nil {
		return nil, err
	}
	if s.Authority, err = certificates.Load(o.Journal); err != nil {
		return nil, err
	}
	if s.faults, err = faults.Load(o.Journal, s.clock); err != nil {
		return nil, err
	}
	if s.tenants, err = tenants.Load(o.Journal, o.TenantID); err != nil {
		return nil, err
	}
	if s.Directory, err = entra.NewDirectory(o.Journal, s.clock, s.tenants); err != nil {
		return nil, err
	}
	s.entra = s.Directory.Handler()
	s.metadata = s.Directory.MetadataHandler()
	if err := s.loadServices(o); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Simulator) loadServices(o Options) error {
	var err error
	s.Clusters, err = workload.NewServers(workload.Options{
		Journal:      o.Journal,
		Clock:        s.clock,
		VerifyToken:  s.admit,
		ProxyURL:     o.ProxyURL,
		AuthorityPEM: s.Authority.PEM(),
	})
	if err != nil {
		return err
	}
	s.ARM, s.Machines, err = catalogue.NewService(arm.Options{
		Journal:       o.Journal,
		Clock:         s.clock,
		Latency:       s.latencies.of,
		Clusters:      s.Clusters,
		Tenants:       s.tenants,
		MaxRetryAfter: o.MaxRetryAfter,
	}, o.Host)
	return err
}

// hostKind tells which of the simulated services answers for a host.
type hostKind int

const (
	foreign hostKind = iota
	entraHost
	armHost
	workloadHost
	metadataHost
)

func kindOf(host string) hostKind {
	if strings.TrimSuffix(host, ":443") == entra.MetadataHost {
		return metadataHost
	}
	switch _, service := clouds.Of(host); service {
	case clouds.Entra:
		return entraHost
	case clouds.ResourceManager:
		return armHost
	case clouds.Kubernetes:
		return workloadHost
	case clouds.None:
	}
	return foreign
}

// Serves tells whether the simulator answers for host by HTTPS.
func Serves(host string) bool {
	return kindOf(host) != foreign && !servesPlain(host)
}

func servesPlain(host string) bool {
	return kindOf(host) == metadataHost
}

// Proxy returns the proxy in front of the simulator, which also leads to the virtual machines.
func (s *Simulator) Proxy() *proxy.Proxy {
	p := &proxy.Proxy{Authority: s.Authority, Handler: s, Serves: Serves, Plain: servesPlain}
	if s.host != nil {
		p.Dial = s.host.Dial
	}
	return p
}

// ServeHTTP answers a request to any of the simulated hosts and records it.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	recorded := s.record(w, r)
	defer recorded.finish(s.report)
	s.answer(recorded, recorded.request)
}

func (s *Simulator) answer(w *recorder, r *http.Request) {
	kind := kindOf(r.Host)
	if kind == armHost {
		identify(w.Header(), r)
		if e := s.authorize(r); e != nil {
			arm.WriteError(w, e)
			return
		}
	}
	r, answered := s.injectFault(w, r, kind)
	if answered {
		return
	}
	s.serve(w, r, kind)
}

// identify gives an answer of Azure Resource Manager the IDs by which Azure's activity log has the request: one of its own, and the one that the client
// has sent to correlate several, or else another (Azure documentation, "REST API common request and response headers").
func identify(answer http.Header, r *http.Request) {
	const correlation = "x-ms-correlation-request-id"
	answer.Set("x-ms-request-id", uuid.NewString())
	answer.Set(correlation, cmp.Or(r.Header.Get(correlation), uuid.NewString()))
}

// serve has the service answer that the host is of.
func (s *Simulator) serve(w http.ResponseWriter, r *http.Request, kind hostKind) {
	switch kind {
	case entraHost:
		s.entra.ServeHTTP(w, r)
	case armHost:
		s.ARM.ServeHTTP(w, r)
	case workloadHost:
		s.Clusters.ServeHTTP(w, r)
	case metadataHost:
		s.metadata.ServeHTTP(w, r)
	case foreign:
		http.Error(w, fmt.Sprintf("azuresim: no simulated service has the host %s", r.Host), http.StatusMisdirectedRequest)
	}
}

// Run ends long-running operations in time, also while no request comes in, and has the host do its part, until done is closed.
func (s *Simulator) Run(done <-chan struct{}) {
	go s.drive(done)
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			if err := s.ARM.Advance(); err != nil {
				s.report(err)
			}
		}
	}
}

// hostPause is how long the host is left alone between two looks.
const hostPause = 200 * time.Millisecond

// drive has the host do what the resources say, until done is closed.
func (s *Simulator) drive(done <-chan struct{}) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-done; cancel() }()
	for ctx.Err() == nil {
		if err := s.Machines.Drive(ctx, s.ARM); err != nil && ctx.Err() == nil {
			s.report(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(hostPause):
		}
	}
}
