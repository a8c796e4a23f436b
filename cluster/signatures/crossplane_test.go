package signatures

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/package/signing/sigstoretest"
	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

const (
	// patience is how long Crossplane may take for a package.
	patience = 2 * time.Minute
	// upTime is how long the cluster may take to come up, parts built before.
	upTime = 5 * time.Minute
	// namespace is Crossplane's.
	namespace = "crossplane-system"
	// refused is in what Crossplane says about every package that it does not trust.
	refused = "signature verification failed"
)

var functionKind = schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: "Function"}

// TestCrossplane signs function-capz as `make release` does, and has Crossplane install it with the ImageConfig of the example.
func TestCrossplane(t *testing.T) {
	r := newRegistry(t)
	cache := filepath.Join(t.TempDir(), "xpkg")
	log, logURL := sigstoretest.ServeLog(t)
	sigstoretest.Trust(t, log, filepath.Join(cache, ".sigstore", "root"))
	key := sigstoretest.NewKey(t)
	release := release(t)
	public := r.sign(t, release, key, logURL)

	c := crossplane(t, cache)
	for _, object := range verification(t, r.address, public) {
		if err := c.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name string
		// push leaves the package and its signatures in the registry, behind a prefix.
		push func(prefix string)
		// want is in what Crossplane says; nothing when it installs the package.
		want string
	}{
		{name: "unsigned", push: func(prefix string) { r.push(t, release, prefix, false) }, want: "no matching attestations"},
		{
			name: "altered", want: "no matching attestations",
			push: func(prefix string) {
				r.push(t, release, prefix, false)
				r.pushSignatures(t, release, prefix)
				r.push(t, release, prefix, true)
			},
		},
		{
			name: "other-key", want: "comparing public key PEMs",
			push: func(prefix string) {
				r.push(t, release, prefix, false)
				r.sign(t, release, sigstoretest.NewKey(t), logURL)
				r.pushSignatures(t, release, prefix)
			},
		},
		{
			name: "signed",
			push: func(prefix string) {
				r.push(t, release, prefix, false)
				r.sign(t, release, key, logURL)
				r.pushSignatures(t, release, prefix)
			},
		},
	}
	awaitVerification(t, c, r, release)
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			tc.push(r.address + "/" + tc.name + "/")
			create(t, c, tc.name, r)
			checkFunction(t, c, tc.name, tc.want)
			wanted := 1
			if tc.want != "" {
				wanted = 0
			}
			if active := activeRevisions(t, c, tc.name); len(active) != wanted {
				t.Errorf("active revisions are %v, want %d", active, wanted)
			}
		})
	}
	t.Run("updated to unsigned", func(t *testing.T) {
		before := activeRevisions(t, c, "signed")
		patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"package":"%s/unsigned/%s:%s"}}`, r.address, xpkg.Function, r.version))
		if err := c.Patch(t.Context(), function("signed"), patch); err != nil {
			t.Fatal(err)
		}
		checkFunction(t, c, "signed", "no matching attestations")
		if after := activeRevisions(t, c, "signed"); len(before) != 1 || !slices.Equal(before, after) {
			t.Errorf("active revisions are %v, want still %v", after, before)
		}
	})
}

func function(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(functionKind)
	u.SetName(name)
	return u
}

// activeRevisions returns the names of what of a Function is installed and to be run.
func activeRevisions(t *testing.T, c client.Client, function string) []string {
	t.Helper()
	all := &unstructured.UnstructuredList{}
	all.SetGroupVersionKind(functionKind.GroupVersion().WithKind("FunctionRevisionList"))
	if err := c.List(t.Context(), all, client.MatchingLabels{"pkg.crossplane.io/package": function}); err != nil {
		t.Fatal(err)
	}
	var active []string
	for _, u := range all.Items {
		if state, _, _ := unstructured.NestedString(u.Object, "spec", "desiredState"); state == "Active" {
			active = append(active, u.GetName())
		}
	}
	return active
}

// checkFunction waits until Crossplane has installed a Function, or has refused it for a reason.
func checkFunction(t *testing.T, c client.Client, name, want string) {
	t.Helper()
	last := ""
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(time.Second) {
		u := function(name)
		if err := c.Get(t.Context(), client.ObjectKey{Name: name}, u); err != nil {
			t.Fatal(err)
		}
		status, message := installed(u)
		last = fmt.Sprintf("Installed=%s %s", status, message)
		if want == "" && status == "True" {
			return
		}
		if want != "" && status == "False" && strings.Contains(message, refused) && strings.Contains(message, want) {
			t.Log(message)
			return
		}
	}
	t.Fatalf("after %s it is %s, want %q", patience, last, want)
}

// installed returns the status and message of the condition of that name.
func installed(u *unstructured.Unstructured) (status, message string) {
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, condition := range conditions {
		if c, ok := condition.(map[string]any); ok && c["type"] == "Installed" {
			status, _ = c["status"].(string)
			message, _ = c["message"].(string)
		}
	}
	return status, message
}

// awaitVerification waits until Crossplane, which watches ImageConfigs, verifies packages: until it refuses an unsigned one. A
// package that it has fetched it does not verify again, so that each look takes another one.
func awaitVerification(t *testing.T, c client.Client, r *localRegistry, release string) {
	t.Helper()
	for begun, i := time.Now(), 0; time.Since(begun) < patience; i++ {
		name := fmt.Sprintf("look-%d", i)
		r.push(t, release, r.address+"/"+name+"/", false)
		create(t, c, name, r)
		status := ""
		for ; status == "" && time.Since(begun) < patience; time.Sleep(time.Second) {
			u := function(name)
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
				t.Fatal(err)
			}
			var message string
			if status, message = installed(u); status == "False" && strings.Contains(message, refused) {
				return
			}
			if status != "True" {
				status = ""
			}
		}
	}
	t.Fatalf("Crossplane refuses no unsigned package for %s", patience)
}

// create has Crossplane install function-capz from behind a prefix of the same name.
func create(t *testing.T, c client.Client, name string, r *localRegistry) {
	t.Helper()
	u := function(name)
	u.Object["spec"] = map[string]any{"package": r.address + "/" + name + "/" + xpkg.Function + ":" + r.version}
	if err := c.Create(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

// crossplane starts an API server and Crossplane with verification of signatures, whose cache of packages is the folder.
func crossplane(t *testing.T, cache string) client.Client {
	t.Helper()
	root := root(t)
	wanted := []string{stack.Etcd, stack.APIServer, stack.ControllerManager, stack.Crossplane, stack.CrossplaneRBAC}
	ctx, cancel := context.WithTimeout(t.Context(), upTime)
	defer cancel()
	s, err := stack.Up(ctx, stack.Options{
		Root: root, StateDir: filepath.Join(root, ".local", "signatures"), Log: os.Stderr,
		CrossplaneFlags: []string{"--enable-signature-verification", "--xpkg-cache-dir=" + cache},
		Without:         slices.DeleteFunc(stack.Components(), func(name string) bool { return slices.Contains(wanted, name) }),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Down(); err != nil {
			t.Error(err)
		}
	})
	config, err := s.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func root(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// buildParts builds what the cluster consists of, and the packages.
func buildParts(t *testing.T) []parts.Package {
	t.Helper()
	wanted := []string{parts.Kubernetes, parts.Crossplane, parts.Local}
	var without []string
	for _, p := range parts.All() {
		if !slices.Contains(wanted, p.Name) {
			without = append(without, p.Name)
		}
	}
	builder := &parts.Builder{Root: root(t), Log: os.Stderr}
	if err := builder.Build(t.Context(), without...); err != nil {
		t.Fatal(err)
	}
	return builder.Packages()
}

// verification returns the objects of the example, about the registry, and the Secret that it tells to make.
func verification(t *testing.T, registry, public string) []client.Object {
	t.Helper()
	objects, err := kubeyaml.Read(filepath.Join(root(t), "examples", "image-verification"))
	if err != nil {
		t.Fatal(err)
	}
	if len(objects) != 1 {
		t.Fatalf("the example has %d objects, want 1", len(objects))
	}
	matches := []any{map[string]any{"type": "Prefix", "prefix": registry + "/"}}
	if err := unstructured.SetNestedSlice(objects[0].Object, matches, "spec", "matchImages"); err != nil {
		t.Fatal(err)
	}
	secret := &unstructured.Unstructured{Object: map[string]any{"stringData": map[string]any{"cosign.pub": public}}}
	secret.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Secret"})
	secret.SetNamespace(namespace)
	secret.SetName("crossplane-capz-cosign")
	return []client.Object{secret, objects[0]}
}
