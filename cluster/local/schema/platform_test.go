package schema

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// platformForms are the kinds that an application team may write, both with the same fields.
var platformForms = []string{"AKSCluster", "AKSClusterClaim"}

func platformObject(t *testing.T, kind, name, spec string) *unstructured.Unstructured {
	t.Helper()
	u := object(t, kind, spec)
	u.SetAPIVersion("platform.capz.crossplane.io/v1alpha1")
	u.SetName(name)
	return u
}

const allPlatformFields = `
location: westeurope
version: v1.33.6
nodePools:
- {name: system, mode: system, count: 2, size: Standard_D2s_v5, zones: ["1", "2"]}
- {name: work, min: 0, max: 10, spot: true, labels: {a: b}, taints: [{key: a, value: b, effect: NoSchedule}, {key: c, effect: NoExecute}]}
network: {podCIDR: 10.244.0.0/16, serviceCIDR: 10.0.0.0/16, private: true, plugin: overlay, policy: cilium}
identity: {resourceID: /subscriptions/s/resourceGroups/g/providers/Microsoft.ManagedIdentity/userAssignedIdentities/i}
maintenance: {day: Saturday, startTime: "22:00", durationHours: 6, utcOffset: "+01:00"}
writeConnectionSecretToRef: {name: connection}
`

