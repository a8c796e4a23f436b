package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// capz is the module that the templates are read from.
const capz = "sigs.k8s.io/cluster-api-provider-azure@v1.27.0"

// capzTemplates are CAPZ's own templates of AKS clusters.
var capzTemplates = []struct {
	file   string
	family *family
}{
	{"cluster-template-aks-aso.yaml", asoFamily}, {"cluster-template-aks-aso-maintenance.yaml", asoFamily}, {"cluster-template-aks.yaml", typedFamily},
}

// credentialSecret is what the templates name for ASO's credential.
const credentialSecret = "cluster-identity-secret"

// capzDir returns the folder of CAPZ's module, which is downloaded if need be.
func capzDir() (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", capz)
	cmd.Dir = os.TempDir()
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", capz, err)
	}
	module := struct{ Dir string }{}
	if err := json.Unmarshal(out, &module); err != nil {
		return "", err
	}
	return module.Dir, nil
}

// theirs is one of CAPZ's templates.
func theirs(name string) func(*world) (string, error) {
	return func(*world) (string, error) {
		dir, err := capzDir()
		return filepath.Join(dir, "templates", name), err
	}
}

// templates has a scenario for each of CAPZ's templates.
func templates() []*scenario {
	var all []*scenario
	for i, template := range capzTemplates {
		all = append(all, &scenario{
			name: fmt.Sprintf("capz-template-%d", i+1), family: template.family, calmOnly: true,
			steps: []step{
				{
					name:   "create " + template.file,
					act:    applyTemplates(theirs(template.file)),
					expect: []expectation{available, contractKept, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2)},
					lasts:  15 * time.Second,
				},
				template.family.down,
			},
		})
	}
	return all
}
