// Command release writes the folder of files that a release consists of. Run it from the root of the checkout:
// go run ./package/release --out DIR
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/crossplane-capz/crossplane-capz/package/internal/release"
	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

type command struct {
	Out      string   `required:"" type:"path" help:"Folder to write to; it must be empty or not exist."`
	Version  string   `help:"Version of the release, such as v0.1.0; empty takes the one in package/version.txt."`
	Platform []string `default:"linux/amd64,linux/arm64" help:"Platforms to build the packages for."`
	Plugin   []string `help:"Platforms to build kubectl-capz for; empty for all: linux and darwin, each for amd64 and arm64, and windows/amd64."`
	Root     string   `default:"." type:"existingdir" help:"Folder of the checkout."`
}

// Run writes the release and says where.
func (c *command) Run(ctx context.Context) error {
	options := release.Options{Root: c.Root, Out: c.Out, Version: c.Version}
	var err error
	if options.Platforms, err = xpkg.ParsePlatforms(c.Platform); err != nil {
		return fmt.Errorf("--platform: %w", err)
	}
	if options.PluginPlatforms, err = xpkg.ParsePlatforms(c.Plugin); err != nil {
		return fmt.Errorf("--plugin: %w", err)
	}
	if err := release.Write(ctx, options); err != nil {
		return err
	}
	fmt.Println("the release is in", c.Out)
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := kong.Parse(&command{}, kong.Name("release"), kong.Description("Writes the files of a release."), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)))
	c.FatalIfErrorf(c.Run())
}
