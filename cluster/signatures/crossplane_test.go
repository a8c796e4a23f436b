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
)

var functionKind = schema.GroupVersionKind{Group: "pkg.crossplane.io", Version: "v1", Kind: "Function"}

// TestCrossplane signs function-capz as `make release` does, and has Crossplane install it with the ImageConfig of the example.
func TestCrossplane(t *testing.T) {
	r := newRegistry(t)
	cache := filepath.Join(t.TempDir(), "xpkg")
	log, logURL := serveLog(t)
	sigstoretest.Trust(t, log, filepath.Join(cache, ".sigstore", "root"))
	key := newKey(t)
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
		{name: "signed", push: func(prefix string) { r.push(t, release, prefix, false); r.pushSignatures(t, release, prefix) }},
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
				r.sign(t, release, newKey(t), logURL)
				r.pushSignatures(t, release, prefix)
			},
		},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			prefix := r.address + "/" + tc.name + "/"
			tc.push(prefix)
			u := function(tc.name)
			u.Object["spec"] = map[string]any{"package": prefix + xpkg.Function + ":" + r.version}
			if err := c.Create(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			checkFunction(t, c, tc.name, tc.want)
		})
	}
}

func function(name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(functionKind)
	u.SetName(name)
	return u
}

// checkFunction waits until Crossplane has installed a Function after it has verified it, or has refused it for a reason.
func checkFunction(t *testing.T, c client.Client, name, want string) {
	t.Helper()
	last := ""
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(time.Second) {
		u := function(name)
		if err := c.Get(t.Context(), client.ObjectKey{Name: name}, u); err != nil {
			t.Fatal(err)
		}
		status, message := installed(u)
		last = fmt.Sprintf("Installed=%s %s; ImageConfigs %s", status, message, verifiedBy(u))
		switch {
		case want == "" && status == "True" && verifiedBy(u) == "crossplane-capz-signed":
			return
		case want != "" && status == "False" && strings.Contains(message, "signature verification failed") && strings.Contains(message, want):
			t.Log(message)
			return
		case want != "" && status == "True":
			t.Fatalf("it is installed, want %q", want)
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

// verifiedBy returns the name of the ImageConfig by which Crossplane has verified a package.
func verifiedBy(u *unstructured.Unstructured) string {
	refs, _, _ := unstructured.NestedSlice(u.Object, "status", "appliedImageConfigRefs")
	for _, ref := range refs {
		if r, ok := ref.(map[string]any); ok && r["reason"] == "VerifyImage" {
			name, _ := r["name"].(string)
			return name
		}
	}
	return ""
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
