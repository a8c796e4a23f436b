package endure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	restclient "k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	// fieldOwner is the field manager of what the person in a life writes.
	fieldOwner = "endure"
	// checkInterval is how often it is looked whether what is awaited has come.
	checkInterval = time.Second
	asoGroups     = ".azure.com"
)

// errWrong says that something is as it must never be: to wait or try again does not help.
var errWrong = errors.New("wrong")

// A management cluster that lives are lived on.
type management struct {
	stack  *stack.Stack
	config *restclient.Config
	client client.Client
	// ours are the kinds of Cluster API and its providers, this project's among them; aso those of Azure Service Operator.
	ours, aso []schema.GroupVersionKind
}

func newManagement(s *stack.Stack) (*management, error) {
	config, err := s.RESTConfig()
	if err != nil {
		return nil, err
	}
	m := &management{stack: s, config: config}
	if m.client, err = client.New(config, client.Options{Scheme: scheme.Scheme}); err != nil {
		return nil, err
	}
	server, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	lists, err := discovery.ServerPreferredNamespacedResources(server)
	if err != nil {
		return nil, err
	}
	m.sort(lists)
	if len(m.ours) == 0 || len(m.aso) == 0 {
		return nil, fmt.Errorf("the management cluster serves %d kinds of Cluster API and %d of ASO", len(m.ours), len(m.aso))
	}
	return m, nil
}

// sort takes the kinds that a life may leave something of.
func (m *management) sort(lists []*metav1.APIResourceList) {
	groups := []string{coreGroup, controlPlaneGroup, composite.InfrastructureGroup, "bootstrap." + coreGroup, composite.PlatformGroup, factsGroup}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue // No group that is looked for.
		}
		for _, r := range list.APIResources {
			switch {
			case strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "list"):
			case strings.HasSuffix(gv.Group, asoGroups):
				m.aso = append(m.aso, gv.WithKind(r.Kind))
			case slices.Contains(groups, gv.Group):
				m.ours = append(m.ours, gv.WithKind(r.Kind))
			}
		}
	}
}

// A world is where one life takes place: a namespace, and the subscription that its credential is for.
type world struct {
	*Runner

	life   Life
	family *family
	// home is the management cluster that it takes place on, until a move.
	home         atomic.Pointer[management]
	subscription string
	begun        time.Time
	// seen are the UIDs of the ASO objects that were there after the last stage, by kind and name.
	seen map[string]string
	// permitted are the deletions that were asked for.
	permitted []Permission
	// broken is when something was broken last.
	broken instant
}

func (r *Runner) newWorld(life Life) (*world, error) {
	f, err := familyNamed(life.Family)
	if err != nil {
		return nil, err
	}
	// Another in each run, so that what another left in a simulated Azure that stays is not taken for this one's.
	subscription := uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%d/%s", r.Seed, life.Name())).String()
	w := &world{Runner: r, life: life, family: f, subscription: subscription, begun: time.Now(), seen: map[string]string{}}
	w.home.Store(r.management)
	return w, nil
}

// enter makes the namespace with the credentials on a management cluster, and what the platform team has there before.
func (w *world) enter(ctx context.Context, m *management) error {
	return w.persist(ctx, func(ctx context.Context) error {
		err := m.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.life.Name()}})
		if client.IgnoreAlreadyExists(err) != nil {
			return err
		}
		for _, name := range []string{"aso-credential", identity} {
			if err := client.IgnoreAlreadyExists(m.client.Create(ctx, w.credential(name))); err != nil {
				return err
			}
		}
		if w.family.name != "platform" {
			return nil
		}
		return w.offer(ctx)
	})
}

// offer applies what the platform team has for all teams.
func (w *world) offer(ctx context.Context) error {
	for _, file := range []string{"clusterclass.yaml", "composition.yaml"} {
		raw, err := os.ReadFile(filepath.Join(w.Root, "examples", "platform", file))
		if err != nil {
			return err
		}
		objects, err := kubeyaml.Parse(raw)
		if err != nil {
			return err
		}
		for _, u := range objects {
			if err := w.home.Load().client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
				return err
			}
		}
	}
	return nil
}

// credential returns a Secret as ASO reads it, and as an AzureClusterIdentity does. Its password is one of the secrets that are looked for.
func (w *world) credential(name string) *corev1.Secret {
	password := fmt.Sprintf("endure~%s", uuid.NewSHA1(uuid.NameSpaceDNS, fmt.Appendf(nil, "%d/%s/%s", w.Seed, w.life.Name(), name)))
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.life.Name(), Name: name},
		StringData: map[string]string{
			"AZURE_SUBSCRIPTION_ID": w.subscription, "AZURE_TENANT_ID": "00000000-0000-0000-0000-000000000002",
			"AZURE_CLIENT_ID": "00000000-0000-0000-0000-000000000003", "AZURE_CLIENT_SECRET": password, "clientSecret": password,
		},
	}
}

func (w *world) logf(format string, args ...any) {
	w.Log("%-8s %-12s %s", w.life.Name(), w.family.name, fmt.Sprintf(format, args...))
}

// persist tries until it works, as a person does whose command was refused because something was down.
func (w *world) persist(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, w.Patience)
	defer cancel()
	for {
		err := do(ctx)
		if err == nil || errors.Is(err, errWrong) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(checkInterval):
		}
	}
}

// longestWait is how many times its patience a life waits at most, however much is broken meanwhile for other lives.
const longestWait = 4

// overdue reports whether it is time to give something up that has been waited for since begun: patience begins anew with each thing that
// is broken, for this life or, as a component serves all of them, for another.
func overdue(now, begun time.Time, patience time.Duration, broken ...time.Time) bool {
	since := begun
	for _, b := range broken {
		if b.After(since) {
			since = b
		}
	}
	return now.Sub(since) > patience || now.Sub(begun) > longestWait*patience
}

// await returns when nothing is missing any more, or an error that says what is when it is overdue.
func (w *world) await(ctx context.Context, l look) error {
	begun := time.Now()
	var lacks []string
	for {
		now, err := l(ctx, w)
		switch {
		case errors.Is(err, errWrong):
			return err
		case err == nil && len(now) == 0:
			return nil
		case err != nil:
			lacks = []string{err.Error()}
		default:
			lacks = now
		}
		if overdue(time.Now(), begun, w.Patience, w.broken.get(), w.breaker.last.get()) {
			return fmt.Errorf("not within %s, awaited for %s: %s", w.Patience, time.Since(begun).Round(time.Second), strings.Join(lacks, "; "))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %s", context.Cause(ctx), strings.Join(lacks, "; "))
		case <-time.After(checkInterval):
		}
	}
}

// observe returns the ASO objects of the life, and their UIDs by kind and name.
func (w *world) observe(ctx context.Context) (all []Composed, uids map[string]string, err error) {
	items, err := w.composed(ctx)
	if err != nil {
		return nil, nil, err
	}
	uids = map[string]string{}
	for i := range items {
		u := &items[i]
		id, _, _ := unstructured.NestedString(u.Object, "status", "id")
		all = append(all, Composed{Kind: u.GetKind(), Name: u.GetName(), ID: id, Ready: len(conditionLacks(u, "Ready", true)) == 0})
		uids[u.GetKind()+"/"+u.GetName()] = string(u.GetUID())
	}
	return all, uids, nil
}
