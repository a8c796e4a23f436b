package cloudcontroller

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// interval is how often the Nodes of a cluster are looked at. The real one is told of new ones at once.
	interval = time.Second
	// patience is how long one look may take.
	patience = 10 * time.Second
)

var (
	clusterKind      = schema.GroupVersionKind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "Cluster"}
	controlPlaneKind = schema.GroupVersionKind{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Kind: "KubeadmControlPlane"}
)

// Controllers plays the cloud controllers of all self-managed clusters of a management cluster.
type Controllers struct {
	// Management reads Clusters, KubeadmControlPlanes and the two Secrets of each.
	Management client.Client
	Log        *slog.Logger

	running sync.WaitGroup
	stops   map[client.ObjectKey]context.CancelFunc
}

// Run plays the cloud controllers until ctx ends.
func (c *Controllers) Run(ctx context.Context) error {
	c.stops = map[client.ObjectKey]context.CancelFunc{}
	defer c.running.Wait()
	said := ""
	for {
		if text := errorText(c.look(ctx)); text != said {
			said = text
			if text != "" {
				c.Log.Error("cannot look for clusters", "error", text)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(interval):
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// look begins with the clusters that are new and stops for those that are gone.
func (c *Controllers) look(ctx context.Context) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(clusterKind)
	if err := c.Management.List(ctx, list); err != nil {
		return err
	}
	there := map[client.ObjectKey]bool{}
	for i := range list.Items {
		if kind, _, _ := unstructured.NestedString(list.Items[i].Object, "spec", "infrastructureRef", "kind"); kind != "AzureCluster" {
			continue
		}
		key := client.ObjectKeyFromObject(&list.Items[i])
		there[key] = true
		if c.stops[key] != nil {
			continue
		}
		running, stop := context.WithCancel(ctx)
		c.stops[key] = stop
		one := &controller{management: c.Management, cluster: key, log: c.Log.With("cluster", key.String())}
		c.running.Go(func() { one.run(running) })
	}
	for key, stop := range c.stops {
		if !there[key] {
			stop()
			delete(c.stops, key)
		}
	}
	return nil
}

// A controller plays the cloud controller of one cluster.
type controller struct {
	management client.Client
	cluster    client.ObjectKey
	log        *slog.Logger

	// azureJSON is what azure was made from.
	azureJSON []byte
	azure     *azure
	// nodes is nil when the Secrets are to be read again.
	nodes    *nodes
	services *services
}

func (c *controller) run(ctx context.Context) {
	said := ""
	for ctx.Err() == nil {
		look, done := context.WithTimeout(ctx, patience)
		err := c.sync(look)
		done()
		if text := errorText(err); text != said && ctx.Err() == nil {
			said = text
			c.log.Info("waits", "for", text)
		}
		select {
		case <-ctx.Done():
		case <-time.After(interval):
		}
	}
}

// sync looks once at the cluster. Where it was not reached the Secrets are read again.
func (c *controller) sync(ctx context.Context) error {
	if c.nodes == nil {
		if err := c.connect(ctx); err != nil {
			return err
		}
	}
	err := errors.Join(c.nodes.sync(ctx), c.services.sync(ctx))
	if err != nil {
		c.nodes = nil
	}
	return err
}

// connect reads the two Secrets and makes clients of them. That of Azure, which has signed in, stays while azure.json does.
func (c *controller) connect(ctx context.Context) error {
	kubeconfig, err := c.secret(ctx, c.cluster.Name+"-kubeconfig", "value")
	if err != nil {
		return err
	}
	template, err := c.template(ctx)
	if err != nil {
		return err
	}
	azureJSON, err := c.secret(ctx, template+"-azure-json", "control-plane-azure.json")
	if err != nil {
		return err
	}
	if !bytes.Equal(azureJSON, c.azureJSON) {
		settings, err := parseConfig(azureJSON)
		if err != nil {
			return err
		}
		if c.azure, err = signIn(settings); err != nil {
			return err
		}
		c.azureJSON = azureJSON
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return fmt.Errorf("the kubeconfig: %w", err)
	}
	config.UserAgent = "cloud-controller"
	workload, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	c.nodes = &nodes{workload: workload, azure: c.azure, log: c.log}
	c.services = &services{workload: workload, azure: c.azure, log: c.log}
	return nil
}

// secret returns a value of a Secret of the cluster's namespace.
func (c *controller) secret(ctx context.Context, name, key string) ([]byte, error) {
	secret := &corev1.Secret{}
	if err := c.management.Get(ctx, client.ObjectKey{Namespace: c.cluster.Namespace, Name: name}, secret); err != nil {
		return nil, err
	}
	if len(secret.Data[key]) == 0 {
		return nil, fmt.Errorf("the Secret %s has no %s", name, key)
	}
	return secret.Data[key], nil
}

// template returns the name of the AzureMachineTemplate of the control plane, after which its azure.json is called.
func (c *controller) template(ctx context.Context) (string, error) {
	cluster := &unstructured.Unstructured{}
	cluster.SetGroupVersionKind(clusterKind)
	if err := c.management.Get(ctx, c.cluster, cluster); err != nil {
		return "", err
	}
	name, _, _ := unstructured.NestedString(cluster.Object, "spec", "controlPlaneRef", "name")
	controlPlane := &unstructured.Unstructured{}
	controlPlane.SetGroupVersionKind(controlPlaneKind)
	if err := c.management.Get(ctx, client.ObjectKey{Namespace: c.cluster.Namespace, Name: name}, controlPlane); err != nil {
		return "", err
	}
	template, _, _ := unstructured.NestedString(controlPlane.Object, "spec", "machineTemplate", "spec", "infrastructureRef", "name")
	if template == "" {
		return "", fmt.Errorf("KubeadmControlPlane %s names no template", name)
	}
	return template, nil
}
