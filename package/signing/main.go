// Command signing signs a release with a key, and pushes the signatures to a registry. It runs in the checkout:
// go run -C package/signing . sign --key FILE DIR
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/crossplane-capz/crossplane-capz/package/signing/internal/signed"
	"github.com/crossplane-capz/crossplane-capz/package/signing/internal/signer"
)

type command struct {
	Sign sign `cmd:"" help:"Sign the packages and checksums in a folder."`
	Push push `cmd:"" help:"Push the signatures of packages that are in the registry already."`
}

type sign struct {
	Dir     string `arg:"" type:"existingdir" help:"Folder of the release."`
	Key     string `required:"" help:"File with the private key, or env://NAME for an environment variable; its password is in COSIGN_PASSWORD."`
	Rekor   string `help:"URL of the transparency log to enter the signatures into; empty for none. Crossplane wants an entry."`
	Commit  string `help:"Commit that the release was built from; empty takes the checkout's, which must have no changes then."`
	Builder string `default:"https://github.com/crossplane-capz/crossplane-capz/blob/main/docs/release.md" help:"URI of who or what has built the release, for its provenance."`
}

// Run signs, and prints what it has signed.
func (c *sign) Run(ctx context.Context) error {
	key, err := signer.LoadKey(c.Key)
	if err != nil {
		return err
	}
	s, err := signer.New(key, c.Rekor)
	if err != nil {
		return err
	}
	commit := c.Commit
	if commit == "" {
		if commit, err = commitOf(ctx); err != nil {
			return err
		}
	}
	packages, err := signed.Write(ctx, signed.Options{Dir: c.Dir, Commit: commit, Builder: c.Builder, Signer: s})
	if err != nil {
		return err
	}
	for _, p := range packages {
		fmt.Println("signed", p.Tag.String()+"@"+p.Digests[0].String())
	}
	if c.Rekor == "" {
		fmt.Println("the signatures are in no transparency log: cosign takes them with --insecure-ignore-tlog, Crossplane does not take them")
	}
	return nil
}

// commitOf returns the commit of the checkout. It refuses one with changes, which no commit stands for.
func commitOf(ctx context.Context) (string, error) {
	changes, err := git(ctx, "status", "--porcelain")
	if err != nil {
		return "", err
	}
	if changes != "" {
		return "", fmt.Errorf("the checkout has changes that are in no commit; provenance must name one:\n%s", changes)
	}
	return git(ctx, "rev-parse", "HEAD")
}

func git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return strings.TrimRight(string(out), "\n"), nil
}

type push struct {
	Dir string `arg:"" type:"existingdir" help:"Folder of the release."`
	To  string `help:"What stands before the names of the packages in the registry, such as registry.example.org/mirror/; empty for where they were built for."`
}

// Run pushes with the credentials that docker and the Crossplane CLI use.
func (c *push) Run(ctx context.Context) error {
	return signed.Push(ctx, c.Dir, c.To, remote.WithAuthFromKeychain(authn.DefaultKeychain))
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := kong.Parse(&command{}, kong.Name("signing"), kong.Description("Signs a release."), kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)))
	c.FatalIfErrorf(c.Run())
}
