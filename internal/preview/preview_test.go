package preview

import (
	"context"
	"errors"
	"fmt"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// A functionFunc is a composition function made of a Go function.
type functionFunc struct {
	fnv1.UnimplementedFunctionRunnerServiceServer

	run func(xr map[string]any, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)
}

func (f functionFunc) RunFunction(_ context.Context, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
	return f.run(req.GetObserved().GetComposite().GetResource().AsMap(), req)
}

func objects(t *testing.T, texts ...string) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	for _, text := range texts {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
	return out
}

const (
	infra        = "{apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1, kind: AzureASOManagedCluster, metadata: {name: c}}"
	controlPlane = "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedControlPlane, metadata: {name: c}}"
	pool         = "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedMachinePool, metadata: {name: p}}"
	oldCluster   = "{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: c}, spec: {infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedCluster, name: c}, controlPlaneRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedControlPlane, name: c}}}"
	newCluster   = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c}, spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedCluster, name: c}, controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedControlPlane, name: c}}}"
	oldPool      = "{apiVersion: cluster.x-k8s.io/v1beta1, kind: MachinePool, metadata: {name: mp}, spec: {clusterName: c, replicas: 2, template: {spec: {clusterName: c, bootstrap: {dataSecretName: ''}, infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureASOManagedMachinePool, name: p}}}}}"
	newPool      = "{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {name: mp}, spec: {clusterName: c, replicas: 2, template: {spec: {clusterName: c, bootstrap: {dataSecretName: ''}, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureASOManagedMachinePool, name: p}}}}}"
)

// TestOwners shows that the preview does Cluster API core's part, in whichever version the Cluster is written.
func TestOwners(t *testing.T) {
	for version, manifests := range map[string][]string{"v1beta1": {infra, controlPlane, pool, oldCluster, oldPool}, "v1beta2": {infra, controlPlane, pool, newCluster, newPool}} {
		t.Run(version, func(t *testing.T) {
			got := map[string]string{}
			_, err := Make(context.Background(), functionFunc{run: func(xr map[string]any, _ *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				u := &unstructured.Unstructured{Object: xr}
				for _, o := range u.GetOwnerReferences() {
					got[u.GetKind()] = fmt.Sprintf("%s %s/%s of %s %s, label %s", u.GetAPIVersion(), u.GetNamespace(), u.GetName(), o.APIVersion, o.Kind, u.GetLabels()["cluster.x-k8s.io/cluster-name"])
				}
				return &fnv1.RunFunctionResponse{}, nil
			}}, objects(t, manifests...))
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for kind, owned := range map[string]string{"AzureASOManagedCluster": "default/c of cluster.x-k8s.io/v1beta2 Cluster", "AzureASOManagedControlPlane": "default/c of cluster.x-k8s.io/v1beta2 Cluster",
				"AzureASOManagedMachinePool": "default/p of cluster.x-k8s.io/v1beta2 MachinePool"} {
				want[kind] = "infrastructure.cluster.x-k8s.io/v1beta1 " + owned + ", label c"
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("what the function sees: -want, +got:\n%s", diff)
			}
		})
	}
}

