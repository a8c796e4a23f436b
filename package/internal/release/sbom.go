package release

import (
	"bytes"
	"debug/buildinfo"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// billOfMaterials returns which Go modules a binary was made from, read from the binary itself, in CycloneDX's JSON. It has
// neither a time nor a serial number, so that the same binary gives the same bytes.
func billOfMaterials(binary, name, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	main := cdx.Component{
		Type: cdx.ComponentTypeApplication, Name: name, Version: version,
		PackageURL: purl(info.Main.Path, version), BOMRef: purl(info.Main.Path, version),
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
	}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	components := []cdx.Component{library("stdlib", goVersion)}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		components = append(components, library(module.Path, module.Version))
	}
	var refs []string
	for _, component := range components {
		refs = append(refs, component.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &main}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func library(path, version string) cdx.Component {
	return cdx.Component{Type: cdx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: purl(path, version), BOMRef: purl(path, version)}
}

// purl returns the package URL of a Go module, in which a plus sign must be escaped.
func purl(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}
