package contract

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/adoption"
)

// adoptions return what adds the controllers that make objects of Cluster API for ASO objects of AKS clusters whose annotation asks for it.
func (s *setup) adoptions() []Setup {
	var all []Setup
	for _, kind := range []aso.Kind{aso.ManagedCluster, aso.ManagedClustersAgentPool} {
		all = append(all, Setup{Kinds: []schema.GroupVersionKind{kind.GroupVersionKind()}, Add: func() error { return s.adoption(kind) }})
	}
	return all
}

func (s *setup) adoption(kind aso.Kind) error {
	r := &adoption.Reconciler{API: s.api, Kind: kind, Watched: func(obj metav1.Object) bool { return Watched(obj, s.options.WatchFilter) }}
	return s.onMetadata("adoption", kind, r, adoption.Asked)
}
