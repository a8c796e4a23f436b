// Package refusal knows what of a composite resource the API server has refused. Crossplane says so in condition Synced, for as long as
// the function wants the refused object. A function that leaves it out, so that the rest is applied and the status written, would not know of it
// any more: so provider-capz notes it on the composite resource for a while.
package refusal

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Answers are what the API server has answered, by composition resource name: empty where only an Event of Crossplane's has it.
type Answers map[string]string

// InEvents is what to say in place of an answer that only an Event has.
const InEvents = "Crossplane's Events about this object have its answer"

// What Crossplane writes into condition Synced: "cannot apply composed resource" and "Unsynced resources" are of
// internal/controller/apiextensions/composite in Crossplane v2.4. Of one that is invalid it has only the name there.
const (
	notApplied = "cannot apply composed resource "
	invalid    = "Unsynced resources: "
)

// refusing are what the API server's answer has when it has judged the object, or who applies it. Any other answer is no judgement:
// a webhook that cannot be reached, a conflict, a timeout.
var refusing = []string{"failed to create typed patch object", "denied the request", "denied request", "is forbidden: "}

var (
	conditions = field.At[[]any]("status", "conditions")
	generation = field.At[int64]("metadata", "generation")
	spec       = field.At[map[string]any]("spec")
)

// Of returns what provider-capz has noted as refused of the current spec. What Crossplane alone shows does not count: it shows that no more as
// soon as the function leaves the object out, which would have it tried again at once, and so on without end.
func Of(xr *unstructured.Unstructured) Answers {
	answers := Answers{}
	n := noted(xr)
	if len(n.Answers) == 0 || n.Spec != specID(xr) {
		return answers
	}
	maps.Copy(answers, n.Answers)
	for name, answer := range shown(xr) {
		if _, known := answers[name]; known && answer != "" {
			answers[name] = answer
		}
	}
	return answers
}

// shown returns what Crossplane shows of the current spec.
func shown(xr *unstructured.Unstructured) Answers {
	for _, c := range field.Maps(conditions.Value(xr)) {
		if c["type"] != "Synced" || c["status"] != "False" {
			continue
		}
		if observed, has := c["observedGeneration"]; has && field.Integer(observed) != generation.Value(xr) {
			continue
		}
		return parse(field.Text(c["message"]))
	}
	return nil
}

func parse(message string) Answers {
	if names, found := strings.CutPrefix(message, invalid); found {
		answers := Answers{}
		for _, name := range strings.Split(names, ", ") {
			answers[strings.TrimPrefix(name, "and ")] = ""
		}
		return answers
	}
	name, answer, found := InEvent(message)
	if !found || !slices.ContainsFunc(refusing, func(words string) bool { return strings.Contains(answer, words) }) {
		return nil
	}
	return Answers{name: answer}
}

// InEvent returns the answer that the message of an Event of Crossplane's has, and the composition resource name of what it is about; not
// ok when it has none.
func InEvent(message string) (name, answer string, ok bool) {
	_, rest, found := strings.Cut(message, notApplied)
	quoted, err := strconv.QuotedPrefix(rest)
	if !found || err != nil {
		return "", "", false
	}
	name, err = strconv.Unquote(quoted)
	answer, found = strings.CutPrefix(rest[len(quoted):], ": ")
	// What Crossplane adds in lines of its own is about its rights to the kind.
	answer, _, _ = strings.Cut(answer, "\n")
	return name, answer, found && err == nil
}
