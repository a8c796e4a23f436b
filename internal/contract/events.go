package contract

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

// EventNote cuts a text to what the API takes as the note of an Event.
func EventNote(text string) string {
	if len(text) <= maxNote {
		return text
	}
	return strings.ToValidUTF8(text[:maxNote-len("…")], "") + "…"
}

// A reporter tells people what is wrong, as Events on a composite resource, once for as long as it stays the same.
type reporter struct {
	recorder events.EventRecorder

	lock sync.Mutex
	said map[types.UID]map[string]string
}

func newReporter(recorder events.EventRecorder) *reporter {
	return &reporter{recorder: recorder, said: map[types.UID]map[string]string{}}
}

// warn emits a Warning unless it was the last that was said about xr for the reason.
func (r *reporter) warn(xr *unstructured.Unstructured, reason, action, note string) {
	note = EventNote(note)
	if action == "" {
		action = reason
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	said := r.said[xr.GetUID()]
	if said == nil {
		said = map[string]string{}
		r.said[xr.GetUID()] = said
	}
	if said[reason] == note {
		return
	}
	said[reason] = note
	r.recorder.Eventf(xr, nil, corev1.EventTypeWarning, reason, action, "%s", note)
}

// clear makes the next warning for the reason news again.
func (r *reporter) clear(xr *unstructured.Unstructured, reason string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.said[xr.GetUID()], reason)
}

// forget drops what was said about an object that is gone.
func (r *reporter) forget(xr *unstructured.Unstructured) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.said, xr.GetUID())
}
