package workload

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/crossplane-capz/crossplane-capz/internal/azuresim/state"
)

// keepEvents is how many changes a watch can be behind before it has to list again.
const keepEvents = 1000

func newUID() string {
	return uuid.NewString()
}

type event struct {
	version int64
	kind    watch.EventType
	node    *corev1.Node
}

// nodeStore holds the Nodes of one cluster and the history of their changes. Stored Nodes are never modified.
type nodeStore struct {
	journal *state.Journal
	prefix  string

	mu      sync.Mutex
	nodes   map[string]*corev1.Node
	version int64
	// oldest is the version that the history begins after.
	oldest  int64
	events  []event
	changed chan struct{}
}

// loadNodes restores a cluster's Nodes; watches from before must list again.
func loadNodes(journal *state.Journal, prefix string) (*nodeStore, error) {
	s := &nodeStore{journal: journal, prefix: prefix, nodes: map[string]*corev1.Node{}, changed: make(chan struct{})}
	err := journal.Each(prefix+"node/", func(key string, raw json.RawMessage) error {
		n := &corev1.Node{}
		if err := json.Unmarshal(raw, n); err != nil {
			return fmt.Errorf("decode %s: %w", key, err)
		}
		s.nodes[n.Name] = n
		return nil
	})
	if err != nil {
		return nil, err
	}
	if _, err := journal.Get(prefix+"version", &s.version); err != nil {
		return nil, err
	}
	s.version = max(s.version, 1)
	s.oldest = s.version
	return s, nil
}

// record stores the change; the caller holds the lock.
func (s *nodeStore) record(kind watch.EventType, n *corev1.Node) (*corev1.Node, error) {
	s.version++
	n = n.DeepCopy()
	n.ResourceVersion = strconv.FormatInt(s.version, 10)
	if err := s.journal.Put(s.prefix+"version", s.version); err != nil {
		return nil, err
	}
	key := s.prefix + "node/" + n.Name
	if kind == watch.Deleted {
		delete(s.nodes, n.Name)
		if err := s.journal.Delete(key); err != nil {
			return nil, err
		}
	} else {
		s.nodes[n.Name] = n
		if err := s.journal.Put(key, n); err != nil {
			return nil, err
		}
	}
	s.events = append(s.events, event{version: s.version, kind: kind, node: n})
	if drop := len(s.events) - keepEvents; drop > 0 {
		s.oldest = s.events[drop-1].version
		s.events = append(s.events[:0:0], s.events[drop:]...)
	}
	close(s.changed)
	s.changed = make(chan struct{})
	return n, nil
}

func (s *nodeStore) list() ([]*corev1.Node, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sorted(), s.version
}

func (s *nodeStore) sorted() []*corev1.Node {
	nodes := make([]*corev1.Node, 0, len(s.nodes))
	for _, n := range s.nodes {
		nodes = append(nodes, n)
	}
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Name < nodes[j].Name })
	return nodes
}

var nodeResource = schema.GroupResource{Resource: "nodes"}

func (s *nodeStore) get(name string) (*corev1.Node, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.nodes[name]
	if !ok {
		return nil, apierrors.NewNotFound(nodeResource, name)
	}
	return n, nil
}

// update replaces the Node that change returns; a change that changes nothing keeps the resource version.
func (s *nodeStore) update(name string, change func(*corev1.Node) (*corev1.Node, error)) (*corev1.Node, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.nodes[name]
	if !ok {
		return nil, apierrors.NewNotFound(nodeResource, name)
	}
	changed, err := change(old.DeepCopy())
	if err != nil {
		return nil, err
	}
	if changed.ResourceVersion != "" && changed.ResourceVersion != old.ResourceVersion {
		return nil, apierrors.NewConflict(nodeResource, name, fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again"))
	}
	changed.Name, changed.UID, changed.CreationTimestamp, changed.ResourceVersion = old.Name, old.UID, old.CreationTimestamp, old.ResourceVersion
	changed.TypeMeta = old.TypeMeta
	if reflect.DeepEqual(old, changed) {
		return old, nil
	}
	return s.record(watch.Modified, changed)
}

func (s *nodeStore) delete(name string) (*corev1.Node, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.nodes[name]
	if !ok {
		return nil, apierrors.NewNotFound(nodeResource, name)
	}
	return s.record(watch.Deleted, n)
}

// since returns the changes after version and a channel that is closed at the next one.
func (s *nodeStore) since(version int64) ([]event, <-chan struct{}, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version < s.oldest {
		return nil, nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", version, s.version))
	}
	i := sort.Search(len(s.events), func(i int) bool { return s.events[i].version > version })
	return append([]event(nil), s.events[i:]...), s.changed, nil
}

// reconcile makes the Nodes what the cluster's pools ask for: new ones get the lowest free number, the highest leave first.
func (s *nodeStore) reconcile(c Cluster, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted := map[string]bool{}
	for _, p := range c.Pools {
		scaleSet := scaleSetName(c, p.Name)
		wanted[scaleSet] = true
		if err := s.scale(c, p, scaleSet, now); err != nil {
			return err
		}
	}
	for _, n := range s.sorted() {
		if len(n.Name) < 6 || !wanted[n.Name[:len(n.Name)-6]] {
			if _, err := s.record(watch.Deleted, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *nodeStore) scale(c Cluster, p Pool, scaleSet string, now time.Time) error {
	var present []*corev1.Node
	for _, n := range s.sorted() {
		if strings.HasPrefix(n.Name, scaleSet) {
			present = append(present, n)
		}
	}
	for i, n := range present {
		if i >= p.Count {
			if _, err := s.record(watch.Deleted, n); err != nil {
				return err
			}
			continue
		}
		updated := n.DeepCopy()
		updateNode(updated, p)
		if !reflect.DeepEqual(n, updated) {
			if _, err := s.record(watch.Modified, updated); err != nil {
				return err
			}
		}
	}
	for instance, count := 0, len(present); count < p.Count; instance++ {
		if _, taken := s.nodes[nodeName(scaleSet, instance)]; taken {
			continue
		}
		if _, err := s.record(watch.Added, newNode(c, p, instance, now)); err != nil {
			return err
		}
		count++
	}
	return nil
}

// close ends every watch: the cluster is gone.
func (s *nodeStore) erase() error {
	for _, n := range s.sorted() {
		if err := s.journal.Delete(s.prefix + "node/" + n.Name); err != nil {
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
