package stack

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
)

// bringUp starts and installs everything, as much as possible side by side: each line of work waits for what it needs.
func (s *Stack) bringUp(ctx context.Context) error {
	for _, dir := range []string{"logs", "home", "tmp", "azure", "fabric", "kubeconfigs", "cache/xpkg", "cache/xfn", "registry", "recorded"} {
		if err := os.MkdirAll(s.path(dir), 0o700); err != nil {
			return err
		}
	}
	if err := s.state.write(s.dir); err != nil {
		return err
	}
	if err := s.issueCertificates(); err != nil {
		return err
	}
	if err := s.writeAuditPolicy(); err != nil {
		return err
	}
	if err := s.findModules(ctx); err != nil {
		return err
	}
	if err := s.startBase(ctx); err != nil {
		return err
	}
	if err := s.startControllers(ctx); err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return err
	}
	s.state.Phase = phaseUp
	return s.state.write(s.dir)
}

// sources are the folders that manifests are taken from.
type sources struct {
	capi, capz, crossplane, aso, asoGenerated, product string
	packages                                           []parts.Package
}

func (s *Stack) findModules(ctx context.Context) error {
	b := &parts.Builder{Root: s.options.Root, Log: s.options.Log}
	g, ctx := errgroup.WithContext(ctx)
	type module struct {
		dir *string
		in  func(context.Context) (string, error)
	}
	modules := []module{{&s.sources.capi, b.CAPIDir}, {&s.sources.crossplane, b.CrossplaneDir}, {&s.sources.aso, b.ASODir}}
	if s.options.Peer || s.options.Predecessor {
		modules = append(modules, module{&s.sources.capz, b.CAPZDir})
	}
	for _, find := range modules {
		g.Go(func() (err error) {
			*find.dir, err = find.in(ctx)
			return err
		})
	}
	s.sources.asoGenerated = b.ASOManifests()
	s.sources.product = filepath.Join(s.options.Root, "package")
	s.sources.packages = b.Packages()
	return g.Wait()
}

// startBase starts what needs nothing else: the API server with etcd, the simulated Azure, and the registry.
func (s *Stack) startBase(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		// The API server waits for etcd by itself, while it does much else.
		base, ctx := errgroup.WithContext(ctx)
		base.Go(func() error { return s.run(ctx, Etcd) })
		base.Go(func() error { return s.run(ctx, APIServer) })
		if err := base.Wait(); err != nil {
			return err
		}
		s.logf("etcd and kube-apiserver answer at %s", s.Server())
		return nil
	})
	g.Go(func() error { return s.runAzure(ctx) })
	g.Go(func() error { return s.servePackages(ctx) })
	if err := g.Wait(); err != nil {
		return err
	}
	config, err := s.RESTConfig()
	if err != nil {
		return err
	}
	s.client, err = newClient(config)
	return err
}

func (s *Stack) runAndSay(ctx context.Context, name string) error {
	if s.without(name) {
		return nil
	}
	if err := s.run(ctx, name); err != nil {
		return err
	}
	s.logf("%s is ready", name)
	return nil
}

func (s *Stack) without(name string) bool { return slices.Contains(s.options.Without, name) }

// milestones are what one line of work waits for in another.
type milestones struct {
	// crossplaneKinds are served. Crossplane's line of work is the longest one, so that the others let it go first
	// while the API server has its hands full.
	crossplaneKinds chan struct{}
	capiKinds       chan struct{}
	// bootstrapKinds are those of the kubeadm bootstrap provider.
	bootstrapKinds chan struct{}
}

// reach waits for a milestone.
func reach(ctx context.Context, milestone <-chan struct{}) error {
	select {
	case <-milestone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Stack) startControllers(ctx context.Context) error {
	m := milestones{crossplaneKinds: make(chan struct{}), capiKinds: make(chan struct{}), bootstrapKinds: make(chan struct{})}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return s.runAndSay(ctx, ControllerManager) })
	g.Go(func() error { return s.installCrossplane(ctx, m) })
	g.Go(func() error { return s.installCAPI(ctx, capiCore, m, m.capiKinds) })
	g.Go(func() error { return s.installKubeadmBootstrap(ctx, m) })
	g.Go(func() error { return s.installKubeadmControl(ctx, m) })
	g.Go(func() error { return s.installASO(ctx, m) })
	g.Go(func() error { return s.installCAPZ(ctx, m) })
	g.Go(func() error { return s.startNode(ctx) })
	g.Go(func() error { return s.startCloudController(ctx) })
	return g.Wait()
}

func (s *Stack) webhookCA() ([]byte, error) { return os.ReadFile(s.cert("webhooks", "ca.crt")) }
