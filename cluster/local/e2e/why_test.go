package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/internal/why"
)

// why asks kubectl capz why about the Cluster.
func (w *world) why() (*why.Answer, error) {
	out, wrong, err := w.kubectlCapz(nil, "why", "cluster/"+clusterName, "--output", "json")
	if err != nil {
		return nil, err
	}
	answer := &why.Answer{}
	if err := json.Unmarshal(out, answer); err != nil {
		return nil, fmt.Errorf("kubectl capz why: %w: %s", err, out)
	}
	if answer.Ready == wrong {
		return nil, fmt.Errorf("kubectl capz why ends as if something were wrong: %v, and says that ready is %v", wrong, answer.Ready)
	}
	return answer, nil
}

// causePatience is how long a cause may take to be named: while something is tried again, or a component comes back, others may be.
const causePatience = 20 * time.Second

// because expects that kubectl capz why names a cause about an object of a kind, with words in its reason or message, and the next step. It
// takes a second: it is for what stays.
func because(kind, words string) expectation {
	return func(w *world) []string {
		for begun := time.Now(); ; {
			answer, err := w.why()
			switch {
			case err == nil && namesCause(answer, kind, words):
				return nil
			case time.Since(begun) < causePatience && w.ctx.Err() == nil:
				time.Sleep(checkInterval)
			case err != nil:
				return []string{err.Error()}
			default:
				return []string{fmt.Sprintf("kubectl capz why does not name %q of a %s: %s", words, kind, causes(answer))}
			}
		}
	}
}

func namesCause(answer *why.Answer, kind, words string) bool {
	return slices.ContainsFunc(answer.Causes, func(c why.Cause) bool {
		return c.Object.Kind == kind && strings.Contains(c.Reason+" "+c.Message, words) && c.Next != ""
	})
}

// nothingWrongOnce expects that kubectl capz why finds everything ready. It is asked, which takes a second, when all else is met.
func nothingWrongOnce(met ...expectation) expectation {
	return func(w *world) []string {
		for _, e := range met {
			if missing := e(w); len(missing) > 0 {
				return missing
			}
		}
		answer, err := w.why()
		if err != nil {
			return []string{err.Error()}
		}
		if answer.Ready && len(answer.Causes) == 0 {
			return nil
		}
		return []string{"kubectl capz why says of a cluster that is Available: " + causes(answer)}
	}
}

func causes(answer *why.Answer) string {
	var all []string
	for _, c := range answer.Causes {
		all = append(all, fmt.Sprintf("%s %s: %s %s: %s (%s)", c.Object.Kind, c.Object.Name, c.Condition, c.Reason, c.Message, c.Next))
	}
	return fmt.Sprintf("ready %v, waiting %v, causes [%s]", answer.Ready, answer.Waiting, strings.Join(all, "; "))
}
