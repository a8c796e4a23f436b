package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
)

// buildTimeout is enough for parts that nothing has built before.
const buildTimeout = 20 * time.Minute

// commandTimeout is far more than any of the commands takes.
const commandTimeout = 3 * time.Minute

// tools is what the tests run; TestMain sets it.
var tools struct {
	// root is the checkout.
	root string
	// crossplane is Crossplane's CLI, core is Crossplane itself, function is function-capz.
	crossplane, core, function string
	// kinds are the files and folders with the schemas of this project's kinds and Cluster API's, aso those of ASO's.
	kinds []string
	aso   string
}

func TestMain(m *testing.M) {
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func prepare() error {
	ctx, cancel := context.WithTimeout(context.Background(), buildTimeout)
	defer cancel()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		return err
	}
	builder := &parts.Builder{Root: root, Log: os.Stderr}
	bin := func(name string) string { return filepath.Join(builder.Bin(), name) }
	tools.root, tools.crossplane, tools.core, tools.function = root, bin(parts.CrossplaneCLI), bin(parts.Crossplane), bin(parts.Function)
	if err := builder.Build(ctx, partsBut(parts.Crossplane, parts.CrossplaneCLI, parts.Function, parts.ControllerGen)...); err != nil {
		return err
	}
	definitions, err := filepath.Glob(filepath.Join(root, "package", "configuration", "*", "definition.yaml"))
	if err != nil || len(definitions) == 0 {
		return fmt.Errorf("no definitions below package/configuration: %w", err)
	}
	capi, err := builder.CAPIDir(ctx)
	if err != nil {
		return err
	}
	tools.kinds = append(definitions, filepath.Join(capi, "core", "config", "crd", "bases"), filepath.Join(capi, "bootstrap", "kubeadm", "config", "crd", "bases"),
		filepath.Join(capi, "controlplane", "kubeadm", "config", "crd", "bases"))
	tools.aso = filepath.Join(builder.ASOManifests(), "crd")
	return nil
}

func partsBut(wanted ...string) []string {
	var out []string
	for _, p := range parts.All() {
		if !slices.Contains(wanted, p.Name) {
			out = append(out, p.Name)
		}
	}
	return out
}

// run runs a command in the checkout, with no way to anything but this machine, and returns what it printed.
func run(t *testing.T, stdin, command string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir = tools.root
	// Nothing listens there: what would leave the machine fails.
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "HTTPS_PROXY=http://127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1", "NO_PROXY=127.0.0.1")
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", command, err)
	}
	return out.String(), errs.String(), err
}

// examples returns the folders of examples/ that hold a cluster, relative to the checkout.
func examples(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(tools.root, "examples", "*", "cluster.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatalf("want at least 5 examples, got %v, %v", files, err)
	}
	var folders []string
	for _, f := range files {
		folders = append(folders, filepath.Join("examples", filepath.Base(filepath.Dir(f))))
	}
	return folders
}
