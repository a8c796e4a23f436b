package refusal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Annotation on a composite resource is provider-capz's note of what the API server has refused.
const Annotation = "infrastructure.cluster.x-k8s.io/refused"

// Interval is how long an object that was refused is left out before it is tried again: what refused it, such as a policy, may
// have changed.
const Interval = 2 * time.Minute

// tryTime is how long a note has no answers while what it had is tried again: it keeps since when to look for the answer.
const tryTime = 20 * time.Second

// answerDelay is when to look again for an answer that only an Event has, which Crossplane writes a moment later.
const answerDelay = 5 * time.Second

// longestAnswer is how many bytes of an answer are noted. The annotations of an object are limited together.
const longestAnswer = 2048

// mostNoted is how many answers are noted. What is beyond comes up when these are corrected.
const mostNoted = 32

// A note is about one spec.
type note struct {
	// Spec is the specID of it.
	Spec string `json:"spec"`
	// Since is when something of the spec was refused first.
	Since time.Time `json:"since"`
	// Until is when what was refused is tried again.
	Until   time.Time `json:"until"`
	Answers Answers   `json:"answers,omitempty"`
}

func noted(xr *unstructured.Unstructured) note {
	n := note{}
	if json.Unmarshal([]byte(xr.GetAnnotations()[Annotation]), &n) != nil {
		return note{} // Users may write it, too.
	}
	return n
}

// specID tells a spec from others, as users write it. Neither its generation nor all of it would do: Crossplane keeps its references in it,
// and changes them whenever the function leaves an object out, or no longer does.
func specID(xr *unstructured.Unstructured) string {
	written := maps.Clone(spec.Value(xr))
	delete(written, "crossplane")
	delete(written, "resourceRefs") // Of a composite resource with a claim.
	content, err := json.Marshal(written)
	if err != nil {
		return "" // It came as JSON.
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// Note returns what Annotation must be at a time, empty for none, and when to look again; 0 for never. Answers that condition Synced does
// not have are looked up in Events, since something of this spec was refused first: the Event of a new try comes a moment late, and the last
// one has the answer meanwhile.
func Note(xr *unstructured.Unstructured, now time.Time, lookUp func(since time.Time) Answers) (value string, again time.Duration) {
	refused := shown(xr)
	if len(refused) == 0 && xr.GetAnnotations()[Annotation] == "" {
		return "", 0
	}
	n, current := noted(xr), specID(xr)
	if n.Spec != current || n.Since.IsZero() || n.Since.After(now) {
		n = note{Spec: current, Since: now.UTC().Truncate(time.Second)}
	}
	over := !now.Before(n.Until) || n.Until.Sub(now) > Interval
	answers := Answers{}
	if !over {
		maps.Copy(answers, n.Answers)
	}
	for name, answer := range refused {
		if _, known := answers[name]; !known && len(answers) < mostNoted {
			answers[name] = field.Cut(answer, longestAnswer)
		}
	}
	switch {
	case len(answers) > 0 && (over || len(n.Answers) == 0): // Refused, or refused again.
		n.Until = now.Add(Interval).UTC().Truncate(time.Second)
	case over && len(n.Answers) > 0: // To be tried.
		n.Until = now.Add(tryTime).UTC().Truncate(time.Second)
	case over: // Tried, and not refused.
		return "", 0
	}
	n.Answers, again = answers, n.Until.Sub(now)
	if !complete(answers, func() Answers { return lookUp(n.Since) }) {
		again = min(again, answerDelay)
	}
	content, err := json.Marshal(n)
	if err != nil {
		return "", 0 // Of strings and numbers.
	}
	return string(content), again
}

// complete fills in answers that are not known yet, and reports whether all are then.
func complete(answers Answers, lookUp func() Answers) bool {
	unknown := func(answer string) bool { return answer == "" }
	if !slices.ContainsFunc(slices.Collect(maps.Values(answers)), unknown) {
		return true
	}
	found := lookUp()
	for name, answer := range answers {
		if unknown(answer) {
			answers[name] = field.Cut(found[name], longestAnswer)
		}
	}
	return !slices.ContainsFunc(slices.Collect(maps.Values(answers)), unknown)
}

// Changed reports whether the API server has refused something of a composite resource since, or refuses it no more, as Crossplane shows.
func Changed(before, after client.Object) bool {
	old, oldOK := before.(*unstructured.Unstructured)
	changed, changedOK := after.(*unstructured.Unstructured)
	return oldOK && changedOK && !maps.Equal(shown(old), shown(changed))
}
