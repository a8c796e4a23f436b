package schema

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	arv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/admission"
)

// The objects that the cases begin with, and replace parts of.
const (
	aCluster = `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c}, spec: {
  clusterNetwork: {services: {cidrBlocks: [10.96.0.0/16]}}, controlPlaneRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedControlPlane, name: cp},
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedCluster, name: c}}}`
	aControlPlane = `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, metadata: {name: cp},
  spec: {version: v1.33.2, location: westeurope, identityRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, name: id}}}`
	aPool = `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedMachinePool, metadata: {name: pool1, labels: {cluster.x-k8s.io/cluster-name: c}},
  spec: {mode: System, sku: Standard_D2s_v3}}`
	aMachinePool = `{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachinePool, metadata: {name: mp1, labels: {cluster.x-k8s.io/cluster-name: c}}, spec: {clusterName: c, template: {spec: {
  clusterName: c, version: v1.33.2, bootstrap: {dataSecretName: ""}, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedMachinePool, name: pool1}}}}}`
)

// A step is one request of a case.
type step struct {
	// create, change and remove are an object in YAML; change is a merge patch that names the object. One of them is set.
	create, change, remove string
	// dry makes a change a dry run.
	dry bool
	// refused is a part of the answer; empty means that the request is to pass.
	refused string
}

