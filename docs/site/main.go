// Command site builds the site from docs/, each version of it below a path of its own, and serves it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gohugoio/hugo/commands"

	"github.com/crossplane-capz/crossplane-capz/docs/site/versions"
)

func main() {
	s := versions.Site{Hugo: commands.Execute}
	flag.StringVar(&s.Root, "root", ".", "the checkout")
	flag.StringVar(&s.Out, "out", ".local/site", "the folder for what is built, which is emptied before")
	flag.StringVar(&s.URL, "url", "http://127.0.0.1:1313/", "where the site will be")
	serve := flag.Bool("serve", false, "serve the site on 127.0.0.1:1313, and build the checkout's pages again when they change")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "site [flags] [TAG...] builds the site of the checkout, and below it that of each tag.")
		flag.PrintDefaults()
	}
	flag.Parse()
	s.Tags = flag.Args()
	if err := run(context.Background(), s, *serve); err != nil {
		fmt.Fprintf(os.Stderr, "site: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s versions.Site, serve bool) error {
	for _, path := range []*string{&s.Root, &s.Out} {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	if err := s.Build(ctx); err != nil {
		return err
	}
	if !serve {
		return nil
	}
	return s.Serve()
}
