package asomanaged

import (
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane-capz/crossplane-capz/internal/composer/composertest"
)

const createdText = "2026-01-02T03:04:05Z"

// response builds the answer to a settled request; requirements are tested elsewhere.
func response(t *testing.T, xr *unstr, status map[string]any, ready fnv1.Ready, composed ...*fnv1.Resource) *fnv1.RunFunctionResponse {
	t.Helper()
	s, err := structpb.NewStruct(dict("apiVersion", xr.GetAPIVersion(), "kind", xr.GetKind(), "status", status))
	must(t, err)
	rsp := &fnv1.RunFunctionResponse{
		Meta:    &fnv1.ResponseMeta{Tag: "tag", Ttl: durationpb.New(3600e9)},
		Desired: &fnv1.State{Composite: &fnv1.Resource{Resource: s, Ready: ready}},
	}
	for _, c := range composed {
		if rsp.Desired.Resources == nil {
			rsp.Desired.Resources = map[string]*fnv1.Resource{}
		}
		rsp.Desired.Resources[name(composertest.Object(t, c.GetResource()))] = c
	}
	return rsp
}

func composedAs(t *testing.T, o *unstr, ready fnv1.Ready) *fnv1.Resource {
	t.Helper()
	return &fnv1.Resource{Resource: composertest.Struct(t, edited(o, func(o *unstr) {
		o.SetNamespace(ns)
		o.SetLabels(union(o.GetLabels(), map[string]string{"cluster.x-k8s.io/cluster-name": "c1"}))
	})), Ready: ready}
}

func shownCondition(conditionType string, status fnv1.Status, reason, message string) *fnv1.Condition {
	return &fnv1.Condition{Type: conditionType, Status: status, Reason: reason, Message: &message, Target: fnv1.Target_TARGET_COMPOSITE.Enum()}
}

func contractCondition(conditionType, status, reason, message string) map[string]any {
	return dict("type", conditionType, "status", status, "reason", reason, "message", message,
		"lastTransitionTime", createdText, "observedGeneration", 1)
}

func resourceStatus(o *unstr, ready bool, reason, message string) map[string]any {
	gvk := o.GroupVersionKind()
	return dict("resource", dict("group", gvk.Group, "version", gvk.Version, "kind", gvk.Kind, "name", o.GetName()),
		"ready", ready, "reason", reason, "message", message)
}

const (
	yes = fnv1.Status_STATUS_CONDITION_TRUE
	no  = fnv1.Status_STATUS_CONDITION_FALSE
)

func clusterStatus(done bool, resources []any, conditions ...any) map[string]any {
	s := dict("ready", done, "initialization", dict("provisioned", done), "v1beta2", dict("conditions", conditions))
	if resources != nil {
		s["resources"] = resources
	}
	return s
}