// TestBetweenObjects asks the real API server for what the rules between objects are about, with provider-capz's webhooks as
// its package configures them.
func TestBetweenObjects(t *testing.T) {
	serveRules(t)
	lastPool := "is the last System pool of Cluster c"
	with := func(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	withDNS := with(aControlPlane, "{version", "{dnsServiceIP: 10.96.0.10, version")
	key := "c3NoLWVkMjU1MTkgQUFBQUMzTnphQzFsWkRJMU5URTVBQUFBSU9NcXFua1Z6cm0wU2RHNlVPb3FLTHNhYmdINUM5b2tXaTBkaDJsOUdLSmw=" // An ed25519 key.
	cases := map[string][]step{
		"dnsServiceIP in the Services of the Cluster": {{create: aCluster}, {create: withDNS}},
		"dnsServiceIP outside of them": {{create: with(aCluster, "10.96.0.0", "10.97.0.0")}, {
			create:  withDNS,
			refused: `AzureManagedControlPlane.infrastructure.cluster.x-k8s.io "cp" is invalid: spec.dnsServiceIP: Invalid value: "10.96.0.10": must be in spec.clusterNetwork.services.cidrBlocks of Cluster c: ["10.97.0.0/16"] does not contain it`,
		}},
		"dnsServiceIP without Services": {{create: with(aCluster, "clusterNetwork: {services: {cidrBlocks: [10.96.0.0/16]}}, ", "")}, {
			create: withDNS, refused: `spec.dnsServiceIP: Invalid value: "10.96.0.10": must be in spec.clusterNetwork.services.cidrBlocks of Cluster c: it has none`,
		}},
		"the Cluster comes last": {{create: withDNS}, {
			create:  with(aCluster, "10.96.0.0", "10.97.0.0"),
			refused: `spec.clusterNetwork.services.cidrBlocks: Invalid value: ["10.97.0.0/16"]: must contain 10.96.0.10, which is spec.dnsServiceIP of AzureManagedControlPlane cp and cannot be changed`,
		}, {create: aCluster}},
		"the Cluster changes": {{create: withDNS}, {create: aCluster}, {
			change:  with(aCluster, "10.96.0.0", "10.97.0.0"),
			refused: `spec.clusterNetwork.services.cidrBlocks: Invalid value: ["10.97.0.0/16"]: must contain 10.96.0.10`,
		}, {change: with(aCluster, "10.96.0.0/16", "10.96.0.0/12")}},
		"two ranges of Services": {{
			create:  with(aCluster, "[10.96.0.0/16]", "[10.96.0.0/16, fd00::/108]"),
			refused: `spec.clusterNetwork.services.cidrBlocks: Invalid value: ["10.96.0.0/16","fd00::/108"]: has 2 ranges, but AKS takes one at most for Services`,
		}},
		"two ranges of Pods": {{
			create:  with(aCluster, "clusterNetwork: {", "clusterNetwork: {pods: {cidrBlocks: [10.0.0.0/16, fd01::/48]}, "),
			refused: `spec.clusterNetwork.pods.cidrBlocks: Invalid value: ["10.0.0.0/16","fd01::/48"]: has 2 ranges, but AKS takes one at most for Pods`,
		}, {create: with(aCluster, "clusterNetwork: {", "clusterNetwork: {pods: {cidrBlocks: [10.0.0.0/16]}, ")}},
		"another kind of Cluster": {{create: with(aCluster, "AzureManagedControlPlane", "AzureASOManagedControlPlane", "[10.96.0.0/16]", "[10.96.0.0/16, fd00::/108]")}},

		"a key": {{create: with(aControlPlane, "{version", "{sshPublicKey: "+key+", version")}},
		"a key that is none": {{
			create:  with(aControlPlane, "{version", "{sshPublicKey: c3NoLXJzYQ==, version"),
			refused: `spec.sshPublicKey: Invalid value: "c3NoLXJzYQ==": must be an SSH public key in base64, but what it decodes to is no line of an authorized_keys file`,
		}},

		"the subscription is left out later": {
			{create: with(aControlPlane, "{version", "{subscriptionID: one, version")}, {change: with(aControlPlane, "{version", "{subscriptionID: null, version")},
			{change: with(aControlPlane, "{version", "{subscriptionID: two, version"), refused: `spec.subscriptionID: Invalid value: "two": cannot be changed from one`},
		},

		"a pool of the control plane's version": {{create: aCluster}, {create: aControlPlane}, {create: aMachinePool}, {
			change:  with(aMachinePool, "v1.33.2", "v1.34.0"),
			refused: `MachinePool.cluster.x-k8s.io "mp1" is invalid: spec.template.spec.version: Invalid value: "v1.34.0": must not be higher than v1.33.2, which is the version of AzureManagedControlPlane cp: raise that first`,
		}, {change: with(aControlPlane, "v1.33.2", "v1.34.0")}, {change: with(aMachinePool, "v1.33.2", "v1.34.0")}},
		"a pool of a later version": {{create: aCluster}, {create: aControlPlane}, {
			create: with(aMachinePool, "v1.33.2", "v1.34.0"), refused: `spec.template.spec.version: Invalid value: "v1.34.0": must not be higher than v1.33.2`,
		}},
		"a control plane of an earlier version": {{create: aCluster}, {create: with(aMachinePool, "v1.33.2", "v1.34.0")}, {
			create:  aControlPlane,
			refused: `spec.version: Invalid value: "v1.33.2": must not be lower than v1.34.0, which is spec.template.spec.version of MachinePool mp1`,
		}},
		"a MachinePool of another kind": {{create: aCluster}, {create: aControlPlane}, {
			create: with(aMachinePool, "AzureManagedMachinePool", "AzureASOManagedMachinePool", "v1.33.2", "v1.34.0"),
		}},

		"the last System pool is deleted": {{create: aCluster}, {create: aPool}, {
			remove: aPool, refused: `AzureManagedMachinePool.infrastructure.cluster.x-k8s.io "pool1" is invalid: metadata.name: Invalid value: "pool1": AzureManagedMachinePool pool1 ` + lastPool + ` and cannot be deleted alone, because AKS needs one: add another System pool first, or delete the Cluster`,
		}, {create: with(aPool, "pool1", "pool2")}, {remove: aPool}, {remove: with(aPool, "pool1", "pool2"), refused: lastPool}},
		"a dry run of a change that another one will allow": {{create: aCluster}, {create: aPool}, {change: with(aPool, "System", "User"), dry: true},
			{change: with(aPool, "System", "User"), refused: lastPool}},
		"the last System pool becomes a User pool": {{create: aCluster}, {create: aPool}, {
			change: with(aPool, "System", "User"), refused: `spec.mode: Invalid value: "User": AzureManagedMachinePool pool1 ` + lastPool + ` and must stay System`,
		}, {create: with(aPool, "pool1", "pool2")}, {change: with(aPool, "System", "User")}, {remove: aPool}},
		"a User pool is deleted": {{create: aCluster}, {create: aPool}, {create: with(aPool, "pool1", "pool2", "System", "User")}, {remove: with(aPool, "pool1", "pool2")}},
		"the Cluster goes": {{create: with(aCluster, "metadata: {name: c}", "metadata: {name: c, finalizers: [example.org/f]}")}, {create: aPool}, {remove: aPool, refused: lastPool},
			{remove: aCluster}, {remove: aPool}},
		"the Cluster is gone": {{create: aPool}, {remove: aPool}},
		"clusterctl moves":    {{create: aCluster}, {create: with(aPool, "{name: pool1", `{name: pool1, annotations: {clusterctl.cluster.x-k8s.io/delete-for-move: ""}`)}, {remove: aPool}},
		"the MachinePool of the last System pool": {{create: aCluster}, {create: aPool}, {create: aMachinePool}, {
			remove: aMachinePool, refused: `MachinePool.cluster.x-k8s.io "mp1" is invalid: spec.template.spec.infrastructureRef.name: Invalid value: "pool1": AzureManagedMachinePool pool1 ` + lastPool + ` and cannot be deleted alone`,
		}, {create: with(aPool, "pool1", "pool2")}, {remove: aMachinePool}},

		"a name that was left out is written down": {{create: aCluster}, {create: aControlPlane}, {
			change:  with(aControlPlane, "{version", "{resourceGroupName: other, version"),
			refused: `spec.resourceGroupName: Invalid value: "other": must be c: that is what it has been since it was left out, and it cannot be changed`,
		}, {change: with(aControlPlane, "{version", "{resourceGroupName: c, nodeResourceGroupName: MC_c_cp_westeurope, version")}},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := newNamespace(t)
			for i, s := range steps {
				err := s.do(t, namespace)
				if s.refused == "" && err != nil || s.refused != "" && (err == nil || !strings.Contains(err.Error(), s.refused)) {
					t.Fatalf("step %d: %v, want %q", i, err, s.refused)
				}
			}
		})
	}
}