// TestPlatformTakes are specs that the API server takes.
func TestPlatformTakes(t *testing.T) {
	cases := map[string]string{
		"Nothing":     "{}",
		"Everything":  allPlatformFields,
		"NoVersionV":  "version: 1.33.6",
		"SubnetPods":  "network: {plugin: subnet}",
		"OneOfMaybes": "nodePools: [{name: a, mode: system, min: 1, max: 1}]",
	}
	for name, spec := range cases {
		for _, kind := range platformForms {
			t.Run(kind+"/"+name, func(t *testing.T) {
				if err := server.client.Create(context.Background(), platformObject(t, kind, "taken", spec), client.DryRunAll); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// platformMistakes are specs that the API server refuses, each with what it says.
var platformMistakes = map[string]struct{ name, spec, want string }{
	"LocationInWords":   {spec: "location: West Europe", want: `spec.location: Invalid value: "West Europe"`},
	"VersionInWords":    {spec: "version: latest", want: `spec.version: Invalid value: "latest"`},
	"VersionOfMinor":    {spec: "version: v1.33", want: `spec.version: Invalid value: "v1.33"`},
	"PoolNameLong":      {spec: "nodePools: [{name: aaaaaaaaaaaaa, mode: system}]", want: "spec.nodePools[0].name"},
	"PoolNameCapital":   {spec: "nodePools: [{name: System, mode: system}]", want: `spec.nodePools[0].name: Invalid value: "System"`},
	"PoolNameDigit":     {spec: "nodePools: [{name: 1a, mode: system}]", want: `spec.nodePools[0].name: Invalid value: "1a"`},
	"PoolTwice":         {spec: "nodePools: [{name: a, mode: system}, {name: a}]", want: `spec.nodePools[1]: Duplicate value`},
	"Mode":              {spec: "nodePools: [{name: a, mode: gateway}]", want: `spec.nodePools[0].mode: Unsupported value: "gateway": supported values: "system", "user"`},
	"CountAndMin":       {spec: "nodePools: [{name: a, mode: system, count: 1, min: 1, max: 2}]", want: "pool a has count and min or max, but must have only one of both because"},
	"CountAndMax":       {spec: "nodePools: [{name: a, mode: system, count: 1, max: 2}]", want: "pool a has count and min or max"},
	"MinAlone":          {spec: "nodePools: [{name: a, mode: system, min: 1}]", want: "pool a has min without max, but must have both or none because"},
	"MaxAlone":          {spec: "nodePools: [{name: a, mode: system, max: 1}]", want: "pool a has max without min, but must have both or none because"},
	"MinAboveMax":       {spec: "nodePools: [{name: a, mode: system, min: 3, max: 2}]", want: "pool a has min above max, but it must be at most max because"},
	"SystemSpot":        {spec: "nodePools: [{name: a, mode: system, spot: true}]", want: "pool a has spot true, but it must be false or left out because"},
	"SystemOfNone":      {spec: "nodePools: [{name: a, mode: system, count: 0}]", want: "pool a has count 0, but it must be at least 1 because mode is system"},
	"SystemFromNone":    {spec: "nodePools: [{name: a, mode: system, min: 0, max: 2}]", want: "pool a has min 0, but it must be at least 1 because mode is system"},
	"CountNegative":     {spec: "nodePools: [{name: a, mode: system, count: -1}]", want: "spec.nodePools[0].count: Invalid value: -1"},
	"CountHuge":         {spec: "nodePools: [{name: a, mode: system, count: 1001}]", want: "spec.nodePools[0].count: Invalid value: 1001"},
	"Zone":              {spec: `nodePools: [{name: a, mode: system, zones: ["4"]}]`, want: `spec.nodePools[0].zones[0]: Unsupported value: "4"`},
	"TaintEffect":       {spec: "nodePools: [{name: a, mode: system, taints: [{key: a, effect: Never}]}]", want: `spec.nodePools[0].taints[0].effect: Unsupported value: "Never"`},
	"PodCIDR":           {spec: "network: {podCIDR: 10.0.0.0}", want: "spec.network.podCIDR: Invalid value: \"10.0.0.0\": must be an IPv4 range such as 10.244.0.0/16"},
	"ServiceCIDRSmall":  {spec: "network: {serviceCIDR: 10.0.0.0/28}", want: "spec.network.serviceCIDR: Invalid value: \"10.0.0.0/28\": must be an IPv4 range of 32 addresses or more"},
	"PodCIDRWithSubnet": {spec: "network: {plugin: subnet, podCIDR: 10.0.0.0/16}", want: "podCIDR is 10.0.0.0/16, but must be left out because plugin is subnet"},
	"Plugin":            {spec: "network: {plugin: kubenet}", want: `spec.network.plugin: Unsupported value: "kubenet"`},
	"Identity":          {spec: "identity: {resourceID: shop}", want: `spec.identity.resourceID: Invalid value: "shop"`},
	"MaintenanceDay":    {spec: `maintenance: {day: Someday, startTime: "22:00"}`, want: `spec.maintenance.day: Unsupported value: "Someday"`},
	"MaintenanceTime":   {spec: `maintenance: {day: Monday, startTime: "24:00"}`, want: `spec.maintenance.startTime: Invalid value: "24:00"`},
	"MaintenanceShort":  {spec: `maintenance: {day: Monday, startTime: "22:00", durationHours: 1}`, want: "spec.maintenance.durationHours: Invalid value: 1"},
	"UnknownField":      {spec: "vmSize: Standard_D2s_v5", want: `unknown field "spec.vmSize"`},
}

// TestPlatformRefuses are mistakes that the API server answers, in both forms.
func TestPlatformRefuses(t *testing.T) {
	mistakes := maps.Clone(platformMistakes)
	for name, tc := range mistakes {
		for _, kind := range platformForms {
			t.Run(kind+"/"+name, func(t *testing.T) {
				refused(t, server.client.Create(context.Background(), platformObject(t, kind, "wrong", tc.spec), client.DryRunAll), tc.want)
			})
		}
	}
	t.Run("AKSCluster/LongName", func(t *testing.T) {
		u := platformObject(t, "AKSCluster", strings.Repeat("a", 41), "{}")
		refused(t, server.client.Create(context.Background(), u, client.DryRunAll), "metadata.name has more than 40 characters, but must have at most 40 because")
	})
	t.Run("AKSCluster/SecretOfClusterAPI", func(t *testing.T) {
		u := platformObject(t, "AKSCluster", "wrong", "writeConnectionSecretToRef: {name: shop-kubeconfig}")
		refused(t, server.client.Create(context.Background(), u, client.DryRunAll), "must not end in -kubeconfig because")
	})
}

// platformChanges are changes that the API server refuses; one without want is taken.
var platformChanges = map[string]struct{ before, after, want string }{
	"Location":         {"location: a", "location: b", "spec.location: Invalid value: \"b\": must stay a because"},
	"Size":             {"nodePools: [{name: a, mode: system, size: A}]", "nodePools: [{name: a, mode: system, size: B}]", "pool a has size B, but must stay A because"},
	"SizeOfNewPool":    {"nodePools: [{name: a, mode: system, size: A}]", "nodePools: [{name: a, mode: system, size: A}, {name: b, size: B}]", ""},
	"Zones":            {`nodePools: [{name: a, mode: system, zones: ["1"]}]`, `nodePools: [{name: a, mode: system, zones: ["2"]}]`, "pool a has other zones than before, but they must stay"},
	"Spot":             {"nodePools: [{name: a, mode: system}, {name: b, spot: true}]", "nodePools: [{name: a, mode: system}, {name: b, spot: false}]", "pool b has spot false, but must stay true because"},
	"Scale":            {"nodePools: [{name: a, mode: system, count: 1}]", "nodePools: [{name: a, mode: system, count: 4}]", ""},
	"Autoscale":        {"nodePools: [{name: a, mode: system, count: 1}]", "nodePools: [{name: a, mode: system, min: 1, max: 2}]", ""},
	"RemoveSystemPool": {"nodePools: [{name: a, mode: system}, {name: b}]", "nodePools: [{name: b}]", ""}, // The platform team's clusters may need none.
	"PodCIDR":          {"network: {podCIDR: 10.1.0.0/16}", "network: {podCIDR: 10.2.0.0/16}", "podCIDR is 10.2.0.0/16, but must stay 10.1.0.0/16 because"},
	"ServiceCIDR":      {"network: {serviceCIDR: 10.1.0.0/16}", "network: {serviceCIDR: 10.2.0.0/16}", "serviceCIDR is 10.2.0.0/16, but must stay 10.1.0.0/16 because"},
	"Private":          {"network: {private: true}", "network: {private: false}", "private is false, but must stay true because"},
	"Plugin":           {"network: {plugin: overlay}", "network: {plugin: subnet}", "plugin is subnet, but must stay overlay because"},
	"Policy":           {"network: {policy: azure}", "network: {policy: calico}", "policy is calico, but must stay azure because"},
	"Maintenance":      {`maintenance: {day: Monday, startTime: "01:00"}`, `maintenance: {day: Friday, startTime: "01:00"}`, ""},
}

// TestPlatformChanges makes each object and changes it.
func TestPlatformChanges(t *testing.T) {
	ctx := context.Background()
	for _, name := range slices.Sorted(maps.Keys(platformChanges)) {
		tc := platformChanges[name]
		for _, kind := range platformForms {
			t.Run(kind+"/"+name, func(t *testing.T) {
				u := platformObject(t, kind, "changed-"+strings.ToLower(name), tc.before)
				if err := server.client.Create(ctx, u); err != nil {
					t.Fatal(err)
				}
				u.Object["spec"] = platformObject(t, kind, u.GetName(), tc.after).Object["spec"]
				err := server.client.Update(ctx, u, client.DryRunAll)
				if tc.want == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				refused(t, err, tc.want)
			})
		}
	}
}

func refused(t *testing.T, err error, want string) {
	t.Helper()
	if !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
		t.Errorf("error is %v, want a refusal", err)
	} else if !strings.Contains(err.Error(), want) {
		t.Errorf("error is\n%v\nwant it to have\n%s", err, want)
	}
}

// TestPlatformExamples has the API server check what examples/platform has for application teams, strictly.
func TestPlatformExamples(t *testing.T) {
	for _, file := range []string{"akscluster.yaml", "claim.yaml"} {
		for _, object := range readObjects(t, filepath.Join(checkout, "examples", "platform", file), nil) {
			object.SetNamespace("default")
			dryRun(t, object)
		}
	}
}
