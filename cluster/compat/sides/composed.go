package sides

import (
	"context"
	"maps"
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/functions/registry"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// function answers as function-capz does.
type function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	// facts are the ClusterFacts that it is given without asking; nil for none.
	facts *fnv1.Resources
}

// requirementOfFacts is the name by which composers ask for the ClusterFacts of their Cluster.
const requirementOfFacts = "facts"

// RunFunction implements fnv1.FunctionRunnerServiceServer.
func (f function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	if f.facts != nil {
		required := maps.Clone(req.GetRequiredResources())
		required[requirementOfFacts] = f.facts
		req = &fnv1.RunFunctionRequest{Meta: req.GetMeta(), Observed: req.GetObserved(), RequiredResources: required, RequiredSchemas: req.GetRequiredSchemas()}
	}
	return registry.Run(req), nil
}

// Composed returns what the composers make of the manifests, from the first look into Azure until all is there.
func (o *Ours) Composed(ctx context.Context, s *specs.Spec, a *Admitted) (*Answer, error) {
	p, err := preview.Make(ctx, function{}, manifests(s, a))
	if err != nil {
		return nil, err
	}
	answer := &Answer{Objects: Objects{}, Failures: map[string]string{}}
	for _, object := range p.Resources {
		answer.Objects[name(object)] = object.Object
	}
	for _, problem := range p.Problems {
		answer.Failures[problem.Kind+"/"+problem.Name] = problem.Message
	}
	return answer, nil
}

// manifests returns all that a user applies.
func manifests(s *specs.Spec, a *Admitted) []*unstructured.Unstructured {
	const infrastructure, core = "infrastructure.cluster.x-k8s.io", "cluster.x-k8s.io"
	reference := func(kind, name string) map[string]any {
		return map[string]any{"apiGroup": infrastructure, "kind": kind, "name": name}
	}
	objects := []*unstructured.Unstructured{
		object(core+"/v1beta2", "Cluster", s.Cluster, map[string]any{
			"clusterNetwork":    map[string]any{"services": cidrs(s.ServiceCIDRs), "pods": cidrs(s.PodCIDRs)},
			"controlPlaneRef":   reference("AzureManagedControlPlane", s.ControlPlaneName()),
			"infrastructureRef": reference("AzureManagedCluster", s.Cluster),
		}),
		object(infrastructure+"/v1beta1", "AzureManagedCluster", s.Cluster, map[string]any{}),
		object(infrastructure+"/v1beta1", "AzureClusterIdentity", "identity", map[string]any{
			"type": "WorkloadIdentity", "clientID": "c", "tenantID": "t", "allowedNamespaces": map[string]any{}}),
	}
	for _, p := range s.Pools {
		template := map[string]any{"clusterName": s.Cluster, "infrastructureRef": reference("AzureManagedMachinePool", p.Name())}
		if p.Version != "" {
			template["version"] = p.Version
		}
		spec := map[string]any{"clusterName": s.Cluster, "template": map[string]any{"spec": template}}
		if p.Replicas != nil {
			spec["replicas"] = int64(*p.Replicas)
		}
		objects = append(objects, object(core+"/v1beta2", "MachinePool", "of-"+p.Name(), spec))
	}
	for _, xr := range a.Objects {
		objects = append(objects, xr.DeepCopy())
	}
	return objects
}

func object(apiVersion, kind, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind,
		"metadata": map[string]any{"name": strings.ToLower(name), "namespace": specs.Namespace}, "spec": spec}}
}

func cidrs(of []string) map[string]any {
	blocks := []any{}
	for _, cidr := range of {
		blocks = append(blocks, cidr)
	}
	return map[string]any{"cidrBlocks": blocks}
}