func state(t *testing.T, status map[string]any, names ...string) *fnv1.State {
	t.Helper()
	asStruct := func(m map[string]any) *structpb.Struct {
		s, err := structpb.NewStruct(m)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	out := &fnv1.State{Composite: &fnv1.Resource{Resource: asStruct(map[string]any{"status": status})}, Resources: map[string]*fnv1.Resource{}}
	for _, n := range names {
		out.Resources[n] = &fnv1.Resource{Resource: asStruct(map[string]any{"apiVersion": "resources.azure.com/v1", "kind": "ResourceGroup", "metadata": map[string]any{"name": n}})}
	}
	return out
}

// TestRounds shows that one object is created after another, each time with the last one ready, and the endpoint is handed on.
func TestRounds(t *testing.T) {
	f := functionFunc{run: func(xr map[string]any, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		if xr["kind"] == "AzureASOManagedControlPlane" {
			return &fnv1.RunFunctionResponse{Desired: state(t, map[string]any{"controlPlaneEndpoint": map[string]any{"host": "h"}})}, nil
		}
		names := []string{"a"}
		if a := req.GetObserved().GetResources()["a"]; a != nil {
			conditions, _, _ := unstructured.NestedSlice(a.GetResource().AsMap(), "status", "conditions")
			if conditions[0].(map[string]any)["status"] == "True" {
				names = append(names, "b")
			}
		}
		if host, _, _ := unstructured.NestedString(xr, "spec", "controlPlaneEndpoint", "host"); host == "h" && len(names) == 2 {
			names = append(names, "c")
		}
		return &fnv1.RunFunctionResponse{Desired: state(t, nil, names...)}, nil
	}}
	p, err := Make(context.Background(), f, objects(t, newCluster, controlPlane, infra))
	if err != nil || len(p.Problems) > 0 {
		t.Fatal(err, p)
	}
	var got []string
	for _, o := range p.Resources {
		if _, has := o.Object["status"]; has {
			t.Errorf("%s is shown with a status", o.GetName())
		}
		got = append(got, o.GetName())
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Errorf("created: -want, +got:\n%s", diff)
	}
}

// TestHeld shows that an object which is held at first is shown as it is in the end, in its place among the others.
func TestHeld(t *testing.T) {
	annotated := func(r *fnv1.Resource, annotations map[string]string) {
		o := &unstructured.Unstructured{Object: r.GetResource().AsMap()}
		o.SetAnnotations(annotations)
		s, err := structpb.NewStruct(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		r.Resource = s
	}
	f := functionFunc{run: func(_ map[string]any, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		desired := state(t, nil, "a", "z")
		z := req.GetObserved().GetResources()["z"].GetResource().AsMap()
		if conditions, _, _ := unstructured.NestedSlice(z, "status", "conditions"); len(conditions) == 0 {
			annotated(desired.GetResources()["a"], map[string]string{aso.AnnotationHeld: "true", aso.AnnotationReconcilePolicy: "skip"})
			annotated(desired.GetResources()["z"], map[string]string{v1beta1.AnnotationNew: "true"})
		}
		return &fnv1.RunFunctionResponse{Desired: desired}, nil
	}}
	p, err := Make(context.Background(), f, objects(t, newCluster, infra))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range append(p.Resources, p.all()...) {
		got = append(got, fmt.Sprintf("%s %d", o.GetName(), len(o.GetAnnotations()))) // One is Crossplane's.
	}
	if diff := cmp.Diff([]string{"z 1", "a 1", "a 1", "z 1"}, got); diff != "" {
		t.Errorf("shown, then observed, each with the number of its annotations: -want, +got:\n%s", diff)
	}
}

func TestMakeErrorsAndProblems(t *testing.T) {
	calls := 0
	message := "waits"
	cases := map[string]struct {
		run      func(xr map[string]any, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error)
		objects  []string
		err      string
		problems []Problem
	}{
		"nothing to preview": {objects: []string{newCluster}, err: "there is no object of group infrastructure.cluster.x-k8s.io in it"},
		"twice the same":     {objects: []string{infra, newCluster, infra}, err: "AzureASOManagedCluster c of namespace default is there twice"},
		"an error": {objects: []string{infra}, err: "no",
			run: func(map[string]any, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return nil, errors.New("no")
			}},
		"asks for ever more": {objects: []string{infra}, err: "AzureASOManagedCluster c: requirements do not settle",
			run: func(map[string]any, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				calls++
				return &fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{Resources: map[string]*fnv1.ResourceSelector{fmt.Sprint(calls): {}}}}, nil
			}},
		"changes for ever": {objects: []string{infra}, err: "nothing settles within 50 rounds",
			run: func(map[string]any, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				calls++
				return &fnv1.RunFunctionResponse{Desired: state(t, map[string]any{"n": calls})}, nil
			}},
		"a fatal result": {objects: []string{infra}, problems: []Problem{{"AzureASOManagedCluster", "c", "broken"}},
			run: func(map[string]any, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return &fnv1.RunFunctionResponse{Results: []*fnv1.Result{{Severity: fnv1.Severity_SEVERITY_WARNING, Message: "x"}, {Severity: fnv1.Severity_SEVERITY_FATAL, Message: "broken"}}}, nil
			}},
		"not ready": {objects: []string{infra}, problems: []Problem{{"AzureASOManagedCluster", "c", "waits"}},
			run: func(map[string]any, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
				return &fnv1.RunFunctionResponse{Conditions: []*fnv1.Condition{{Type: "Paused", Status: fnv1.Status_STATUS_CONDITION_FALSE},
					{Type: "ResourcesReady", Status: fnv1.Status_STATUS_CONDITION_FALSE, Message: &message}}}, nil
			}},
		"all is well": {objects: []string{infra}, run: func(map[string]any, *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
			return &fnv1.RunFunctionResponse{Conditions: []*fnv1.Condition{{Type: "ResourcesReady", Status: fnv1.Status_STATUS_CONDITION_TRUE}}}, nil
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := Make(context.Background(), functionFunc{run: c.run}, objects(t, c.objects...))
			if got := fmt.Sprint(err); c.err != "" && got != c.err || c.err == "" && err != nil {
				t.Errorf("want the error %q, got %v", c.err, err)
			}
			if p == nil {
				p = &Preview{}
			}
			if diff := cmp.Diff(c.problems, p.Problems); diff != "" {
				t.Errorf("problems: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestRequirements shows what of the manifests the function is given.
func TestRequirements(t *testing.T) {
	ns, other := "default", "other"
	labels := func(value string) *fnv1.ResourceSelector_MatchLabels {
		return &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{Labels: map[string]string{"cluster.x-k8s.io/cluster-name": value}}}
	}
	name := &fnv1.ResourceSelector_MatchName{MatchName: "mp"}
	selectors := map[string]*fnv1.ResourceSelector{
		"by name":           {ApiVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachinePool", Namespace: &ns, Match: name},
		"by label":          {ApiVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachinePool", Namespace: &ns, Match: labels("c")},
		"any namespace":     {ApiVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachinePool", Match: name},
		"another name":      {ApiVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachinePool", Namespace: &ns, Match: &fnv1.ResourceSelector_MatchName{MatchName: "x"}},
		"another label":     {ApiVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachinePool", Namespace: &ns, Match: labels("x")},
		"another namespace": {ApiVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachinePool", Namespace: &other, Match: name},
		"another version":   {ApiVersion: "cluster.x-k8s.io/v1beta1", Kind: "MachinePool", Namespace: &ns, Match: name},
	}
	want := map[string]int{"by name": 1, "by label": 1, "any namespace": 1, "another name": 0, "another label": 0, "another namespace": 0, "another version": 0}
	got := map[string]int{}
	_, err := Make(context.Background(), functionFunc{run: func(_ map[string]any, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, error) {
		for n, found := range req.GetRequiredResources() {
			got[n] = len(found.GetItems())
		}
		return &fnv1.RunFunctionResponse{Requirements: &fnv1.Requirements{Resources: selectors}}, nil
	}}, objects(t, pool, newPool))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found: -want, +got:\n%s", diff)
	}
}
