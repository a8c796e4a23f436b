package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/tools/go/packages"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// typePackages are the Go packages whose kinds are generated for.
const typePackages = "./apis/..."

// addDeepCopy adds the zz_generated.deepcopy.go of every package that asks for one by marker.
func addDeepCopy(files fileSet, root string) error {
	abs, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	var generator genall.Generator = deepcopy.Generator{}
	rt, err := genall.Generators{&generator}.ForRootsWithConfig(&packages.Config{Dir: root}, typePackages)
	if err != nil {
		return err
	}
	rt.OutputRules = genall.OutputRules{Default: packageOutput{root: abs, files: files}}
	if failed := rt.Run(); failed {
		return errors.New("the types do not compile, see above")
	}
	return nil
}

// loadCRDs reads the kinds under apis with their markers and returns them as controller-gen would write them, in the order
// of their kinds.
func loadCRDs(root string) ([]extv1.CustomResourceDefinition, error) {
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Dir: root}, typePackages)
	if err != nil {
		return nil, err
	}
	registry := &markers.Registry{}
	if err := (crd.Generator{}).RegisterMarkers(registry); err != nil {
		return nil, err
	}
	if err := crdmarkers.Register(registry); err != nil {
		return nil, err
	}
	parser := &crd.Parser{
		Collector: &markers.Collector{Registry: registry},
		Checker:   &loader.TypeChecker{NodeFilters: []loader.NodeFilter{crd.Generator{}.CheckFilter()}},
	}
	crd.AddKnownTypes(parser)
	for _, pkg := range roots {
		parser.NeedPackage(pkg)
	}
	metav1 := crd.FindMetav1(roots)
	if metav1 == nil {
		return nil, fmt.Errorf("%s has no Kubernetes kinds", typePackages)
	}
	var out []extv1.CustomResourceDefinition
	for _, kind := range crd.FindKubeKinds(parser, metav1) {
		parser.NeedCRDFor(kind, nil)
		out = append(out, parser.CustomResourceDefinitions[kind])
	}
	if failed := loader.PrintErrors(roots, packages.TypeError); failed {
		return nil, errors.New("the types or their markers are wrong, see above")
	}
	return out, nil
}
