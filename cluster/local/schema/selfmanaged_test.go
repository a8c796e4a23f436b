package schema

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// selfManagedVariables are what fields of CAPZ's templates for self-managed clusters have a form for; what else they ask for is a word.
var selfManagedVariables = map[string]string{
	"AZURE_EXTENDEDLOCATION_TYPE": "EdgeZone",
	"AZURE_VNET_CIDR":             "30.0.0.0/8",
	"AZURE_CP_SUBNET_CIDR":        "30.0.0.0/16",
	"AZURE_NODE_SUBNET_CIDR":      "30.1.0.0/16",
	"AZURE_BASTION_SUBNET_CIDR":   "10.255.255.224/27",
	"AZURE_PRIVATE_VNET_CIDR":     "30.0.0.0/8",
	"AZURE_INTERNAL_LB_IP":        "30.0.0.100",
	"CONTROL_PLANE_MACHINE_COUNT": "3",
}

// variable is one that a template has no value of its own for.
var variable = regexp.MustCompile(`\$\{([A-Za-z_0-9]+)(?:[^:A-Za-z_0-9]|:[^=-])`)

// TestCAPZSelfManagedTemplates creates the objects of CAPZ's own templates, those of its tests included, and finds all that was written when it
// reads them. No webhook is asked: what they leave out is for the composer.
func TestCAPZSelfManagedTemplates(t *testing.T) {
	values := map[string]string{}
	for _, from := range []map[string]string{variables, typedVariables, selfManagedVariables} {
		maps.Copy(values, from)
	}
	kinds, templates := map[string]bool{}, 0
	for _, pattern := range []string{"cluster-template*.yaml", "test/ci/cluster-template*.yaml"} {
		files, err := filepath.Glob(filepath.Join(capzDir(t), "templates", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasPrefix(filepath.Base(file), "cluster-template-aks") {
				continue
			}
			templates++
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, asked := range variable.FindAllStringSubmatch(string(raw), -1) {
				if _, known := values[asked[1]]; !known && !strings.Contains(string(raw), "${"+asked[1]+":-") {
					values[asked[1]] = map[bool]string{false: "word", true: "30.0.0.100"}[strings.HasSuffix(asked[1], "_IP")]
				}
			}
			for _, written := range readObjects(t, file, values) {
				kind := written.GetKind()
				if !strings.HasPrefix(kind, azureCluster) && !strings.HasPrefix(kind, azureMachine) {
					continue
				}
				kinds[kind] = true
				t.Run(filepath.Base(file)+"/"+kind+"/"+written.GetName(), func(t *testing.T) {
					read := written.DeepCopy()
					create(t, read)
					for _, lost := range missing("spec", written.Object["spec"], read.Object["spec"]) {
						t.Errorf("%s was lost", lost)
					}
				})
			}
		}
	}
	// No template has an AzureMachine by itself.
	if len(kinds) != 5 || templates < 40 {
		t.Errorf("%d templates have kinds %v, want at least 40 with AzureCluster, AzureClusterIdentity, AzureClusterTemplate, AzureMachinePool and AzureMachineTemplate", templates, kinds)
	}
}
