package workload

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// keepEvents is how many changes a watch can be behind before it has to list again.
const keepEvents = 1000

var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

func newUID() string {
	return uuid.NewString()
}

type event struct {
	version int64
	kind    watch.EventType
	object  object
}

// store holds the objects of one resource of a cluster and the history of their changes. Stored objects are never modified.
type store struct {
	*apiResource
	journal *state.Journal
	prefix  string

	mu      sync.Mutex
	objects map[types.NamespacedName]object
	version int64
	// oldest is the version that the history begins after.
	oldest  int64
	events  []event
	changed chan struct{}
}

// loadStore restores a cluster's objects; watches from before must list again.
func loadStore(journal *state.Journal, r *apiResource, clusterID string) (*store, error) {
	s := &store{
		apiResource: r, journal: journal, prefix: fmt.Sprintf("workload/%s/%s/", r.api.Name, clusterID),
		objects: map[types.NamespacedName]object{}, changed: make(chan struct{}),
	}
	err := journal.Each(s.prefix+strings.ToLower(r.api.Kind)+"/", func(key string, raw json.RawMessage) error {
		o := r.newObject()
		if err := json.Unmarshal(raw, o); err != nil {
			return fmt.Errorf("decode %s: %w", key, err)
		}
		s.objects[nameOf(o)] = o
		return nil
	})
	if err != nil {
		return nil, err
	}
	if _, err := journal.Get(s.prefix+"version", &s.version); err != nil {
		return nil, err
	}
	s.version = max(s.version, 1)
	s.oldest = s.version
	return s, nil
}

// record stores the change; the caller holds the lock.
func (s *store) record(kind watch.EventType, o object) (object, error) {
	s.version++
	o = o.DeepCopyObject().(object) //nolint:forcetypeassert // A copy is what the original is.
	o.SetResourceVersion(strconv.FormatInt(s.version, 10))
	if err := s.journal.Put(s.prefix+"version", s.version); err != nil {
		return nil, err
	}
	name := nameOf(o)
	key := s.prefix + s.keyOf(name)
	if kind == watch.Deleted {
		delete(s.objects, name)
		if err := s.journal.Delete(key); err != nil {
			return nil, err
		}
	} else {
		s.objects[name] = o
		if err := s.journal.Put(key, o); err != nil {
			return nil, err
		}
	}
	s.events = append(s.events, event{version: s.version, kind: kind, object: o})
	if drop := len(s.events) - keepEvents; drop > 0 {
		s.oldest = s.events[drop-1].version
		s.events = append(s.events[:0:0], s.events[drop:]...)
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return o, nil
}

func (s *store) list() ([]object, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sorted(), s.version
}

// sorted returns the objects by namespace and name, as etcd has them; the caller holds the lock.
func (s *store) sorted() []object {
	objects := make([]object, 0, len(s.objects))
	for _, o := range s.objects {
		objects = append(objects, o)
	}
	slices.SortFunc(objects, func(a, b object) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return objects
}

func (s *store) get(name types.NamespacedName) (object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.find(name)
}

// find returns a stored object; the caller holds the lock.
func (s *store) find(name types.NamespacedName) (object, error) {
	o, ok := s.objects[name]
	if !ok {
		return nil, s.notFound(name.Name)
	}
	return o, nil
}

// create stores a new object with the metadata that the API server sets.
func (s *store) create(o object, now time.Time) (object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.objects[nameOf(o)]; ok {
		return nil, apierrors.NewAlreadyExists(s.groupResource(), o.GetName())
	}
	o.GetObjectKind().SetGroupVersionKind(s.kind())
	o.SetUID(types.UID(newUID()))
	o.SetCreationTimestamp(metav1.NewTime(now.Truncate(time.Second)))
	return s.record(watch.Added, o)
}

// update replaces the object by what change returns; a change that changes nothing keeps the resource version.
func (s *store) update(name types.NamespacedName, change func(object) (object, error)) (object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.find(name)
	if err != nil {
		return nil, err
	}
	changed, err := change(old.DeepCopyObject().(object)) //nolint:forcetypeassert // A copy is what the original is.
	if err != nil {
		return nil, err
	}
	if version := changed.GetResourceVersion(); version != "" && version != old.GetResourceVersion() {
		return nil, apierrors.NewConflict(s.groupResource(), name.Name, errModified)
	}
	changed.GetObjectKind().SetGroupVersionKind(s.kind())
	changed.SetNamespace(old.GetNamespace())
	changed.SetName(old.GetName())
	changed.SetUID(old.GetUID())
	changed.SetCreationTimestamp(old.GetCreationTimestamp())
	changed.SetResourceVersion(old.GetResourceVersion())
	if equality.Semantic.DeepEqual(old, changed) {
		return old, nil
	}
	return s.record(watch.Modified, changed)
}

// delete removes the object at once: finalizers and preconditions hold nothing up.
func (s *store) delete(name types.NamespacedName) (object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, err := s.find(name)
	if err != nil {
		return nil, err
	}
	return s.record(watch.Deleted, o)
}

// since returns the changes after version and a channel that is closed at the next one.
func (s *store) since(version int64) ([]event, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version < s.oldest {
		return nil, nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version, s.version))
	}
	i := sort.Search(len(s.events), func(i int) bool { return s.events[i].version > version })
	return append([]event(nil), s.events[i:]...), s.changed, nil
}

// erase removes everything from the journal: the cluster is gone.
func (s *store) erase() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.objects {
		if err := s.journal.Delete(s.prefix + s.keyOf(name)); err != nil {
			return err
		}
	}
	return s.journal.Delete(s.prefix + "version")
}

// statusOf is the HTTP status code of an API error.
func statusOf(err error) int {
	if status, ok := err.(apierrors.APIStatus); ok {
		return int(status.Status().Code)
	}
	return http.StatusInternalServerError
}
