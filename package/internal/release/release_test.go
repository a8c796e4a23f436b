package release

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// checkout is the root of this one.
var checkout = filepath.Join("..", "..", "..")

// TestWrite makes a release for real.
func TestWrite(t *testing.T) {
	out := filepath.Join(t.TempDir(), "dist")
	options := Options{Root: checkout, Out: out, Version: "v0.1.9", Platforms: []v1.Platform{{OS: "linux", Architecture: "amd64"}}}
	options.PluginPlatforms = options.Platforms
	if err := Write(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"SHA256SUMS", "configuration-capz.xpkg",
		"function-capz-linux-amd64.cdx.json", "function-capz-linux-amd64.xpkg", "install.yaml", "kubectl-capz-linux-amd64", "kubectl-capz-linux-amd64.cdx.json", "metadata.yaml",
		"provider-capz-linux-amd64.cdx.json", "provider-capz-linux-amd64.xpkg",
	}
	flavors := 0
	for _, name := range names(t, out) {
		if strings.HasPrefix(name, "cluster-template") || strings.HasPrefix(name, "clusterclass-") {
			flavors++
			continue
		}
		if len(want) == 0 || name != want[0] {
			t.Errorf("%s is in the release, want %v next", name, want)
			break
		}
		want = want[1:]
	}
	if len(want) > 0 || flavors == 0 {
		t.Errorf("%d flavors, and not in the release: %v", flavors, want)
	}
	checkSums(t, out)
	checkInstall(t, filepath.Join(out, Install))
	checkBill(t, filepath.Join(out, "provider-capz-linux-amd64.cdx.json"), "provider-capz", "sigs.k8s.io/controller-runtime")
	checkBill(t, filepath.Join(out, "function-capz-linux-amd64.cdx.json"), "function-capz", "github.com/crossplane/function-sdk-go")
	checkBill(t, filepath.Join(out, "kubectl-capz-linux-amd64.cdx.json"), "kubectl-capz", "github.com/spf13/cobra")
	printed, err := exec.CommandContext(t.Context(), filepath.Join(out, "kubectl-capz-linux-amd64"), "version").Output()
	if err != nil || string(printed) != "v0.1.9\n" {
		t.Errorf("kubectl-capz says that it is of %q, %v", printed, err)
	}
	if err := Write(t.Context(), options); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a second release into the same folder: %v", err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// checkSums checks every file but the list itself against the list.
func checkSums(t *testing.T, out string) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(out, Checksums))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for line := range strings.Lines(string(list)) {
		sum, name, found := strings.Cut(strings.TrimSpace(line), "  ")
		content, err := os.ReadFile(filepath.Join(out, name))
		if err != nil || !found {
			t.Fatalf("line %q: %v", line, err)
		}
		if got := sha256.Sum256(content); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s has another checksum than the one listed", name)
		}
		listed = append(listed, name)
	}
	want := slices.DeleteFunc(names(t, out), func(name string) bool { return name == Checksums })
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("files listed (-want +got):\n%s", diff)
	}
}

// checkInstall checks that everything in package/install is there, and the Configuration after it.
func checkInstall(t *testing.T, path string) {
	t.Helper()
	installed := read(t, path)
	last := installed[len(installed)-1]
	got, _, _ := unstructured.NestedString(last.Object, "spec", "package")
	if last.GetKind() != "Configuration" || got != "xpkg.crossplane.io/crossplane-capz/configuration-capz:v0.1.9" {
		t.Errorf("the last object is %s %s of %s", last.GetKind(), last.GetName(), got)
	}
	var want []*unstructured.Unstructured
	paths, err := filepath.Glob(filepath.Join(checkout, "package", "install", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		want = append(want, read(t, path)...)
	}
	if diff := cmp.Diff(want, installed[:len(installed)-1]); diff != "" {
		t.Errorf("objects (-package/install +install.yaml):\n%s", diff)
	}
}

func read(t *testing.T, path string) []*unstructured.Unstructured {
	t.Helper()
	objects, err := kubeyaml.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// checkBill reads a bill of materials as its users do, and looks for a module that must be in it.
func checkBill(t *testing.T, path, name, module string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	bom := &cdx.BOM{}
	if err := cdx.NewBOMDecoder(file, cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	if bom.SerialNumber != "" || bom.Metadata.Timestamp != "" {
		t.Errorf("%s differs each time: serial number %q, time %q", path, bom.SerialNumber, bom.Metadata.Timestamp)
	}
	if main := bom.Metadata.Component; main.Name != name || main.Version != "v0.1.9" {
		t.Errorf("%s is about %s %s", path, main.Name, main.Version)
	}
	found := map[string]bool{}
	for _, component := range *bom.Components {
		if !strings.HasPrefix(component.PackageURL, "pkg:golang/") || component.Version == "" {
			t.Errorf("component %s has version %q and package URL %q", component.Name, component.Version, component.PackageURL)
		}
		found[component.Name] = true
	}
	for _, want := range []string{"stdlib", module} {
		if !found[want] {
			t.Errorf("%s has no %s among its %d components", path, want, len(found))
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	cases := map[string]struct {
		options Options
		want    string
	}{
		"NoSeries":  {options: Options{Root: checkout, Version: "v7.3.0"}, want: "package/metadata.yaml has no series 7.3"},
		"NoVersion": {options: Options{Root: t.TempDir()}, want: "cannot tell the version"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.options.Out = filepath.Join(t.TempDir(), "dist")
			if err := Write(t.Context(), tc.options); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want %s", err, tc.want)
			}
		})
	}
}

func TestPURL(t *testing.T) {
	if got := purl("github.com/a/b", "v2.0.0+incompatible"); got != "pkg:golang/github.com/a/b@v2.0.0%2Bincompatible" {
		t.Error(got)
	}
}
