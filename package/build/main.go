// Command build writes the three packages of the product as files that `crossplane xpkg push` takes, and prints their
// digests. Run it from the root of the checkout: go run ./package/build --out DIR
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

type command struct {
	Out           string   `required:"" type:"path" help:"Folder to write to."`
	Version       string   `help:"Version of the packages, such as v0.1.0; empty takes the one in package/version.txt."`
	Platform      []string `default:"linux/amd64,linux/arm64" help:"Platforms to build the binaries for."`
	Configuration string   `type:"existingdir" help:"Folder with the definitions and Compositions; empty takes package/configuration."`
	Root          string   `default:"." type:"existingdir" help:"Folder of the checkout."`
}

// Run builds, and prints a line for each package: its digest and its file.
func (c *command) Run(ctx context.Context) error {
	builder := xpkg.Builder{Root: c.Root, Out: c.Out, Version: c.Version, Configuration: c.Configuration}
	var err error
	if builder.Platforms, err = xpkg.ParsePlatforms(c.Platform); err != nil {
		return fmt.Errorf("--platform: %w", err)
	}
	files, err := builder.Build(ctx)
	if err != nil {
		return err
	}
	for _, file := range files {
		fmt.Println(file.Digest, file.Path)
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := kong.Parse(&command{}, kong.Name("build"), kong.Description("Builds the Crossplane packages."), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)))
	c.FatalIfErrorf(c.Run())
}
