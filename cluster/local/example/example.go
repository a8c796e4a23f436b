// Package example applies one folder of examples/ to a management cluster and waits until its cluster works.
package example

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	fieldOwner = "crossplane-capz-example"
	// patience is how long an example may take until everything about it works.
	patience = 10 * time.Minute
	// checkInterval is how often it is looked whether it does.
	checkInterval = 500 * time.Millisecond
)

// An Example is one folder of manifests with one CAPI Cluster.
type Example struct {
	// Cluster is the example's Cluster.
	Cluster types.NamespacedName
	// Nodes are what has nodes: MachinePools, MachineDeployments and a KubeadmControlPlane.
	Nodes   []*unstructured.Unstructured
	objects []*unstructured.Unstructured
}

// Load reads an example. It is an error when the folder is not there or does not hold exactly one Cluster.
func Load(dir string) (*Example, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("no such example: %w", err)
	}
	objects, err := kubeyaml.Read(dir)
	if err != nil {
		return nil, err
	}
	return From(objects)
}

// From makes an example of manifests. It is an error when they do not hold exactly one Cluster.
func From(objects []*unstructured.Unstructured) (*Example, error) {
	ex := &Example{objects: objects}
	clusters := 0
	for _, u := range objects {
		if u.GetNamespace() == "" && u.GetKind() != "Namespace" {
			u.SetNamespace(metav1.NamespaceDefault)
		}
		switch u.GroupVersionKind().GroupKind() {
		case schema.GroupKind{Group: capiGroup, Kind: "Cluster"}:
			ex.Cluster = client.ObjectKeyFromObject(u)
			clusters++
		case schema.GroupKind{Group: capiGroup, Kind: poolKind}, schema.GroupKind{Group: capiGroup, Kind: "MachineDeployment"},
			schema.GroupKind{Group: controlPlaneGroup, Kind: "KubeadmControlPlane"}:
			ex.Nodes = append(ex.Nodes, u)
		}
	}
	if clusters != 1 {
		return nil, fmt.Errorf("an example has exactly one Cluster, this one has %d", clusters)
	}
	return ex, nil
}

// SelfManaged reports whether the nodes of the example are virtual machines of its own, and not those of AKS.
func (ex *Example) SelfManaged() bool {
	return slices.ContainsFunc(ex.objects, func(u *unstructured.Unstructured) bool {
		return u.GetKind() == "AzureCluster" || u.GetKind() == "AzureClusterTemplate"
	})
}

// WorkloadKubeconfig is the file that BringUp writes the cluster's kubeconfig to.
func (ex *Example) WorkloadKubeconfig(s *stack.Stack) string {
	return filepath.Join(s.Dir(), "home", ex.Cluster.Name+".kubeconfig")
}

// BringUp applies the example, with the credentials it names, and returns when its Cluster is Available with all the nodes that it
// wants, and kubectl lists those with the kubeconfig of the Cluster's Secret.
// What is missing is written to out as it changes. A component that ends meanwhile is an error.
func (ex *Example) BringUp(ctx context.Context, s *stack.Stack, out io.Writer) error {
	config, err := s.RESTConfig()
	if err != nil {
		return err
	}
	c, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	begun := time.Now()
	if err := ex.Apply(ctx, c); err != nil {
		return err
	}
	fmt.Fprintf(out, "example: applied %d objects of Cluster %s (%s)\n", len(ex.objects), ex.Cluster, since(begun))
	if err := ex.await(ctx, c, s, out, begun); err != nil {
		return err
	}
	fmt.Fprintf(out, "example: Cluster %s is Available with all its nodes (%s)\n", ex.Cluster, since(begun))
	return ex.listNodes(ctx, c, s, out)
}

func since(t time.Time) time.Duration { return time.Since(t).Round(100 * time.Millisecond) }

// Apply applies the example's credentials and then its objects.
func (ex *Example) Apply(ctx context.Context, c client.Client) error {
	for _, name := range ex.credentialSecrets() {
		if err := c.Patch(ctx, credential(name, ex.Cluster.Namespace), client.Apply, //nolint:staticcheck // Typed Secret.
			client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
			return fmt.Errorf("credential Secret %s: %w", name, err)
		}
	}
	for _, u := range ex.objects {
		err := c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u.DeepCopy()),
			client.FieldOwner(fieldOwner), client.ForceOwnership)
		if err != nil {
			return fmt.Errorf("apply %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	return nil
}

// await returns when nothing is missing any more.
func (ex *Example) await(ctx context.Context, c client.Client, s *stack.Stack, out io.Writer, begun time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	said := &progress{out: out, begun: begun}
	for {
		missing, err := ex.missing(ctx, c)
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			return nil
		}
		said.say(missing, time.Now())
		if err := s.Check(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the example is not up after %s, missing: %s: %w", since(begun), strings.Join(missing, "; "), ctx.Err())
		case <-time.After(checkInterval):
		}
	}
}

// listNodes prints what kubectl says about the nodes, with the kubeconfig that Cluster API users take. Its file also says how the
// simulated Azure is reached, which nobody has to be told of Azure itself.
func (ex *Example) listNodes(ctx context.Context, c client.Client, s *stack.Stack, out io.Writer) error {
	secret := &corev1.Secret{}
	key := types.NamespacedName{Namespace: ex.Cluster.Namespace, Name: ex.Cluster.Name + "-kubeconfig"}
	if err := c.Get(ctx, key, secret); err != nil {
		return err
	}
	file := ex.WorkloadKubeconfig(s)
	config, err := clientcmd.Load(secret.Data["value"])
	if err != nil {
		return fmt.Errorf("Secret %s: %w", key.Name, err) //nolint:staticcheck // The name of a kind.
	}
	for _, cluster := range config.Clusters {
		cluster.ProxyURL = s.ProxyURL()
	}
	if err := clientcmd.WriteToFile(*config, file); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, s.Bin("kubectl"), "--kubeconfig", file, "get", "nodes")
	fmt.Fprintf(out, "$ kubectl --kubeconfig %s get nodes\n", file)
	output, err := cmd.CombinedOutput()
	fmt.Fprint(out, string(output))
	if err != nil {
		return fmt.Errorf("kubectl get nodes: %w", err)
	}
	return nil
}
