package admission

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

const (
	selfManagedCluster = `{metadata: {namespace: default, name: c}, spec: {controlPlaneEnabled: true, location: l, networkSpec: {subnets: [{name: x, role: node}]}}}`
	selfManagedMachine = `{metadata: {namespace: default, name: m}, spec: {vmSize: s, sshPublicKey: "", osDisk: {osType: Linux}, dataDisks: [{nameSuffix: a, diskSizeGB: 4}]}}`
	selfManagedPool    = `{metadata: {namespace: default, name: p}, spec: {location: l, template: {vmSize: s, sshPublicKey: "", osDisk: {osType: Linux}}}}`
	// selfManagedTemplate has a key, and what is filled in too.
	selfManagedTemplate = `{metadata: {namespace: default, name: t}, spec: {template: {spec: {vmSize: s, osDisk: {osType: Linux}, sshPublicKey: c3NoLWVkMjU1MTkgQUFBQUMzTnphQzFsWkRJMU5URTVBQUFBSURrVGxRZm1ueU5RYVBKR3E1aVhzRy9CcUhkUVpGQ2ZKUVlRSm5wcDFqbUs=, networkInterfaces: [{privateIPConfigs: 1}]}}}}`
)

// TestSelfManagedDefaults shows what is written into the object, and that nothing else is; internal/defaulting has the rest.
func TestSelfManagedDefaults(t *testing.T) {
	const key, spec = "c3No", "vmSize: s, osDisk: {osType: Linux}, networkInterfaces: [{privateIPConfigs: 1}], diagnostics: {boot: {storageAccountType: Managed}}, sshPublicKey: c3No"
	cases := map[string]struct {
		kind              string
		object, old, want string
	}{
		"a machine that has all": {kind: machineKind, object: "{spec: {" + spec + "}}", want: "{spec: {" + spec + "}}"},
		"what the type does not have": {
			kind: machineKind, object: "{spec: {" + spec + ", other: 1, dataDisks: [{nameSuffix: a, diskSizeGB: 4, other: 2}]}}",
			want: "{spec: {" + spec + ", other: 1, dataDisks: [{nameSuffix: a, diskSizeGB: 4, other: 2, lun: 0, cachingType: ReadWrite}]}}",
		},
		"moved": {
			kind: machineKind, object: "{spec: {vmSize: s, osDisk: {osType: Linux}, subnetName: x, sshPublicKey: c3No, diagnostics: {boot: {storageAccountType: Managed}}}}",
			want: "{spec: {vmSize: s, osDisk: {osType: Linux}, networkInterfaces: [{subnetName: x, privateIPConfigs: 1}], sshPublicKey: c3No, diagnostics: {boot: {storageAccountType: Managed}}}}",
		},
		"key as it was":  {kind: machineKind, old: "{spec: {sshPublicKey: c3No}}", object: "{spec: {" + strings.ReplaceAll(spec, key, `""`) + "}}", want: "{spec: {" + spec + "}}"},
		"role as it was": {kind: machineKind, old: "{spec: {systemAssignedIdentityRole: {name: r}}}", object: "{spec: {" + spec + ", identity: SystemAssigned}}", want: "{spec: {" + spec + ", identity: SystemAssigned, systemAssignedIdentityRole: {name: r}}}"},
		"template's key": {kind: machineTemplateKind, old: "{spec: {template: {spec: {sshPublicKey: c3No}}}}", object: "{spec: {template: {spec: {vmSize: s, networkInterfaces: [{privateIPConfigs: 1}]}}}}", want: "{spec: {template: {spec: {vmSize: s, networkInterfaces: [{privateIPConfigs: 1}], sshPublicKey: c3No}}}}"},
		"pool's key": {
			kind: machinePoolKind, old: "{spec: {template: {sshPublicKey: c3No}}}", object: "{spec: {location: l, template: {vmSize: s, osDisk: {osType: Linux}, subnetName: x}}}",
			want: "{spec: {location: l, template: {vmSize: s, osDisk: {osType: Linux}, networkInterfaces: [{subnetName: x, privateIPConfigs: 1}], diagnostics: {boot: {storageAccountType: Managed}}, sshPublicKey: c3No}}}",
		},
		"pool's role as it was": {
			kind: machinePoolKind, old: "{spec: {systemAssignedIdentityRole: {name: r}}}", object: "{spec: {identity: SystemAssigned, location: l, template: {" + spec + "}}}",
			want: "{spec: {identity: SystemAssigned, systemAssignedIdentityRole: {name: r}, location: l, template: {" + spec + "}}}",
		},
		"refused by the schema": {kind: machineKind, object: "{spec: {vmSize: 1, sshPublicKey: [], dataDisks: x}}", want: "{spec: {vmSize: 1, sshPublicKey: [], dataDisks: x}}"},
		"no spec":               {kind: machineTemplateKind, object: "{spec: {}}", want: "{spec: {}}"},
		"template of a cluster": {
			kind: clusterTemplateKind, object: "{spec: {template: {spec: {location: l}}}}",
			want: "{spec: {template: {spec: {location: l, azureEnvironment: AzurePublicCloud, networkSpec: {vnet: {cidrBlocks: [10.0.0.0/8]}, apiServerLB: {type: Public, sku: Standard, idleTimeoutInMinutes: 4}}}}}}",
		},
		"cluster": {
			kind: clusterKind, object: "{metadata: {name: c}, spec: {location: l, controlPlaneEnabled: false, networkSpec: {subnets: [{id: /id, name: x, role: node, cidrBlocks: [10.0.0.0/24], other: 1}]}}}",
			want: "{metadata: {name: c}, spec: {location: l, controlPlaneEnabled: false, subscriptionID: s, azureEnvironment: AzurePublicCloud, resourceGroup: c, networkSpec: {vnet: {resourceGroup: c, name: c-vnet, cidrBlocks: [10.0.0.0/8]}, " +
				"subnets: [{id: /id, name: x, role: node, cidrBlocks: [10.0.0.0/24], other: 1, securityGroup: {name: c-node-nsg}, routeTable: {name: c-node-routetable}}]}}}",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			obj, old := unstructuredOf(*from[map[string]any](t, tc.object)), unstructuredOf(nil)
			if tc.old != "" {
				old = unstructuredOf(*from[map[string]any](t, tc.old))
			}
			if err := (&Defaulter{SubscriptionID: "s"}).fill(tc.kind, obj, old); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(*from[map[string]any](t, tc.want), normal(t, obj.Object)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// normal returns an object with numbers as YAML has them.
func normal(t *testing.T, object map[string]any) map[string]any {
	t.Helper()
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return *from[map[string]any](t, string(raw))
}

// TestSelfManagedMadeUp shows that what nothing determines is made up once, and is different each time.
func TestSelfManagedMadeUp(t *testing.T) {
	keys, names := map[string]bool{}, map[string]bool{}
	for range 2 {
		obj := unstructuredOf(*from[map[string]any](t, "{spec: {vmSize: s, identity: SystemAssigned}}"))
		if err := (&Defaulter{}).fill(machineKind, obj, unstructuredOf(nil)); err != nil {
			t.Fatal(err)
		}
		key, name := specSSHPublicKey.Value(obj), specRoleName.Value(obj)
		if wrong := sshPublicKey(nil, key); key == "" || len(wrong) > 0 {
			t.Errorf("key %q: %v", key, wrong)
		}
		if len(name) != len("11111111-1111-1111-1111-111111111111") {
			t.Errorf("role assignment %q", name)
		}
		keys[key], names[name] = true, true
	}
	if len(keys) != 2 || len(names) != 2 {
		t.Errorf("the same twice: %v, %v", keys, names)
	}
}

func TestMachineRules(t *testing.T) {
	cases := map[string]struct {
		kind        string
		object, old string
		dryRun      bool
		want        string
	}{
		"key":            {kind: machineKind, object: strings.ReplaceAll(selfManagedMachine, `""`, "eA=="), want: "spec.sshPublicKey: Invalid value: \"eA==\": must be an SSH public key in base64, but what it decodes to is no line of an authorized_keys file"},
		"no key":         {kind: machineKind, object: selfManagedMachine},
		"key that stays": {kind: machineKind, object: strings.ReplaceAll(selfManagedMachine, `""`, "eA=="), old: selfManagedMachine},
		"pool's key": {
			kind: machinePoolKind, object: strings.ReplaceAll(selfManagedPool, `""`, "eA=="),
			want: "spec.template.sshPublicKey: Invalid value: \"eA==\": must be an SSH public key in base64, but what it decodes to is no line of an authorized_keys file",
		},
		"pool's key that changes": {
			kind: machinePoolKind, object: strings.ReplaceAll(selfManagedPool, `""`, "eA=="), old: selfManagedPool,
			want: "spec.template.sshPublicKey: Invalid value: \"eA==\": must be an SSH public key in base64, but what it decodes to is no line of an authorized_keys file",
		},
		"pool's key that stays": {kind: machinePoolKind, object: strings.ReplaceAll(selfManagedPool, `""`, "eA=="), old: strings.ReplaceAll(selfManagedPool, `""`, "eA==")},
		"pool without a key":    {kind: machinePoolKind, object: selfManagedPool},
		"new template":          {kind: machineTemplateKind, object: selfManagedTemplate},
		"new template, key": {
			kind: machineTemplateKind, object: strings.ReplaceAll(selfManagedTemplate, "c3NoLWVk", "x"),
			want: "spec.template.spec.sshPublicKey: Invalid value: \"xMjU1MTkgQUFBQUMzTnphQzFsWkRJMU5…\": must be an SSH public key in base64, as `base64 -w0 id_rsa.pub` prints it, but is not base64",
		},
		"same template":       {kind: machineTemplateKind, object: selfManagedTemplate, old: selfManagedTemplate},
		"template as before":  {kind: machineTemplateKind, object: selfManagedTemplate, old: strings.ReplaceAll(selfManagedTemplate, ", networkInterfaces: [{privateIPConfigs: 1}]", "")},
		"changed template":    {kind: machineTemplateKind, object: strings.ReplaceAll(selfManagedTemplate, "vmSize: s", "vmSize: b"), old: selfManagedTemplate, want: "spec.template.spec: Forbidden: cannot be changed: make another AzureMachineTemplate, and have the control plane or MachineDeployment name that"},
		"changed labels":      {kind: machineTemplateKind, object: strings.ReplaceAll(selfManagedTemplate, "name: t", "name: t, labels: {a: b}"), old: selfManagedTemplate},
		"a topology tries":    {kind: machineTemplateKind, dryRun: true, object: tried(strings.ReplaceAll(selfManagedTemplate, "vmSize: s", "vmSize: b")), old: selfManagedTemplate},
		"somebody else tries": {kind: machineTemplateKind, dryRun: true, object: strings.ReplaceAll(selfManagedTemplate, "vmSize: s", "vmSize: b"), old: selfManagedTemplate, want: "spec.template.spec: Forbidden: cannot be changed: make another AzureMachineTemplate, and have the control plane or MachineDeployment name that"},
		"a topology does not": {kind: machineTemplateKind, object: tried(strings.ReplaceAll(selfManagedTemplate, "vmSize: s", "vmSize: b")), old: selfManagedTemplate, want: "spec.template.spec: Forbidden: cannot be changed: make another AzureMachineTemplate, and have the control plane or MachineDeployment name that"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			operation := admissionv1.Create
			if tc.old != "" {
				operation = admissionv1.Update
			}
			req := ask(t, tc.kind, operation, tc.object, tc.old)
			req.DryRun = &tc.dryRun
			response := rules(t).handler(machine).Handle(t.Context(), req)
			got := ""
			if !response.Allowed {
				_, got, _ = strings.Cut(response.Result.Message, " is invalid: ")
			}
			if got != tc.want {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

// tried returns a template with Cluster API's mark of a trial.
func tried(template string) string {
	return strings.ReplaceAll(template, "name: t", "name: t, annotations: {"+clusterv1.TopologyDryRunAnnotation+`: ""}`)
}
