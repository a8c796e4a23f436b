package node

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

// syncInterval is how often it is looked at what there is to do. Lists of a handful of objects are cheap.
const syncInterval = 200 * time.Millisecond

// A Node runs the Deployments of one namespace and serves its Services. It starts again what has changed, but not what
// has ended by itself: whoever looks after it is to see that.
type Node struct {
	// Client reads Deployments, Services, ServiceAccounts and Secrets, and writes the status of Deployments.
	Client client.Client
	// Config is how the API server is reached; its identity is not given to any process.
	Config *rest.Config
	// Namespace whose Deployments and Services these are.
	Namespace string
	// Dir is the folder for everything that is written: processes, logs, kubeconfigs, pods.
	Dir string
	// Env is the environment of every process, before what its Deployment says.
	Env []string
	// Log receives a line for what happens.
	Log io.Writer
	// Recorder keeps what is said through the proxy, if not nil.
	Recorder *Recorder

	mu       sync.Mutex
	pods     []appsv1.Deployment
	services []corev1.Service
	forwards map[string]context.CancelFunc
	ready    map[string]bool
	said     map[string]string
}

// Run does the work until ctx is done. Names of Services are resolved for who uses the listener as an HTTP proxy.
// The processes are left running.
func (n *Node) Run(ctx context.Context, proxy net.Listener) error {
	n.forwards, n.ready, n.said = map[string]context.CancelFunc{}, map[string]bool{}, map[string]string{}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return Connector{Resolve: n.resolve, Recorder: n.Recorder}.Serve(ctx, proxy) })
	if n.Recorder != nil {
		g.Go(func() error { return n.Recorder.Run(ctx) })
	}
	g.Go(func() error {
		for {
			n.say("the namespace", n.sync(ctx))
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(syncInterval):
			}
		}
	})
	return g.Wait()
}

// sync brings processes and forwards up to date once.
func (n *Node) sync(ctx context.Context) error {
	deployments, services := &appsv1.DeploymentList{}, &corev1.ServiceList{}
	for _, list := range []client.ObjectList{deployments, services} {
		if err := n.Client.List(ctx, list, client.InNamespace(n.Namespace)); err != nil {
			return err
		}
	}
	n.mu.Lock()
	n.pods, n.services = deployments.Items, services.Items
	n.mu.Unlock()
	n.syncForwards(ctx)
	current := newest(deployments.Items)
	if err := n.endOthers(current); err != nil {
		return err
	}
	for name, d := range current {
		n.say(name, n.syncPod(ctx, name, d))
	}
	return nil
}

// newest returns the Deployments that have a process, by its name. When two want the same, as in an upgrade, it is the
// newer one: both have the same ports of this machine.
func newest(deployments []appsv1.Deployment) map[string]*appsv1.Deployment {
	current := map[string]*appsv1.Deployment{}
	for i := range deployments {
		d := &deployments[i]
		if d.DeletionTimestamp != nil || (d.Spec.Replicas != nil && *d.Spec.Replicas == 0) {
			continue
		}
		name := processName(d)
		if have := current[name]; have == nil || have.CreationTimestamp.Before(&d.CreationTimestamp) {
			current[name] = d
		}
	}
	return current
}

// endOthers ends the processes of this node whose Deployment is gone.
func (n *Node) endOthers(current map[string]*appsv1.Deployment) error {
	all, err := n.records().All()
	if err != nil {
		return err
	}
	for _, p := range all {
		// Others keep records too, but of processes that are for no Deployment.
		if p.For == "" || current[p.Name] != nil {
			continue
		}
		n.logf("%s: its Deployment is gone", p.Name)
		if err := n.end(p); err != nil {
			return err
		}
		if err := n.records().Remove(p.Name); err != nil {
			return err
		}
	}
	return nil
}

// end ends a process. It is noted first that this is meant, and not a failure.
func (n *Node) end(p *process.Process) error {
	p.Ending = true
	if err := n.records().Write(p); err != nil {
		return err
	}
	return p.Stop(stopPatience)
}

// say logs how something stands, when that has changed.
func (n *Node) say(subject string, err error) {
	message := ""
	if err != nil {
		message = err.Error()
	}
	if n.said[subject] == message {
		return
	}
	n.said[subject] = message
	if err != nil {
		n.logf("%s: %s", subject, message)
	}
}

func (n *Node) logf(format string, args ...any) {
	fmt.Fprintf(n.Log, "%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// deployments returns those whose pods have all the labels.
func (n *Node) deployments(labels map[string]string) []appsv1.Deployment {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(n.pods), func(d appsv1.Deployment) bool {
		for key, value := range labels {
			if d.Spec.Template.Labels[key] != value {
				return true
			}
		}
		return false
	})
}
