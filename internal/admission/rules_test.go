package admission

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// The objects that the cases find; that every rule is asked about what it should be is for the schema tests.
const (
	ruleCluster = `{metadata: {namespace: default, name: c}, spec: {
  controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedControlPlane, name: cp},
  clusterNetwork: {services: {cidrBlocks: [10.96.0.0/16]}}}}`
	ruleControlPlane = `{metadata: {namespace: default, name: cp}, spec: {version: v1.33.2, location: westeurope}}`
	rulePool         = `{metadata: {namespace: default, name: p1, labels: {cluster.x-k8s.io/cluster-name: c}}, spec: {mode: System}}`
	ruleMachinePool  = `{metadata: {namespace: default, name: mp1, labels: {cluster.x-k8s.io/cluster-name: c}}, spec: {clusterName: c, template: {spec: {
  version: v1.33.2, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedMachinePool, name: p1}}}}}`
)

func from[T any](t *testing.T, text string, replaced ...string) *T {
	t.Helper()
	obj := new(T)
	if err := yaml.UnmarshalStrict([]byte(strings.NewReplacer(replaced...).Replace(text)), obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

func going[T client.Object](obj T) T {
	obj.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
	obj.SetFinalizers([]string{"example.org/f"})
	return obj
}

func rules(t *testing.T, objects ...client.Object) *Rules {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, clusterv1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return &Rules{Reader: fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()}
}

func TestRules(t *testing.T) {
	cluster := func(replaced ...string) client.Object { return from[clusterv1.Cluster](t, ruleCluster, replaced...) }
	controlPlane := func(replaced ...string) client.Object {
		return from[v1beta1.AzureManagedControlPlane](t, ruleControlPlane, replaced...)
	}
	pool := func(replaced ...string) *v1beta1.AzureManagedMachinePool {
		return from[v1beta1.AzureManagedMachinePool](t, rulePool, replaced...)
	}
	machinePool := func(replaced ...string) *clusterv1.MachinePool {
		return from[clusterv1.MachinePool](t, ruleMachinePool, replaced...)
	}
	// hosting are a control plane and its ManagedCluster, of a SKU, which AKS has made or not.
	hosting := func(sku string, exists bool) []client.Object {
		there := []client.Object{cluster(), pool(), controlPlane("location: westeurope}", "location: westeurope}, status: {resources: ["+
			"{resource: {group: resources.azure.com, version: v1, kind: ResourceGroup, name: rg}, ready: true}, "+
			"{resource: {group: containerservice.azure.com, version: v1api20250801, kind: ManagedCluster, name: mc}, ready: true}]}")}
		if exists {
			managed := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"sku": map[string]any{"name": sku}}}}
			managed.SetAPIVersion("containerservice.azure.com/v1api20250801")
			managed.SetKind("ManagedCluster")
			managed.SetNamespace("default")
			managed.SetName("mc")
			there = append(there, managed)
		}
		return there
	}
	const dns = "{version: v1.33.2, dnsServiceIP: 10.96.0.10"
	cases := map[string]struct {
		there     []client.Object
		kind      string
		operation admissionv1.Operation
		// object and old are YAML.
		object, old string
		// want is all of the answer after the name of the object; empty means that it is allowed.
		want string
	}{
		"dnsServiceIP, no Cluster yet": {kind: controlPlaneKind, object: strings.Replace(ruleControlPlane, "{version: v1.33.2", dns, 1)},
		"dnsServiceIP in the range":    {there: []client.Object{cluster()}, kind: controlPlaneKind, object: strings.Replace(ruleControlPlane, "{version: v1.33.2", dns, 1)},
		"dnsServiceIP in none": {
			there: []client.Object{cluster("services", "pods")}, kind: controlPlaneKind, object: strings.Replace(ruleControlPlane, "{version: v1.33.2", dns, 1),
			want: `spec.dnsServiceIP: Invalid value: "10.96.0.10": must be in spec.clusterNetwork.services.cidrBlocks of Cluster c: it has none`,
		},
		"dnsServiceIP in another": {
			there: []client.Object{cluster("10.96.0.0/16", "10.0.0.0/16")}, kind: controlPlaneKind, object: strings.Replace(ruleControlPlane, "{version: v1.33.2", dns, 1),
			want: `spec.dnsServiceIP: Invalid value: "10.96.0.10": must be in spec.clusterNetwork.services.cidrBlocks of Cluster c: ["10.0.0.0/16"] does not contain it`,
		},
		"dnsServiceIP no address": {
			there: []client.Object{cluster()}, kind: controlPlaneKind, object: strings.Replace(ruleControlPlane, "{version: v1.33.2", "{version: v1.33.2, dnsServiceIP: x", 1),
			want: `spec.dnsServiceIP: Invalid value: "x": must be in spec.clusterNetwork.services.cidrBlocks of Cluster c: "x" is not an IP address`,
		},
		"by the Cluster's label": {
			there: []client.Object{cluster("kind: AzureManagedControlPlane, name: cp", "kind: AzureManagedControlPlane, name: other", "10.96.0.0/16", "10.0.0.0/16")},
			kind:  controlPlaneKind,
			object: strings.NewReplacer("{version: v1.33.2", dns, "name: cp", "name: cp, labels: {cluster.x-k8s.io/cluster-name: c}").
				Replace(ruleControlPlane),
			want: `spec.dnsServiceIP: Invalid value: "10.96.0.10": must be in spec.clusterNetwork.services.cidrBlocks of Cluster c: ["10.0.0.0/16"] does not contain it`,
		},
		"key that is none": {
			kind: controlPlaneKind, object: strings.Replace(ruleControlPlane, "{version", "{sshPublicKey: c3NoLXJzYQ==, version", 1),
			want: `spec.sshPublicKey: Invalid value: "c3NoLXJzYQ==": must be an SSH public key in base64, but what it decodes to is no line of an authorized_keys file`,
		},
		"key in the clear": {
			kind: controlPlaneKind, object: strings.Replace(ruleControlPlane, "{version", "{sshPublicKey: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO, version", 1),
			want: `spec.sshPublicKey: Invalid value: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5…": must be an SSH public key in base64, as ` + "`base64 -w0 id_rsa.pub`" + ` prints it, but is not base64`,
		},
		"control plane below a pool": {
			there: []client.Object{cluster(), machinePool("v1.33.2", "v1.34.0")}, kind: controlPlaneKind, object: ruleControlPlane,
			want: `spec.version: Invalid value: "v1.33.2": must not be lower than v1.34.0, which is spec.template.spec.version of MachinePool mp1`,
		},
		"control plane as its pool": {there: []client.Object{cluster(), machinePool()}, kind: controlPlaneKind, object: ruleControlPlane},

		"name written later": {
			there: []client.Object{cluster()}, kind: controlPlaneKind, operation: admissionv1.Update, old: ruleControlPlane,
			object: strings.Replace(ruleControlPlane, "{version", "{resourceGroupName: c, nodeResourceGroupName: MC_c_cp_westeurope, fleetsMember: {name: f, managerName: m, managerResourceGroup: g}, version", 1),
		},
		"another name written later": {
			there: []client.Object{cluster()}, kind: controlPlaneKind, operation: admissionv1.Update, old: ruleControlPlane,
			object: strings.Replace(ruleControlPlane, "{version", "{resourceGroupName: other, version", 1),
			want:   `spec.resourceGroupName: Invalid value: "other": must be c: that is what it has been since it was left out, and it cannot be changed`,
		},

		"one range each": {kind: "Cluster", object: ruleCluster},
		"two ranges each": {
			kind: "Cluster", object: strings.Replace(ruleCluster, "[10.96.0.0/16]}", "[10.96.0.0/16, fd00::/108]}, pods: {cidrBlocks: [10.0.0.0/16, fd01::/48]}", 1),
			want: `[spec.clusterNetwork.services.cidrBlocks: Invalid value: ["10.96.0.0/16","fd00::/108"]: has 2 ranges, but AKS takes one at most for Services, ` +
				`spec.clusterNetwork.pods.cidrBlocks: Invalid value: ["10.0.0.0/16","fd01::/48"]: has 2 ranges, but AKS takes one at most for Pods]`,
		},
		"range without the control plane's DNS": {
			there: []client.Object{controlPlane("{version", "{dnsServiceIP: 10.1.0.10, version")}, kind: "Cluster", object: ruleCluster,
			want: `spec.clusterNetwork.services.cidrBlocks: Invalid value: ["10.96.0.0/16"]: must contain 10.1.0.10, which is spec.dnsServiceIP of AzureManagedControlPlane cp and cannot be changed: ["10.96.0.0/16"] does not contain it`,
		},

		"pool as the control plane": {there: []client.Object{cluster(), controlPlane()}, kind: "MachinePool", object: ruleMachinePool},
		"pool above the control plane": {
			there: []client.Object{cluster(), controlPlane()}, kind: "MachinePool", object: strings.Replace(ruleMachinePool, "v1.33.2", "v1.33.10", 1),
			want: `spec.template.spec.version: Invalid value: "v1.33.10": must not be higher than v1.33.2, which is the version of AzureManagedControlPlane cp: raise that first`,
		},
		"pool as AKS has upgraded the control plane": {
			there: []client.Object{cluster(), controlPlane("location: westeurope}", "location: westeurope}, status: {autoUpgradeVersion: 1.33.10}")},
			kind:  "MachinePool", object: strings.Replace(ruleMachinePool, "v1.33.2", "v1.33.10", 1),
		},
		"pool before the control plane": {there: []client.Object{cluster()}, kind: "MachinePool", object: strings.Replace(ruleMachinePool, "v1.33.2", "v2.0.0", 1)},
		"pool before the Cluster":       {kind: "MachinePool", object: strings.Replace(ruleMachinePool, "v1.33.2", "v2.0.0", 1)},

		"last System pool deleted": {
			there: []client.Object{cluster(), pool(), pool("p1", "p2", "System", "User")}, kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool,
			want: `metadata.name: Invalid value: "p1": AzureManagedMachinePool p1 is the last System pool of Cluster c and cannot be deleted alone, because AKS needs one: add another System pool first, or delete the Cluster`,
		},
		"last System pool becomes a User pool": {
			there: []client.Object{cluster(), pool()}, kind: managedPoolKind, operation: admissionv1.Update, old: rulePool, object: strings.Replace(rulePool, "System", "User", 1),
			want: `spec.mode: Invalid value: "User": AzureManagedMachinePool p1 is the last System pool of Cluster c and must stay System, because AKS needs one: add another System pool first, or delete the Cluster`,
		},
		"last System pool that a migration has left": {
			there: []client.Object{cluster("kind: AzureManagedControlPlane, name: cp", "kind: AzureASOManagedControlPlane, name: cp"), pool()}, kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool,
		},
		"last System pool, AKS hosts one":    {there: hosting("Automatic", true), kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool},
		"last System pool, AKS hosts none":   {there: hosting("Base", true), kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool, want: "last System pool"},
		"last System pool, nobody knows yet": {there: hosting("Automatic", false), kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool, want: "last System pool"},
		"one of two System pools":            {there: []client.Object{cluster(), pool(), pool("p1", "p2")}, kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool},
		"a User pool":                        {there: []client.Object{cluster(), pool()}, kind: managedPoolKind, operation: admissionv1.Delete, old: strings.Replace(rulePool, "System", "User", 1)},
		"the other one goes": {
			there: []client.Object{cluster(), pool(), going(pool("p1", "p2"))}, kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool, want: "last System pool",
		},
		"the other one's MachinePool goes": {
			there: []client.Object{cluster(), pool(), pool("p1", "p2"), going(machinePool("p1", "p2"))}, kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool, want: "last System pool",
		},
		"another Cluster's": {
			there: []client.Object{cluster(), pool(), pool("p1", "p2", "cluster-name: c", "cluster-name: d")}, kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool, want: "last System pool",
		},
		"the Cluster goes": {there: []client.Object{going(cluster()), pool()}, kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool},
		"the namespace goes": {
			there: []client.Object{cluster(), pool(), going(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default"}})}, kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool,
		},
		"the Cluster has gone":  {there: []client.Object{pool()}, kind: managedPoolKind, operation: admissionv1.Delete, old: rulePool},
		"of no Cluster":         {there: []client.Object{cluster()}, kind: managedPoolKind, operation: admissionv1.Delete, old: strings.Replace(rulePool, "cluster.x-k8s.io/cluster-name: c", "", 1)},
		"moved":                 {there: []client.Object{cluster(), pool()}, kind: managedPoolKind, operation: admissionv1.Delete, old: strings.Replace(rulePool, "name: p1", `name: p1, annotations: {clusterctl.cluster.x-k8s.io/delete-for-move: ""}`, 1)},
		"its MachinePool":       {there: []client.Object{cluster(), pool(), machinePool()}, kind: "MachinePool", operation: admissionv1.Delete, old: ruleMachinePool, want: "last System pool"},
		"a moved MachinePool":   {there: []client.Object{cluster(), pool()}, kind: "MachinePool", operation: admissionv1.Delete, old: strings.Replace(ruleMachinePool, "name: mp1", `name: mp1, annotations: {clusterctl.cluster.x-k8s.io/delete-for-move: ""}`, 1)},
		"one of two pools'":     {there: []client.Object{cluster(), pool(), pool("p1", "p2"), machinePool()}, kind: "MachinePool", operation: admissionv1.Delete, old: ruleMachinePool},
		"a pool's that goes":    {there: []client.Object{cluster(), going(pool()), machinePool()}, kind: "MachinePool", operation: admissionv1.Delete, old: ruleMachinePool},
		"a pool's that is gone": {there: []client.Object{cluster(), machinePool()}, kind: "MachinePool", operation: admissionv1.Delete, old: ruleMachinePool},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.operation == "" {
				tc.operation = admissionv1.Create
			}
			r := rules(t, tc.there...)
			response := r.handler(r.of(t, tc.kind)).Handle(context.Background(), ask(t, tc.kind, tc.operation, tc.object, tc.old))
			if response.Allowed != (tc.want == "") {
				t.Fatalf("allowed: %v, %v", response.Allowed, response.Result)
			}
			if tc.want == "" {
				return
			}
			_, got, _ := strings.Cut(response.Result.Message, "is invalid: ")
			if got != tc.want && (tc.want != "last System pool" || !strings.Contains(got, tc.want)) {
				t.Errorf("got\n%s\nwant\n%s", got, tc.want)
			}
		})
	}
}

