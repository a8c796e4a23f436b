package xpkg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// versionVariable is what the binaries print for --version.
const versionVariable = "github.com/crossplane-capz/crossplane-capz/internal/version.Version"

// Program builds the binary of a Go package of the checkout that is in no package, and returns its path, below Out.
func (b Builder) Program(ctx context.Context, goPackage string, platform v1.Platform) (string, error) {
	b, err := b.withDefaults()
	if err != nil {
		return "", err
	}
	return b.compile(ctx, goPackage, platform)
}

// compile builds the binary of a Go package of the checkout and returns its path, below Out.
func (b Builder) compile(ctx context.Context, goPackage string, platform v1.Platform) (string, error) {
	path := filepath.Join(b.Out, "binaries", platform.OS+"-"+platform.Architecture, filepath.Base(goPackage))
	if goPackage == providerPackage {
		path = filepath.Join(filepath.Dir(path), Provider)
	}
	if platform.OS == "windows" {
		path += ".exe"
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	// No information for debuggers is made, as -s leaves it out.
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-gcflags=all=-dwarf=false", "-buildvcs=false", "-mod=readonly",
		"-ldflags", "-s -w -buildid= -X "+versionVariable+"="+b.Version, "-o", path, goPackage)
	cmd.Dir = b.Root
	// What a person has set for builds of their own must not get into a package.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+platform.OS, "GOARCH="+platform.Architecture,
		"GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s for %s: %w\n%s", goPackage, platform, err, out)
	}
	return path, nil
}
