package agentpool

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// parts is a module that requires ASO.
const parts = "../../cluster/local/parts/aso"

// TestEveryVersionHasTheSameFieldsInPoolAndProfile proves, from ASO's own sources, what Profile builds on: in
// each version of the AKS API a profile has every field of an agent pool, but for those that Profile leaves out.
func TestEveryVersionHasTheSameFieldsInPoolAndProfile(t *testing.T) {
	cmd := exec.Command("go", "mod", "download", "-json", "github.com/Azure/azure-service-operator/v2")
	cmd.Dir = parts
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ASO's sources are read from its Go module, which cannot be had: %v\n%s", err, out)
	}
	var module struct{ Dir string }
	must(t, json.Unmarshal(out, &module))
	files, err := filepath.Glob(filepath.Join(module.Dir, "api/containerservice/*/managed_clusters_agent_pool_types_gen.go"))
	must(t, err)
	if len(files) < 3 {
		t.Fatalf("want at least 3 versions of agent pools, got %v", files)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			pool := fields(t, file, "ManagedClustersAgentPool_Spec")
			profile := fields(t, filepath.Join(dir, "managed_cluster_types_gen.go"), "ManagedClusterAgentPoolProfile")
			for field, typ := range pool {
				if slices.Contains(notInProfile, field) {
					if _, has := profile[field]; has {
						t.Errorf("%s is left out, but a profile has it", field)
					}
					continue
				}
				if profile[field] != typ {
					t.Errorf("%s: %s in a pool, %s in a profile", field, typ, profile[field])
				}
			}
			for field := range profile {
				if _, has := pool[field]; !has && field != "name" {
					t.Errorf("%s is a field of a profile, but of no pool", field)
				}
			}
		})
	}
}

// fields returns the JSON names of the fields of a struct, each with the shape of its type.
func fields(t *testing.T, file, name string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	must(t, err)
	out := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
			jsonName, _, _ := strings.Cut(tag.Get("json"), ",")
			out[jsonName] = shape(f.Type)
		}
		return false
	})
	if len(out) == 0 {
		t.Fatalf("%s has no struct %s", file, name)
	}
	return out
}

// shape tells lists, maps and values apart. Types of a pool and a profile may have names of their own.
func shape(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return shape(e.X)
	case *ast.ArrayType:
		return "list of " + shape(e.Elt)
	case *ast.MapType:
		return "map"
	}
	return "value"
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
