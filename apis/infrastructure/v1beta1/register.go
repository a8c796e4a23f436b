package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1"}

// AddToScheme registers the kinds of this package, and their lists, in a scheme. It never fails.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion,
		&AzureASOManagedCluster{}, &AzureASOManagedClusterList{},
		&AzureASOManagedClusterTemplate{}, &AzureASOManagedClusterTemplateList{},
		&AzureASOManagedControlPlane{}, &AzureASOManagedControlPlaneList{},
		&AzureASOManagedControlPlaneTemplate{}, &AzureASOManagedControlPlaneTemplateList{},
		&AzureASOManagedMachinePool{}, &AzureASOManagedMachinePoolList{},
		&AzureASOManagedMachinePoolTemplate{}, &AzureASOManagedMachinePoolTemplateList{},
		&AzureCluster{}, &AzureClusterList{},
		&AzureClusterIdentity{}, &AzureClusterIdentityList{},
		&AzureClusterTemplate{}, &AzureClusterTemplateList{},
		&AzureMachine{}, &AzureMachineList{},
		&AzureMachinePool{}, &AzureMachinePoolList{},
		&AzureMachinePoolMachine{}, &AzureMachinePoolMachineList{},
		&AzureMachineTemplate{}, &AzureMachineTemplateList{},
		&AzureManagedCluster{}, &AzureManagedClusterList{},
		&AzureManagedClusterTemplate{}, &AzureManagedClusterTemplateList{},
		&AzureManagedControlPlane{}, &AzureManagedControlPlaneList{},
		&AzureManagedControlPlaneTemplate{}, &AzureManagedControlPlaneTemplateList{},
		&AzureManagedMachinePool{}, &AzureManagedMachinePoolList{},
		&AzureManagedMachinePoolTemplate{}, &AzureManagedMachinePoolTemplateList{},
	)
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
