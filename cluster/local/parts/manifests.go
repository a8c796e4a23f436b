package parts

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// asoGroups are the API groups of ASO whose manifests are generated.
var asoGroups = []string{
	"resources", "containerservice", "network", "managedidentity", "kubernetesconfiguration", "keyvault", "authorization",
	"compute", "dbforpostgresql",
}

// ASOManifests returns the folder with what controller-gen made of ASO's Go types: crd/*.yaml, webhook/manifests.yaml
// and rbac/role.yaml.
func (b *Builder) ASOManifests() string { return filepath.Join(b.Root, ".local", "aso") }

func (b *Builder) manifestStep() step {
	args := []string{
		// Some Azure numbers are floats. Without descriptions the CRDs stay below etcd's limit of 1.5 MiB a request.
		"crd:crdVersions=v1,allowDangerousTypes=true,maxDescLen=0",
		"webhook",
		"rbac:roleName=azureserviceoperator-manager-role",
	}
	for _, g := range asoGroups {
		args = append(args, "paths=github.com/Azure/azure-service-operator/v2/api/"+g+"/...")
	}
	dir := b.ASOManifests()
	return step{
		name:   "aso manifests",
		stamp:  filepath.Join(b.Bin(), ".aso-manifests.digest"),
		output: filepath.Join(dir, "rbac", "role.yaml"),
		inputs: func() (string, error) { return digest(filepath.Join(b.Root, asoModule), args...) },
		do: func(ctx context.Context) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			for _, kind := range []string{"crd", "webhook", "rbac"} {
				args = append(args, fmt.Sprintf("output:%s:dir=%s", kind, filepath.Join(dir, kind)))
			}
			return b.command(ctx, asoModule, filepath.Join(b.Bin(), ControllerGen), args...)
		},
	}
}

// The modules whose manifests are installed.
const (
	capiPath       = "sigs.k8s.io/cluster-api"
	crossplanePath = "github.com/crossplane/crossplane/v2"
	asoPath        = "github.com/Azure/azure-service-operator/v2"
	capzPath       = "sigs.k8s.io/cluster-api-provider-azure"
	transformPath  = "github.com/crossplane-contrib/function-patch-and-transform"
)

// CAPIDir returns the folder of Cluster API's module, which is fetched when it is not there.
func (b *Builder) CAPIDir(ctx context.Context) (string, error) {
	return b.moduleDir(ctx, capiModule, capiPath)
}

// CrossplaneDir returns the folder of Crossplane's module, which is fetched when it is not there.
func (b *Builder) CrossplaneDir(ctx context.Context) (string, error) {
	return b.moduleDir(ctx, crossplaneModule, crossplanePath)
}

// ASODir returns the folder of Azure Service Operator's module, which is fetched when it is not there.
func (b *Builder) ASODir(ctx context.Context) (string, error) {
	return b.moduleDir(ctx, asoModule, asoPath)
}

// CAPZDir returns the folder of Cluster API Provider Azure's module, which is fetched when it is not there.
func (b *Builder) CAPZDir(ctx context.Context) (string, error) {
	return b.moduleDir(ctx, capzModule, capzPath)
}

// PatchTransformDir returns the folder of function-patch-and-transform's module, which is fetched when it is not there.
func (b *Builder) PatchTransformDir(ctx context.Context) (string, error) {
	return b.moduleDir(ctx, transformModule, transformPath)
}

func (b *Builder) moduleDir(ctx context.Context, dir, path string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", path)
	cmd.Dir = filepath.Join(b.Root, dir)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("find the module %s: %w\n%s", path, err, lastLines(string(out), failureLines))
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("find the module %s: %w", path, err)
	}
	return module.Dir, nil
}
