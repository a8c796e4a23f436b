package platform

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// Reasons of the condition Accepted.
const (
	reasonAccepted     = "Accepted"
	reasonFixed        = "FixedByPlatform"
	reasonHidden       = "HiddenByPlatform"
	reasonMissingField = "MissingField"
	reasonImmutable    = "ImmutableField"
	reasonNoSystemPool = "NoSystemPool"
)

// What a field is where neither the application team nor the platform team says anything.
var (
	builtin     = map[string]any{"nodePools": []any{map[string]any{"name": "system", "mode": "system"}}}
	builtinPool = map[string]any{"mode": "user", "size": "Standard_D2s_v5", "spot": false}
)

const builtinCount = 2

// lasting are the fields that Azure cannot change on what exists; version and nodePools last as long as nobody gives them.
var (
	lasting     = []string{"location", "network", "identity"}
	lastingPool = []string{"size", "zones", "spot"}
)

// parametersOf returns what the cluster shall be: what the spec says, what the policy fixes, and where both are silent
// what is there already or the defaults say. The problem is a mistake of the application team's.
func parametersOf(spec map[string]any, p *policy, now applied) (*v1alpha1.AKSClusterParameters, *composer.Blocked, error) {
	user := map[string]any{}
	for name := range specFields {
		if value, given := spec[name]; given && value != nil {
			user[name] = value
		}
	}
	if problem := hiddenIn(user, p.hidden); problem != nil {
		return nil, problem, nil
	}
	base := clone(builtin)
	if p.hosted {
		delete(base, "nodePools")
	}
	base = merge(merge(base, p.defaults), now.fields())
	wanted, problem := fix(merge(base, user), user, p.fixed, "spec")
	if problem != nil {
		return nil, problem, nil
	}
	for _, name := range lasting {
		if before := now.spec[name]; before != nil && !covers(wanted[name], before) {
			return nil, immutable("spec."+name, wanted[name], before), nil
		}
	}
	if problem := pools(wanted, user, p, now); problem != nil {
		return nil, problem, nil
	}
	out := &v1alpha1.AKSClusterParameters{}
	if err := decode(wanted, out); err != nil {
		return nil, nil, fmt.Errorf("spec and the AKSClusterPolicy do not go together: %w", err)
	}
	return out, complete(out, p.hosted), nil
}

// pools puts together what each pool shall be.
func pools(wanted, user map[string]any, p *policy, now applied) *composer.Blocked {
	given := byName(user["nodePools"])
	list, _ := wanted["nodePools"].([]any)
	out := make([]any, 0, len(list))
	for _, item := range list {
		pool, _ := item.(map[string]any)
		name, _ := pool["name"].(string)
		before := now.pools[name]
		base := merge(merge(clone(builtinPool), p.poolDefaults), only(before, lastingPool))
		own := given[name]
		full := merge(base, pool)
		unscale(full, pool)
		full, problem := fix(full, own, p.poolFixed, "spec.nodePools["+name+"]")
		if problem != nil {
			return problem
		}
		if problem := scaling(full, own, p.poolFixed, before, name); problem != nil {
			return problem
		}
		for _, field := range lastingPool {
			if before[field] != nil && !equal(before[field], full[field]) {
				return immutable("spec.nodePools["+name+"]."+field, full[field], before[field])
			}
		}
		out = append(out, full)
	}
	wanted["nodePools"] = out
	return nil
}

// unscale takes the defaults of one way to say a number of nodes away where the pool itself uses the other.
func unscale(full, pool map[string]any) {
	if pool["count"] != nil {
		delete(full, "min")
		delete(full, "max")
	}
	if pool["min"] != nil || pool["max"] != nil {
		delete(full, "count")
	}
}

// scaling settles who decides on the number of nodes when the policy fixes it one way or the other. A pool that AKS has scaled, and for
// which nobody gives a number, keeps the nodes that it has.
func scaling(full, own, fixed, before map[string]any, name string) *composer.Blocked {
	for _, other := range [][2]string{{"count", "min"}, {"count", "max"}, {"min", "count"}, {"max", "count"}} {
		field, by := other[0], other[1]
		if full[field] == nil || fixed[by] == nil {
			continue
		}
		if own[field] != nil {
			return composer.Blockedf(reasonFixed,
				"spec.nodePools[%s].%s is %s, but must be left out because the platform team has fixed %s to %s", name, field, shown(own[field]), by, shown(fixed[by]))
		}
		delete(full, field)
	}
	switch {
	case full["min"] != nil:
	case before != nil && before["count"] == nil && own["count"] == nil && fixed["count"] == nil:
		delete(full, "count")
	case full["count"] == nil:
		full["count"] = float64(builtinCount)
	}
	return nil
}

