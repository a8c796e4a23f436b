package access

import (
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
)

// maxNote is the API's limit for the note of an Event.
const maxNote = 1024

// EventNote cuts a text to the length that the API allows for the note of an Event.
func EventNote(text string) string {
	if len(text) <= maxNote {
		return text
	}
	return strings.ToValidUTF8(text[:maxNote-len("…")], "") + "…"
}

// A Reporter reports problems as Events on a composite resource, each once for as long as it stays the same.
type Reporter struct {
	recorder events.EventRecorder

	lock sync.Mutex
	// last has the note of the last Event, by object and reason.
	last map[types.UID]map[string]string
}

// newReporter returns a Reporter that has reported nothing yet.
func newReporter(recorder events.EventRecorder) *Reporter {
	return &Reporter{recorder: recorder, last: map[types.UID]map[string]string{}}
}

// Warn emits a Warning unless it is the same as the last one about xr for the reason. Without an action the reason stands for it.
func (r *Reporter) Warn(xr *unstructured.Unstructured, reason, action, note string) {
	note = EventNote(note)
	if action == "" {
		action = reason
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	last := r.last[xr.GetUID()]
	if last == nil {
		last = map[string]string{}
		r.last[xr.GetUID()] = last
	}
	if last[reason] == note {
		return
	}
	last[reason] = note
	r.recorder.Eventf(xr, nil, corev1.EventTypeWarning, reason, action, "%s", note)
}

// Clear has the next warning about xr for the reason emitted, even if it is the same as the last one.
func (r *Reporter) Clear(xr *unstructured.Unstructured, reason string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.last[xr.GetUID()], reason)
}

// Forget drops what is remembered of an object that is gone.
func (r *Reporter) Forget(xr *unstructured.Unstructured) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.last, xr.GetUID())
}
