package azuresim_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

func configMap(namespace, name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data}
}

// configMaps returns a client for the ConfigMaps in kube-public of a new cluster, and for all else in it.
func configMaps(t *testing.T, contentType string) (typedcorev1.ConfigMapInterface, *kubernetes.Clientset) {
	t.Helper()
	a := start(t, t.TempDir(), "")
	a.createCluster("", 1)
	client := clientset(t, a.kubeconfig("listClusterAdminCredential"), contentType)
	return client.CoreV1().ConfigMaps(metav1.NamespacePublic), client
}

// storeClusterInfo writes the ConfigMap cluster-info as CAPZ does.
func storeClusterInfo(t *testing.T, kubeconfig []byte, content string) controllerutil.OperationResult {
	t.Helper()
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	info := configMap(metav1.NamespacePublic, "cluster-info", map[string]string{"kubeconfig": content})
	result, err := controllerutil.CreateOrUpdate(context.Background(), c, info, func() error {
		info.Data["kubeconfig"] = content
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestClusterInfo writes a ConfigMap through REST mappings of discovery, before and after the simulator starts again, and
// after the cluster has been made anew.
func TestClusterInfo(t *testing.T) {
	dir := t.TempDir()
	a := start(t, dir, "")
	a.createCluster("", 1)
	config := a.kubeconfig("listClusterAdminCredential")
	var results []controllerutil.OperationResult
	store := func(content string) { results = append(results, storeClusterInfo(t, config, content)) }
	store("first")
	store("first")
	store("second")
	a.stop()

	b := start(t, dir, a.address)
	store("second")
	store("third")
	b.finish("DELETE", cluster, "2025-08-01", "")
	b.createCluster("", 1)
	config = b.kubeconfig("listClusterAdminCredential")
	store("third")
	want := []controllerutil.OperationResult{"created", "unchanged", "updated", "unchanged", "updated", "created"}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestConfigMap writes a ConfigMap in each way that there is, in both encodings.
func TestConfigMap(t *testing.T) {
	for _, contentType := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf} {
		t.Run(contentType, func(t *testing.T) {
			maps, _ := configMaps(t, contentType)
			ctx := context.Background()
			created, err := maps.Create(ctx, configMap("", "info", map[string]string{"a": "1"}), metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if created.Namespace != metav1.NamespacePublic || created.UID == "" || created.ResourceVersion == "" || created.CreationTimestamp.IsZero() {
				t.Errorf("created with metadata %v", created.ObjectMeta)
			}
			patches := []struct {
				kind  types.PatchType
				patch string
			}{
				{types.MergePatchType, `{"data":{"a":null,"merge":"1"}}`},
				{types.StrategicMergePatchType, `{"data":{"strategic":"1"}}`},
				{types.JSONPatchType, `[{"op":"add","path":"/data/json","value":"1"}]`},
				{types.ApplyPatchType, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"info"},"data":{"apply":"1"}}`},
			}
			for _, p := range patches {
				if _, err := maps.Patch(ctx, "info", p.kind, []byte(p.patch), metav1.PatchOptions{FieldManager: "test"}); err != nil {
					t.Errorf("%s: %v", p.kind, err)
				}
			}
			got, err := maps.Get(ctx, "info", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]string{"merge": "1", "strategic": "1", "json": "1", "apply": "1"}, got.Data); diff != "" {
				t.Errorf("patched: -want +got\n%s", diff)
			}
			got.Data = map[string]string{"updated": "1"}
			updated, err := maps.Update(ctx, got, metav1.UpdateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if updated.UID != created.UID || updated.ResourceVersion == got.ResourceVersion || len(updated.Data) != 1 {
				t.Errorf("%v was updated to %v", got, updated)
			}
			if err := maps.Delete(ctx, "info", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			if _, err := maps.Get(ctx, "info", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("get of a deleted ConfigMap: %v, want not found", err)
			}
		})
	}
}

// TestConfigMapRefused shows what the API server refuses, and how.
func TestConfigMapRefused(t *testing.T) {
	maps, all := configMaps(t, runtime.ContentTypeProtobuf)
	ctx := context.Background()
	there, err := maps.Create(ctx, configMap("", "there", nil), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	create := func(c *corev1.ConfigMap) func() error {
		return func() error {
			_, err := maps.Create(ctx, c, metav1.CreateOptions{})
			return err
		}
	}
	patch := func(name string, kind types.PatchType, patch string) func() error {
		return func() error {
			_, err := maps.Patch(ctx, name, kind, []byte(patch), metav1.PatchOptions{})
			return err
		}
	}
	stale, elsewhere := there.DeepCopy(), there.DeepCopy()
	stale.ResourceVersion, elsewhere.Namespace = "1", metav1.NamespaceDefault
	update := func(c *corev1.ConfigMap) func() error {
		return func() error {
			_, err := maps.Update(ctx, c, metav1.UpdateOptions{})
			return err
		}
	}
	cases := map[string]struct {
		do   func() error
		want func(error) bool
	}{
		"create what exists":                 {create(configMap("", "there", nil)), apierrors.IsAlreadyExists},
		"create without a name":              {create(configMap("", "", nil)), apierrors.IsInvalid},
		"create by a name that is none":      {create(configMap("", "No_Name", nil)), apierrors.IsInvalid},
		"create of another namespace":        {create(configMap(metav1.NamespaceDefault, "new", nil)), apierrors.IsBadRequest},
		"create with a resource version":     {create(stale), apierrors.IsBadRequest},
		"update of an old version":           {update(stale), apierrors.IsConflict},
		"update of another namespace":        {update(elsewhere), apierrors.IsBadRequest},
		"update of what is not there":        {update(configMap("", "missing", nil)), apierrors.IsNotFound},
		"patch of what is not there":         {patch("missing", types.MergePatchType, `{}`), apierrors.IsNotFound},
		"patch of an old version":            {patch("there", types.MergePatchType, `{"metadata":{"resourceVersion":"1"}}`), apierrors.IsConflict},
		"patch of the name":                  {patch("there", types.MergePatchType, `{"metadata":{"name":"other"}}`), apierrors.IsBadRequest},
		"patch to another kind":              {patch("there", types.MergePatchType, `{"kind":"Secret"}`), apierrors.IsBadRequest},
		"patch that is none":                 {patch("there", types.JSONPatchType, `{`), apierrors.IsBadRequest},
		"patch of another type":              {patch("there", "application/yaml", `{}`), apierrors.IsUnsupportedMediaType},
		"delete of what is not there":        {func() error { return maps.Delete(ctx, "missing", metav1.DeleteOptions{}) }, apierrors.IsNotFound},
		"delete of all":                      {func() error { return maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}) }, apierrors.IsMethodNotSupported},
		"create in a namespace that is none": {func() error { return createIn(all, "missing") }, namespaceNotFound},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if err := c.do(); !c.want(err) {
				t.Error(err)
			}
		})
	}
	if got, err := maps.Get(ctx, "there", metav1.GetOptions{}); err != nil || got.ResourceVersion != there.ResourceVersion {
		t.Errorf("%v, %v, want %v", got, err, there)
	}
}

func createIn(c kubernetes.Interface, namespace string) error {
	_, err := c.CoreV1().ConfigMaps(namespace).Create(context.Background(), configMap("", "new", nil), metav1.CreateOptions{})
	return err
}

func namespaceNotFound(err error) bool {
	return apierrors.IsNotFound(err) && strings.Contains(err.Error(), `namespaces "missing" not found`)
}

// TestConfigMapLists lists ConfigMaps of two namespaces, and watches them.
func TestConfigMapLists(t *testing.T) {
	_, all := configMaps(t, runtime.ContentTypeProtobuf)
	ctx := context.Background()
	watched, err := all.CoreV1().ConfigMaps(metav1.NamespaceDefault).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watched.Stop()
	apply := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"team":"a"}}}`
	for _, namespace := range []string{metav1.NamespacePublic, metav1.NamespaceDefault} {
		maps := all.CoreV1().ConfigMaps(namespace)
		if err := createIn(all, namespace); err != nil {
			t.Fatal(err)
		}
		if _, err := maps.Patch(ctx, "applied", types.ApplyPatchType, []byte(apply), metav1.PatchOptions{FieldManager: "test"}); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		namespace string
		options   metav1.ListOptions
		want      []string
	}{
		"of all namespaces":     {want: []string{"default/applied", "default/new", "kube-public/applied", "kube-public/new"}},
		"of one namespace":      {namespace: metav1.NamespacePublic, want: []string{"kube-public/applied", "kube-public/new"}},
		"of an empty namespace": {namespace: metav1.NamespaceSystem},
		"by label":              {options: metav1.ListOptions{LabelSelector: "team=a"}, want: []string{"default/applied", "kube-public/applied"}},
		"by name":               {options: metav1.ListOptions{FieldSelector: "metadata.name=new"}, want: []string{"default/new", "kube-public/new"}},
		"by both in one":        {namespace: metav1.NamespaceDefault, options: metav1.ListOptions{LabelSelector: "team=a", FieldSelector: "metadata.name=new"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			list, err := all.CoreV1().ConfigMaps(c.namespace).List(ctx, c.options)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i := range list.Items {
				got = append(got, list.Items[i].Namespace+"/"+list.Items[i].Name)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
	for _, want := range []string{"new", "applied"} {
		e := <-watched.ResultChan()
		if got, ok := e.Object.(*corev1.ConfigMap); !ok || got.Name != want || got.Namespace != metav1.NamespaceDefault {
			t.Errorf("%s of %v, want %s", e.Type, e.Object, want)
		}
	}
}
