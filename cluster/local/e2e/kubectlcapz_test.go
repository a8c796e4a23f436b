package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// kubectlCapz runs kubectl capz against the management cluster, in the scenario's namespace, signed in to Azure as a person. It returns what is
// printed, and whether the end says that there is something: changes, or what is not ready.
func (w *world) kubectlCapz(stdin io.Reader, verb string, args ...string) (out []byte, something bool, err error) {
	return w.kubectlCapzTelling(w.ctx, stdin, io.Discard, verb, args...)
}

// kubectlCapzTelling is kubectlCapz, killed at the end of the context, and what it says beside is written to told.
func (w *world) kubectlCapzTelling(ctx context.Context, stdin io.Reader, told io.Writer, verb string, args ...string) (out []byte, something bool, err error) {
	all := append([]string{verb, "--kubeconfig", w.stack.Kubeconfig(), "--namespace", w.namespace}, args...)
	cmd := exec.CommandContext(ctx, w.stack.Bin("kubectl-capz"), all...)
	cmd.Stdin, cmd.Env = stdin, append(os.Environ(), w.stack.AzureEnv()...)
	said := &bytes.Buffer{}
	cmd.Stderr = io.MultiWriter(said, told)
	out, err = cmd.Output()
	const exitSomething = 2
	failed := &exec.ExitError{}
	switch {
	case !errors.As(err, &failed):
		return out, false, err
	case failed.ExitCode() == exitSomething:
		return out, true, nil
	}
	return out, false, fmt.Errorf("kubectl capz %s: %w: %s%s", verb, err, said, out)
}
