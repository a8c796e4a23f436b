package gitops

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	lua "github.com/yuin/gopher-lua"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Health is what Argo CD says of an object.
type Health struct{ Status, Message string }

// The values of Health.Status (Argo CD documentation, "Resource Health").
const (
	Healthy     = "Healthy"
	Progressing = "Progressing"
	Degraded    = "Degraded"
	Suspended   = "Suspended"
	Missing     = "Missing"
	Unknown     = "Unknown"
)

var statuses = []string{Healthy, Progressing, Degraded, Suspended, Missing, Unknown}

// luaTimeout is how long Argo CD lets a check run.
const luaTimeout = time.Second

// ArgoCD has the customizations of an Argo CD.
type ArgoCD struct {
	overrides map[string]Override
}

// An Override is what Argo CD is told about the kinds of a pattern.
type Override struct {
	HealthLua string `json:"health.lua"`
	// IgnoreDifferences is YAML, of Differences.
	IgnoreDifferences string `json:"ignoreDifferences"`
}

// Differences are fields that Argo CD does not compare.
type Differences struct {
	JSONPointers []string `json:"jsonPointers"`
}

// NewArgoCD reads the customizations in key resource.customizations of ConfigMap argocd-cm, given as YAML.
func NewArgoCD(configMap []byte) (*ArgoCD, error) {
	var cm corev1.ConfigMap
	if err := yaml.UnmarshalStrict(configMap, &cm); err != nil {
		return nil, err
	}
	a := &ArgoCD{}
	if err := yaml.UnmarshalStrict([]byte(cm.Data["resource.customizations"]), &a.overrides); err != nil {
		return nil, fmt.Errorf("resource.customizations: %w", err)
	}
	return a, nil
}

// Ignored returns the fields of a kind that Argo CD does not compare.
func (o Override) Ignored() (Differences, error) {
	var d Differences
	err := yaml.UnmarshalStrict([]byte(o.IgnoreDifferences), &d)
	return d, err
}

// Override returns the customization of a kind, and the patterns that it goes by. Argo CD takes any one where there are several.
func (a *ArgoCD) Override(kind schema.GroupKind) (Override, []string) {
	key := kind.Group + "/" + kind.Kind
	var found []string
	for _, pattern := range slices.Sorted(maps.Keys(a.overrides)) {
		if ok, err := path.Match(pattern, key); err == nil && ok {
			found = append(found, pattern)
		}
	}
	if len(found) == 0 {
		return Override{}, nil
	}
	return a.overrides[found[0]], found
}

// Health returns what Argo CD says of an object; an error when the check of its kind fails, or there is none.
func (a *ArgoCD) Health(u *unstructured.Unstructured) (Health, error) {
	if u.GetDeletionTimestamp() != nil {
		return Health{Progressing, "Pending deletion"}, nil // Before any check.
	}
	override, _ := a.Override(u.GroupVersionKind().GroupKind())
	if override.HealthLua == "" {
		return Health{}, fmt.Errorf("there is no check for %s", u.GroupVersionKind().GroupKind())
	}
	return run(override.HealthLua, u)
}

// run runs a check as Argo CD does: only the base and the table library are there, none for strings.
func run(check string, u *unstructured.Unstructured) (Health, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return Health{}, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), luaTimeout)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("obj", toLua(state, u.Object))
	if err := state.DoString(check); err != nil {
		return Health{}, err
	}
	answer, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return Health{}, fmt.Errorf("the check of %s returns %s, no table", u.GetKind(), state.Get(-1).Type())
	}
	health := Health{Status: lua.LVAsString(answer.RawGetString("status")), Message: lua.LVAsString(answer.RawGetString("message"))}
	if !slices.Contains(statuses, health.Status) {
		return Health{}, fmt.Errorf("the check of %s returns status %q", u.GetKind(), health.Status)
	}
	return health, nil
}

// toLua returns a value of an object as Lua has it.
func toLua(state *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case bool:
		return lua.LBool(v)
	case string:
		return lua.LString(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case []any:
		table := state.CreateTable(len(v), 0)
		for _, item := range v {
			table.Append(toLua(state, item))
		}
		return table
	case map[string]any:
		table := state.CreateTable(0, len(v))
		for key, item := range v {
			table.RawSetString(key, toLua(state, item))
		}
		return table
	}
	return lua.LNil
}
