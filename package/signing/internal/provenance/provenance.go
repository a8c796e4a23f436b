// Package provenance says of a package from which commit and Go modules it was built, in SLSA's form.
package provenance

import (
	"cmp"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
)

const (
	// PredicateType is that of SLSA's provenance, version 1.
	PredicateType = "https://slsa.dev/provenance/v1"
	// BuildType names what `make release` does, and what the parameters mean.
	BuildType = "https://github.com/crossplane-capz/crossplane-capz/blob/main/docs/release.md#provenance"
	// source is where commits are found.
	source = "git+https://github.com/crossplane-capz/crossplane-capz"
)

// A Build is what a package was made from, and what came out.
type Build struct {
	// Package is the name, such as function-capz.
	Package string
	// Version is the release, with its v.
	Version string
	// Commit of the checkout.
	Commit string
	// Builder is the URI of who or what has run the build, and vouches for the rest.
	Builder string
	// Repository is where the images go, and Digests are those of them.
	Repository string
	Digests    []v1.Hash
	// Binaries are those inside, by platform, such as linux/amd64; none for a Configuration.
	Binaries map[string]*buildinfo.BuildInfo
}

// Statement returns the in-toto statement about a build in JSON. The same build gives a statement that says the same, as it
// has no time.
func Statement(b Build) ([]byte, error) {
	subjects := make([]*intoto.ResourceDescriptor, 0, len(b.Digests))
	for _, digest := range b.Digests {
		subjects = append(subjects, &intoto.ResourceDescriptor{Name: b.Repository, Digest: map[string]string{digest.Algorithm: digest.Hex}})
	}
	provenance, err := b.provenance()
	if err != nil {
		return nil, err
	}
	if err := provenance.Validate(); err != nil {
		return nil, fmt.Errorf("provenance of %s: %w", b.Package, err)
	}
	raw, err := protojson.Marshal(provenance)
	if err != nil {
		return nil, err
	}
	predicate := &structpb.Struct{}
	if err := protojson.Unmarshal(raw, predicate); err != nil {
		return nil, err
	}
	statement := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: subjects, PredicateType: PredicateType, Predicate: predicate}
	if err := statement.Validate(); err != nil {
		return nil, fmt.Errorf("provenance of %s: %w", b.Package, err)
	}
	return protojson.Marshal(statement)
}

func (b Build) provenance() (*slsa.Provenance, error) {
	external, err := structpb.NewStruct(map[string]any{"command": "make release", "package": b.Package, "version": b.Version})
	if err != nil {
		return nil, err
	}
	settings, toolchains := map[string]any{}, map[string]string{}
	for platform, binary := range b.Binaries {
		toolchains["go"] = binary.GoVersion
		of := map[string]any{}
		for _, s := range binary.Settings {
			of[s.Key] = s.Value
		}
		settings[platform] = of
	}
	internal, err := structpb.NewStruct(map[string]any{"goBuildSettings": settings})
	if err != nil {
		return nil, err
	}
	materials, err := b.materials()
	if err != nil {
		return nil, err
	}
	return &slsa.Provenance{
		BuildDefinition: &slsa.BuildDefinition{
			BuildType: BuildType, ExternalParameters: external, InternalParameters: internal, ResolvedDependencies: materials,
		},
		RunDetails: &slsa.RunDetails{Builder: &slsa.Builder{Id: b.Builder, Version: toolchains}},
	}, nil
}

// materials returns the commit, and every Go module that is in a binary, each once.
func (b Build) materials() ([]*intoto.ResourceDescriptor, error) {
	modules := map[string]*intoto.ResourceDescriptor{}
	for _, binary := range b.Binaries {
		for _, module := range binary.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			material, err := material(module)
			if err != nil {
				return nil, err
			}
			modules[material.GetUri()] = material
		}
	}
	sorted := slices.SortedFunc(maps.Values(modules), func(a, b *intoto.ResourceDescriptor) int { return cmp.Compare(a.GetUri(), b.GetUri()) })
	commit := &intoto.ResourceDescriptor{Uri: source, Digest: map[string]string{"gitCommit": b.Commit}}
	return append([]*intoto.ResourceDescriptor{commit}, sorted...), nil
}

// material returns a module with its checksum as go.sum has it, in the form that in-toto wants: dirHash, in hexadecimal digits.
func material(module *debug.Module) (*intoto.ResourceDescriptor, error) {
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(module.Sum, "h1:"))
	if err != nil || len(sum) == 0 {
		return nil, fmt.Errorf("module %s %s has checksum %q, but must have one like in go.sum", module.Path, module.Version, module.Sum)
	}
	return &intoto.ResourceDescriptor{
		Uri:    "pkg:golang/" + module.Path + "@" + strings.ReplaceAll(module.Version, "+", "%2B"),
		Digest: map[string]string{"dirHash": hex.EncodeToString(sum)},
	}, nil
}
