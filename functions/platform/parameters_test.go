package platform

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
)

const system = "{name: system, mode: system, size: Standard_D2s_v5, spot: false, count: 2}"

func TestParametersOf(t *testing.T) {
	cases := map[string]struct {
		// policy is added to policyText; cluster has the variables and pools of a topology that exists.
		spec, policy, cluster string
		want, problem         string
	}{
		"builtin": {
			spec: "{location: a, version: v1.33.6}",
			want: "{location: a, version: v1.33.6, nodePools: [" + system + "]}",
		},
		"platform's defaults": {
			spec:   "{nodePools: [{name: a, mode: system}, {name: b, size: L, count: 1}]}",
			policy: "defaults: {location: a, version: v1.33.6, network: {policy: cilium}, nodePool: {size: M, min: 1, max: 3, labels: {x: v}}}",
			want: "{location: a, version: v1.33.6, network: {policy: cilium}, nodePools: [" +
				"{name: a, mode: system, size: M, spot: false, min: 1, max: 3, labels: {x: v}}, {name: b, mode: user, size: L, spot: false, count: 1, labels: {x: v}}]}",
		},
		"user before defaults": {
			spec:   "{location: b, version: v1.34.0, network: {plugin: subnet}}",
			policy: "defaults: {location: a, version: v1.33.6, network: {policy: azure, plugin: overlay}}",
			want:   "{location: b, version: v1.34.0, network: {plugin: subnet, policy: azure}, nodePools: [" + system + "]}",
		},
		"fixed": {
			spec:   "{version: v1.33.6, location: a, network: {policy: azure}}",
			policy: "fixed: {location: a, network: {private: true}, nodePool: {size: M, labels: {x: v}}}",
			want: "{location: a, version: v1.33.6, network: {policy: azure, private: true}, nodePools: [" +
				"{name: system, mode: system, size: M, spot: false, count: 2, labels: {x: v}}]}",
		},
		"fixed, of a map": {
			spec: "{version: v1.33.6, location: a, network: {private: false}}", policy: "fixed: {network: {private: true}}",
			problem: "spec.network.private is false, but must be true or left out because the platform team has fixed it",
		},
		"fixed, of a pool": {
			spec:    "{version: v1.33.6, location: a, nodePools: [{name: a, mode: system, size: L}]}",
			policy:  "fixed: {nodePool: {size: M}}",
			problem: `spec.nodePools[a].size is "L", but must be "M" or left out because the platform team has fixed it`,
		},
		"fixed label": {
			spec:    "{version: v1.33.6, location: a, nodePools: [{name: a, mode: system, labels: {x: z, mine: ok}}]}",
			policy:  "fixed: {nodePool: {labels: {x: v}}}",
			problem: `spec.nodePools[a].labels.x is "z", but must be "v" or left out because the platform team has fixed it`,
		},
		"fixed scaling": {
			spec:    "{version: v1.33.6, location: a, nodePools: [{name: a, mode: system, count: 3}]}",
			policy:  "fixed: {nodePool: {min: 1, max: 5}}",
			problem: "spec.nodePools[a].count is 3, but must be left out because the platform team has fixed min to 1",
		},
		"fixed count": {
			spec: "{version: v1.33.6, location: a}", policy: "defaults: {nodePool: {min: 1, max: 5}}\nfixed: {nodePool: {count: 1}}",
			want: "{location: a, version: v1.33.6, nodePools: [{name: system, mode: system, size: Standard_D2s_v5, spot: false, count: 1}]}",
		},
		"hidden": {
			spec: "{version: v1.33.6, location: a, identity: {resourceID: x}}", policy: "hidden: [network, identity]",
			problem: `spec.identity is {"resourceID":"x"}, but must be left out because the platform team decides on it`,
		},
		"hidden, of a pool": {
			spec:    "{version: v1.33.6, location: a, nodePools: [{name: a, mode: system}, {name: b, zones: ['1']}]}",
			policy:  "hidden: [nodePools.zones]",
			problem: `spec.nodePools[b].zones is ["1"], but must be left out because the platform team decides on it`,
		},
		"hidden but fixed": {
			spec: "{version: v1.33.6}", policy: "hidden: [location]\nfixed: {location: a}",
			want: "{location: a, version: v1.33.6, nodePools: [" + system + "]}",
		},
		"policy fixes one end of the scaling": {
			spec: "{location: a, version: v1.33.6}", policy: "fixed: {nodePool: {min: 1}}",
			problem: "spec.nodePools[system].max is missing, but must be given because there is min and AKS scales between them",
		},
		"no location": {
			spec:    "{version: v1.33.6}",
			problem: "spec.location is missing, but must be given because the platform team has no default for it",
		},
		"no version": {
			spec:    "{location: a}",
			problem: "spec.version is missing, but must be given because the platform team has no default for it",
		},
		"no system pool": {
			spec: "{version: v1.33.6, location: a, nodePools: [{name: a, mode: system}]}", policy: "fixed: {nodePool: {mode: user}}",
			problem: `spec.nodePools[a].mode is "system", but must be "user" or left out because the platform team has fixed it`,
		},
		"no pool of mode system": {
			spec:    "{version: v1.33.6, location: a, nodePools: [{name: a}]}",
			problem: "spec.nodePools has no pool with mode system, but must have at least one because AKS runs its own pods there",
		},
		"no pools": {
			spec:    "{version: v1.33.6, location: a, nodePools: []}",
			problem: "spec.nodePools has no pool with mode system, but must have at least one because AKS runs its own pods there",
		},
		"AKS hosts the system pool": {
			spec: "{version: v1.33.6, location: a}", policy: "hostedSystemPool: true",
			want: "{version: v1.33.6, location: a}",
		},
		"AKS hosts the system pool, others are given": {
			spec: "{version: v1.33.6, location: a, nodePools: [{name: a}]}", policy: "hostedSystemPool: true",
			want: "{version: v1.33.6, location: a, nodePools: [{name: a, mode: user, size: Standard_D2s_v5, spot: false, count: 2}]}",
		},
		"AKS hosts the system pool, the last goes": {
			spec: "{version: v1.33.6, location: a, nodePools: []}", policy: "hostedSystemPool: true",
			cluster: "{version: v1.33.6, workers: {machinePools: [{name: a, replicas: 5, variables: {overrides: [{name: nodePool, value: {mode: user, size: M, spot: false}}]}}]}}",
			want:    "{version: v1.33.6, location: a}",
		},
		"what lasts stays when defaults change": {
			spec:    "{nodePools: [{name: a, mode: system}, {name: new, mode: user}]}",
			policy:  "defaults: {location: b, version: v1.34.0, network: {policy: cilium}, nodePool: {size: L, zones: ['2'], labels: {x: v}}}",
			cluster: "{version: v1.33.6, variables: [{name: location, value: a}, {name: network, value: {policy: azure}}], workers: {machinePools: [{name: a, replicas: 2, variables: {overrides: [{name: nodePool, value: {mode: system, size: M, zones: ['1'], spot: false}}]}}]}}",
			want: "{location: a, version: v1.33.6, network: {policy: azure}, nodePools: [" +
				"{name: a, mode: system, size: M, zones: ['1'], spot: false, labels: {x: v}, count: 2}, {name: new, mode: user, size: L, zones: ['2'], spot: false, labels: {x: v}, count: 2}]}",
		},
		"pools stay when nobody names them": {
			spec:    "{location: a, version: v1.33.6}",
			policy:  "defaults: {nodePools: [{name: other, mode: system}]}",
			cluster: "{version: v1.33.6, workers: {machinePools: [{name: a, replicas: 5, variables: {overrides: [{name: nodePool, value: {mode: system, size: M, spot: false}}]}}]}}",
			want:    "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system, size: M, spot: false, count: 5}]}",
		},
		"AKS scales no more": {
			spec: "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system}]}", policy: "defaults: {nodePool: {count: 3}}",
			cluster: "{version: v1.33.6, workers: {machinePools: [{name: a, variables: {overrides: [{name: nodePool, value: {mode: system, size: M, spot: false, min: 1, max: 5}}]}}]}}",
			want:    "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system, size: M, spot: false}]}",
		},
		"AKS has not scaled for long": {
			spec:    "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system}]}",
			cluster: "{version: v1.33.6, workers: {machinePools: [{name: a, variables: {overrides: [{name: nodePool, value: {mode: system, size: M, spot: false}}]}}]}}",
			want:    "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system, size: M, spot: false}]}",
		},
		"AKS scales no more, a number is given": {
			spec:    "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system, count: 4}]}",
			cluster: "{version: v1.33.6, workers: {machinePools: [{name: a, variables: {overrides: [{name: nodePool, value: {mode: system, size: M, spot: false, min: 1, max: 5}}]}}]}}",
			want:    "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system, size: M, spot: false, count: 4}]}",
		},
		"AKS scales no more, a number is fixed": {
			spec: "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system}]}", policy: "fixed: {nodePool: {count: 3}}",
			cluster: "{version: v1.33.6, workers: {machinePools: [{name: a, variables: {overrides: [{name: nodePool, value: {mode: system, size: M, spot: false, min: 1, max: 5}}]}}]}}",
			want:    "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system, size: M, spot: false, count: 3}]}",
		},
		"fixed to another location": {
			spec: "{version: v1.33.6}", policy: "fixed: {location: b}", cluster: "{version: v1.33.6, variables: [{name: location, value: a}]}",
			problem: `spec.location is to be "b", but must stay "a" because Azure cannot change it on what exists`,
		},
		"another size by user": {
			spec:    "{location: a, version: v1.33.6, nodePools: [{name: a, mode: system, size: L}]}",
			cluster: "{version: v1.33.6, workers: {machinePools: [{name: a, replicas: 5, variables: {overrides: [{name: nodePool, value: {mode: system, size: M, spot: false}}]}}]}}",
			problem: `spec.nodePools[a].size is to be "L", but must stay "M" because Azure cannot change it on what exists`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := policyOf(object(t, policyText+tc.policy+"\n"))
			if err != nil {
				t.Fatal(err)
			}
			var now applied
			if tc.cluster == "" {
				now = appliedTo(nil)
			} else {
				now = appliedTo(cluster(object(t, tc.cluster)))
			}
			got, problem, err := parametersOf(object(t, tc.spec), p, now)
			if err != nil {
				t.Fatal(err)
			}
			if tc.problem != "" {
				if problem == nil || problem.Message != tc.problem {
					t.Errorf("problem is %v, want %s", problem, tc.problem)
				}
				return
			}
			if problem != nil {
				t.Fatal(problem.Message)
			}
			if diff := cmp.Diff(plain(object(t, tc.want)), plain(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPolicyOf(t *testing.T) {
	cases := map[string]struct{ input, want string }{
		"another kind":    {"{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: Other}", "the input of the step is Other of platform.capz.crossplane.io/v1alpha1, but must be AKSClusterPolicy of platform.capz.crossplane.io/v1alpha1"},
		"no class":        {"{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: AKSClusterPolicy}", "clusterClass.name is missing in the AKSClusterPolicy"},
		"unknown field":   {policyText + "fixed: {vmSize: a}", `the input of the step is not an AKSClusterPolicy: fixed.vmSize must be absent: an AKSClusterPolicy has no such field`},
		"name of a pool":  {policyText + "fixed: {nodePool: {name: a}}", `the input of the step is not an AKSClusterPolicy: fixed.nodePool.name must be absent: an AKSClusterPolicy has no such field`},
		"hidden nowhere":  {policyText + "hidden: [nodePools.vmSize]", `hidden names "nodePools.vmSize" in the AKSClusterPolicy, but spec has no such field`},
		"hidden too deep": {policyText + "hidden: [location.name]", `hidden names "location.name" in the AKSClusterPolicy, but spec has no such field`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := policyOf(object(t, tc.input))
			if err == nil || err.Error() != tc.want {
				t.Errorf("error is %v, want %s", err, tc.want)
			}
		})
	}
}

func TestDNSServiceIP(t *testing.T) {
	for services, want := range map[string]string{
		"10.0.0.0/16": "10.0.0.10", "10.96.3.0/16": "10.96.0.10", "192.168.1.32/27": "192.168.1.42",
		"10.0.0.0/29": "", "fd00::/108": "", "x": "",
	} {
		got, problem := dnsServiceIP(services)
		if got != want || (problem == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", services, got, problem, want)
		}
	}
}

// TestFieldsAreThoseOfTheKind keeps the fields that a policy may name in step with the Go types.
func TestFieldsAreThoseOfTheKind(t *testing.T) {
	if diff := cmp.Diff(fieldsOf(reflect.TypeFor[v1alpha1.AKSClusterParameters]()), specFields); diff != "" {
		t.Errorf("(-types +specFields):\n%s", diff)
	}
	pool := fieldsOf(reflect.TypeFor[v1alpha1.NodePool]())
	delete(pool, "name")
	if diff := cmp.Diff(pool, fieldsOf(reflect.TypeFor[v1alpha1.NodePoolValues]())); diff != "" {
		t.Errorf("(-NodePool +NodePoolValues):\n%s", diff)
	}
}

func fieldsOf(kind reflect.Type) map[string]any {
	out := map[string]any{}
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		below := kind.Field(i).Type
		list := below.Kind() == reflect.Slice
		if below.Kind() == reflect.Pointer || list {
			below = below.Elem()
		}
		if below.Kind() != reflect.Struct || list && name != "nodePools" {
			out[name] = nil
			continue
		}
		fields := fieldsOf(below)
		if name == "nodePools" {
			delete(fields, "name") // A pool is told by it.
		}
		out[name] = fields
	}
	return out
}

// TestBuiltinIsValid guards against a default that is no field any more.
func TestBuiltinIsValid(t *testing.T) {
	if err := decode(builtin, &v1alpha1.AKSClusterParameters{}); err != nil {
		t.Error(err)
	}
	if err := decode(builtinPool, &v1alpha1.NodePool{}); err != nil {
		t.Error(err)
	}
	for _, name := range slices.Concat(lasting, lastingPool) {
		if !known([]string{name}) && !known([]string{"nodePools", name}) {
			t.Errorf("%s is no field", name)
		}
	}
}
