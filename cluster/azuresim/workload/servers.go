package workload

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const (
	clusterPrefix = "workload/clusters/"
	// Audience is the application that Entra tokens for AKS API servers are issued for: "Azure Kubernetes Service AAD Server".
	Audience = "6dae42f8-4368-4678-94ff-3960e28e3630"
)

// Options configure Servers.
type Options struct {
	Journal *state.Journal
	Clock   clock.PassiveClock
	// VerifyToken returns the API server's error for a token that Entra did not issue for the cluster, or that has expired.
	VerifyToken func(c Cluster, token string) error
	// ProxyURL is where clients reach the API servers; AuthorityPEM is what they trust.
	ProxyURL     string
	AuthorityPEM []byte
}

// Servers are the API servers of all clusters.
type Servers struct {
	Options

	mu     sync.Mutex
	byID   map[string]*server
	byFQDN map[string]*server
}

// server is the API server of one cluster.
type server struct {
	mu         sync.Mutex
	saved      saved
	nodes      nodeStore
	configMaps *store
	gone       chan struct{}
}

// saved is what the journal keeps of a cluster besides its objects.
type saved struct {
	Cluster Cluster `json:"cluster"`
	// AdminToken is the static token of the cluster's local admin account.
	AdminToken string `json:"adminToken"`
}

// NewServers restores the API servers from the journal.
func NewServers(o Options) (*Servers, error) {
	s := &Servers{Options: o, byID: map[string]*server{}, byFQDN: map[string]*server{}}
	return s, o.Journal.Each(clusterPrefix, func(key string, raw json.RawMessage) error {
		var kept saved
		if err := json.Unmarshal(raw, &kept); err != nil {
			return fmt.Errorf("decode %s: %w", key, err)
		}
		return s.open(kept)
	})
}

func (s *Servers) open(kept saved) error {
	id := strings.ToLower(kept.Cluster.ID)
	nodes, err := loadStore(s.Journal, nodeResource, id)
	if err != nil {
		return err
	}
	configMaps, err := loadStore(s.Journal, configMapResource, id)
	if err != nil {
		return err
	}
	one := &server{saved: kept, nodes: nodeStore{nodes}, configMaps: configMaps, gone: make(chan struct{})}
	s.byID[id] = one
	s.name(one)
	return nil
}

// name makes a cluster's API server answer by the names that it has now, and no other.
func (s *Servers) name(one *server) {
	maps.DeleteFunc(s.byFQDN, func(_ string, other *server) bool { return other == one })
	for _, name := range one.cluster().names() {
		s.byFQDN[strings.ToLower(name)] = one
	}
}

// Apply starts the cluster's API server if there is none yet and makes its Nodes follow its pools.
func (s *Servers) Apply(c Cluster) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := strings.ToLower(c.ID)
	one, ok := s.byID[id]
	if !ok {
		token := make([]byte, 64)
		if _, err := rand.Read(token); err != nil {
			return fmt.Errorf("generate admin token: %w", err)
		}
		if err := s.open(saved{Cluster: c, AdminToken: hex.EncodeToString(token)}); err != nil {
			return err
		}
		one = s.byID[id]
	}
	one.mu.Lock()
	one.saved.Cluster = c
	kept := one.saved
	one.mu.Unlock()
	s.name(one)
	if err := s.Journal.Put(clusterPrefix+id, kept); err != nil {
		return err
	}
	return one.nodes.reconcile(c, s.Clock.Now())
}

// Remove ends the cluster's API server; a cluster without one is no error.
func (s *Servers) Remove(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	id = strings.ToLower(id)
	one, ok := s.byID[id]
	if !ok {
		return nil
	}
	close(one.gone)
	delete(s.byID, id)
	maps.DeleteFunc(s.byFQDN, func(_ string, other *server) bool { return other == one })
	if err := errors.Join(one.nodes.erase(), one.configMaps.erase()); err != nil {
		return err
	}
	return s.Journal.Delete(clusterPrefix + id)
}

// Nodes returns the Nodes of the cluster with the ID, by name; none for one without an API server. They must not be changed.
func (s *Servers) Nodes(id string) []*corev1.Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.byID[strings.ToLower(id)]
	if !ok {
		return nil
	}
	one.nodes.mu.Lock()
	defer one.nodes.mu.Unlock()
	return one.nodes.nodes()
}

func (one *server) cluster() Cluster {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.saved.Cluster
}

func (one *server) adminToken() string {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.saved.AdminToken
}

// ServeHTTP hands the request to the API server of the host it is for.
func (s *Servers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host := strings.ToLower(strings.TrimSuffix(r.Host, ":443"))
	s.mu.Lock()
	one := s.byFQDN[host]
	s.mu.Unlock()
	if one == nil {
		http.Error(w, "azuresim: no AKS cluster has an API server "+host, http.StatusServiceUnavailable)
		return
	}
	h := &handler{server: one, clock: s.Clock, verify: s.VerifyToken}
	h.ServeHTTP(w, r)
}
