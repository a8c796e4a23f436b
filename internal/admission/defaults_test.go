package admission

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestDefaults(t *testing.T) {
	const networks = "virtualNetwork: {name: n, cidrBlock: 10.0.0.0/16, subnet: {name: s, cidrBlock: 10.0.0.0/24}}, oidcIssuerProfile: {enabled: true}"
	cases := map[string]struct {
		kind        string
		object, old string
		want        map[string]any
	}{
		"complete": {kind: controlPlaneKind, object: "{spec: {version: v1.33.2, " + networks + "}}"},
		"version":  {kind: controlPlaneKind, object: "{spec: {version: 1.33.2, " + networks + "}}", want: map[string]any{"/spec/version": "v1.33.2"}},
		"networks": {kind: controlPlaneKind, object: "{spec: {version: v1.33.2, oidcIssuerProfile: {}}}", want: map[string]any{
			"/spec/virtualNetwork": map[string]any{"cidrBlock": "10.0.0.0/8", "subnet": map[string]any{"cidrBlock": "10.240.0.0/16"}},
		}},
		"overlay": {kind: controlPlaneKind, object: "{spec: {version: v1.33.2, networkPluginMode: overlay, virtualNetwork: {name: n}, oidcIssuerProfile: {}}}", want: map[string]any{
			"/spec/virtualNetwork/cidrBlock": "10.224.0.0/12", "/spec/virtualNetwork/subnet": map[string]any{"cidrBlock": "10.224.0.0/16"},
		}},
		"networks as they were": {
			kind: controlPlaneKind, old: "{spec: {version: v1.33.2, virtualNetwork: {cidrBlock: 10.0.0.0/8, subnet: {cidrBlock: 10.240.0.0/16}}}}",
			object: "{spec: {version: v1.33.2, networkPluginMode: overlay, oidcIssuerProfile: {}}}", want: map[string]any{
				"/spec/virtualNetwork": map[string]any{"cidrBlock": "10.0.0.0/8", "subnet": map[string]any{"cidrBlock": "10.240.0.0/16"}},
			},
		},
		"key as it was": {
			kind: controlPlaneKind, old: "{spec: {version: v1.33.2, sshPublicKey: before, " + networks + "}}",
			object: `{spec: {version: v1.33.2, sshPublicKey: "", ` + networks + "}}", want: map[string]any{"/spec/sshPublicKey": "before"},
		},
		"what the schema refuses": {kind: controlPlaneKind, object: "{spec: {version: 1, sshPublicKey: [], virtualNetwork: x, oidcIssuerProfile: x}}"},
		"pool":                    {kind: managedPoolKind, object: "{spec: {mode: System}}", want: map[string]any{"/metadata": map[string]any{"labels": map[string]any{"azuremanagedmachinepool.infrastructure.cluster.x-k8s.io/agentpoolmode": "System"}}}},
		"pool of another mode": {
			kind: managedPoolKind, old: "{}", object: "{metadata: {labels: {azuremanagedmachinepool.infrastructure.cluster.x-k8s.io/agentpoolmode: System}}, spec: {mode: User}}",
			want: map[string]any{"/metadata/labels/azuremanagedmachinepool.infrastructure.cluster.x-k8s.io~1agentpoolmode": "User"},
		},
		"issuer": {kind: controlPlaneKind, object: "{spec: {version: v1.33.2, virtualNetwork: {name: n, cidrBlock: 10.0.0.0/16, subnet: {name: s, cidrBlock: 10.0.0.0/24}}}}",
			want: map[string]any{"/spec/oidcIssuerProfile": map[string]any{"enabled": false}}},
		"template":       {kind: managedPoolTemplateKind, object: "{metadata: {name: pool}, spec: {template: {spec: {}}}}", want: map[string]any{"/spec/template/spec/name": "pool"}},
		"named template": {kind: managedPoolTemplateKind, object: "{metadata: {name: pool}, spec: {template: {spec: {name: p}}}}"},
		"mode of a template": {
			kind: managedPoolTemplateKind, object: "{metadata: {name: pool, labels: {a: b}}, spec: {template: {spec: {name: p, mode: User}}}}",
			want: map[string]any{"/metadata/labels/azuremanagedmachinepool.infrastructure.cluster.x-k8s.io~1agentpoolmode": "User"},
		},
		"template of a control plane":             {kind: controlPlaneTemplateKind, object: "{spec: {template: {spec: {version: 1.33.2}}}}", want: map[string]any{"/spec/template/spec/version": "v1.33.2"}},
		"complete template of a control plane":    {kind: controlPlaneTemplateKind, object: "{spec: {template: {spec: {version: v1.33.2}}}}"},
		"versionless template, refused by schema": {kind: controlPlaneTemplateKind, object: "{spec: {template: {spec: {}}}}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			operation := admissionv1.Create
			if tc.old != "" {
				operation = admissionv1.Update
			}
			response := (&Defaulter{}).Handle(context.Background(), ask(t, tc.kind, operation, tc.object, tc.old))
			if !response.Allowed {
				t.Fatal(response.Result)
			}
			var got map[string]any
			for _, patch := range response.Patches {
				if got == nil {
					got = map[string]any{}
				}
				got[patch.Path] = patch.Value
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("patches: -want +got:\n%s", diff)
			}
		})
	}
}