func TestClusterStages(t *testing.T) {
	rg, net := group("rg"), owned(network, "VirtualNetwork", "net", "rg")
	xr := infraXR(rg, net)
	endpoint := set(dict("host", "api.example.org", "port", int64(443)), "spec", "controlPlaneEndpoint")
	notPaused := contractCondition("Paused", "False", "NotPaused", "")
	cases := map[string]struct {
		xr       *unstr
		world    world
		observed []*unstr
		want     func(t *testing.T) *fnv1.RunFunctionResponse
	}{
		"no owner": {
			xr: edited(xr, remove("metadata", "ownerReferences")),
			want: func(t *testing.T) *fnv1.RunFunctionResponse {
				const message = `waits for a Cluster to own it: a Cluster in namespace "ns" must refer to AzureASOManagedCluster "infra"`
				rsp := response(t, xr, clusterStatus(false, nil, contractCondition("Ready", "False", "WaitingForOwner", message),
					contractCondition("ResourcesReady", "False", "WaitingForOwner", message)), fnv1.Ready_READY_FALSE)
				rsp.Conditions = []*fnv1.Condition{shownCondition("ResourcesReady", no, "WaitingForOwner", message)}
				return rsp
			},
		},
		"owner does not exist": {
			xr: xr,
			want: func(t *testing.T) *fnv1.RunFunctionResponse {
				const message = `waits for Cluster "c1", which owns it and does not exist in namespace "ns"`
				rsp := response(t, xr, clusterStatus(false, nil, contractCondition("Ready", "False", "WaitingForOwner", message),
					contractCondition("ResourcesReady", "False", "WaitingForOwner", message)), fnv1.Ready_READY_FALSE)
				rsp.Conditions = []*fnv1.Condition{shownCondition("ResourcesReady", no, "WaitingForOwner", message)}
				return rsp
			},
		},
		"first creation": {
			xr: xr, world: world{Objects: []*unstr{cluster(), controlPlaneXR()}},
			want: func(t *testing.T) *fnv1.RunFunctionResponse {
				looking := resourceStatus(rg, false, "Creating", "is being created")
				looking["ownership"] = "undecided"
				rsp := response(t, xr, clusterStatus(false,
					list(looking,
						resourceStatus(net, false, "WaitingForResource", "waits until ResourceGroup rg (spec.owner) is ready")),
					contractCondition("Ready", "False", "Creating", "ResourceGroup rg: is being created; VirtualNetwork net: waits until ResourceGroup rg (spec.owner) is ready"),
					contractCondition("ResourcesReady", "False", "Creating", "ResourceGroup rg: is being created; VirtualNetwork net: waits until ResourceGroup rg (spec.owner) is ready"),
					notPaused), fnv1.Ready_READY_FALSE, composedAs(t, edited(rg, looked), fnv1.Ready_READY_FALSE), composedAs(t, edited(net, held), fnv1.Ready_READY_FALSE))
				rsp.Conditions = []*fnv1.Condition{
					shownCondition("ResourcesReady", no, "Creating", "ResourceGroup rg: is being created; VirtualNetwork net: waits until ResourceGroup rg (spec.owner) is ready"),
					shownCondition("Paused", no, "NotPaused", "")}
				return rsp
			},
		},
		"ready but for the endpoint": {
			xr: xr, world: world{Objects: []*unstr{cluster(), controlPlaneXR()}}, observed: []*unstr{exists(t, xr, rg), exists(t, xr, net)},
			want: func(t *testing.T) *fnv1.RunFunctionResponse {
				rsp := response(t, xr, clusterStatus(false, list(resourceStatus(rg, true, "Succeeded", ""), resourceStatus(net, true, "Succeeded", "")),
					contractCondition("Ready", "False", "WaitingForControlPlaneEndpoint", "waits for spec.controlPlaneEndpoint, which comes from the control plane"),
					contractCondition("ResourcesReady", "True", "AllReady", ""), notPaused), fnv1.Ready_READY_UNSPECIFIED,
					composedAs(t, rg, fnv1.Ready_READY_TRUE), composedAs(t, net, fnv1.Ready_READY_TRUE))
				rsp.Conditions = []*fnv1.Condition{shownCondition("ResourcesReady", yes, "AllReady", ""), shownCondition("Paused", no, "NotPaused", "")}
				return rsp
			},
		},
		"ready": {
			xr: edited(xr, endpoint), world: world{Objects: []*unstr{cluster(), controlPlaneXR()}}, observed: []*unstr{exists(t, xr, rg), exists(t, xr, net)},
			want: func(t *testing.T) *fnv1.RunFunctionResponse {
				rsp := response(t, xr, clusterStatus(true, list(resourceStatus(rg, true, "Succeeded", ""), resourceStatus(net, true, "Succeeded", "")),
					contractCondition("Ready", "True", "Provisioned", ""),
					contractCondition("ResourcesReady", "True", "AllReady", ""), notPaused), fnv1.Ready_READY_UNSPECIFIED,
					composedAs(t, rg, fnv1.Ready_READY_TRUE), composedAs(t, net, fnv1.Ready_READY_TRUE))
				rsp.Conditions = []*fnv1.Condition{shownCondition("ResourcesReady", yes, "AllReady", ""), shownCondition("Paused", no, "NotPaused", "")}
				return rsp
			},
		},
		"an endpoint alone does not make it ready": {
			xr: edited(xr, endpoint), world: world{Objects: []*unstr{cluster(), controlPlaneXR()}},
			observed: []*unstr{exists(t, xr, rg, condition("False", "Info", "Reconciling", "working")), exists(t, xr, net)},
			want: func(t *testing.T) *fnv1.RunFunctionResponse {
				const message = "ResourceGroup rg: working"
				rsp := response(t, xr, clusterStatus(false, list(resourceStatus(rg, false, "Reconciling", "working"), resourceStatus(net, true, "Succeeded", "")),
					contractCondition("Ready", "False", "Reconciling", message),
					contractCondition("ResourcesReady", "False", "Reconciling", message), notPaused), fnv1.Ready_READY_FALSE,
					composedAs(t, rg, fnv1.Ready_READY_FALSE), composedAs(t, net, fnv1.Ready_READY_TRUE))
				rsp.Conditions = []*fnv1.Condition{shownCondition("ResourcesReady", no, "Reconciling", message), shownCondition("Paused", no, "NotPaused", "")}
				return rsp
			},
		},
		"once ready, Azure's refusal is shown by Ready and stays provisioned": {
			xr: edited(xr, endpoint, set(true, "status", "ready")), world: world{Objects: []*unstr{cluster(), controlPlaneXR()}},
			observed: []*unstr{exists(t, xr, rg, condition("False", "Error", "Locked", "has a lock")), exists(t, xr, net)},
			want: func(t *testing.T) *fnv1.RunFunctionResponse {
				const message = "ResourceGroup rg: has a lock"
				rsp := response(t, xr, clusterStatus(true, list(resourceStatus(rg, false, "Locked", "has a lock"), resourceStatus(net, true, "Succeeded", "")),
					contractCondition("Ready", "False", "Locked", message),
					contractCondition("ResourcesReady", "False", "Locked", message), notPaused), fnv1.Ready_READY_FALSE,
					composedAs(t, rg, fnv1.Ready_READY_FALSE), composedAs(t, net, fnv1.Ready_READY_TRUE))
				rsp.Conditions = []*fnv1.Condition{shownCondition("ResourcesReady", no, "Locked", message), shownCondition("Paused", no, "NotPaused", "")}
				return rsp
			},
		},
		"once ready, an update takes nothing away": {
			xr: edited(xr, endpoint, set(true, "status", "ready")), world: world{Objects: []*unstr{cluster(), controlPlaneXR()}},
			observed: []*unstr{exists(t, xr, rg, condition("False", "Info", "Reconciling", "working")), exists(t, xr, net)},
			want: func(t *testing.T) *fnv1.RunFunctionResponse {
				const message = "ResourceGroup rg: working"
				rsp := response(t, xr, clusterStatus(true, list(resourceStatus(rg, false, "Reconciling", "working"), resourceStatus(net, true, "Succeeded", "")),
					contractCondition("Ready", "True", "Provisioned", message),
					contractCondition("ResourcesReady", "False", "Reconciling", message), notPaused), fnv1.Ready_READY_FALSE,
					composedAs(t, rg, fnv1.Ready_READY_FALSE), composedAs(t, net, fnv1.Ready_READY_TRUE))
				rsp.Conditions = []*fnv1.Condition{shownCondition("ResourcesReady", no, "Reconciling", message), shownCondition("Paused", no, "NotPaused", "")}
				return rsp
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := composers.Settle(t, c.world, request(t, c.xr, c.observed...))
			if diff := cmp.Diff(c.want(t), got, protocmp.Transform(), protocmp.IgnoreFields(&fnv1.RunFunctionResponse{}, "requirements")); diff != "" {
				t.Errorf("RunFunction: -want, +got:\n%s", diff)
			}
		})
	}
}
