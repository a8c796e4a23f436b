package workload

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// defaultWatch ends a watch whose client gives no timeout.
const defaultWatch = 30 * time.Minute

// bookmarkInterval is how often a watch says how far it has come, if its client allows it
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#watch-bookmarks; a kube-apiserver does each minute).
const bookmarkInterval = time.Minute

// stream writes watch events in the form that was negotiated.
type stream struct {
	encoder  streaming.Encoder
	embedded runtime.Encoder
	flush    func()
}

func (e *endpoint) newStream(w http.ResponseWriter, r *http.Request) (*stream, error) {
	info := negotiate(r)
	if info.StreamSerializer == nil {
		return nil, apierrors.NewGenericServerResponse(http.StatusNotAcceptable, "watch", e.groupResource(), "", "no streaming form of "+info.MediaType, 0, true)
	}
	w.Header().Set("Content-Type", info.MediaType)
	if info.MediaType != runtime.ContentTypeJSON {
		w.Header().Set("Content-Type", info.MediaType+";stream=watch")
	}
	w.WriteHeader(http.StatusOK)
	v1 := schema.GroupVersion{Version: "v1"}
	frames := info.StreamSerializer.NewFrameWriter(w)
	flush := func() { _ = http.NewResponseController(w).Flush() } // a client that went away is seen at the next write
	flush()
	return &stream{
		encoder:  streaming.NewEncoder(frames, scheme.Codecs.EncoderForVersion(info.StreamSerializer.Serializer, v1)),
		embedded: scheme.Codecs.EncoderForVersion(info.Serializer, v1),
		flush:    flush,
	}, nil
}

func (s *stream) send(kind watch.EventType, object runtime.Object) error {
	var buf bytes.Buffer
	if err := s.embedded.Encode(object, &buf); err != nil {
		return err
	}
	if err := s.encoder.Encode(&metav1.WatchEvent{Type: string(kind), Object: runtime.RawExtension{Raw: buf.Bytes()}}); err != nil {
		return err
	}
	s.flush()
	return nil
}

// watch streams changes from the given resource version on, or all objects first if the client asks for initial events
// (https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists).
func (e *endpoint) watch(w http.ResponseWriter, r *http.Request) {
	selected, err := e.selectionOf(r)
	if err != nil {
		writeError(w, r, err)
		return
	}
	query := r.URL.Query()
	from, err := strconv.ParseInt("0"+query.Get("resourceVersion"), 10, 64)
	if err != nil {
		writeError(w, r, apierrors.NewBadRequest(err.Error()))
		return
	}
	initial := query.Get("sendInitialEvents") == "true"
	objects, version := e.list()
	if _, _, err := e.since(from); err != nil && from != 0 && !initial {
		writeError(w, r, err)
		return
	}
	out, err := e.newStream(w, r)
	if err != nil {
		writeError(w, r, err)
		return
	}
	if initial || from == 0 {
		if err := e.sendInitial(out, objects, version, selected, initial); err != nil {
			return
		}
		from = version
	}
	e.follow(out, r, selected, from)
}

func (e *endpoint) sendInitial(out *stream, objects []object, version int64, selected selection, bookmark bool) error {
	for _, o := range objects {
		if selected.matches(o) {
			if err := out.send(watch.Added, o); err != nil {
				return err
			}
		}
	}
	if !bookmark {
		return nil
	}
	return e.sendBookmark(out, version, map[string]string{metav1.InitialEventsAnnotationKey: "true"})
}

func (e *endpoint) sendBookmark(out *stream, version int64, annotations map[string]string) error {
	o := e.newObject()
	o.GetObjectKind().SetGroupVersionKind(e.kind())
	o.SetResourceVersion(strconv.FormatInt(version, 10))
	o.SetAnnotations(annotations)
	return out.send(watch.Bookmark, o)
}

func (e *endpoint) follow(out *stream, r *http.Request, selected selection, from int64) {
	timeout := defaultWatch
	if seconds, err := strconv.Atoi(r.URL.Query().Get("timeoutSeconds")); err == nil && seconds > 0 {
		timeout = time.Duration(seconds) * time.Second
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var bookmarks <-chan time.Time
	if r.URL.Query().Get("allowWatchBookmarks") == "true" {
		ticker := time.NewTicker(bookmarkInterval)
		defer ticker.Stop()
		bookmarks = ticker.C
	}
	for {
		events, changed, err := e.since(from)
		if err != nil {
			_ = out.send(watch.Error, toStatus(err)) // the watch ends either way
			return
		}
		for _, one := range events {
			from = one.version
			if selected.matches(one.object) {
				if err := out.send(one.kind, one.object); err != nil {
					return
				}
			}
		}
		select {
		case <-changed:
		case <-bookmarks:
			if err := e.sendBookmark(out, from, nil); err != nil {
				return
			}
		case <-timer.C:
			return
		case <-r.Context().Done():
			return
		case <-e.gone:
			return
		}
	}
}
