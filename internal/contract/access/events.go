package access

import (
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
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

// A Reporter reports problems as Events on an object, each once for as long as it stays the same. As a namespace that is being deleted
// takes no new Event, what concerns an object there is reported on the Namespace.
type Reporter struct {
	recorder events.EventRecorder
	// namespaces reads the metadata of Namespaces from the cache.
	namespaces client.Reader

	lock sync.Mutex
	last map[reported]notes
}

// reported is an object that Events are about.
type reported struct {
	kind schema.GroupKind
	key  client.ObjectKey
}

// notes are what was last reported about one object.
type notes struct {
	uid types.UID
	// byReason has the note of the last Event for each reason.
	byReason map[string]string
}

// NewReporter returns a Reporter that has reported nothing yet, and reads the metadata of Namespaces with namespaces, which should be a
// cache.
func NewReporter(recorder events.EventRecorder, namespaces client.Reader) *Reporter {
	return &Reporter{recorder: recorder, namespaces: namespaces, last: map[reported]notes{}}
}

// Warn emits a Warning unless it is the same as the last one about obj, which must have its kind, for the reason. Without an action the
// reason stands for it.
func (r *Reporter) Warn(obj client.Object, reason, action, note string) {
	note = EventNote(note)
	if action == "" {
		action = reason
	}
	if !r.isNew(obj, reason, note) {
		return
	}
	if namespace := terminating(r.namespaces, obj.GetNamespace()); namespace != nil {
		about := obj.GetObjectKind().GroupVersionKind().Kind + " " + obj.GetName() + ": "
		r.recorder.Eventf(namespace, nil, corev1.EventTypeWarning, reason, action, "%s", EventNote(about+note))
		return
	}
	r.recorder.Eventf(obj, nil, corev1.EventTypeWarning, reason, action, "%s", note)
}

// isNew notes what is reported, and reports whether it is not the same as last.
func (r *Reporter) isNew(obj client.Object, reason, note string) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	last := r.last[about(obj)]
	if last.byReason == nil || last.uid != obj.GetUID() {
		last = notes{uid: obj.GetUID(), byReason: map[string]string{}}
		r.last[about(obj)] = last
	}
	if last.byReason[reason] == note {
		return false
	}
	last.byReason[reason] = note
	return true
}

// Clear has the next warning about obj for the reason emitted, even if it is the same as the last one.
func (r *Reporter) Clear(obj client.Object, reason string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.last[about(obj)].byReason, reason)
}

// Forget drops what is remembered of an object that is gone, of which nothing but kind and key need be known.
func (r *Reporter) Forget(obj client.Object) {
	r.lock.Lock()
	defer r.lock.Unlock()
	delete(r.last, about(obj))
}

func about(obj client.Object) reported {
	return reported{kind: obj.GetObjectKind().GroupVersionKind().GroupKind(), key: client.ObjectKeyFromObject(obj)}
}
