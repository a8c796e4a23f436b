// Command generate writes the table of Azure Service Operator (ASO) kinds: the type that each has in Azure, the kind that owns it,
// whether it has tags, and what is read to find out the end of operations on it.
//
// It reads the ASO module's sources, as the struct tags of the owner fields and the types in Azure are not in ASO's CRDs, and the recordings of
// traffic with Azure there.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/Azure/azure-service-operator/v2"

// A kind is a row of the table.
type kind struct {
	// arm is the type in Azure, such as Microsoft.Network/virtualNetworks/subnets.
	arm string
	// owner is the Kind.group of the owner; empty when that is a resource group, the subscription, or of any kind.
	owner string
	// tagged reports whether spec has tags.
	tagged bool
	// polled are the types in Azure of what is read to find out the end of operations.
	polled []string
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: generate DIRECTORY-OF-A-MODULE-THAT-REQUIRES-ASO OUTPUT")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(from, output string) error {
	dir, err := moduleDir(from)
	if err != nil {
		return err
	}
	kinds := map[string]*kind{}
	err = filepath.WalkDir(filepath.Join(dir, "api"), func(path string, _ fs.DirEntry, err error) error {
		// api/GROUP/VERSION/x_types_gen.go; the ARM and storage packages below a version have no owners.
		if err != nil || !strings.HasSuffix(path, "_types_gen.go") || !isVersion(filepath.Dir(path)) {
			return err
		}
		return collect(path, kinds)
	})
	if err != nil {
		return err
	}
	recorded, err := operationsIn(dir)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		k.polled = recorded.of(k.arm)
	}
	source, err := format.Source(render(kinds))
	if err != nil {
		return err
	}
	return os.WriteFile(output, source, 0o644)
}

// moduleDir returns the directory of the ASO module that the module in dir requires, downloaded if needed.
func moduleDir(dir string) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var m struct{ Dir string }
	err = json.Unmarshal(out, &m)
	return m.Dir, err
}

// collect adds what the file at path says of kinds.
func collect(path string, kinds map[string]*kind) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	group, err := groupOf(filepath.Dir(path))
	if err != nil {
		return err
	}
	of := func(name string) *kind {
		name += "." + group
		if kinds[name] == nil {
			kinds[name] = &kind{}
		}
		return kinds[name]
	}
	for _, decl := range file.Decls {
		if method, ok := decl.(*ast.FuncDecl); ok && method.Name.Name == "GetType" && method.Recv != nil {
			if name, arm := receiver(method), returned(method); name != "" && arm != "" {
				of(name).arm = arm
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		t, ok := n.(*ast.TypeSpec)
		if !ok || !strings.HasSuffix(t.Name.Name, "_Spec") {
			return true
		}
		if s, ok := t.Type.(*ast.StructType); ok {
			readSpec(s, of(strings.TrimSuffix(t.Name.Name, "_Spec")))
		}
		return true
	})
	return nil
}

// readSpec notes the owner in the struct of a spec, and whether it has tags.
func readSpec(s *ast.StructType, k *kind) {
	for _, field := range s.Fields.List {
		if len(field.Names) != 1 || field.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(field.Tag.Value, "`"))
		switch field.Names[0].Name {
		case "Tags":
			_, isMap := field.Type.(*ast.MapType)
			k.tagged = k.tagged || isMap
		case "Owner":
			if owner := tag.Get("kind"); owner != "" && owner != "ResourceGroup" {
				k.owner = owner + "." + tag.Get("group")
			}
		}
	}
}

// receiver returns the name of the type that a method has a pointer to.
func receiver(method *ast.FuncDecl) string {
	pointer, _ := method.Recv.List[0].Type.(*ast.StarExpr)
	if pointer == nil {
		return ""
	}
	name, _ := pointer.X.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

// returned returns the text that a method of one statement returns.
func returned(method *ast.FuncDecl) string {
	if method.Body == nil || len(method.Body.List) != 1 {
		return ""
	}
	statement, _ := method.Body.List[0].(*ast.ReturnStmt)
	if statement == nil || len(statement.Results) != 1 {
		return ""
	}
	literal, _ := statement.Results[0].(*ast.BasicLit)
	if literal == nil {
		return ""
	}
	text, _ := strconv.Unquote(literal.Value)
	return text
}

func isVersion(dir string) bool {
	return strings.HasPrefix(filepath.Base(dir), "v") && filepath.Base(filepath.Dir(filepath.Dir(dir))) == "api"
}

// groupOf returns the API group that the package in dir registers.
func groupOf(dir string) (string, error) {
	source, err := os.ReadFile(filepath.Join(dir, "groupversion_info_gen.go"))
	if err != nil {
		return "", err
	}
	_, rest, found := bytes.Cut(source, []byte(`schema.GroupVersion{Group: "`))
	group, _, closed := bytes.Cut(rest, []byte(`"`))
	if !found || !closed {
		return "", fmt.Errorf("%s: no group registered", dir)
	}
	return string(group), nil
}

func render(kinds map[string]*kind) []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated by internal/aso/generate from the sources of Azure Service Operator. DO NOT EDIT.\n\n")
	b.WriteString("package aso\n\n// sources has what Azure Service Operator's sources say of each of its kinds, by Kind.group.\n")
	b.WriteString("var sources = map[string]source{\n")
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		k := kinds[name]
		if k.arm == "" {
			continue // A part of a spec whose name ends like that of one.
		}
		fmt.Fprintf(&b, "%q: {arm: %q", name, k.arm)
		if k.owner != "" {
			fmt.Fprintf(&b, ", owner: %q", k.owner)
		}
		if k.tagged {
			b.WriteString(", tagged: true")
		}
		if len(k.polled) > 0 {
			fmt.Fprintf(&b, ", polled: %#v", k.polled)
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
	return b.Bytes()
}
