package node

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/process"
)

// stopPatience is how long a process may take to end when it is asked to.
const stopPatience = 10 * time.Second

// syncPod runs the process of a Deployment as the Deployment has it now, and tells the Deployment how that goes.
func (n *Node) syncPod(ctx context.Context, name string, d *appsv1.Deployment) error {
	p, err := n.keepRunning(ctx, name, d)
	if err == nil {
		err = n.isReady(ctx, p)
	}
	return errors.Join(err, n.report(ctx, d, err))
}

// keepRunning returns the process of a Deployment. It is started when it is none yet, or one of an earlier template.
func (n *Node) keepRunning(ctx context.Context, name string, d *appsv1.Deployment) (*process.Process, error) {
	purpose, err := purposeOf(d)
	if err != nil {
		return nil, err
	}
	earlier, err := n.records().Read(name)
	if err != nil {
		return nil, err
	}
	if earlier != nil && earlier.For == purpose && !earlier.Ending {
		return earlier, nil
	}
	p, err := n.prepare(ctx, name, d)
	if err != nil {
		return nil, err
	}
	p.For = purpose
	if earlier != nil {
		if err := n.end(earlier); err != nil {
			return nil, err
		}
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	n.logf("%s runs for Deployment %s (pid %d)", name, d.Name, p.PID)
	return p, n.records().Write(p)
}

// purposeOf names a Deployment and its template: another purpose needs another process, as does a Deployment made anew.
func purposeOf(d *appsv1.Deployment) (string, error) {
	template, err := json.Marshal(d.Spec.Template)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(template)
	return fmt.Sprintf("%s %s %x", d.Name, d.UID, digest[:8]), nil
}

// isReady returns an error that says why a process is not ready. Once it was, it is until it ends.
func (n *Node) isReady(ctx context.Context, p *process.Process) error {
	if !p.Alive() {
		return fmt.Errorf("%s has ended (pid %d)", p.Name, p.PID)
	}
	key := fmt.Sprint(p.For, p.PID, p.Started)
	if n.ready[key] {
		return nil
	}
	if err := p.Probe.Check(ctx); err != nil {
		return fmt.Errorf("%s is not ready: %w", p.Name, err)
	}
	n.ready[key] = true
	n.logf("%s is ready", p.Name)
	return nil
}

// processName is what the process of a Deployment is called: the last part of its image's repository.
func processName(d *appsv1.Deployment) string {
	if len(d.Spec.Template.Spec.Containers) == 0 {
		return d.Name
	}
	ref, err := name.ParseReference(d.Spec.Template.Spec.Containers[0].Image)
	if err != nil {
		return d.Name
	}
	return path.Base(ref.Context().RepositoryStr())
}

// prepare makes all that the process of a Deployment needs, and returns the process, not started.
func (n *Node) prepare(ctx context.Context, name string, d *appsv1.Deployment) (*process.Process, error) {
	pod := &d.Spec.Template.Spec
	if len(pod.Containers) != 1 || len(pod.InitContainers) > 0 {
		return nil, fmt.Errorf("the Deployment %s has %d containers and %d init containers, but this node runs pods of one only",
			d.Name, len(pod.Containers), len(pod.InitContainers))
	}
	container := &pod.Containers[0]
	image, err := Pull(ctx, container.Image, n.path("pods", "images"))
	if err != nil {
		return nil, err
	}
	mounts, err := n.mount(ctx, name, d)
	if err != nil {
		return nil, err
	}
	kubeconfig := n.path("kubeconfigs", name)
	if err := n.writeKubeconfig(ctx, kubeconfig, serviceAccount(d)); err != nil {
		return nil, err
	}
	env, err := environment(d, append(append([]string{}, n.Env...), image.Env...), mounts)
	if err != nil {
		return nil, err
	}
	command := commandLine(container, image, mounts, env)
	probe, err := probeOf(container)
	if err != nil {
		return nil, err
	}
	return &process.Process{
		Name: name, Path: filepath.Join(image.Root, command[0]), Args: command[1:], Env: append(env, "KUBECONFIG="+kubeconfig),
		Log: n.path("logs", name+".log"), Probe: probe,
	}, nil
}

// probeOf returns a container's readiness probe; one that only looks whether the process lives when it has none.
func probeOf(c *corev1.Container) (process.Probe, error) {
	switch r := c.ReadinessProbe; {
	case r == nil:
		return process.Probe{}, nil
	case r.HTTPGet != nil && r.HTTPGet.Scheme != corev1.URISchemeHTTPS:
		if port, ok := portNumber(c, r.HTTPGet.Port); ok {
			return process.Probe{URL: "http://" + loopback(port) + r.HTTPGet.Path}, nil
		}
	case r.TCPSocket != nil:
		if port, ok := portNumber(c, r.TCPSocket.Port); ok {
			return process.Probe{Address: loopback(port)}, nil
		}
	}
	return process.Probe{}, fmt.Errorf("the readiness probe of container %s is of a kind, or names a port, that this node does not know", c.Name)
}

func (n *Node) path(elem ...string) string { return filepath.Join(append([]string{n.Dir}, elem...)...) }

func (n *Node) records() process.Records { return process.Records(n.path("processes")) }
