package access

import (
	"cmp"
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/refusal"
)

// EventsOf is the field selector of the Events about an object, with its UID.
const EventsOf = "involvedObject.uid"

// eventAge is how much older an Event with an answer may be than the first note about a spec: an older one may be about an older spec.
const eventAge = time.Minute

// NoteRefusals notes on a composite resource what the API server has refused of it, for the function to leave out, and returns when to
// look again; 0 when nothing is noted.
func (a API) NoteRefusals(ctx context.Context, xr *unstructured.Unstructured, now time.Time) (time.Duration, error) {
	value, again := refusal.Note(xr, now, func(since time.Time) refusal.Answers { return a.answersInEvents(ctx, xr, since.Add(-eventAge)) })
	err := a.Annotate(ctx, xr, func(annotations map[string]string) {
		if value == "" {
			delete(annotations, refusal.Annotation)
		} else {
			annotations[refusal.Annotation] = value
		}
	})
	return again, err
}

// answersInEvents returns the answers of the API server that Crossplane's Events about a composite resource have since: the last to each object.
// Without the right to read Events there are none.
func (a API) answersInEvents(ctx context.Context, xr *unstructured.Unstructured, since time.Time) refusal.Answers {
	list := &corev1.EventList{}
	namespace := cmp.Or(xr.GetNamespace(), metav1.NamespaceDefault)
	if err := a.Live.List(ctx, list, client.InNamespace(namespace), client.MatchingFields{EventsOf: string(xr.GetUID())}); err != nil {
		ctrl.LoggerFrom(ctx).Info("Cannot read the Events with the API server's answers", "reason", err.Error())
		return nil
	}
	answers, last := refusal.Answers{}, map[string]time.Time{}
	for _, event := range list.Items {
		name, answer, ok := refusal.InEvent(event.Message)
		at := event.LastTimestamp.Time
		if ok && at.After(since) && !at.Before(last[name]) {
			answers[name], last[name] = answer, at
		}
	}
	return answers
}
