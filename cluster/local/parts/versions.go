package parts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/compatibility"
)

// flags returns the flags of a part, with the versions that its module requires.
func (b *Builder) flags(p Part) ([]string, error) {
	var missing error
	expanded := make([]string, 0, len(p.Flags))
	for _, f := range p.Flags {
		expanded = append(expanded, os.Expand(f, func(name string) string {
			path, _, minor := strings.Cut(name, " ")
			version, err := compatibility.Required(filepath.Join(b.Root, p.Module, "go.mod"), path)
			missing = errors.Join(missing, err)
			if !minor {
				return version
			}
			_, rest, _ := strings.Cut(version, ".")
			second, _, _ := strings.Cut(rest, ".")
			return second
		}))
	}
	return expanded, missing
}

// Versions returns what the parts are built from: each upstream module with its version.
func (b *Builder) Versions(ctx context.Context) ([]string, error) {
	var all []string
	for _, m := range []struct{ dir, path string }{
		{kubernetesModule, "k8s.io/kubernetes"}, {kubernetesModule, "go.etcd.io/etcd/server/v3"}, {crossplaneModule, crossplanePath},
		{asoModule, asoPath}, {capiModule, capiPath}, {capzModule, capzPath},
		{transformModule, transformPath},
	} {
		cmd := exec.CommandContext(ctx, "go", "list", "-m", m.path)
		cmd.Dir = filepath.Join(b.Root, m.dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("version of %s: %w\n%s", m.path, err, out)
		}
		all = append(all, lastLines(string(out), 1))
	}
	return all, nil
}
