package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/rights"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/written"
	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

// mostFindings is how many are printed.
const mostFindings = 60

// known is what has to be among the values that are looked for, so that a search for nothing does not pass: a part of the names
// of where they are, of what they are, and how many there are at least. Those that are not in every scenario are for all, or for the runs
// that have the one scenario in which they are. A copy counts where the value was first: an identity's first password is that of the
// namespace's aso-credential.
var known = []struct {
	source, what string
	always, all  int
	in           *scenario
}{
	{source: "Secret crossplane-system/", what: "tls.key", always: 2, all: 3},
	{source: "file kubeconfigs/" + stack.Provider, what: "token", always: 1, all: 1},
	{source: "file certs/", what: "sa.key", always: 1, all: 1},
	{source: "the simulated Azure", what: "entra/signing-key", always: 1, all: 1},
	{source: "/aso-credential", what: "AZURE_CLIENT_SECRET", always: 1, all: 18},
	{source: "/" + typedIdentity, what: "clientSecret", all: 1},
	{source: "/" + asoSecret, what: "AZURE_CLIENT_SECRET", all: 1, in: typedIdentities},
	{source: "/" + bootstrapSecret, what: "value", all: 1, in: secretsMistaken},
	{source: "/" + clusterName + "-ca", what: "tls.key", all: 2},
	{source: clusterName + "-md-0-", what: leaks.BootstrapToken, all: 1},
	{source: "/" + certificateIdentity, what: "certificate, PRIVATE KEY", all: 5, in: typedIdentities},
	{source: "", what: "user clusterAdmin", all: 10},
	{source: "", what: "user clusterUser", all: 2},
}

// checkSecrets searches everything that the run has written for everything that was secret in it. The components have to be
// up still.
func checkSecrets(ctx context.Context, output string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("no secrets were looked for, as there is no time left: %w", context.Cause(ctx))
	}
	watchers.mu.Lock()
	defer watchers.mu.Unlock()
	var errs []error
	for _, w := range watchers.all {
		errs = append(errs, w.end())
	}
	if len(watchers.all) > 0 {
		errs = append(errs, watchers.all[0].stack.AzureSecrets(&haul))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("what is secret is not all known: %w", err)
	}
	return errors.Join(enoughKnown(), search(output))
}

// search returns what it finds of all that was secret, in all that the run has written, as an error.
func search(output string) error {
	begun, values := time.Now(), haul.Values()
	var errs []error
	found, texts := leaks.NewSearch(values), 0
	errs = append(errs, found.Files(filepath.Dir(filepath.Dir(output)), output))
	for _, w := range watchers.all {
		for _, spool := range []string{"objects", "others", stack.Messages} {
			n, err := written.Search(found, w.file(spool))
			texts, errs = texts+n, append(errs, err)
		}
		for _, path := range w.stack.Outputs() {
			errs = append(errs, found.Files(filepath.Dir(w.stack.Dir()), path))
		}
	}
	for _, path := range archives.files {
		errs = append(errs, found.Files(filepath.Dir(filepath.Dir(output)), path))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("search for secrets: %w", err)
	}
	say("%d secrets were looked for in %d objects and messages, and with logs in %d MB, within %s", len(values), texts, found.Bytes>>20,
		time.Since(begun).Round(100*time.Millisecond))
	if err := crossplaneReads(); err != nil {
		return err
	}
	findings, err := withoutCanary(slices.DeleteFunc(found.Findings(), leaks.Finding.OfClusterAPI))
	if err != nil || len(findings) == 0 {
		return err
	}
	var shown []string
	for _, f := range findings[:min(len(findings), mostFindings)] {
		shown = append(shown, f.String())
	}
	return fmt.Errorf("secrets were found in %d places:\n  %s", len(findings), strings.Join(shown, "\n  "))
}

// crossplaneReads returns an error when Crossplane has read a Secret other than its own: it would, if something had connection
// details or a pipeline credentials, and send it to functions.
func crossplaneReads() error {
	var all []string
	for _, w := range watchers.all {
		log, err := os.Open(w.stack.AuditLog())
		if err != nil {
			return err
		}
		read, err := rights.SecretsRead(log, rights.Crossplane, "crossplane-system")
		if err = errors.Join(err, log.Close()); err != nil {
			return err
		}
		all = append(all, read...)
	}
	if len(all) > 0 {
		return fmt.Errorf("what Crossplane has read it may send to functions:\n  %s", strings.Join(all, "\n  "))
	}
	return nil
}

// enoughKnown returns an error when too little is secret in this run for the search to mean anything.
func enoughKnown() error {
	var errs []error
	for _, k := range known {
		want := k.always
		if flag.Lookup("test.run").Value.String() == "" && (k.in == nil || k.in.takesPart()) {
			want = k.all
		}
		if got := haul.Count(k.source, k.what); got < want {
			errs = append(errs, fmt.Errorf("%d of %s in %s, want %d or more", got, k.what, k.source, want))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("the search means little, as too little is secret: %w", err)
	}
	return nil
}

// keepOutput writes what this process prints to a file too, until the returned function is called.
func keepOutput(path string) (func() error, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	var restore []func() error
	for _, output := range []**os.File{&os.Stdout, &os.Stderr} {
		reader, writer, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		terminal, copied := *output, make(chan error, 1)
		*output = writer
		go func() {
			_, err := io.Copy(io.MultiWriter(terminal, file), reader)
			copied <- err
		}()
		restore = append(restore, func() error {
			*output = terminal
			return errors.Join(writer.Close(), <-copied)
		})
	}
	return func() error {
		var errs []error
		for _, r := range restore {
			errs = append(errs, r())
		}
		return errors.Join(append(errs, file.Close())...)
	}, nil
}