// TestDefaultSubscription shows that a subscription is written into new control planes only: it cannot be changed later.
func TestDefaultSubscription(t *testing.T) {
	for name, tc := range map[string]struct {
		kind   string
		object string
		old    string
		want   string
	}{
		"new":      {object: "{spec: {version: v1}}", want: "from-the-environment"},
		"named":    {object: "{spec: {version: v1, subscriptionID: mine}}", want: "mine"},
		"existing": {object: "{spec: {version: v1}}", old: "{spec: {version: v1}}"},
		"left out": {object: "{spec: {version: v1}}", old: "{spec: {version: v1, subscriptionID: before}}", want: "before"},

		"ASO":                          {kind: asoControlPlaneKind, object: "{spec: {version: v1}}"},
		"ASO, identity":                {kind: asoControlPlaneKind, object: "{spec: {identityRef: {name: id}}}", want: "from-the-environment"},
		"ASO, identity, named":         {kind: asoControlPlaneKind, object: "{spec: {identityRef: {name: id}, subscriptionID: mine}}", want: "mine"},
		"ASO, identity later":          {kind: asoControlPlaneKind, object: "{spec: {identityRef: {name: id}}}", old: "{spec: {version: v1}}"},
		"ASO, identity, left out":      {kind: asoControlPlaneKind, object: "{spec: {identityRef: {name: id}}}", old: "{spec: {identityRef: {name: id}, subscriptionID: before}}", want: "before"},
		"ASO, what the schema refuses": {kind: asoControlPlaneKind, object: "{spec: {identityRef: x}}"},
	} {
		t.Run(name, func(t *testing.T) {
			kind := tc.kind
			if kind == "" {
				kind = controlPlaneKind
			}
			obj, old := from[map[string]any](t, tc.object), map[string]any{}
			if tc.old != "" {
				old = *from[map[string]any](t, tc.old)
			}
			changed, before := unstructuredOf(*obj), unstructuredOf(old)
			if err := (&Defaulter{SubscriptionID: "from-the-environment"}).fill(kind, changed, before); err != nil {
				t.Fatal(err)
			}
			if got := specSubscriptionID.Value(changed); got != tc.want {
				t.Errorf("subscriptionID is %q, want %q", got, tc.want)
			}
		})
	}
}

func TestDefaultSSHKey(t *testing.T) {
	obj := unstructuredOf(*from[map[string]any](t, `{spec: {sshPublicKey: ""}}`))
	if err := fillSSHKey(obj, unstructuredOf(nil)); err != nil {
		t.Fatal(err)
	}
	key := specSSHPublicKey.Value(obj)
	if wrong := sshPublicKey(nil, key); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	line, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	public, _, _, _, err := ssh.ParseAuthorizedKey(line)
	if err != nil || public.Type() != ssh.KeyAlgoRSA {
		t.Errorf("%v key: %v", public, err)
	}
}

func TestDefaultsRefuseWhatTheyCannotRead(t *testing.T) {
	req := ask(t, controlPlaneKind, admissionv1.Create, "{}", "")
	req.Object.Raw = []byte("{")
	if response := (&Defaulter{}).Handle(context.Background(), req); response.Allowed || !strings.Contains(response.Result.Message, "cannot read the object") {
		t.Errorf("%v", response.Result)
	}
}

func unstructuredOf(content map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: content}
}
