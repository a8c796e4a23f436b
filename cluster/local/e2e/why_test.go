package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/why"
)

// why asks kubectl capz why about the Cluster.
func (w *world) why() (*why.Answer, error) {
	cmd := exec.CommandContext(w.ctx, w.stack.Bin("kubectl-capz"), "why", "cluster/"+clusterName, "--kubeconfig", w.stack.Kubeconfig(),
		"--namespace", w.namespace, "--output", "json")
	out, err := cmd.Output()
	failed := &exec.ExitError{}
	const exitNotReady = 2
	if errors.As(err, &failed) && failed.ExitCode() != exitNotReady {
		return nil, fmt.Errorf("kubectl capz why: %w: %s", err, failed.Stderr)
	}
	answer := &why.Answer{}
	if err := json.Unmarshal(out, answer); err != nil {
		return nil, fmt.Errorf("kubectl capz why: %w: %s", err, out)
	}
	if answer.Ready != (err == nil) {
		return nil, fmt.Errorf("kubectl capz why ends with %v, and says that ready is %v", err, answer.Ready)
	}
	return answer, nil
}

// because expects that kubectl capz why names a cause about an object of a kind, with words in its reason or message, and the next step. It
// takes a second: it is for what stays.
func because(kind, words string) expectation {
	return func(w *world) []string {
		answer, err := w.why()
		if err != nil {
			return []string{err.Error()}
		}
		for _, cause := range answer.Causes {
			if cause.Object.Kind == kind && strings.Contains(cause.Reason+" "+cause.Message, words) && cause.Next != "" {
				return nil
			}
		}
		return []string{fmt.Sprintf("kubectl capz why does not name %q of a %s: %s", words, kind, causes(answer))}
	}
}

// nothingWrong expects that kubectl capz why finds everything ready.
func nothingWrong(w *world) []string {
	answer, err := w.why()
	if err != nil {
		return []string{err.Error()}
	}
	if answer.Ready && len(answer.Causes) == 0 {
		return nil
	}
	return []string{"kubectl capz why says of a cluster that is Available: " + causes(answer)}
}

func causes(answer *why.Answer) string {
	var all []string
	for _, c := range answer.Causes {
		all = append(all, fmt.Sprintf("%s %s: %s %s: %s (%s)", c.Object.Kind, c.Object.Name, c.Condition, c.Reason, c.Message, c.Next))
	}
	return fmt.Sprintf("ready %v, waiting %v, causes [%s]", answer.Ready, answer.Waiting, strings.Join(all, "; "))
}
