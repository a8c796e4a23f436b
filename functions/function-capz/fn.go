package main

import (
	"context"
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/asomanaged"
	"github.com/crossplane-capz/crossplane-capz/functions/managed"
	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/functions/platform"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// composers has the composer of each kind. Compositions work at one version, so the kind is enough.
var composers = map[schema.GroupKind]composer.Composer{
	infrastructure("AzureASOManagedCluster"):              asomanaged.Cluster{},
	infrastructure("AzureASOManagedControlPlane"):         asomanaged.ControlPlane{},
	infrastructure("AzureASOManagedMachinePool"):          asomanaged.MachinePool{},
	infrastructure("AzureASOManagedClusterTemplate"):      member.Template{},
	infrastructure("AzureASOManagedControlPlaneTemplate"): member.Template{},
	infrastructure("AzureASOManagedMachinePoolTemplate"):  member.Template{},
	infrastructure("AzureManagedClusterTemplate"):         member.Template{},
	infrastructure("AzureManagedControlPlaneTemplate"):    member.Template{},
	infrastructure("AzureManagedMachinePoolTemplate"):     member.Template{},
	infrastructure("AzureClusterIdentity"):                member.Template{},
	infrastructure("AzureManagedCluster"):                 managed.Cluster{},
	infrastructure("AzureManagedControlPlane"):            managed.ControlPlane{},
	infrastructure("AzureManagedMachinePool"):             managed.MachinePool{},
	forTeams("AKSCluster"):                                platform.Cluster{},
	forTeams("XAKSCluster"):                               platform.Cluster{},
}

func infrastructure(kind string) schema.GroupKind {
	return schema.GroupKind{Group: "infrastructure.cluster.x-k8s.io", Kind: kind}
}

func forTeams(kind string) schema.GroupKind {
	return schema.GroupKind{Group: v1alpha1.GroupVersion.Group, Kind: kind}
}

// Function answers Crossplane's requests.
type Function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	log logging.Logger
}

// RunFunction composes the composite resource of the request. It never returns an error: what went wrong is a result,
// so that it is shown on the composite resource.
func (f *Function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	xr := req.GetObserved().GetComposite().GetResource().GetFields()
	kind := schema.FromAPIVersionAndKind(xr["apiVersion"].GetStringValue(), xr["kind"].GetStringValue()).GroupKind()
	metadata := xr["metadata"].GetStructValue().GetFields()
	f.log.Debug("Composing", "kind", kind.Kind, "namespace", metadata["namespace"].GetStringValue(), "name", metadata["name"].GetStringValue())
	c, known := composers[kind]
	if !known {
		rsp := response.To(req, response.DefaultTTL)
		response.Fatal(rsp, fmt.Errorf("function-capz composes no %s; use it in a Composition for one of the CAPZ kinds", kind))
		return rsp, nil
	}
	return composer.Run(req, c), nil
}
