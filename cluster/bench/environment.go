package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
)

// commit says which state of the product is measured.
func commit(ctx context.Context, root string) string {
	out, err := exec.CommandContext(ctx, "git", "-C", root, "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

const environmentFile = "environment.md"

// writeEnvironment writes what is measured with.
func (m *measurer) writeEnvironment(ctx context.Context) error {
	lines, err := (&parts.Builder{Root: m.root}).Versions(ctx)
	if err != nil {
		return err
	}
	lines = append(lines, "crossplane-capz built with "+runtime.Version())
	if err := os.MkdirAll(m.out, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(m.out, environmentFile), []byte("- "+strings.Join(lines, "\n- ")+"\n"), 0o644)
}

// machine says what processors and how much memory this machine has.
func machine() (string, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return "", err
	}
	cpus, err := fs.CPUInfo()
	if err != nil {
		return "", err
	}
	memory, err := fs.Meminfo()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d × %s, %d GiB of memory", len(cpus), cpus[0].ModelName, *memory.MemTotal>>20), nil
}
