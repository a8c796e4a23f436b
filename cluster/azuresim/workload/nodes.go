package workload

import (
	"reflect"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// nodeStore holds the Nodes of one cluster.
type nodeStore struct {
	*store
}

// nodes returns the Nodes by name; the caller holds the lock.
func (s nodeStore) nodes() []*corev1.Node {
	var nodes []*corev1.Node
	for _, o := range s.sorted() {
		nodes = append(nodes, o.(*corev1.Node)) //nolint:forcetypeassert // By the resource.
	}
	return nodes
}

// reconcile makes the Nodes what the cluster's pools ask for: new ones get the lowest free number, the highest leave first.
func (s nodeStore) reconcile(c Cluster, now time.Time) error {
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
	for _, n := range s.nodes() {
		if len(n.Name) < 6 || !wanted[n.Name[:len(n.Name)-6]] {
			if _, err := s.record(watch.Deleted, n); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s nodeStore) scale(c Cluster, p Pool, scaleSet string, now time.Time) error {
	var present []*corev1.Node
	for _, n := range s.nodes() {
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
		if _, taken := s.objects[types.NamespacedName{Name: nodeName(scaleSet, instance)}]; taken {
			continue
		}
		if _, err := s.record(watch.Added, newNode(c, p, instance, now)); err != nil {
			return err
		}
		count++
	}
	return nil
}
