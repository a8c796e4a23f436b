package nodes

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/secret"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

const patience = 10 * time.Second

var key = client.ObjectKey{Namespace: "default", Name: "my-cluster"}

// An apiServer has Nodes, as much as those who follow them need.
type apiServer struct {
	*httptest.Server

	mu sync.Mutex
	// lists and watching are how often Nodes were listed, and who watches them.
	lists    int
	watching map[chan metav1.WatchEvent]bool
	// asked is what was asked of watches.
	asked []url.Values
	nodes []*corev1.Node
}

func serve(t *testing.T, nodes ...*corev1.Node) *apiServer {
	t.Helper()
	s := &apiServer{watching: map[chan metav1.WatchEvent]bool{}, nodes: nodes}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path != "/api/v1/nodes":
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Query().Has("watch"):
		s.watch(w, r)
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.lists++
		list := corev1.NodeList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
		for _, n := range s.nodes {
			list.Items = append(list.Items, *n)
		}
		_ = json.NewEncoder(w).Encode(list)
	}
}

func (s *apiServer) watch(w http.ResponseWriter, r *http.Request) {
	events := make(chan metav1.WatchEvent, 10)
	s.mu.Lock()
	s.watching[events] = true
	s.asked = append(s.asked, r.URL.Query())
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watching, events)
	}()
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case e := <-events:
			_ = json.NewEncoder(w).Encode(e)
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// say notifies those who watch of what became of a Node.
func (s *apiServer) say(what string, node *corev1.Node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for events := range s.watching {
		events <- metav1.WatchEvent{Type: what, Object: runtime.RawExtension{Object: node}}
	}
}

func (s *apiServer) counts() (lists, watching int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists, len(s.watching)
}

func certificate(of *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: of.Certificate().Raw})
}

// kubeconfig is one for the server.
func (s *apiServer) kubeconfig(t *testing.T) []byte {
	t.Helper()
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{
		Server: s.URL, CertificateAuthorityData: certificate(s.Server),
	}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: "t"}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	content, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func node(name, version string) *corev1.Node {
	return &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version, Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}},
		Spec:       corev1.NodeSpec{ProviderID: "azure:///" + name, PodCIDR: "10.0.0.0/24"},
		Status:     corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.33.6", OSImage: "Ubuntu"}},
	}
}

// A management cluster has my-cluster, and a Follower that follows it.
type management struct {
	*testing.T
	client.Client

	follower *Follower
	notified chan string
}

func manage(t *testing.T, kubeconfig []byte) *management {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	if err := clusterv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	m := &management{T: t, notified: make(chan string, 100)}
	m.Client = fake.NewClientBuilder().WithScheme(scheme).WithObjects(&clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}).Build()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	m.follower = newFollower(ctx, m.Client, Options{
		Follow:  func(c *clusterv1.Cluster) bool { return c.Labels["of"] != "another" },
		Secrets: m.Client,
	})
	m.follower.listeners = append(m.follower.listeners, func(_ client.ObjectKey, node *corev1.Node) {
		if node == nil {
			m.notified <- "all"
			return
		}
		m.notified <- node.Name
	})
	if kubeconfig != nil {
		m.write(kubeconfig)
	}
	return m
}

// write has the Cluster's kubeconfig be so.
func (m *management) write(kubeconfig []byte) {
	m.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: secret.Name(key.Name, secret.Kubeconfig)}}
	if err := client.IgnoreNotFound(m.Delete(m.Context(), s)); err != nil {
		m.Fatal(err)
	}
	s.Data = map[string][]byte{secret.KubeconfigDataName: kubeconfig}
	if err := m.Create(m.Context(), s); err != nil {
		m.Fatal(err)
	}
}

func (m *management) reconcile() error {
	_, err := m.follower.Reconcile(m.Context(), ctrl.Request{NamespacedName: key})
	return err
}

func (m *management) mustReconcile() {
	m.Helper()
	if err := m.reconcile(); err != nil {
		m.Fatal(err)
	}
}

// expect fails unless exactly that is notified next, in any order.
func (m *management) expect(want ...string) {
	m.Helper()
	left := map[string]bool{}
	for _, w := range want {
		left[w] = true
	}
	for len(left) > 0 {
		select {
		case got := <-m.notified:
			if !left[got] {
				m.Fatalf("notified of %s, want %v", got, left)
			}
			delete(left, got)
		case <-time.After(patience):
			m.Fatalf("not notified of %v", left)
		}
	}
}

// await fails unless the condition comes true.
func (m *management) await(what string, met func() bool) {
	m.Helper()
	for deadline := time.Now().Add(patience); !met(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			m.Fatalf("waited for %s", what)
		}
	}
}

// names are those of the Nodes that are known, sorted.
func (m *management) names() string {
	nodes, known := m.follower.Nodes(key)
	if !known {
		return "unknown"
	}
	var names []string
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestNodesAreFollowed(t *testing.T) {
	server := serve(t, node("a", "1"), node("b", "1"))
	m := manage(t, server.kubeconfig(t))
	if got := m.names(); got != "unknown" {
		t.Errorf("before: %s", got)
	}
	m.mustReconcile()
	m.expect("a", "b", "all")
	nodes, _ := m.follower.Nodes(key)
	want := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "a", ResourceVersion: "1", Labels: map[string]string{"a": "b"}}, Spec: corev1.NodeSpec{ProviderID: "azure:///a"}, Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.33.6"}}}
	for _, n := range nodes {
		if n.Name == "a" {
			if diff := cmp.Diff(want, n); diff != "" {
				t.Errorf("kept of a Node: -want +got:\n%s", diff)
			}
		}
	}
	m.await("a watch", func() bool { _, watching := server.counts(); return watching == 1 })
	server.say("ADDED", node("c", "2"))
	m.expect("c")
	heartbeat := node("b", "3")
	heartbeat.Annotations["heard"] = "now"
	server.say("MODIFIED", heartbeat)
	server.say("DELETED", node("a", "4"))
	m.expect("a") // And not of b.
	labelled := node("b", "5")
	labelled.Labels["x"] = "y"
	server.say("MODIFIED", labelled)
	m.expect("b")
	upgraded := node("b", "6")
	upgraded.Labels["x"] = "y"
	upgraded.Status.NodeInfo.KubeletVersion = "v1.34.3"
	server.say("MODIFIED", upgraded)
	m.expect("b")
	if got := m.names(); got != "b c" {
		t.Errorf("in the end: %s", got)
	}
}