func (r *Rules) of(t *testing.T, kind string) rule {
	t.Helper()
	return map[string]rule{
		controlPlaneKind: r.controlPlane, managedPoolKind: r.managedPool, "Cluster": r.cluster, "MachinePool": r.machinePool,
	}[kind]
}

// ask makes a request of objects in YAML.
func ask(t *testing.T, kind string, operation admissionv1.Operation, object, old string) admission.Request {
	t.Helper()
	raw := func(text string) runtime.RawExtension {
		if text == "" {
			return runtime.RawExtension{}
		}
		out, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return runtime.RawExtension{Raw: out}
	}
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
		Kind: metav1.GroupVersionKind{Group: "example.org", Version: "v1", Kind: kind}, Namespace: "default", Name: "x",
		Operation: operation, Object: raw(object), OldObject: raw(old),
	}}
}

// TestRulesScope shows that what another installation acts on is left to it.
func TestRulesScope(t *testing.T) {
	for name, tc := range map[string]struct {
		scope   Scope
		allowed bool
	}{
		"all":               {Scope{}, false},
		"this namespace":    {Scope{Namespace: "default"}, false},
		"another namespace": {Scope{Namespace: "other"}, true},
		"another filter":    {Scope{WatchFilter: "blue"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := rules(t, from[clusterv1.Cluster](t, ruleCluster))
			r.Scope = func() Scope { return tc.scope }
			response := r.handler(r.managedPool).Handle(context.Background(), ask(t, managedPoolKind, admissionv1.Delete, "", rulePool))
			if response.Allowed != tc.allowed {
				t.Errorf("allowed: %v, want %v", response.Allowed, tc.allowed)
			}
		})
	}
}

