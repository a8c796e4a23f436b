// Package registry knows the composer of each composite kind.
package registry

import (
	"fmt"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/functions/asomanaged"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/managed"
	"github.com/crossplane-capz/crossplane-capz/functions/platform"
	"github.com/crossplane-capz/crossplane-capz/functions/selfmanaged"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// composers has the composers of the kinds that are more than read. Compositions work at one version, so the kind is enough.
var composers = map[schema.GroupKind]composer.Composer{
	composite.AzureASOManagedCluster.GroupKind():      asomanaged.Cluster{},
	composite.AzureASOManagedControlPlane.GroupKind(): asomanaged.ControlPlane{},
	composite.AzureASOManagedMachinePool.GroupKind():  asomanaged.MachinePool{},
	composite.AzureManagedCluster.GroupKind():         managed.Cluster{},
	composite.AzureManagedControlPlane.GroupKind():    managed.ControlPlane{},
	composite.AzureManagedMachinePool.GroupKind():     managed.MachinePool{},
	composite.AzureCluster.GroupKind():                selfmanaged.Cluster{},
	composite.AzureMachine.GroupKind():                selfmanaged.Machine{},
	composite.AzureMachinePool.GroupKind():            selfmanaged.MachinePool{},
	composite.AzureMachineTemplate.GroupKind():        selfmanaged.MachineTemplate{},
	composite.AKSCluster.GroupKind():                  platform.Cluster{},
	composite.XAKSCluster.GroupKind():                 platform.Cluster{},
}

// Composer returns the composer of a kind; not ok when there is none.
func Composer(kind schema.GroupKind) (c composer.Composer, ok bool) {
	if c, ok := composers[kind]; ok {
		return c, true
	}
	k, ok := composite.Lookup(kind)
	return capi.ReadOnly{}, ok && composite.Is(composite.Template, composite.Identity)(k)
}

// Sources returns which field of the composite resource of a request asks for each object that is composed of it, by composition resource name.
func Sources(req *fnv1.RunFunctionRequest) map[string]string {
	c, ok := Composer(kindOf(req))
	if !ok {
		return nil
	}
	return composer.Sources(req, c)
}

func kindOf(req *fnv1.RunFunctionRequest) schema.GroupKind {
	xr := req.GetObserved().GetComposite().GetResource().GetFields()
	return schema.FromAPIVersionAndKind(xr["apiVersion"].GetStringValue(), xr["kind"].GetStringValue()).GroupKind()
}

// Run answers a request by the composer of the kind of its composite resource. What went wrong is a result, so that it is shown on the
// composite resource.
func Run(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	kind := kindOf(req)
	c, ok := Composer(kind)
	if !ok {
		rsp := response.To(req, response.DefaultTTL)
		response.Fatal(rsp, fmt.Errorf("function-capz composes no %s; use it in a Composition for one of the CAPZ kinds", kind))
		return rsp
	}
	return composer.Run(req, c)
}
