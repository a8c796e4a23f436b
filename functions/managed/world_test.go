package managed

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// mostCalls is how often Crossplane calls a function in one reconcile (its internal/xfn, MaxRequirementsIterations + 1).
const mostCalls = 6

const ns = "ns"

type unstr = unstructured.Unstructured

var (
	composers = map[string]composer.Composer{
		"AzureManagedCluster": Cluster{}, "AzureManagedControlPlane": ControlPlane{}, "AzureManagedMachinePool": MachinePool{},
	}
	created = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// object reads an object from YAML, as the API server would have it.
func object(t testing.TB, text string, args ...any) *unstr {
	t.Helper()
	o := &unstr{Object: map[string]any{}}
	must(t, yaml.Unmarshal(fmt.Appendf(nil, text, args...), &o.Object))
	o.SetNamespace(ns)
	o.SetUID(types.UID("uid-" + o.GetKind() + "-" + o.GetName()))
	o.SetGeneration(1)
	o.SetCreationTimestamp(metav1.NewTime(created))
	return o
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// An edit changes an object.
type edit func(*unstr)

func set(value any, fields ...string) edit {
	return func(o *unstr) {
		if err := unstructured.SetNestedField(o.Object, value, fields...); err != nil {
			panic(err)
		}
	}
}

func remove(fields ...string) edit {
	return func(o *unstr) { unstructured.RemoveNestedField(o.Object, fields...) }
}

func annotate(key, value string) edit { return set(value, "metadata", "annotations", key) }

func edited(o *unstr, edits ...edit) *unstr {
	o = o.DeepCopy()
	for _, e := range edits {
		e(o)
	}
	return o
}

func cluster(t testing.TB) *unstr {
	return object(t, `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c1}, spec: {
		infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedCluster, name: infra},
		controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedControlPlane, name: cp},
		clusterNetwork: {services: {cidrBlocks: [192.168.0.0/16]}}}}`)
}

func machinePool(t testing.TB, pool string) *unstr {
	return object(t, `{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {name: mp-%[1]s, labels: {cluster.x-k8s.io/cluster-name: c1}},
		spec: {clusterName: c1, replicas: 3, template: {spec: {version: v1.33.6,
		infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedMachinePool, name: %[1]s}}}}}`, pool)
}

func poolXR(t testing.TB, name, mode string) *unstr {
	return owned(object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedMachinePool,
		metadata: {name: %s, labels: {cluster.x-k8s.io/cluster-name: c1}}, spec: {mode: %s, sku: Standard_D2s_v5}}`, name, mode), "MachinePool", "mp-"+name)
}

func controlPlane(t testing.TB, edits ...edit) *unstr {
	return edited(owned(object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane,
		metadata: {name: cp, labels: {cluster.x-k8s.io/cluster-name: c1}, annotations: {infrastructure.cluster.x-k8s.io/credential-secret: c1-aso-secret}},
		spec: {version: v1.33.6, location: westeurope, resourceGroupName: rg, subscriptionID: sub, networkPlugin: azure,
			identityRef: {kind: AzureClusterIdentity, name: id}, virtualNetwork: {name: net, subnet: {name: nodes}}}}`), "Cluster", "c1"), edits...)
}

