package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

const (
	// checkout is the root of the checkout, as seen from this package.
	checkout = "../../.."
	group    = "infrastructure.cluster.x-k8s.io"
	// capz is the release that manifests and CustomResourceDefinitions are compared with.
	capz = "sigs.k8s.io/cluster-api-provider-azure@v1.27.0"
)

// ownCRDs returns the CustomResourceDefinitions that Crossplane makes from package/configuration, and the one of CAPZ's kinds that is applied
// as it is, by plural.
func ownCRDs() (map[string]*extv1.CustomResourceDefinition, error) {
	files, err := filepath.Glob(filepath.Join(checkout, "package", "configuration", "*", "definition.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("no definitions in package/configuration")
	}
	crds := map[string]*extv1.CustomResourceDefinition{}
	for _, file := range files {
		xrd := &xv1.CompositeResourceDefinition{}
		if err := readYAML(file, xrd); err != nil {
			return nil, err
		}
		crd, err := xcrd.ForCompositeResource(xrd)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		made := []*extv1.CustomResourceDefinition{crd}
		if xrd.Spec.ClaimNames != nil {
			claim, err := xcrd.ForCompositeResourceClaim(xrd)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			made = append(made, claim)
		}
		for _, crd := range made {
			// The XRD is not there, so it cannot own anything.
			crd.OwnerReferences = nil
			crds[crd.Spec.Names.Plural] = crd
		}
	}
	plain := &extv1.CustomResourceDefinition{}
	if err := readYAML(filepath.Join(checkout, "package", "install", "azuremachinepoolmachines.yaml"), plain); err != nil {
		return nil, err
	}
	crds[plain.Spec.Names.Plural] = plain
	return crds, nil
}

// capzCRDs returns CAPZ's own CustomResourceDefinitions of the same kinds, by plural.
func capzCRDs(dir string) (map[string]*extv1.CustomResourceDefinition, error) {
	var files []string
	for _, pattern := range []string{"azureasomanaged*", "azuremanaged*", "azurecluster*", "azuremachine*"} {
		found, err := filepath.Glob(filepath.Join(dir, "config", "crd", "bases", group+"_"+pattern+".yaml"))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	crds := map[string]*extv1.CustomResourceDefinition{}
	for _, file := range files {
		crd := &extv1.CustomResourceDefinition{}
		if err := readYAML(file, crd); err != nil {
			return nil, err
		}
		crds[crd.Spec.Names.Plural] = crd
	}
	return crds, nil
}

// capzDir returns the folder of CAPZ's Go module, downloading it into the module cache if it is not there.
func capzDir(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("go", "mod", "download", "-json", capz)
	// Outside of any module, so that no go.mod decides on the version.
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod download %s: %v\n%s", capz, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	return module.Dir
}

func readYAML(file string, into any) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(raw, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
