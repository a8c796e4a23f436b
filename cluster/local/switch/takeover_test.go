package switching

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/example"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// A life is that of a cluster which CAPZ makes.
type life struct {
	// examples are the folders that it is applied from, change what is changed of each object; nil for nothing.
	examples []string
	change   func(t *testing.T, o *unstructured.Unstructured)
	// machines reports whether its nodes are virtual machines of its own.
	machines bool
	// inAzure makes what has to be in Azure before; nil for nothing.
	inAzure func(*world)
	// said is what the dry run says.
	said string
	// kinds are those whose objects stay the same ones.
	kinds [][2]string
	// taken and returned look at what has become of it after each way; nil for nothing.
	taken, returned func(*world)
	// between is what happens to it before it is taken over again, but for what of that may change in Azure, and after what comes of it then; nil for
	// nothing.
	between, after func(*world)
	but            func(admin.Request) bool
	// afterwards scales and upgrades it.
	afterwards func(*world)
}

// live has the real CAPZ make a cluster, takes it over, ended once in the middle, returns it, takes it over again, and then scales, upgrades and deletes it.
// With -short it does not return.
func live(t *testing.T, l life) {
	t.Helper()
	w := newWorld(t, l.machines)
	w.do(l.inAzure)
	w.must(l.load(t).BringUp(w.ctx, w.stack, os.Stdout))
	before := w.uids(l.kinds)
	w.quiet("the takeover", nil, func() {
		if out := w.run(2, "takeover", "-f", w.product, "--dry-run"); !strings.Contains(out, l.said) {
			t.Errorf("the dry run does not say what becomes of the cluster:\n%s", out)
		}
		w.killed("takeover", "-f", w.product)
		w.run(0, "takeover", "-f", w.product)
		w.still()
	})
	w.same(l.kinds, before)
	w.do(l.taken)
	if testing.Short() {
		w.do(l.afterwards)
		w.end()
		return
	}
	w.quiet("the way back", nil, func() {
		w.run(0, "takeover", "--back")
		w.still()
	})
	w.same(l.kinds, before)
	w.do(l.returned)
	w.do(l.between)
	before = w.uids(l.kinds)
	w.quiet("the way there again", l.but, func() {
		w.run(0, "takeover", "-f", w.product)
		w.still()
	})
	w.same(l.kinds, before)
	w.do(l.after)
	w.do(l.afterwards)
	w.end()
}

// load returns the cluster as it is applied.
func (l life) load(t *testing.T) *example.Example {
	t.Helper()
	var objects []*unstructured.Unstructured
	for _, folder := range l.examples {
		found, err := kubeyaml.Read(filepath.Join(checkout(t), "examples", folder))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, found...)
	}
	for _, o := range objects {
		if o.GetKind() == "AzureClusterIdentity" { // CAPZ finds no Secret whose namespace is not said.
			set(t, o, namespace, "spec", "clientSecret", "namespace")
		}
		if l.change != nil {
			l.change(t, o)
		}
	}
	ex, err := example.From(objects)
	if err != nil {
		t.Fatal(err)
	}
	return ex
}

func set(t *testing.T, o *unstructured.Unstructured, value any, path ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
		t.Fatal(err)
	}
}

// end deletes the cluster, which leaves nothing of its own.
func (w *world) end() {
	w.Helper()
	w.must(w.client.Delete(w.ctx, w.get(capi, "Cluster", name)))
	w.await("the Cluster to be gone", func() bool { return w.get(capi, "Cluster", name) == nil })
	for id := range w.inAzure() {
		if strings.Contains(id, "/resourcegroups/"+name) {
			w.Errorf("%s is left in Azure", id)
		}
	}
	for _, look := range w.ends {
		look()
	}
}