// complete returns what a cluster cannot be made without. One of which AKS hosts what needs a system pool can be made without that.
func complete(wanted *v1alpha1.AKSClusterParameters, hosted bool) *composer.Blocked {
	for _, field := range []struct{ name, value string }{{"location", wanted.Location}, {"version", wanted.Version}} {
		if field.value == "" {
			return composer.Blockedf(reasonMissingField,
				"spec.%s is missing, but must be given because the platform team has no default for it", field.name)
		}
	}
	for _, pool := range wanted.NodePools {
		// The schema says so of what the application team writes; the policy may give just one of them.
		if there, missing := "min", "max"; (pool.Min == nil) != (pool.Max == nil) {
			if pool.Min == nil {
				there, missing = missing, there
			}
			return composer.Blockedf(reasonMissingField,
				"spec.nodePools[%s].%s is missing, but must be given because there is %s and AKS scales between them", pool.Name, missing, there)
		}
	}
	if !hosted && !slices.ContainsFunc(wanted.NodePools, func(p v1alpha1.NodePool) bool { return p.Mode == "system" }) {
		return &composer.Blocked{Reason: reasonNoSystemPool,
			Message: "spec.nodePools has no pool with mode system, but must have at least one because AKS runs its own pods there"}
	}
	return nil
}

// hiddenIn returns the first hidden field that the user has given.
func hiddenIn(user map[string]any, hidden []string) *composer.Blocked {
	for _, path := range hidden {
		steps := strings.Split(path, ".")
		if len(steps) > 1 && steps[0] == "nodePools" {
			for _, pool := range slices.Sorted(maps.Keys(byName(user["nodePools"]))) {
				if value := byName(user["nodePools"])[pool][steps[1]]; value != nil {
					return hiddenProblem("spec.nodePools["+pool+"]."+steps[1], value)
				}
			}
			continue
		}
		var value any = user
		for _, step := range steps {
			fields, _ := value.(map[string]any)
			value = fields[step]
		}
		if value != nil {
			return hiddenProblem("spec."+path, value)
		}
	}
	return nil
}

func hiddenProblem(path string, value any) *composer.Blocked {
	return composer.Blockedf(reasonHidden,
		"%s is %s, but must be left out because the platform team decides on it", path, shown(value))
}

// fix sets what the policy fixes. The problem is a value of the user's that differs.
func fix(wanted, user, fixed map[string]any, path string) (map[string]any, *composer.Blocked) {
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		value := fixed[name]
		if below, isMap := value.(map[string]any); isMap {
			now, _ := wanted[name].(map[string]any)
			own, _ := user[name].(map[string]any)
			inside, problem := fix(clone(now), own, below, path+"."+name)
			if problem != nil {
				return nil, problem
			}
			wanted[name] = inside
			continue
		}
		if own := user[name]; own != nil && !equal(own, value) {
			return nil, composer.Blockedf(reasonFixed,
				"%s.%s is %s, but must be %s or left out because the platform team has fixed it", path, name, shown(own), shown(value))
		}
		wanted[name] = value
	}
	return wanted, nil
}

func immutable(path string, wanted, before any) *composer.Blocked {
	return composer.Blockedf(reasonImmutable,
		"%s is to be %s, but must stay %s because Azure cannot change it on what exists", path, shown(wanted), shown(before))
}

// covers reports whether wanted has everything that before has, with the same values.
func covers(wanted, before any) bool {
	was, isMap := before.(map[string]any)
	if !isMap {
		return equal(wanted, before)
	}
	is, _ := wanted.(map[string]any)
	for name, value := range was {
		if !equal(is[name], value) {
			return false
		}
	}
	return true
}

// merge sets the fields of over in a copy of base, those of maps one by one. Lists and values are taken whole.
func merge(base, over map[string]any) map[string]any {
	out := clone(base)
	for name, value := range over {
		above, isMap := value.(map[string]any)
		below, both := out[name].(map[string]any)
		if isMap && both {
			value = merge(below, above)
		}
		out[name] = value
	}
	return out
}

func clone(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return maps.Clone(m)
}

func only(m map[string]any, names []string) map[string]any {
	out := map[string]any{}
	for _, name := range names {
		if m[name] != nil {
			out[name] = m[name]
		}
	}
	return out
}

// byName returns the entries of a list of objects by their names.
func byName(list any) map[string]map[string]any {
	out := map[string]map[string]any{}
	items, _ := list.([]any)
	for _, item := range items {
		entry, _ := item.(map[string]any)
		if name, _ := entry["name"].(string); name != "" {
			out[name] = entry
		}
	}
	return out
}

// equal compares values as JSON has them: numbers are of any type here.
func equal(a, b any) bool {
	return reflect.DeepEqual(plain(a), plain(b))
}

func plain(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return v
	}
	var out any
	if err := json.Unmarshal(raw, &out); err != nil {
		return v
	}
	return out
}

// shown writes a value as it would stand in the manifest.
func shown(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}
