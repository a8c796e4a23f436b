package azuresim_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/workload"
)

// clientset returns a client for a kubeconfig; contentType is the media type that it asks for.
func clientset(t *testing.T, kubeconfig []byte, contentType string) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.ContentType = contentType
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// watchNodes returns a lister whose informer lists and watches.
func watchNodes(t *testing.T, client kubernetes.Interface) listers.NodeLister {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	factory := informers.NewSharedInformerFactory(client, 0)
	nodes := factory.Core().V1().Nodes()
	lister := nodes.Lister()
	synced := nodes.Informer().HasSynced
	factory.Start(ctx.Done())
	eventually(t, "informer synced", func() string {
		if synced() {
			return ""
		}
		return "not synced"
	})
	return lister
}

// eventually waits until problem returns nothing.
func eventually(t *testing.T, what string, problem func() string) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		last := problem()
		if last == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %s", what, last)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// versions are the kubelet versions of the Nodes in a pool.
func versions(t *testing.T, nodes listers.NodeLister, pool string) []string {
	t.Helper()
	found, err := nodes.List(labels.SelectorFromSet(labels.Set{"kubernetes.azure.com/agentpool": pool}))
	if err != nil {
		t.Fatal(err)
	}
	var kubelets []string
	for _, n := range found {
		kubelets = append(kubelets, n.Status.NodeInfo.KubeletVersion)
	}
	slices.Sort(kubelets)
	return kubelets
}

func waitVersions(t *testing.T, nodes listers.NodeLister, pool string, want ...string) {
	t.Helper()
	eventually(t, "nodes of "+pool, func() string { return cmp.Diff(want, versions(t, nodes, pool)) })
}

// TestNodesFollowPools watches a cluster's Nodes with client-go, in both encodings, while its pools change.
func TestNodesFollowPools(t *testing.T) {
	a := start(t, t.TempDir(), "")
	a.createCluster(`"kubernetesVersion":"1.32",`, 2)
	config := a.kubeconfig("listClusterAdminCredential")
	for _, contentType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(contentType, func(t *testing.T) {
			waitVersions(t, watchNodes(t, clientset(t, config, contentType)), "pool0", "v1.32.11", "v1.32.11")
		})
	}
	nodes := watchNodes(t, clientset(t, config, runtime.ContentTypeProtobuf))
	pool := cluster + "/agentPools/pool1"
	put := func(body string) { a.finish(http.MethodPut, pool, "2025-08-01", `{"properties":`+body+`}`) }

	put(`{"count":1,"vmSize":"Standard_D2s_v3","mode":"User","nodeLabels":{"team":"a"},"nodeTaints":["dedicated=a:NoSchedule"]}`)
	waitVersions(t, nodes, "pool1", "v1.32.11")
	put(`{"count":3,"vmSize":"Standard_D2s_v3","mode":"User"}`)
	waitVersions(t, nodes, "pool1", "v1.32.11", "v1.32.11", "v1.32.11")
	put(`{"count":2,"vmSize":"Standard_D2s_v3","mode":"User"}`)
	waitVersions(t, nodes, "pool1", "v1.32.11", "v1.32.11")

	a.finish(http.MethodPut, cluster, "2025-08-01", `{"location":"eastus","properties":{"dnsPrefix":"aks","kubernetesVersion":"1.33"}}`)
	put(`{"count":2,"vmSize":"Standard_D2s_v3","mode":"User","orchestratorVersion":"1.33.5"}`)
	waitVersions(t, nodes, "pool1", "v1.33.5", "v1.33.5")
	waitVersions(t, nodes, "pool0", "v1.32.11", "v1.32.11")

	put(`{"vmSize":"Standard_D2s_v3","mode":"User","enableAutoScaling":true,"minCount":1,"maxCount":4}`)
	if err := a.admin.SetAutoscale(context.Background(), pool, 4); err != nil {
		t.Fatal(err)
	}
	waitVersions(t, nodes, "pool1", "v1.33.5", "v1.33.5", "v1.33.5", "v1.33.5")
	put(`{"vmSize":"Standard_D2s_v3","mode":"User","enableAutoScaling":true,"minCount":1,"maxCount":4}`)
	waitVersions(t, nodes, "pool1", "v1.33.5", "v1.33.5", "v1.33.5", "v1.33.5")
	if err := a.admin.SetAutoscale(context.Background(), pool, 5); err == nil {
		t.Error("the count was set over the pool's bounds")
	}

	a.finish(http.MethodDelete, pool, "2025-08-01", "")
	waitVersions(t, nodes, "pool1")
}

