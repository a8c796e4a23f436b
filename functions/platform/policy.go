package platform

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/shape"
)

// nodePoolClass is the machine pool class of pools unless the policy names another.
const nodePoolClass = "nodepool"

// A policy is what the platform team has decided, as it stands in the Composition.
type policy struct {
	class v1alpha1.ClusterClassReference
	// defaults and fixed are parts of spec; poolDefaults and poolFixed are parts of each pool.
	defaults, fixed, poolDefaults, poolFixed map[string]any
	// hidden are paths below spec.
	hidden []string
	// hosted is true where no pool of mode system is needed.
	hosted bool
}

// classNamespace returns where the ClusterClass is: with the Cluster unless the policy says otherwise.
func (p *policy) classNamespace(at key) string { return cmp.Or(p.class.Namespace, at.namespace) }

// policyOf reads the input of the Composition's step. The error says what a platform team has to fix.
func policyOf(input map[string]any) (*policy, error) {
	if input == nil {
		return nil, errors.New("the step has no input, but needs an AKSClusterPolicy of " + v1alpha1.GroupVersion.String() + " that names a ClusterClass")
	}
	typed := &v1alpha1.AKSClusterPolicy{}
	if err := decode(input, typed); err != nil {
		return nil, fmt.Errorf("the input of the step is not an AKSClusterPolicy: %w", err)
	}
	if typed.Kind != "AKSClusterPolicy" || typed.APIVersion != v1alpha1.GroupVersion.String() {
		return nil, fmt.Errorf("the input of the step is %s of %s, but must be AKSClusterPolicy of %s", typed.Kind, typed.APIVersion, v1alpha1.GroupVersion)
	}
	if typed.ClusterClass.Name == "" {
		return nil, errors.New("clusterClass.name is missing in the AKSClusterPolicy")
	}
	for _, path := range typed.Hidden {
		if !known(strings.Split(path, ".")) {
			return nil, fmt.Errorf("hidden names %q in the AKSClusterPolicy, but spec has no such field", path)
		}
	}
	p := &policy{class: typed.ClusterClass, hidden: typed.Hidden, hosted: typed.HostedSystemPool}
	if p.class.NodePools == "" {
		p.class.NodePools = nodePoolClass
	}
	p.defaults, p.poolDefaults = values(input["defaults"])
	p.fixed, p.poolFixed = values(input["fixed"])
	return p, nil
}

// values parts what is given for spec from what is given for each pool.
func values(v any) (spec, pool map[string]any) {
	all, _ := v.(map[string]any)
	spec = clone(all)
	pool, _ = spec["nodePool"].(map[string]any)
	delete(spec, "nodePool")
	return spec, pool
}

// decode reads fields into a Go type. The error names a field that the type does not have, or that is of another type.
func decode(fields map[string]any, into any) error {
	raw, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return shape.Explain(err, shape.Types(fields, shape.Go(reflect.TypeOf(into))), "an AKSClusterPolicy")
	}
	return nil
}

// known reports whether a path below spec names a field of an application team's.
func known(path []string) bool {
	fields := specFields
	for i, name := range path {
		below, exists := fields[name]
		if !exists {
			return false
		}
		if i == len(path)-1 {
			return true
		}
		fields, _ = below.(map[string]any)
	}
	return false
}

// specFields has the fields of spec; one with fields below it has those. What a list or a free map holds is not in it,
// except for a pool's fields.
var specFields = map[string]any{
	"location": nil, "version": nil,
	"nodePools": map[string]any{
		"mode": nil, "size": nil, "count": nil, "min": nil, "max": nil, "zones": nil, "spot": nil, "labels": nil, "taints": nil,
	},
	"network":     map[string]any{"podCIDR": nil, "serviceCIDR": nil, "private": nil, "plugin": nil, "policy": nil},
	"identity":    map[string]any{"resourceID": nil},
	"maintenance": map[string]any{"day": nil, "startTime": nil, "durationHours": nil, "utcOffset": nil},
}
