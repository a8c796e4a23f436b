package stack

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
)

// CrossplaneCLI runs the Crossplane CLI as the person and returns what it printed.
func (s *Stack) CrossplaneCLI(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.Bin(parts.CrossplaneCLI), args...)
	cmd.Env = append(s.baseEnv(), "KUBECONFIG="+s.Kubeconfig())
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("crossplane %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// Clusterctl runs clusterctl in an environment that has nothing of the person's but the given variables, and returns what it
// prints. The error has its complaint.
func (s *Stack) Clusterctl(ctx context.Context, variables []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.Bin(parts.Clusterctl), append(args, "--kubeconfig", s.Kubeconfig())...)
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	home := s.path("home")
	cmd.Env = append([]string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "CLUSTERCTL_DISABLE_VERSIONCHECK=true"}, variables...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("clusterctl %s: %w: %s", strings.Join(args, " "), err, wrong.String())
	}
	return string(out), nil
}
