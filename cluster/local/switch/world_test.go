package switching

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

const (
	namespace = "default"
	name      = "my-cluster"
	patience  = 3 * time.Minute
	group     = "infrastructure.cluster.x-k8s.io/v1beta1"
	capi      = "cluster.x-k8s.io/v1beta2"

	subscription = "00000000-0000-0000-0000-000000000001"
)

// world is a management cluster with CAPZ.
type world struct {
	*testing.T

	ctx    context.Context //nolint:containedctx // A test's.
	stack  *stack.Stack
	client client.Client
	azure  *admin.Client
	// product is the file that installs the product.
	product string
	// ends look at what is left after the end of the cluster.
	ends []func()
}

func checkout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// newWorld brings a management cluster with CAPZ up, with what virtual machines need if there are to be such.
func newWorld(t *testing.T, machines bool) *world {
	t.Helper()
	root := checkout(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	t.Cleanup(cancel)
	w := &world{T: t, ctx: ctx}
	builder := &parts.Builder{Root: root, Log: os.Stdout}
	if os.Getenv("SWITCH_BUILT") == "" {
		w.must(builder.Build(ctx))
		w.must(builder.BuildPeers(ctx, parts.CAPZ))
	}
	dir := filepath.Join(root, ".local", "switch")
	_, err := stack.Down(root, dir) // What an earlier run may have left.
	w.must(err)
	// Unaudited: an API server that enforces permissions of owner references lets CAPZ's own rights make nothing of AzureManaged*.
	w.stack, err = stack.Up(ctx, stack.Options{Unaudited: true, Root: root, StateDir: dir, Log: os.Stdout, Predecessor: true, SelfManaged: machines, AzureLatency: "default=300ms,Microsoft.ContainerService/managedClusters=1s", AzureMaxRetryAfter: time.Second})
	w.must(err)
	t.Cleanup(func() {
		if err := w.stack.Down(); err != nil {
			t.Errorf("the components did not end: %v", err)
		}
	})
	config, err := w.stack.RESTConfig()
	w.must(err)
	w.client, err = client.New(config, client.Options{Scheme: scheme.Scheme})
	w.must(err)
	w.azure = &admin.Client{URL: w.stack.AdminURL()}
	end, err := deployCAPZ(ctx, w.stack, w.client)
	w.must(err)
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.tell) // Before the components end.
	w.writeProduct()
	return w
}

// tell says, where the test has failed, what kubectl capz knows of the cause.
func (w *world) tell() {
	if !w.Failed() {
		return
	}
	// What this cannot say the log of the failure says.
	why, _ := w.command("why", "cluster/"+name, "-n", namespace).CombinedOutput()
	w.Logf("kubectl capz why:\n%s", why)
	var objects []byte
	for _, kind := range dumped {
		dump := exec.CommandContext(w.ctx, w.stack.Bin("kubectl"), "get", "-A", "-o", "yaml", "--show-managed-fields", kind)
		dump.Env = append(os.Environ(), "KUBECONFIG="+w.stack.Kubeconfig())
		found, _ := dump.CombinedOutput() // A kind that is not served says so.
		objects = append(append(objects, "---\n"...), found...)
	}
	w.must(os.WriteFile(filepath.Join(w.stack.Dir(), "logs", "objects.yaml"), objects, 0o600))
}

// dumped are the objects that are kept of a failure, beside the logs.
var dumped = []string{
	"clusters.cluster.x-k8s.io", "machinepools", "azureasomanagedclusters", "azureasomanagedcontrolplanes", "azureasomanagedmachinepools", "azuremanagedcontrolplanes", "azuremanagedmachinepools", "azureclusters", "azuremachines", "azuremachinepools", "azuremachinepoolmachines", "machines.cluster.x-k8s.io", "resourcegroups.resources.azure.com",
	"networksecuritygroups.network.azure.com", "loadbalancers.network.azure.com", "networkinterfaces.network.azure.com", "virtualmachines.compute.azure.com", "virtualmachinescalesets.compute.azure.com",
	"virtualnetworks.network.azure.com", "virtualnetworkssubnets.network.azure.com", "azureclusteridentities", "managedclusters.containerservice.azure.com", "managedclustersagentpools.containerservice.azure.com", "deployments", "events",
}

// writeProduct writes the file that installs the product.
func (w *world) writeProduct() {
	w.Helper()
	objects, err := w.stack.Product()
	w.must(err)
	var content bytes.Buffer
	for _, o := range objects {
		raw, err := yaml.Marshal(o)
		w.must(err)
		content.WriteString("---\n")
		content.Write(raw)
	}
	w.product = filepath.Join(w.TempDir(), "install.yaml")
	w.must(os.WriteFile(w.product, content.Bytes(), 0o600))
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(w.ctx, w.stack.Bin(parts.Plugin), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+w.stack.Kubeconfig())
	return cmd
}

// run runs kubectl capz, which has to end with the code, and returns what it printed.
func (w *world) run(code int, args ...string) string {
	w.Helper()
	begun := time.Now()
	out, err := w.command(args...).CombinedOutput()
	exit := &exec.ExitError{}
	if err != nil && !errors.As(err, &exit) {
		w.Fatal(err)
	}
	w.Logf("kubectl capz %s (%s)\n%s", strings.Join(args, " "), time.Since(begun).Round(100*time.Millisecond), out)
	if got := exitCode(exit); got != code {
		w.Fatalf("kubectl capz %s ended with %d, want %d", strings.Join(args, " "), got, code)
	}
	return string(out)
}

