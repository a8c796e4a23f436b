package preview_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/functions/registry"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

type function struct {
	fnv1.UnimplementedFunctionRunnerServiceServer
}

func (function) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return registry.Run(req), nil
}

// TestMachines shows what virtual machines a manifest stands for: one for each control plane and MachineDeployment, or its own.
func TestMachines(t *testing.T) {
	cluster := func(version string) []string {
		ref := "apiGroup: infrastructure.cluster.x-k8s.io"
		controlPlaneRef := "apiGroup: controlplane.cluster.x-k8s.io"
		if version == "v1beta1" {
			ref, controlPlaneRef = "apiVersion: infrastructure.cluster.x-k8s.io/v1beta1", "apiVersion: controlplane.cluster.x-k8s.io/v1beta1"
		}
		return []string{
			"{apiVersion: cluster.x-k8s.io/" + version + ", kind: Cluster, metadata: {name: c}, spec: {infrastructureRef: {" + ref + ", kind: AzureCluster, name: c}, controlPlaneRef: {" + controlPlaneRef + ", kind: KubeadmControlPlane, name: cp}}}",
			"{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureCluster, metadata: {name: c, annotations: {cluster.x-k8s.io/managed-by: me}}, spec: {location: westeurope, subscriptionID: sub, controlPlaneEnabled: true, " +
				"networkSpec: {subnets: [{name: cps, role: control-plane}, {name: nodes, role: node}]}}}",
		}
	}
	const template = "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureMachineTemplate, metadata: {name: %s}, spec: {template: {spec: {vmSize: Standard_D2s_v3, identity: SystemAssigned, osDisk: {osType: Linux}, vmExtensions: [{name: e, publisher: p, version: '1'}]}}}}"
	ofTemplates := []string{
		fmt.Sprintf(template, "t1"), fmt.Sprintf(template, "t2"),
		"{apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlane, metadata: {name: cp}, spec: {version: v1.33.2, machineTemplate: {infrastructureRef: {kind: AzureMachineTemplate, name: t1}}}}",
		"{apiVersion: cluster.x-k8s.io/v1beta1, kind: MachineDeployment, metadata: {name: md}, spec: {clusterName: c, template: {spec: {version: v1.33.2, infrastructureRef: {kind: AzureMachineTemplate, name: t2}}}}}",
	}
	ofItsOwn := []string{
		"{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureMachine, metadata: {name: own}, spec: {vmSize: Standard_D2s_v3, osDisk: {osType: Linux}}}",
		"{apiVersion: cluster.x-k8s.io/v1beta1, kind: Machine, metadata: {name: m}, spec: {clusterName: c, version: v1.33.2, infrastructureRef: {kind: AzureMachine, name: own}}}",
	}
	cases := map[string]struct{ manifests, want []string }{
		"of templates": {append(cluster("v1beta2"), ofTemplates...), []string{
			"LoadBalancersInboundNatRule cp-preview", "NetworkInterface cp-preview-nic", "NetworkInterface md-preview-nic", "RoleAssignment cp-preview", "RoleAssignment md-preview",
			"VirtualMachine cp-preview", "VirtualMachine md-preview", "VirtualMachinesExtension cp-preview-e", "VirtualMachinesExtension md-preview-e"}},
		"of templates, in an older version": {append(cluster("v1beta1"), ofTemplates...), []string{
			"LoadBalancersInboundNatRule cp-preview", "NetworkInterface cp-preview-nic", "NetworkInterface md-preview-nic", "RoleAssignment cp-preview", "RoleAssignment md-preview",
			"VirtualMachine cp-preview", "VirtualMachine md-preview", "VirtualMachinesExtension cp-preview-e", "VirtualMachinesExtension md-preview-e"}},
		"of its own": {append(cluster("v1beta2"), ofItsOwn...), []string{"NetworkInterface own-nic", "VirtualMachine own"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var objects []*unstructured.Unstructured
			for _, text := range c.manifests {
				o := &unstructured.Unstructured{}
				if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
					t.Fatal(err)
				}
				objects = append(objects, o)
			}
			made, err := preview.Make(t.Context(), function{}, objects)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range made.Resources {
				if !slices.Contains([]string{"VirtualMachine", "NetworkInterface", "LoadBalancersInboundNatRule", "RoleAssignment", "VirtualMachinesExtension"}, o.GetKind()) {
					continue
				}
				got = append(got, o.GetKind()+" "+o.GetName())
				if text := fmt.Sprint(o.Object); strings.Contains(text, "operatorSpec") {
					t.Errorf("%s is shown as it is after its creation: %s", o.GetName(), text)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s\n%v", diff, made.Problems)
			}
		})
	}
}
