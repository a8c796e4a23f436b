package release

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/package/xpkg"
)

// configuration is the object that has the package manager install the packages. Its name is the one that `crossplane xpkg
// install configuration` gives it.
const configuration = `# The packages. Their dependencies, function-capz and provider-capz, come with the Configuration.
apiVersion: pkg.crossplane.io/v1
kind: Configuration
metadata:
  name: crossplane-capz-configuration-capz
spec:
  package: %s%s:%s
`

// install joins what is applied beside the packages and the Configuration into one file.
func install(root, out, version string) error {
	paths, err := filepath.Glob(filepath.Join(root, "package", "install", "*.yaml"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s has no manifests", filepath.Join(root, "package", "install"))
	}
	var all bytes.Buffer
	fmt.Fprintf(&all, "# crossplane-capz %s: kubectl apply --server-side -f %s\n", version, Install)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "---\n%s\n", bytes.TrimSpace(content))
	}
	fmt.Fprintf(&all, "---\n"+configuration, xpkg.Repository, xpkg.Configuration, version)
	return os.WriteFile(filepath.Join(out, Install), all.Bytes(), 0o644)
}

// metadata copies what clusterctl reads, and refuses a version whose series is not in it.
//
// Cluster API's clusterctl provider contract, "Metadata YAML".
func metadata(root, out, version string) error {
	content, err := os.ReadFile(filepath.Join(root, "package", Metadata))
	if err != nil {
		return err
	}
	m := &v1alpha3.Metadata{}
	if err := yaml.UnmarshalStrict(content, m); err != nil {
		return fmt.Errorf("package/%s: %w", Metadata, err)
	}
	for _, series := range m.ReleaseSeries {
		if fmt.Sprintf("v%d.%d", series.Major, series.Minor) == semver.MajorMinor(version) {
			return os.WriteFile(filepath.Join(out, Metadata), content, 0o644)
		}
	}
	return fmt.Errorf("package/%s has no series %s", Metadata, strings.TrimPrefix(semver.MajorMinor(version), "v"))
}