func exitCode(e *exec.ExitError) int {
	if e == nil || e.ProcessState == nil {
		return 0
	}
	return e.ExitCode()
}

// killed runs kubectl capz, and kills it when the first object has been handed over.
func (w *world) killed(args ...string) {
	w.Helper()
	cmd := w.command(args...)
	said := &watchFor{text: "hand over: ", found: func() { _ = cmd.Process.Kill() }} // It shows below.
	cmd.Stderr, cmd.Stdout = said, io.Discard
	if err := cmd.Run(); err == nil || !said.seen {
		w.Fatalf("kubectl capz %s was not killed in the middle (%v):\n%s", strings.Join(args, " "), err, said.written.String())
	}
}

// watchFor calls found when a text is written.
type watchFor struct {
	written bytes.Buffer // Not embedded: its ReadFrom would pass Write by.

	text  string
	found func()
	seen  bool
}

func (f *watchFor) Write(p []byte) (int, error) {
	n, err := f.written.Write(p)
	if !f.seen && strings.Contains(f.written.String(), f.text) {
		f.seen = true
		f.found()
	}
	return n, err
}

// get returns an object; nil when there is none.
func (w *world) get(apiVersion, kind, name string) *unstructured.Unstructured {
	w.Helper()
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
	err := w.client.Get(w.ctx, client.ObjectKey{Namespace: namespace, Name: name}, u)
	if client.IgnoreNotFound(err) != nil {
		w.Fatal(err)
	}
	if err != nil {
		return nil
	}
	return u
}

func (w *world) change(apiVersion, kind, name string, value any, path ...string) {
	w.Helper()
	u := w.get(apiVersion, kind, name)
	changed := u.DeepCopy()
	w.must(unstructured.SetNestedField(changed.Object, value, path...))
	w.must(w.client.Patch(w.ctx, changed, client.MergeFrom(u)))
}

func (w *world) await(what string, done func() bool) {
	w.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(300 * time.Millisecond) {
		if time.Now().After(end) {
			w.Fatalf("waited %s for %s", patience, what)
		}
	}
}

// do does what a life has to do.
func (w *world) do(what func(*world)) {
	w.Helper()
	if what != nil {
		what(w)
	}
}

// put has somebody else put a resource into Azure.
func (w *world) put(path, apiVersion, body string) {
	w.Helper()
	w.must(w.stack.PutInAzure(w.ctx, inSubscription(path), apiVersion, body))
}

// inAzure returns the IDs of what Azure has, in lower case.
func (w *world) inAzure() map[string]bool {
	w.Helper()
	all, err := w.azure.Resources(w.ctx, "/subscriptions/")
	w.must(err)
	ids := map[string]bool{}
	for _, r := range all {
		ids[strings.ToLower(r.ID)] = true
	}
	return ids
}

// quiet expects that Azure is sent nothing that changes anything, but what is excepted, and has what it had.
func (w *world) quiet(what string, excepted func(admin.Request) bool, do func()) {
	w.Helper()
	since, before := time.Now(), w.inAzure()
	do()
	after := w.inAzure()
	for id := range before {
		if !after[id] {
			w.Errorf("during %s: %s is gone from Azure", what, id)
		}
	}
	requests, err := w.azure.Requests(w.ctx, admin.RequestFilter{Since: since})
	w.must(err)
	sent := 0
	for _, r := range requests {
		if !strings.HasSuffix(r.Host, "management.azure.com") {
			continue
		}
		sent++
		if excepted != nil && excepted(r) && r.Method != http.MethodDelete {
			continue
		}
		if r.Method == http.MethodDelete || r.Changed || r.Status >= http.StatusInternalServerError {
			w.Errorf("during %s: %s %s was sent (%d), which changes %v", what, r.Method, r.Path, r.Status, r.Changes)
		}
	}
	w.Logf("during %s, %s: %d requests to Azure Resource Manager", what, time.Since(since).Round(time.Second), sent)
}

// still waits for what controllers may do after all is said to be well.
func (w *world) still() { time.Sleep(10 * time.Second) }

// uids returns which objects there are of kinds.
func (w *world) uids(kinds [][2]string) map[string]types.UID {
	w.Helper()
	found := map[string]types.UID{}
	for _, k := range kinds {
		for _, o := range w.list(k) {
			found[fmt.Sprintf("%s %s", k[1], o.GetName())] = o.GetUID()
		}
	}
	return found
}

// list returns the objects of an API version and kind.
func (w *world) list(kind [2]string) []unstructured.Unstructured {
	w.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.FromAPIVersionAndKind(kind[0], kind[1]+"List"))
	w.must(w.client.List(w.ctx, list, client.InNamespace(namespace)))
	return list.Items
}

// same expects the same objects.
func (w *world) same(kinds [][2]string, before map[string]types.UID) {
	w.Helper()
	after := w.uids(kinds)
	if len(before) == 0 {
		w.Error("there is nothing that could stay the same")
	}
	for name, uid := range before {
		if after[name] != uid {
			w.Errorf("%s was %s and is %q", name, uid, after[name])
		}
	}
	if len(after) != len(before) {
		w.Errorf("there are %d objects, there were %d", len(after), len(before))
	}
}
