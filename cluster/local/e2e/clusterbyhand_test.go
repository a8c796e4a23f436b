package e2e

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// pauseCrossplane keeps Crossplane from the team's composite resource, or lets it go on.
func (f form) pauseCrossplane(paused bool) func(*world) error {
	return func(w *world) error {
		return w.edit(f.kind, f.name, func(u *unstructured.Unstructured) error {
			if paused {
				return unstructured.SetNestedField(u.Object, "true", "metadata", "annotations", "crossplane.io/paused")
			}
			unstructured.RemoveNestedField(u.Object, "metadata", "annotations", "crossplane.io/paused")
			return nil
		})
	}
}

// clusterByHand has somebody delete the Cluster of a team, while Crossplane cannot see it. It is made again.
func (f form) clusterByHand() *scenario {
	return &scenario{name: "cluster-by-hand", calmOnly: true, steps: []step{
		{name: "offer", act: offer},
		{name: "create", act: applies(f.file, twoPools), expect: f.ready(version, 3)},
		{name: "pause Crossplane", act: f.pauseCrossplane(true), expect: []expectation{on(f.kind, f.name, pausedByCrossplane)}},
		{
			name: "delete the Cluster by hand", deletes: true,
			act:    func(w *world) error { return w.remove(clusterKind, f.name) },
			expect: []expectation{gone(clusterKind, f.name), azureEmpty},
		},
		{name: "let Crossplane go on", act: f.pauseCrossplane(false), expect: f.ready(version, 3), deletes: true},
		f.deleted(),
	}}
}