// TestWebhookDefaults shows what a new object of the typed kinds has that was not in its manifest.
func TestWebhookDefaults(t *testing.T) {
	serveRules(t)
	namespace := newNamespace(t)
	read := func(text string) *unstructured.Unstructured {
		t.Helper()
		o := inNamespace(t, namespace, text)
		if err := server.client.Get(context.Background(), client.ObjectKeyFromObject(o), o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	apply := func(s step) {
		t.Helper()
		if err := s.do(t, namespace); err != nil {
			t.Fatal(err)
		}
	}
	apply(step{create: strings.NewReplacer("v1.33.2", "1.33.2", "{version", `{sshPublicKey: "", version`).Replace(aControlPlane)})
	made := read(aControlPlane)
	field := func(o *unstructured.Unstructured, path ...string) string {
		value, _, _ := unstructured.NestedString(o.Object, path...)
		return value
	}
	for path, want := range map[string]string{
		"spec.version": "v1.33.2", "spec.virtualNetwork.cidrBlock": "10.0.0.0/8", "spec.virtualNetwork.subnet.cidrBlock": "10.240.0.0/16",
	} {
		if got := field(made, strings.Split(path, ".")...); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if enabled, set, err := unstructured.NestedBool(made.Object, "spec", "oidcIssuerProfile", "enabled"); enabled || !set || err != nil {
		t.Error("the issuer is not written down as off")
	}
	key := field(made, "spec", "sshPublicKey")
	if len(key) < 300 {
		t.Errorf("no key was generated: %q", key)
	}
	// An empty key and no ranges, as who applies the manifest again would have it.
	apply(step{change: strings.Replace(aControlPlane, "{version", `{sshPublicKey: "", virtualNetwork: null, networkPluginMode: overlay, version`, 1)})
	changed := read(aControlPlane)
	if got := field(changed, "spec", "sshPublicKey"); got != key {
		t.Error("the key has changed")
	}
	if got := field(changed, "spec", "virtualNetwork", "cidrBlock"); got != "10.0.0.0/8" {
		t.Errorf("the range has changed to %s", got)
	}
	apply(step{create: aPool})
	apply(step{create: strings.Replace(aPool, "pool1", "pool2", 1)})
	apply(step{change: strings.Replace(aPool, "System", "User", 1)})
	if got := read(aPool).GetLabels()[v1beta1.LabelAgentPoolMode]; got != "User" {
		t.Errorf("label of the mode is %q", got)
	}
	template := `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedMachinePoolTemplate, metadata: {name: pool}, spec: {template: {spec: {mode: User, sku: x}}}}`
	apply(step{create: template})
	if got := field(read(template), "spec", "template", "spec", "name"); got != "pool" {
		t.Errorf("the template's pools are called %q", got)
	}
	apply(step{change: strings.Replace(template, "mode: User", "name: pool, mode: System", 1)})
	if got := read(template).GetLabels()[v1beta1.LabelAgentPoolMode]; got != "System" {
		t.Errorf("label of the template's mode is %q", got)
	}
	controlPlanes := `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlaneTemplate, metadata: {name: t}, spec: {template: {spec: {
		version: 1.33.2, location: westeurope, identityRef: {name: id}}}}}`
	apply(step{create: controlPlanes})
	if got := field(read(controlPlanes), "spec", "template", "spec", "version"); got != "v1.33.2" {
		t.Errorf("the template's version is %q", got)
	}
	apply(step{change: strings.Replace(controlPlanes, "1.33.2", "1.33.3", 1)})
	if got := field(read(controlPlanes), "spec", "template", "spec", "version"); got != "v1.33.3" {
		t.Errorf("the changed template's version is %q", got)
	}
}

func (s step) do(t *testing.T, namespace string) error {
	t.Helper()
	ctx := context.Background()
	switch {
	case s.create != "":
		return server.client.Create(ctx, inNamespace(t, namespace, s.create))
	case s.change != "":
		o := inNamespace(t, namespace, s.change)
		raw, err := o.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var options []client.PatchOption
		if s.dry {
			options = append(options, client.DryRunAll)
		}
		return server.client.Patch(ctx, o, client.RawPatch(types.MergePatchType, raw), options...)
	}
	return server.client.Delete(ctx, inNamespace(t, namespace, s.remove))
}

func inNamespace(t *testing.T, namespace, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	o.SetNamespace(namespace)
	return o
}

func newNamespace(t *testing.T) string {
	t.Helper()
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	o.SetGenerateName("rules-")
	if err := server.client.Create(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return o.GetName()
}

// rulePaths collects what the handlers register.
type rulePaths struct {
	webhook.Server
	*http.ServeMux
}

func (p rulePaths) Register(path string, handler http.Handler) { p.Handle(path, handler) }

// serveRules installs the webhooks of the package that are about the typed and self-managed kinds, answered by provider-capz's own handlers, and
// waits until they are asked.
func serveRules(t *testing.T) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clusterv1.AddToScheme, v1beta1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	reader, err := client.New(server.config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	paths := rulePaths{ServeMux: http.NewServeMux()}
	(&admission.Rules{Reader: reader}).Register(paths)
	(&admission.Defaulter{}).Register(paths)
	(&admission.IdentityGuard{}).Register(paths)
	log.SetLogger(logr.Discard())
	hook := httptest.NewTLSServer(paths)
	t.Cleanup(hook.Close)
	for _, config := range webhooksAt(t, hook) {
		if err := server.client.Create(context.Background(), config); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := server.client.Delete(context.Background(), config); err != nil {
				t.Error(err)
			}
		})
	}
	namespace := newNamespace(t)
	awaitRefusal(t, inNamespace(t, namespace, strings.Replace(aCluster, "[10.96.0.0/16]", "[10.96.0.0/16, fd00::/108]", 1)))
	awaitRefusal(t, inNamespace(t, namespace, strings.Replace(aControlPlane, "{version", "{sshPublicKey: c3NoLXJzYQ==, version", 1)))
	awaitRefusal(t, inNamespace(t, namespace, `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureMachine, metadata: {name: m}, spec: {vmSize: s, sshPublicKey: eA==, osDisk: {}}}`))
}

// awaitRefusal tries to create an object until a webhook refuses it.
func awaitRefusal(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := server.client.Create(context.Background(), o.DeepCopy(), client.DryRunAll)
		if err != nil && strings.Contains(err.Error(), "admission webhook") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the webhooks are not asked: %v", err)
		}
	}
}

