package parts

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
)

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
