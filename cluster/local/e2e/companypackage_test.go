package e2e

import (
	"archive/tar"
	"bytes"
	"context"
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

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	companyExample  = "company-composition"
	companyFunction = "function-company-policy"
	companyVersion  = "v0.1.0"
)

// company is the policy function of examples/company-composition, which is installed once for all scenarios.
var company struct {
	sync.Mutex

	installed bool
}

// installCompany installs the function of examples/company-composition as its README does, and applies its Compositions.
func installCompany(w *world) error {
	company.Lock()
	defer company.Unlock()
	if company.installed {
		return nil
	}
	file, err := w.buildCompanyPackage()
	if err != nil {
		return err
	}
	if err := w.stack.Push(w.ctx, file, companyFunction+":"+companyVersion); err != nil {
		return err
	}
	config, err := companyRuntime()
	if err != nil {
		return err
	}
	compositions, err := kubeyaml.Read(filepath.Join(w.root, "examples", companyExample, "compositions"))
	if err != nil {
		return err
	}
	for _, u := range append(compositions, config) {
		if err := w.client.Apply(w.ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
			return fmt.Errorf("apply %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	_, err = w.stack.CrossplaneCLI(w.ctx, "xpkg", "install", "function", "xpkg.crossplane.io/crossplane-capz/"+companyFunction+":"+companyVersion,
		companyFunction, "--runtime-config="+companyFunction, "--wait=2m")
	company.installed = err == nil
	return err
}

// buildCompanyPackage builds the function with the Crossplane CLI, on an image with its binary alone.
func (e *environment) buildCompanyPackage() (string, error) {
	dir := filepath.Join(e.stack.Dir(), "company")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	example := filepath.Join(e.root, "examples", companyExample, "function")
	binary, image, file := filepath.Join(dir, companyFunction), filepath.Join(dir, "runtime.tar"), filepath.Join(dir, companyFunction+".xpkg")
	build := exec.CommandContext(e.ctx, "go", "build", "-trimpath", "-o", binary, example)
	build.Dir = e.root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", companyFunction, err, out)
	}
	if err := writeImage(binary, image); err != nil {
		return "", err
	}
	_, err := e.stack.CrossplaneCLI(e.ctx, "xpkg", "build", "--package-root="+filepath.Join(example, "package"),
		"--embed-runtime-image-tarball="+image, "--package-file="+file)
	return file, err
}

// writeImage writes an image of one binary, as `docker build` does of the example's Dockerfile.
func writeImage(binary, file string) error {
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	var layer bytes.Buffer
	archive := tar.NewWriter(&layer)
	if err := archive.WriteHeader(&tar.Header{Name: companyFunction, Mode: 0o755, Size: int64(len(content))}); err != nil {
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
	config.Config = v1.Config{Entrypoint: []string{"/" + companyFunction}, User: "65532:65532", WorkingDir: "/"}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	tag, err := name.NewTag("company.example.org/" + companyFunction + ":" + companyVersion)
	if err != nil {
		return err
	}
	return tarball.WriteToFile(file, tag, image)
}

// companyRuntime has the function's process listen on ports of its own: all pods share this machine.
func companyRuntime() (*unstructured.Unstructured, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
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
            args: ["--address=127.0.0.1:%[2]d", "--metrics-address="]
            ports:
            - name: grpc
              containerPort: %[2]d
            readinessProbe:
              tcpSocket:
                port: grpc
`, companyFunction, port))
	if err != nil {
		return nil, err
	}
	return objects[0], nil
}