// TestWatchIsQuiet checks that a watch lasts one to two hours, and does not hear how far it has come.
func TestWatchIsQuiet(t *testing.T) {
	server := serve(t, node("a", "1"))
	m := manage(t, server.kubeconfig(t))
	m.mustReconcile()
	m.expect("a", "all")
	m.await("a watch", func() bool { _, watching := server.counts(); return watching == 1 })
	server.mu.Lock()
	defer server.mu.Unlock()
	got := server.asked[0]
	seconds, err := strconv.Atoi(got.Get("timeoutSeconds"))
	if err != nil || seconds < 60*60 || seconds > 2*60*60 || got.Get("allowWatchBookmarks") == "true" || got.Has("sendInitialEvents") {
		t.Errorf("asked for %v", got)
	}
}

func TestKubeconfigIsReplaced(t *testing.T) {
	before, after := serve(t, node("a", "1")), serve(t, node("b", "1"))
	m := manage(t, nil)
	m.mustReconcile()
	if got := m.names(); got != "unknown" {
		t.Errorf("without a kubeconfig: %s", got)
	}
	m.write(before.kubeconfig(t))
	m.mustReconcile()
	m.expect("a", "all")
	m.mustReconcile()
	m.write(after.kubeconfig(t))
	m.mustReconcile()
	m.expect("b", "all")
	if got := m.names(); got != "b" {
		t.Errorf("with another kubeconfig: %s", got)
	}
	m.await("the first server to be left", func() bool { _, watching := before.counts(); return watching == 0 })
	if lists, _ := before.counts(); lists != 1 {
		t.Errorf("listed %d times with the same kubeconfig, want once", lists)
	}
}

func TestClusterIsLeft(t *testing.T) {
	for name, leave := range map[string]func(context.Context, client.Client, *clusterv1.Cluster) error{
		"gone": func(ctx context.Context, c client.Client, cluster *clusterv1.Cluster) error {
			return c.Delete(ctx, cluster)
		},
		"not to be followed": func(ctx context.Context, c client.Client, cluster *clusterv1.Cluster) error {
			cluster.Labels = map[string]string{"of": "another"}
			return c.Update(ctx, cluster)
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, node("a", "1"))
			m := manage(t, server.kubeconfig(t))
			m.mustReconcile()
			m.expect("a", "all")
			m.await("a watch", func() bool { _, watching := server.counts(); return watching == 1 })
			cluster := &clusterv1.Cluster{}
			if err := m.Get(t.Context(), key, cluster); err != nil {
				t.Fatal(err)
			}
			if err := leave(t.Context(), m.Client, cluster); err != nil {
				t.Fatal(err)
			}
			m.mustReconcile()
			if got := m.names(); got != "unknown" {
				t.Errorf("known: %s", got)
			}
			m.await("the server to be left", func() bool { _, watching := server.counts(); return watching == 0 })
		})
	}
}

// TestUnreachable has a server come up after it is first asked.
func TestUnreachable(t *testing.T) {
	server := serve(t, node("a", "1"))
	kubeconfig := server.kubeconfig(t)
	address := server.Listener.Addr().String()
	certificates := server.TLS
	server.Close()
	m := manage(t, kubeconfig)
	m.mustReconcile()
	if got := m.names(); got != "unknown" {
		t.Errorf("known: %s", got)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("the port was taken meanwhile: %v", err)
	}
	again := &httptest.Server{Listener: listener, TLS: certificates, Config: &http.Server{Handler: server, ReadHeaderTimeout: patience}}
	again.StartTLS()
	t.Cleanup(again.Close)
	m.expect("a", "all")
}

func TestUnusableKubeconfig(t *testing.T) {
	const planted = "pl4nted"
	for name, kubeconfig := range map[string]string{
		"no YAML":      "users: [{name: a, user: {token: " + planted,
		"no context":   "{apiVersion: v1, kind: Config, users: [{name: " + planted + ", user: {token: " + planted + "}}]}",
		"a broken key": strings.ReplaceAll("{apiVersion: v1, kind: Config, current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}], clusters: [{name: c, cluster: {server: https://127.0.0.1:1}}], users: [{name: u, user: {client-certificate-data: cGw0bnRlZA==, client-key-data: cGw0bnRlZA==}}]}", "pl4nted", planted),
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, []byte(kubeconfig))
			err := m.reconcile()
			if err == nil || strings.Contains(err.Error(), planted) || strings.Contains(err.Error(), "cGw0bnRlZA") {
				t.Errorf("error %v, want one that quotes nothing", err)
			}
			if got := m.names(); got != "unknown" {
				t.Errorf("known: %s", got)
			}
		})
	}
}

func TestClusterOfKubeconfig(t *testing.T) {
	for name, want := range map[string]string{"my-cluster-kubeconfig": "my-cluster", "my-cluster-ca": "", "kubeconfig": ""} {
		got := ""
		for _, r := range clusterOfKubeconfig(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}}) {
			got += r.Name
		}
		if got != want {
			t.Errorf("%s is of %q, want %q", name, got, want)
		}
	}
}