func infrastructure(t testing.TB) *unstr {
	return owned(object(t, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedCluster,
		metadata: {name: infra, labels: {cluster.x-k8s.io/cluster-name: c1}}, spec: {}}`), "Cluster", "c1")
}

func owned(o *unstr, kind, name string) *unstr {
	o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: kind, Name: name, UID: types.UID("uid-" + kind + "-" + name)}})
	return o
}

// A world is what an API server holds besides the composite and its composed objects.
type world []*unstr

// aksWorld has a Cluster with two pools.
func aksWorld(t testing.TB, more ...*unstr) world {
	return append(world{cluster(t), machinePool(t, "p0"), poolXR(t, "p0", "System"), machinePool(t, "p1"), poolXR(t, "p1", "User")}, more...)
}

// with returns the world with the objects in place of those of the same kind and name.
func (w world) with(objects ...*unstr) world { return append(w.without(objects...), objects...) }

func (w world) without(objects ...*unstr) world {
	return slices.DeleteFunc(slices.Clone(w), func(o *unstr) bool {
		return slices.ContainsFunc(objects, func(n *unstr) bool { return name(n) == name(o) })
	})
}

// name is the composition resource name: kind, group and name.
func name(o *unstr) string { return o.GroupVersionKind().GroupKind().String() + "/" + o.GetName() }

func request(t testing.TB, xr *unstr, observed ...*unstr) *fnv1.RunFunctionRequest {
	t.Helper()
	req := &fnv1.RunFunctionRequest{
		Meta: &fnv1.RequestMeta{Tag: "tag", Capabilities: []fnv1.Capability{
			fnv1.Capability_CAPABILITY_CAPABILITIES, fnv1.Capability_CAPABILITY_REQUIRED_RESOURCES, fnv1.Capability_CAPABILITY_REQUIRED_SCHEMAS,
		}},
		Observed: &fnv1.State{Composite: &fnv1.Resource{Resource: asStruct(t, xr)}, Resources: map[string]*fnv1.Resource{}},
	}
	for _, o := range observed {
		req.Observed.Resources[name(o)] = &fnv1.Resource{Resource: asStruct(t, o)}
	}
	return req
}

func asStruct(t testing.TB, o *unstr) *structpb.Struct {
	t.Helper()
	s, err := resource.AsStruct(o)
	must(t, err)
	return s
}

func run(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	kind := req.GetObserved().GetComposite().GetResource().GetFields()["kind"].GetStringValue()
	return composer.Run(req, composers[kind])
}

// settle calls the function as Crossplane does, until it has all that it asks for.
func (w world) settle(t testing.TB, req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	t.Helper()
	rsp, calls := w.calls(t, req)
	if calls > mostCalls {
		t.Fatalf("Crossplane gives up: requirements did not settle within %d calls, but %d", mostCalls, calls)
	}
	return rsp
}

func (w world) calls(t testing.TB, req *fnv1.RunFunctionRequest) (*fnv1.RunFunctionResponse, int) {
	t.Helper()
	var before *fnv1.Requirements
	for n := 1; n < 20; n++ {
		rsp := run(req)
		if fatal(rsp) != "" || proto.Equal(before, rsp.GetRequirements()) {
			return rsp, n
		}
		before = rsp.GetRequirements()
		w.resolve(t, req, before)
	}
	t.Fatal("requirements never settle")
	return nil, 0
}

func (w world) resolve(t testing.TB, req *fnv1.RunFunctionRequest, asked *fnv1.Requirements) {
	t.Helper()
	req.RequiredResources, req.RequiredSchemas = map[string]*fnv1.Resources{}, map[string]*fnv1.Schema{}
	for n, s := range asked.GetResources() {
		if s.GetKind() == "Secret" {
			t.Fatal("a function must never ask for a Secret")
		}
		found := &fnv1.Resources{}
		for _, o := range w {
			if o.GroupVersionKind() == schema.FromAPIVersionAndKind(s.GetApiVersion(), s.GetKind()) && o.GetNamespace() == s.GetNamespace() && selected(s, o) {
				found.Items = append(found.Items, &fnv1.Resource{Resource: asStruct(t, o)})
			}
		}
		req.RequiredResources[n] = found
	}
	for n := range asked.GetSchemas() {
		req.RequiredSchemas[n] = &fnv1.Schema{OpenapiV3: &structpb.Struct{Fields: map[string]*structpb.Value{"type": structpb.NewStringValue("object")}}}
	}
}

func selected(s *fnv1.ResourceSelector, o *unstr) bool {
	for k, v := range s.GetMatchLabels().GetLabels() {
		if o.GetLabels()[k] != v {
			return false
		}
	}
	return s.GetMatchLabels() != nil || o.GetName() == s.GetMatchName()
}

// fatal returns the message of the response's fatal result, "" if it has none.
func fatal(rsp *fnv1.RunFunctionResponse) string {
	for _, r := range rsp.GetResults() {
		if r.GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
			return r.GetMessage()
		}
	}
	return ""
}

func status(rsp *fnv1.RunFunctionResponse) map[string]any {
	return rsp.GetDesired().GetComposite().GetResource().GetFields()["status"].GetStructValue().AsMap()
}

// condition returns the condition of the type as Cluster API reads it, as status, reason and message.
func condition(rsp *fnv1.RunFunctionResponse, conditionType string) string {
	items, _, _ := unstructured.NestedSlice(status(rsp), "v1beta2", "conditions")
	for _, i := range items {
		if m := i.(map[string]any); m["type"] == conditionType {
			return strings.TrimSpace(fmt.Sprintf("%v %v: %v", m["status"], m["reason"], m["message"]))
		}
	}
	return ""
}

// resources returns status.resources: for each kind and name, whose it is, whether it is ready, and why.
func resources(rsp *fnv1.RunFunctionResponse) map[string]string {
	items, _, _ := unstructured.NestedSlice(status(rsp), "resources")
	out := map[string]string{}
	for _, i := range items {
		m := i.(map[string]any)
		r := m["resource"].(map[string]any)
		ownership, _ := m["ownership"].(string)
		out[fmt.Sprintf("%s %s", r["kind"], r["name"])] = strings.TrimSpace(fmt.Sprintf("%s %v %s", ownership, m["ready"], m["reason"]))
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
