package e2e

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// atV1alpha1 has the composite resources in the old version.
var atV1alpha1 = each(func(u *unstructured.Unstructured) error {
	if u.GroupVersionKind().Group == infrastructureGroup {
		u.SetAPIVersion(infrastructureGroup + "/v1alpha1")
	}
	return nil
})

func old(gvk schema.GroupVersionKind) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: gvk.Group, Version: "v1alpha1", Kind: gvk.Kind}
}

var v1alpha1 = &scenario{
	name: "v1alpha1", calmOnly: true,
	steps: []step{
		{
			name: "create",
			act:  applyExample("aks-aso", atV1alpha1),
			expect: []expectation{
				available, contractKept, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2),
				field(old(controlPlaneKind), clusterName, "status.version", version), field(old(asoPoolKind), userPool, "status.replicas", 2),
			},
			lasts: 15 * time.Second,
		},
		{
			name:   "apply the same in the new version",
			act:    applyExample("aks-aso"),
			expect: []expectation{available, contractKept},
		},
		down,
	},
}
