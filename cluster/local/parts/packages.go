package parts

import (
	"context"
	"path/filepath"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// A Package is one of the product's Crossplane packages, built for this machine.
type Package struct {
	// Name of the package, such as function-capz.
	Name string
	// File that the Crossplane CLI pushes.
	File string
}

// Packages returns the product's packages, as Build makes them.
func (b *Builder) Packages() []Package {
	platform := "-" + runtime.GOOS + "-" + runtime.GOARCH
	return []Package{
		{Name: xpkg.Function, File: filepath.Join(b.packageDir(), xpkg.Function+platform+".xpkg")},
		{Name: xpkg.Provider, File: filepath.Join(b.packageDir(), xpkg.Provider+platform+".xpkg")},
		{Name: xpkg.Configuration, File: filepath.Join(b.packageDir(), xpkg.Configuration+".xpkg")},
	}
}

func (b *Builder) packageDir() string { return filepath.Join(b.Root, ".local", "packages") }

func (b *Builder) packageStep() step {
	return step{name: "packages", do: func(ctx context.Context) error {
		_, err := xpkg.Builder{
			Root: b.Root, Out: b.packageDir(), Platforms: []v1.Platform{{OS: runtime.GOOS, Architecture: runtime.GOARCH}},
		}.Build(ctx)
		return err
	}}
}
