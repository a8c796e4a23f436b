// Command generate writes what follows from the Go types under apis: their DeepCopy methods, one
// CompositeResourceDefinition and one Composition per kind under package/configuration, one CustomResourceDefinition per
// kind of settings under package/provider, docs/kinds.md, docs/troubleshooting.md, docs/metrics.md, docs/compatibility.md, and the defaults for
// the preview. From the catalogues in internal/aso and internal/composite it writes the rules of package/install/rbac.yaml and package/provider/webhooks.yaml. Of the examples of
// self-managed clusters it makes templates for clusterctl, and of AKSCluster the software template in examples/portal. For kube-state-metrics it
// writes a configuration under examples/monitoring, and from the catalogues the health checks in examples/gitops.
//
// It must not import apis: it has to compile while the DeepCopy methods there are out of date.
//
// The same types and catalogues always give the same bytes. Run it from the root of the checkout: go run ./package/generate
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crossplane-capz/crossplane-capz/internal/remedy"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// run generates all files of the checkout at root and writes those that changed. Definitions of kinds that are gone are
// removed.
func run(root string) error {
	files, err := generate(root)
	if err != nil {
		return err
	}
	stale, err := staleFiles(root, files)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(root, name)); err != nil {
			return fmt.Errorf("removing a file that is no longer generated: %w", err)
		}
	}
	return files.write(root)
}

// generate returns every generated file of the checkout at root, without touching the disk.
func generate(root string) (fileSet, error) {
	files := fileSet{}
	if err := addDeepCopy(files, root); err != nil {
		return nil, fmt.Errorf("generating DeepCopy methods: %w", err)
	}
	crds, err := loadCRDs(root)
	if err != nil {
		return nil, fmt.Errorf("reading the kinds under apis: %w", err)
	}
	for _, crd := range crds {
		if isComposite(crd) {
			err = addComposite(files, crd)
		} else {
			err = files.addYAML(filepath.Join(dirOf(crd), crd.Spec.Names.Plural+".yaml"), plainCRD(crd))
		}
		if err != nil {
			return nil, fmt.Errorf("making the definition of %s: %w", crd.Spec.Names.Kind, err)
		}
	}
	files[referenceFile] = reference(crds)
	files[troubleshootingFile] = troubleshooting(remedy.Origins())
	files[metricsFile] = metricsPage(telemetry.Catalogue())
	if err := addCompatibility(files, root); err != nil {
		return nil, fmt.Errorf("making the page of versions: %w", err)
	}
	if err := addRules(files); err != nil {
		return nil, fmt.Errorf("making the rules for all kinds: %w", err)
	}
	if err := addStateMetrics(files); err != nil {
		return nil, fmt.Errorf("making the configuration of kube-state-metrics: %w", err)
	}
	if err := addFlavors(files, root); err != nil {
		return nil, fmt.Errorf("making the templates for clusterctl: %w", err)
	}
	if err := addPortal(files, crds); err != nil {
		return nil, fmt.Errorf("making the software template: %w", err)
	}
	if err := addGitOps(files); err != nil {
		return nil, fmt.Errorf("making the health checks: %w", err)
	}
	return files, addDefaults(files, crds)
}

// addComposite adds the definition and the default Composition of a kind.
func addComposite(files fileSet, crd extv1.CustomResourceDefinition) error {
	xrd, err := definition(crd)
	if err != nil {
		return err
	}
	file, err := claimable(xrd)
	if err != nil {
		return err
	}
	dir := filepath.Join(configurationDir, crd.Spec.Names.Plural)
	if err := files.addYAML(filepath.Join(dir, "definition.yaml"), file); err != nil {
		return err
	}
	return files.addYAML(filepath.Join(dir, "composition.yaml"), composition(xrd))
}

// staleFiles lists the definitions of all sorts and Compositions on disk that files does not have.
func staleFiles(root string, files fileSet) ([]string, error) {
	var stale []string
	for _, pattern := range []string{configurationDir + "/*/definition.yaml", configurationDir + "/*/composition.yaml", providerDir + "/*.yaml"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, f := range found {
			if _, ok := files[filepath.FromSlash(f)]; !ok {
				stale = append(stale, f)
			}
		}
	}
	slices.Sort(stale)
	return stale, nil
}