// TestRulesDryRun shows that a dry run of a pool, which may come before the change that allows it, is answered with a warning.
func TestRulesDryRun(t *testing.T) {
	r := rules(t, from[clusterv1.Cluster](t, ruleCluster), from[v1beta1.AzureManagedControlPlane](t, ruleControlPlane))
	twoRanges := strings.Replace(ruleCluster, "[10.96.0.0/16]", "[10.96.0.0/16, fd00::/108]", 1)
	for name, tc := range map[string]struct {
		kind    string
		req     admission.Request
		allowed bool
		warning string
	}{
		"pool deleted": {managedPoolKind, ask(t, managedPoolKind, admissionv1.Delete, "", rulePool), true, "is the last System pool"},
		"pool's version": {
			"MachinePool", ask(t, "MachinePool", admissionv1.Create, strings.Replace(ruleMachinePool, "v1.33.2", "v1.34.0", 1), ""), true, "must not be higher than v1.33.2",
		},
		"Cluster's ranges": {"Cluster", ask(t, "Cluster", admissionv1.Create, twoRanges, ""), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			yes := true
			tc.req.DryRun = &yes
			response := r.handler(r.of(t, tc.kind)).Handle(context.Background(), tc.req)
			if response.Allowed != tc.allowed || !strings.Contains(strings.Join(response.Warnings, "\n"), tc.warning) || (tc.warning == "") != (len(response.Warnings) == 0) {
				t.Errorf("allowed: %v, warnings %q", response.Allowed, response.Warnings)
			}
		})
	}
}

// TestRulesRefuseWhatTheyCannotTell shows that nothing is let through when the API server does not answer.
func TestRulesRefuseWhatTheyCannotTell(t *testing.T) {
	r := rules(t)
	down := errors.New("down")
	r.Reader = interceptor.NewClient(r.Reader.(client.WithWatch), interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return down
		},
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return down },
	})
	for kind, req := range map[string]admission.Request{
		controlPlaneKind: ask(t, controlPlaneKind, admissionv1.Create, ruleControlPlane, ""),
		managedPoolKind:  ask(t, managedPoolKind, admissionv1.Delete, "", rulePool),
		"Cluster":        ask(t, "Cluster", admissionv1.Create, ruleCluster, ""),
		"MachinePool":    ask(t, "MachinePool", admissionv1.Create, ruleMachinePool, ""),
	} {
		response := r.handler(r.of(t, kind)).Handle(context.Background(), req)
		if response.Allowed || !strings.Contains(response.Result.Message, "down") {
			t.Errorf("%s: allowed: %v, %v", kind, response.Allowed, response.Result)
		}
	}
}