// webhooksAt returns the package's webhooks that are about the typed and self-managed kinds, led to a server of this test.
func webhooksAt(t *testing.T, hook *httptest.Server) []client.Object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout, "package", "provider", "webhooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(string(text), "\n---\n")
	mutating, validating := &arv1.MutatingWebhookConfiguration{}, &arv1.ValidatingWebhookConfiguration{}
	for document, config := range map[string]any{first: mutating, second: validating} {
		if err := yaml.UnmarshalStrict([]byte(document), config); err != nil {
			t.Fatal(err)
		}
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw})
	to := func(config arv1.WebhookClientConfig) (arv1.WebhookClientConfig, bool) {
		url := hook.URL + *config.Service.Path
		known := map[string]bool{
			admission.DefaultsPath: true, admission.ControlPlanePath: true, admission.ManagedPoolPath: true,
			admission.ManagedClusterPath: true, admission.MachinePoolPath: true,
			admission.IdentitySecretPath: true, admission.IdentityOperatorPath: true,
			admission.SelfManagedDefaultsPath: true, admission.MachinePath: true,
		}[*config.Service.Path]
		return arv1.WebhookClientConfig{URL: &url, CABundle: ca}, known
	}
	var m []arv1.MutatingWebhook
	for _, w := range mutating.Webhooks {
		if config, known := to(w.ClientConfig); known {
			w.ClientConfig = config
			m = append(m, w)
		}
	}
	var v []arv1.ValidatingWebhook
	for _, w := range validating.Webhooks {
		if config, known := to(w.ClientConfig); known {
			w.ClientConfig = config
			v = append(v, w)
		}
	}
	if len(m) != 2 || len(v) != 7 {
		t.Fatal(fmt.Errorf("%d and %d webhooks are about the typed and self-managed kinds, want 2 and 7", len(m), len(v)))
	}
	mutating.Webhooks, validating.Webhooks = m, v
	return []client.Object{mutating, validating}
}
