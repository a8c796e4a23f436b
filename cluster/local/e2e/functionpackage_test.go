package e2e

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	companyExample  = "company-composition"
	companyFunction = "function-company-policy"
)

// A functionPackage is a composition function beside the product's own, which is installed once for all scenarios.
type functionPackage struct {
	name, version string
	// args are those of its process beside the address.
	args []string
	// build returns the binary, made in a folder if need be, and the folder with the metadata of the package.
	build func(e *environment, dir string) (binary, metadata string, err error)

	mu        sync.Mutex
	installed bool
}

// company is the policy function of examples/company-composition.
var company = &functionPackage{
	name: companyFunction, version: "v0.1.0", args: []string{"--metrics-address="},
	build: func(e *environment, dir string) (binary, metadata string, err error) {
		example := filepath.Join(e.root, "examples", companyExample, "function")
		binary = filepath.Join(dir, companyFunction)
		build := exec.CommandContext(e.ctx, "go", "build", "-trimpath", "-o", binary, example)
		build.Dir = e.root
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return "", "", fmt.Errorf("building %s: %w\n%s", companyFunction, err, out)
		}
		return binary, filepath.Join(example, "package"), nil
	},
}

// patchAndTransform is function-patch-and-transform, with the metadata of its own release.
var patchAndTransform = &functionPackage{
	name: parts.PatchTransform, version: "v0.5.0",
	build: func(e *environment, _ string) (binary, metadata string, err error) {
		builder := &parts.Builder{Root: e.root, Log: os.Stdout}
		if err := builder.BuildPeers(e.ctx, parts.PatchTransform); err != nil {
			return "", "", err
		}
		module, err := builder.PatchTransformDir(e.ctx)
		return filepath.Join(builder.Bin(), parts.PatchTransform), filepath.Join(module, "package"), err
	},
}

// installCompany installs the function of examples/company-composition as its README does, and applies its Compositions.
func installCompany(w *world) error {
	if err := company.install(w); err != nil {
		return err
	}
	return w.applyForAll(filepath.Join(companyExample, "compositions"))
}

// applyForAll applies files and folders of examples/ that all scenarios share, in the namespaces that they name.
func (w *world) applyForAll(names ...string) error {
	for _, name := range names {
		objects, err := kubeyaml.Read(filepath.Join(w.root, "examples", name))
		if err != nil {
			return err
		}
		for _, u := range objects {
			if err := w.client.Apply(w.ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
				return fmt.Errorf("apply %s %s: %w", u.GetKind(), u.GetName(), err)
			}
		}
	}
	return nil
}

// install builds the package, pushes it to the stack's registry and installs it with the Crossplane CLI, unless it is.
func (f *functionPackage) install(w *world) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.installed {
		return nil
	}
	file, err := f.pack(w.environment)
	if err != nil {
		return err
	}
	if err := w.stack.Push(w.ctx, file, f.name+":"+f.version); err != nil {
		return err
	}
	config, err := f.runtime()
	if err != nil {
		return err
	}
	if err := w.client.Apply(w.ctx, client.ApplyConfigurationFromUnstructured(config), client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
		return fmt.Errorf("apply the runtime of %s: %w", f.name, err)
	}
	_, err = w.stack.CrossplaneCLI(w.ctx, "xpkg", "install", "function", "xpkg.crossplane.io/crossplane-capz/"+f.name+":"+f.version,
		f.name, "--runtime-config="+f.name, "--wait=2m")
	f.installed = err == nil
	return err
}

// pack builds the package with the Crossplane CLI, on an image with the binary alone.
func (f *functionPackage) pack(e *environment) (string, error) {
	dir := filepath.Join(e.stack.Dir(), f.name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	binary, metadata, err := f.build(e, dir)
	if err != nil {
		return "", err
	}
	image, file := filepath.Join(dir, "runtime.tar"), filepath.Join(dir, f.name+".xpkg")
	if err := f.writeImage(binary, image); err != nil {
		return "", err
	}
	_, err = e.stack.CrossplaneCLI(e.ctx, "xpkg", "build", "--package-root="+metadata, "--embed-runtime-image-tarball="+image, "--package-file="+file)
	return file, err
}

// writeImage writes an image of one binary, as `docker build` does of the example's Dockerfile.
func (f *functionPackage) writeImage(binary, file string) error {
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	var layer bytes.Buffer
	archive := tar.NewWriter(&layer)
	if err := archive.WriteHeader(&tar.Header{Name: f.name, Mode: 0o755, Size: int64(len(content))}); err != nil {
		return err
	}
	if _, err := archive.Write(content); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	added, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layer.Bytes())), nil })
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, added)
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture = "linux", runtime.GOARCH
	config.Config = v1.Config{Entrypoint: []string{"/" + f.name}, User: "65532:65532", WorkingDir: "/"}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	tag, err := name.NewTag("company.example.org/" + f.name + ":" + f.version)
	if err != nil {
		return err
	}
	return tarball.WriteToFile(file, tag, image)
}

// runtime has the function's process listen on ports of its own: all pods share this machine.
func (f *functionPackage) runtime() (*unstructured.Unstructured, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return nil, err
	}
	args, err := json.Marshal(append([]string{fmt.Sprintf("--address=127.0.0.1:%d", port)}, f.args...))
	if err != nil {
		return nil, err
	}
	objects, err := parse(fmt.Sprintf(`
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata:
  name: %[1]s
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
          - name: package-runtime
            args: %[3]s
            ports:
            - name: grpc
              containerPort: %[2]d
            readinessProbe:
              tcpSocket:
                port: grpc
`, f.name, port, args))
	if err != nil {
		return nil, err
	}
	return objects[0], nil
}
