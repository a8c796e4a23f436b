// Package retry has Azure Service Operator (ASO) try again what Azure has refused.
//
// By itself ASO repeats what it takes for passing after three minutes at most. All else that Azure answers with 400, such as the deletion of
// what is in use, it repeats after its sync period, which is an hour (ASO module, errorclassification.ClassifyCloudError and
// interval.Calculator). What it waits for is often gone in seconds.
package retry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Azure takes 200 deletions at once of a subscription and client, and then ten a second (Azure documentation, "Understand how Azure
// Resource Manager throttles requests").
const (
	firstDelay   = 10 * time.Second
	longestDelay = 5 * time.Minute
	// forgotten is after what time an object that ASO was asked to try again counts as one that it never was.
	forgotten = 2 * longestDelay
)

// Retry has ASO try again if the refusal of obj may pass, and it is time: ten seconds after the refusal, and after each further one twice as
// long, up to five minutes. It returns after what time to call it again; zero if nothing is to be tried again.
func Retry(ctx context.Context, c client.Writer, obj *unstructured.Unstructured) (time.Duration, error) {
	refusal, refused := aso.RefusalOf(obj)
	if !refused || !refusal.Passes(obj) {
		return 0, nil
	}
	now := time.Now()
	before := attemptsOf(obj, now)
	wait := delay(before.count)
	if left := slices.MaxFunc([]time.Time{refusal.Since, before.last}, time.Time.Compare).Add(wait).Sub(now); left > 0 {
		return left, nil
	}
	change, ok := raise(obj)
	if !ok {
		return 0, nil
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{
			"uid":         obj.GetUID(),
			"annotations": map[string]any{names.TriedAgainAnnotation: attempts{count: before.count + 1, last: now}.String()},
		},
		"spec": map[string]any{"operatorSpec": change},
	})
	if err != nil {
		return 0, fmt.Errorf("cannot have %v tried again: %w", access.RefTo(obj), err)
	}
	if err := c.Patch(ctx, obj.DeepCopy(), client.RawPatch(types.MergePatchType, patch)); client.IgnoreNotFound(err) != nil {
		return 0, fmt.Errorf("cannot have %v tried again: %w", access.RefTo(obj), err)
	}
	return delay(before.count + 1), nil
}

// All is Retry for each of the objects. It returns after what time to call it again for the first of them.
func All(ctx context.Context, c client.Writer, objects []*unstructured.Unstructured) (time.Duration, error) {
	var next time.Duration
	for _, obj := range objects {
		after, err := Retry(ctx, c, obj)
		if err != nil {
			return 0, err
		}
		next = Sooner(next, after)
	}
	return next, nil
}

// Sooner returns the shorter of two times to wait, where zero means that nothing is waited for.
func Sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

func delay(count int) time.Duration {
	wait := firstDelay
	for range count {
		wait = min(2*wait, longestDelay)
	}
	return wait
}

// raise returns a change of spec.operatorSpec that raises the generation and changes nothing else; false if there is none. ASO looks at an
// object again when its generation, its policy or the name of its credential changes, and at nothing else of it (ASO module,
// controllers.makeStandardPredicate). Every kind has the two lists, which are of what ASO shall export; none is the same as an empty one.
func raise(obj *unstructured.Unstructured) (map[string]any, bool) {
	for _, name := range []string{"configMapExpressions", "secretExpressions"} {
		list, there, _ := field.At[[]any]("spec", "operatorSpec", name).Get(obj)
		switch {
		case !there:
			return map[string]any{name: []any{}}, true
		case len(list) == 0:
			return map[string]any{name: nil}, true
		}
	}
	return nil, false
}

// attempts are how often, and when last, ASO was asked to try again.
type attempts struct {
	count int
	last  time.Time
}

// String is what names.TriedAgainAnnotation has.
func (a attempts) String() string {
	return fmt.Sprintf("%d %s", a.count, a.last.UTC().Format(time.RFC3339))
}

// attemptsOf reads the attempts of obj: none if nothing is noted that can be read, or it was long ago.
func attemptsOf(obj *unstructured.Unstructured, now time.Time) attempts {
	count, last, _ := strings.Cut(obj.GetAnnotations()[names.TriedAgainAnnotation], " ")
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		return attempts{}
	}
	at, err := time.Parse(time.RFC3339, last)
	if err != nil || at.After(now) || now.Sub(at) > forgotten {
		return attempts{}
	}
	return attempts{count: min(n, 100), last: at}
}
