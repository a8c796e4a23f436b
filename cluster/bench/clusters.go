package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	namespace  = "bench"
	credential = "aso-credential" //nolint:gosec // The name of a Secret.
	tenant     = "00000000-0000-0000-0000-000000000002"
	// placeholder stands for a cluster's name in a template whose other variables are filled in.
	placeholder = "cluster-name-placeholder"
	// appliers is how many clusters are applied at a time.
	appliers = 8
)

// subscription is where the clusters are.
var subscription = uuid.NewSHA1(uuid.NameSpaceURL, []byte(namespace)).String()

// prepare makes the namespace with ASO's credential.
func (a *arena) prepare(ctx context.Context) error {
	if err := a.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return err
	}
	return a.client.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: credential},
		StringData: map[string]string{
			"AZURE_SUBSCRIPTION_ID": subscription, "AZURE_TENANT_ID": tenant,
			"AZURE_CLIENT_ID": "00000000-0000-0000-0000-000000000003", "AZURE_CLIENT_SECRET": "of-the-simulated-azure",
		},
	})
}

// generation is what a template is given besides names and identities.
type generation struct {
	// version of Kubernetes.
	version string
	// size is that of the nodes, workers how many there are in each pool.
	size    string
	workers int
}

// clusters returns the manifests of clusters by one of CAPZ's own templates of AKS, with two nodes in each pool.
func (a *arena) clusters(ctx context.Context, flavor string, names ...string) ([][]*unstructured.Unstructured, error) {
	return a.generate(ctx, flavor, generation{version: "v1.33.6", size: bootedSize, workers: 2}, names...)
}

// generate returns the manifests of clusters by one of CAPZ's own templates; the default one has an empty name.
func (a *arena) generate(ctx context.Context, flavor string, g generation, names ...string) ([][]*unstructured.Unstructured, error) {
	file := "cluster-template.yaml"
	if flavor != "" {
		file = "cluster-template-" + flavor + ".yaml"
	}
	capz, err := (&parts.Builder{Root: a.root, Log: a.log}).CAPZDir(ctx)
	if err != nil {
		return nil, err
	}
	template, err := a.stack.Clusterctl(ctx, []string{
		"AZURE_LOCATION=westeurope", "AZURE_NODE_MACHINE_TYPE=" + g.size, "AZURE_CONTROL_PLANE_MACHINE_TYPE=" + bootedSize, "ASO_CREDENTIAL_SECRET_NAME=" + credential,
		"AZURE_SUBSCRIPTION_ID=" + subscription, "AZURE_SSH_PUBLIC_KEY_B64=''",
		// An identity of those that need no Secret: the simulated Azure has its tokens where a virtual machine finds them.
		"CLUSTER_IDENTITY_NAME=bench", "CLUSTER_IDENTITY_TYPE=UserAssignedMSI", "AZURE_TENANT_ID=" + tenant,
		"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY=00000000-0000-0000-0000-000000000004",
	}, "generate", "cluster", placeholder, "--from", filepath.Join(capz, "templates", file),
		"--target-namespace", namespace, "--kubernetes-version", g.version, "--worker-machine-count", strconv.Itoa(g.workers))
	if err != nil {
		return nil, err
	}
	var all [][]*unstructured.Unstructured
	for _, name := range names {
		objects, err := kubeyaml.Parse([]byte(strings.ReplaceAll(template, placeholder, name)))
		if err != nil {
			return nil, err
		}
		all = append(all, objects)
	}
	return all, nil
}

// lastPool is the name of the second and last pool in CAPZ's templates and in the examples.
const lastPool = "pool1"

// withPools returns the objects of a cluster of two pools with the last one again and again, until there are as many pools as wanted.
func withPools(objects []*unstructured.Unstructured, pools int) ([]*unstructured.Unstructured, error) {
	var more []string
	for i := fleetPools; i < pools; i++ {
		more = append(more, fmt.Sprintf("pool%d", i))
	}
	return withCopies(objects, lastPool, more...)
}

// withCopies returns the objects of a cluster, and those whose names end as a set of its machines is called once more for each of other names.
func withCopies(objects []*unstructured.Unstructured, set string, names ...string) ([]*unstructured.Unstructured, error) {
	all := slices.Clone(objects)
	for _, name := range names {
		for _, u := range objects {
			if !strings.HasSuffix(u.GetName(), "-"+set) {
				continue
			}
			content, err := u.MarshalJSON()
			if err != nil {
				return nil, err
			}
			more := &unstructured.Unstructured{}
			if err := more.UnmarshalJSON([]byte(strings.ReplaceAll(string(content), set, name))); err != nil {
				return nil, err
			}
			all = append(all, more)
		}
	}
	return all, nil
}

// apply applies clusters as `kubectl apply --server-side` does, several at a time.
func (a *arena) apply(ctx context.Context, clusters [][]*unstructured.Unstructured) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(appliers)
	for _, objects := range clusters {
		g.Go(func() error {
			for _, u := range objects {
				if err := a.client.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("bench"), client.ForceOwnership); err != nil {
					return fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// available reports whether a number of Clusters are Available.
func available(count int) func(map[objectKey]*event) bool {
	return conditioned("Cluster", "Available", count)
}

// isTrue reports whether an object has a condition that is True.
func isTrue(u *unstructured.Unstructured, condition string) bool {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		if m, ok := c.(map[string]any); ok && m["type"] == condition {
			return m["status"] == "True"
		}
	}
	return false
}

// equipped reports whether a number of MachinePools have the nodes they want.
func equipped(count int) func(map[objectKey]*event) bool {
	return func(objects map[objectKey]*event) bool {
		return count == countOf(objects, "MachinePool", func(u *unstructured.Unstructured) bool {
			want, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas")
			nodes, _, _ := unstructured.NestedSlice(u.Object, "status", "nodeRefs")
			return want > 0 && int64(len(nodes)) == want
		})
	}
}

func countOf(objects map[objectKey]*event, kind string, is func(*unstructured.Unstructured) bool) int {
	return countIn(objects, capiGroup, kind, is)
}

// countIn counts the objects of a kind that are there and as wanted.
func countIn(objects map[objectKey]*event, group, kind string, is func(*unstructured.Unstructured) bool) int {
	count := 0
	for k, e := range objects {
		if k.gk.Group == group && k.gk.Kind == kind && e.gone.IsZero() && is(e.object) {
			count++
		}
	}
	return count
}

// inOrder returns what became of objects, as they came.
func inOrder(objects map[objectKey]*event) []*event {
	return slices.SortedFunc(maps.Values(objects), func(a, b *event) int { return a.came.Compare(b.came) })
}

// nothing reports whether nothing is left of Clusters.
func nothing(objects map[objectKey]*event) bool {
	for _, e := range objects {
		if e.gone.IsZero() {
			return false
		}
	}
	return true
}