// TestNode checks the fields of a Node that clients rely on, and that they can write it.
func TestNode(t *testing.T) {
	a := start(t, t.TempDir(), "")
	a.createCluster("", 1)
	client := clientset(t, a.kubeconfig("listClusterAdminCredential"), runtime.ContentTypeProtobuf).CoreV1().Nodes()
	ctx := context.Background()
	list, err := client.List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("list: %v, %d Nodes, want 1", err, len(list.Items))
	}
	n := list.Items[0]
	scaleSet, instance := n.Name[:len(n.Name)-6], n.Name[len(n.Name)-6:]
	want := fmt.Sprintf("azure:///subscriptions/%s/resourceGroups/mc_rg_aks_eastus/providers/Microsoft.Compute/virtualMachineScaleSets/%s/virtualMachines/0", subscription, scaleSet)
	if n.Spec.ProviderID != want || instance != "000000" || !strings.HasPrefix(scaleSet, "aks-pool0-") || !strings.HasSuffix(scaleSet, "-vmss") {
		t.Errorf("Node %s has provider ID %s, want %s", n.Name, n.Spec.ProviderID, want)
	}
	if i := slices.IndexFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady }); i < 0 || n.Status.Conditions[i].Status != corev1.ConditionTrue {
		t.Errorf("Node is not Ready: %v", n.Status.Conditions)
	}
	patches := map[types.PatchType]string{
		types.MergePatchType:          `{"metadata":{"labels":{"merge":"1"}}}`,
		types.StrategicMergePatchType: `{"metadata":{"labels":{"strategic":"1"}}}`,
		types.JSONPatchType:           `[{"op":"add","path":"/metadata/labels/json","value":"1"}]`,
	}
	for kind, patch := range patches {
		if _, err := client.Patch(ctx, n.Name, kind, []byte(patch), metav1.PatchOptions{}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	n.Labels["stale"] = "1"
	if _, err := client.Update(ctx, &n, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("update of an old version: %v, want a conflict", err)
	}
	got, err := client.Get(ctx, n.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"merge", "strategic", "json"} {
		if got.Labels[label] != "1" {
			t.Errorf("label %s is %q, want 1", label, got.Labels[label])
		}
	}
	if err := client.Delete(ctx, n.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Get(ctx, n.Name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("get of a deleted Node: %v, want not found", err)
	}
}

// TestLocalAccountsDisabled signs in with an Entra token, as the admin's is refused, until it expires.
func TestLocalAccountsDisabled(t *testing.T) {
	a := start(t, t.TempDir(), "")
	ctx := context.Background()
	a.createCluster(`"disableLocalAccounts":true,"aadProfile":{"managed":true},`, 1)
	if status, raw := a.call(http.MethodPost, cluster+"/listClusterAdminCredential", "2022-04-01", ""); status != http.StatusBadRequest {
		t.Errorf("listClusterAdminCredential: %d %s, want 400", status, raw)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(a.kubeconfig("listClusterUserCredential"))
	if err != nil {
		t.Fatal(err)
	}
	if config.ExecProvider == nil || config.ExecProvider.Command != "kubelogin" {
		t.Errorf("user kubeconfig has exec plugin %v, want kubelogin", config.ExecProvider)
	}
	if err := a.admin.SetTokenLifetime(ctx, 2*time.Second); err != nil {
		t.Fatal(err)
	}
	token, err := a.credential().GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{workload.Audience + "/.default"}})
	if err != nil {
		t.Fatal(err)
	}
	config.ExecProvider = nil
	config.BearerToken = token.Token
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); err != nil {
		t.Errorf("list with a fresh token: %v", err)
	}
	eventually(t, "expired token", func() string {
		if _, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
			return fmt.Sprintf("list: %v, want unauthorized", err)
		}
		return ""
	})
	config.BearerToken = "made-up"
	other, err := kubernetes.NewForConfig(rest.CopyConfig(config))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		t.Errorf("list with a made-up token: %v, want unauthorized", err)
	}
}

// TestRestart stops the simulator while an operation runs and goes on with its state.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	a := start(t, dir, "")
	ctx := context.Background()
	a.createCluster("", 1)
	config := a.kubeconfig("listClusterAdminCredential")
	nodes := watchNodes(t, clientset(t, config, runtime.ContentTypeJSON))
	if err := a.admin.SetLatency(ctx, "Microsoft.ContainerService/managedClusters/agentPools", time.Second); err != nil {
		t.Fatal(err)
	}
	status, raw := a.call(http.MethodPut, cluster+"/agentPools/pool1", "2025-08-01", `{"properties":{"count":2,"vmSize":"x"}}`)
	if status != http.StatusCreated {
		t.Fatalf("PUT: %d %s", status, raw)
	}
	a.stop()

	b := start(t, dir, a.address)
	waitVersions(t, nodes, "pool1", "v1.33.6", "v1.33.6")
	waitVersions(t, nodes, "pool0", "v1.33.6")
	resources, err := b.admin.Resources(ctx, cluster)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range resources {
		ids = append(ids, r.ID)
	}
	if diff := cmp.Diff([]string{cluster, cluster + "/agentPools/pool0", cluster + "/agentPools/pool1"}, ids); diff != "" {
		t.Errorf("resources after the restart: -want +got\n%s", diff)
	}
	b.finish(http.MethodDelete, cluster, "2025-08-01", "")
	eventually(t, "API server gone", func() string {
		if _, err := clientset(t, config, runtime.ContentTypeJSON).CoreV1().Nodes().List(ctx, metav1.ListOptions{}); err == nil {
			return "it still answers"
		}
		return ""
	})
}
