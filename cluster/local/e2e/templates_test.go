package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// capz is the module that the templates are read from.
const capz = "sigs.k8s.io/cluster-api-provider-azure@v1.27.0"

// capzTemplates are CAPZ's own templates of the AzureASOManaged kinds.
var capzTemplates = []string{"cluster-template-aks-aso.yaml", "cluster-template-aks-aso-maintenance.yaml"}

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

// generate fills a template's variables in, as its users do: with clusterctl.
func (w *world) generate(template string) (string, error) {
	dir, err := capzDir()
	if err != nil {
		return "", err
	}
	home := filepath.Join(w.stack.Dir(), "home")
	cmd := exec.CommandContext(w.ctx, w.stack.Bin("clusterctl"), "generate", "cluster", clusterName,
		"--from", filepath.Join(dir, "templates", template), "--kubeconfig", w.stack.Kubeconfig(), "--target-namespace", w.namespace,
		"--kubernetes-version", version, "--worker-machine-count", "2")
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	cmd.Env = []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "CLUSTERCTL_DISABLE_VERSIONCHECK=true",
		"AZURE_LOCATION=westeurope", "AZURE_NODE_MACHINE_TYPE=Standard_D2s_v5", "ASO_CREDENTIAL_SECRET_NAME=" + credentialSecret,
	}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("clusterctl generate cluster: %w: %s", err, wrong.String())
	}
	return string(out), nil
}

// applyTemplate applies one of CAPZ's templates with nothing but its variables filled in.
func applyTemplate(template string) func(*world) error {
	return func(w *world) error {
		manifests, err := w.generate(template)
		if err != nil {
			return err
		}
		objects, err := parse(manifests)
		if err != nil {
			return err
		}
		if err := client.IgnoreAlreadyExists(w.client.Create(w.ctx, w.credential(credentialSecret))); err != nil {
			return err
		}
		return w.apply(objects...)
	}
}

// templates has a scenario for each of CAPZ's templates.
func templates() []*scenario {
	var all []*scenario
	for i, template := range capzTemplates {
		all = append(all, &scenario{
			name: fmt.Sprintf("capz-template-%d", i+1), calmOnly: true,
			steps: []step{
				{
					name:   "create " + template,
					act:    applyTemplate(template),
					expect: []expectation{available, contractKept, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2)},
					lasts:  15 * time.Second,
				},
				down,
			},
		})
	}
	return all
}
