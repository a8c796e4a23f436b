package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	// withASO is a module that requires ASO.
	withASO = "../../../cluster/local/parts/aso"
	table   = "../kinds_generated.go"
)

func TestTableIsUpToDate(t *testing.T) {
	output := filepath.Join(t.TempDir(), "kinds.go")
	if err := run(withASO, output); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("make generate writes %s anew: -is, +would be:\n%s", table, diff)
	}
}

func TestCollect(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "api", "network", "v1")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("groupversion_info_gen.go", "package v1\nvar g = schema.GroupVersion{Group: \"network.azure.com\", Version: \"v1\"}\n")
	path := write("x_types_gen.go", `package v1

type Subnet_Spec struct {
	Owner *Reference `+"`"+`group:"network.azure.com" json:"owner,omitempty" kind:"Net"`+"`"+`
}

type Net_Spec struct {
	Owner *Reference `+"`"+`group:"resources.azure.com" json:"owner,omitempty" kind:"ResourceGroup"`+"`"+`
}

func (net *Net) GetType() string {
	return "Microsoft.Network/nets"
}

func (subnet *Subnet) GetType() string {
	return "Microsoft.Network/nets/subnets"
}

type Extension_Spec struct {
	Tags map[string]string `+"`"+`json:"tags,omitempty"`+"`"+`
	Owner *Reference `+"`"+`json:"owner,omitempty"`+"`"+`
}

type Other struct {
	Owner *Reference `+"`"+`group:"network.azure.com" kind:"Net"`+"`"+`
}

type Text_Spec string
`)
	got := map[string]*kind{}
	if err := collect(path, got); err != nil {
		t.Fatal(err)
	}
	want := map[string]*kind{
		"Subnet.network.azure.com":    {arm: "Microsoft.Network/nets/subnets", owner: "Net.network.azure.com"},
		"Net.network.azure.com":       {arm: "Microsoft.Network/nets"},
		"Extension.network.azure.com": {tagged: true},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(kind{})); diff != "" {
		t.Errorf("collect: -want, +got:\n%s", diff)
	}
	if !isVersion(dir) || isVersion(filepath.Dir(dir)) || isVersion(filepath.Join(dir, "storage")) {
		t.Error("just api/GROUP/VERSION is a version")
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x_types_gen.go")
	if err := os.WriteFile(path, []byte("package v1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := collect(path, map[string]*kind{}); err == nil {
		t.Error("a package without groupversion_info_gen.go: want an error")
	}
	if err := os.WriteFile(filepath.Join(dir, "groupversion_info_gen.go"), []byte("package v1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := collect(path, map[string]*kind{}); err == nil {
		t.Error("a package that registers no group: want an error")
	}
	if err := collect(filepath.Join(dir, "none.go"), map[string]*kind{}); err == nil {
		t.Error("no file: want an error")
	}
	if err := run(dir, filepath.Join(dir, "out.go")); err == nil {
		t.Error("a folder without a module: want an error")
	}
}
