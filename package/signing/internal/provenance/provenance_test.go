package provenance

import (
	"debug/buildinfo"
	"encoding/json"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const (
	commit = "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed"
	digits = "2a1bb6127fb481c60f67692e22285fb306f3c6ffe62075e0ccf674d7c3adcb8f"
	// sum is the same as digits, as go.sum has it: the example of in-toto's specification.
	sum = "h1:Khu2En+0gcYPZ2kuIihfswbzxv/mIHXgzPZ018Oty48="
)

func TestStatement(t *testing.T) {
	build := Build{
		Package: "function-capz", Version: "v0.1.0", Commit: commit, Builder: "https://example.org/builder",
		Repository: "xpkg.example.org/function-capz", Digests: []v1.Hash{{Algorithm: "sha256", Hex: digits}},
		Binaries: map[string]*buildinfo.BuildInfo{
			"linux/amd64": {GoVersion: "go1.26.8", Settings: []debug.BuildSetting{{Key: "GOARCH", Value: "amd64"}}, Deps: []*debug.Module{
				{Path: "example.org/z", Version: "v2.0.0+incompatible", Sum: sum},
				{Path: "example.org/old", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/new", Version: "v1.1.0", Sum: sum}},
			}},
			"linux/arm64": {GoVersion: "go1.26.8", Settings: []debug.BuildSetting{{Key: "GOARCH", Value: "arm64"}}, Deps: []*debug.Module{
				{Path: "example.org/z", Version: "v2.0.0+incompatible", Sum: sum},
			}},
		},
	}
	raw, err := Statement(build)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"predicateType": "https://slsa.dev/provenance/v1",
		"subject":       []any{map[string]any{"name": "xpkg.example.org/function-capz", "digest": map[string]any{"sha256": digits}}},
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType":          BuildType,
				"externalParameters": map[string]any{"command": "make release", "package": "function-capz", "version": "v0.1.0"},
				"internalParameters": map[string]any{"goBuildSettings": map[string]any{
					"linux/amd64": map[string]any{"GOARCH": "amd64"}, "linux/arm64": map[string]any{"GOARCH": "arm64"},
				}},
				"resolvedDependencies": []any{
					map[string]any{"uri": "git+https://github.com/crossplane-capz/crossplane-capz", "digest": map[string]any{"gitCommit": commit}},
					map[string]any{"uri": "pkg:golang/example.org/new@v1.1.0", "digest": map[string]any{"dirHash": digits}},
					map[string]any{"uri": "pkg:golang/example.org/z@v2.0.0%2Bincompatible", "digest": map[string]any{"dirHash": digits}},
				},
			},
			"runDetails": map[string]any{"builder": map[string]any{"id": "https://example.org/builder", "version": map[string]any{"go": "go1.26.8"}}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statement (-want +got):\n%s", diff)
	}
}

func TestStatementRefuses(t *testing.T) {
	digests := []v1.Hash{{Algorithm: "sha256", Hex: digits}}
	cases := map[string]struct {
		build Build
		want  string
	}{
		"NoDigest":  {build: Build{Builder: "https://example.org/builder", Commit: commit}, want: "subject"},
		"NoBuilder": {build: Build{Digests: digests, Commit: commit}, want: "builder"},
		"NoSum": {
			build: Build{Digests: digests, Commit: commit, Builder: "https://example.org/builder", Binaries: map[string]*buildinfo.BuildInfo{
				"linux/amd64": {Deps: []*debug.Module{{Path: "example.org/z", Version: "v1.0.0"}}},
			}},
			want: `module example.org/z v1.0.0 has checksum ""`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := Statement(tc.build); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want %q", err, tc.want)
			}
		})
	}
}
