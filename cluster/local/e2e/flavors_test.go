package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// flavor returns the path of a file of examples/flavors.
func (e *environment) flavor(name string) string {
	return filepath.Join(e.root, "examples", "flavors", name)
}

// clusterctl runs the real clusterctl with variables, and returns what it prints.
func (w *world) clusterctl(variables []string, args ...string) (string, error) {
	return w.stack.Clusterctl(w.ctx, variables, args...)
}

// templateVariables are what the templates have to be given in the environment. The identity is one of those that need no Secret:
// the simulated Azure has its tokens where a virtual machine finds them.
func (w *world) templateVariables() []string {
	return []string{
		"AZURE_LOCATION=westeurope", "AZURE_NODE_MACHINE_TYPE=Standard_D2s_v5", "ASO_CREDENTIAL_SECRET_NAME=" + credentialSecret,
		"CLUSTER_CLASS_NAME=" + w.family.class, "AZURE_SUBSCRIPTION_ID=" + w.subscription, "CLUSTER_IDENTITY_NAME=" + typedIdentity,
		"CLUSTER_IDENTITY_TYPE=UserAssignedMSI", "AZURE_TENANT_ID=00000000-0000-0000-0000-000000000002",
		"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY=00000000-0000-0000-0000-000000000004",
	}
}

// generate fills the variables of a template in, as its users do: with clusterctl.
func (w *world) generate(file string) (string, error) {
	return w.clusterctl(w.templateVariables(), "generate", "cluster", clusterName, "--from", file,
		"--target-namespace", w.namespace, "--kubernetes-version", version, "--worker-machine-count", "2")
}

// applyTemplates applies templates with nothing but their variables filled in.
func applyTemplates(files ...func(*world) (string, error)) func(*world) error {
	return applyTemplatesBut(each(func(*unstructured.Unstructured) error { return nil }), files...)
}

// applyTemplatesBut applies templates changed.
func applyTemplatesBut(alter change, files ...func(*world) (string, error)) func(*world) error {
	return all(func(w *world) error { return w.create(w.credential(credentialSecret)) }, applyGenerated((*world).generate, alter, files...))
}

// applyGenerated applies what is generated from templates, changed.
func applyGenerated(generate func(*world, string) (string, error), alter change, files ...func(*world) (string, error)) func(*world) error {
	return func(w *world) error {
		for _, find := range files {
			file, err := find(w)
			if err != nil {
				return err
			}
			manifests, err := generate(w, file)
			if err != nil {
				return err
			}
			objects, err := parse(manifests)
			if err != nil {
				return err
			}
			if objects, err = alter(objects); err != nil {
				return err
			}
			if err := w.apply(objects...); err != nil {
				return err
			}
		}
		return nil
	}
}

// ours is a template of examples/flavors.
func ours(name string) func(*world) (string, error) {
	return func(w *world) (string, error) { return w.flavor(name), nil }
}

// upFlavor is the step that makes a cluster with a template of examples/flavors, and looks at it with clusterctl.
func upFlavor(name string) step {
	return step{
		name: "create with " + name, act: applyTemplates(ours("cluster-template-" + name + ".yaml")), lasts: 15 * time.Second,
		expect: []expectation{
			available, contractKept, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2), described, kubeconfigOfClusterctl,
		},
	}
}

// described expects `clusterctl describe cluster` to show the Cluster and its two halves as available.
func described(w *world) []string {
	out, err := w.clusterctl(nil, "describe", "cluster", clusterName, "--namespace", w.namespace)
	if err != nil {
		return []string{err.Error()}
	}
	var missing []string
	for _, kind := range []string{"Cluster", w.family.cluster.Kind, w.family.controlPlane.Kind} {
		if line := lineOf(kind, out); !slices.Contains(strings.Fields(line), "True") {
			missing = append(missing, fmt.Sprintf("clusterctl describes %s as %q", kind, line))
		}
	}
	if lineOf("MachinePool", out) == "" {
		missing = append(missing, "clusterctl describes no MachinePool:\n"+out)
	}
	return missing
}

// lineOf returns the first line about an object of the kind, which is "Kind name" since clusterctl 1.14, and "Kind/name" before.
func lineOf(kind, described string) string {
	return regexp.MustCompile(`(?m)^.*\b` + kind + `[ /].*$`).FindString(described)
}

// kubeconfigOfClusterctl expects kubectl to list the nodes of all pools with what `clusterctl get kubeconfig` prints.
func kubeconfigOfClusterctl(w *world) []string {
	kubeconfig, err := w.clusterctl(nil, "get", "kubeconfig", clusterName, "--namespace", w.namespace)
	if err != nil {
		return []string{err.Error()}
	}
	cmd := exec.CommandContext(w.ctx, w.stack.Bin("kubectl"), "--kubeconfig", "/dev/stdin", "get", "nodes", "--output", "name")
	cmd.Stdin = strings.NewReader(kubeconfig)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return []string{fmt.Sprintf("kubectl get nodes: %v: %s", err, out)}
	}
	pools, err := w.list(poolKind)
	if err != nil {
		return []string{err.Error()}
	}
	var want int64
	for i := range pools {
		n, _, _ := unstructured.NestedInt64(pools[i].Object, "spec", "replicas")
		want += n
	}
	if have := int64(len(strings.Fields(string(out)))); have != want {
		return []string{fmt.Sprintf("kubectl lists %d nodes, the MachinePools want %d", have, want)}
	}
	return nil
}

// flavorVariables are what clusterctl lists for each template, a default after the name; those without one are required.
var flavorVariables = map[string][]string{
	"cluster-template-aks-aso.yaml": {
		"ASO_CREDENTIAL_SECRET_NAME=aso-credential", "AZURE_LOCATION", "AZURE_NODE_MACHINE_TYPE", "CLUSTER_NAME=my-cluster", "KUBERNETES_VERSION",
		"WORKER_MACHINE_COUNT=0",
	},
	"cluster-template-aks-aso-maintenance.yaml": {
		"ASO_CREDENTIAL_SECRET_NAME=aso-credential", "AZURE_LOCATION", "AZURE_NODE_MACHINE_TYPE", "CLUSTER_NAME=my-cluster", "KUBERNETES_VERSION",
		"WORKER_MACHINE_COUNT=0",
	},
	"cluster-template-aks-aso-topology.yaml": {
		"ASO_CREDENTIAL_SECRET_NAME=aso-credential", "AZURE_LOCATION", "AZURE_NODE_MACHINE_TYPE", "CLUSTER_CLASS_NAME=aks-aso",
		"CLUSTER_NAME=my-cluster", "KUBERNETES_VERSION", "WORKER_MACHINE_COUNT=0",
	},
	"clusterclass-aks-aso.yaml": nil,
	"cluster-template-aks.yaml": {
		"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY", "AZURE_LOCATION", "AZURE_NODE_MACHINE_TYPE", "AZURE_RESOURCE_GROUP=${CLUSTER_NAME}",
		"AZURE_SSH_PUBLIC_KEY_B64=", "AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID", "CLUSTER_IDENTITY_NAME", "CLUSTER_IDENTITY_TYPE=WorkloadIdentity",
		"CLUSTER_NAME=my-cluster", "KUBERNETES_VERSION", "WORKER_MACHINE_COUNT=0",
	},
	"cluster-template-aks-topology.yaml": {
		"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY", "AZURE_LOCATION", "AZURE_NODE_MACHINE_TYPE", "AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID",
		"CLUSTER_CLASS_NAME=aks", "CLUSTER_IDENTITY_NAME", "CLUSTER_IDENTITY_TYPE=WorkloadIdentity", "CLUSTER_NAME=my-cluster", "KUBERNETES_VERSION",
		"WORKER_MACHINE_COUNT=0",
	},
	"clusterclass-aks.yaml": nil,
	"clusterclass.yaml":     nil,
	"cluster-template-topology.yaml": {
		"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY", "AZURE_CONTROL_PLANE_MACHINE_TYPE", "AZURE_LOCATION", "AZURE_NODE_MACHINE_TYPE", "AZURE_SSH_PUBLIC_KEY_B64=",
		"AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID", "CI_RG=capz-ci", "CLUSTER_CLASS_NAME=self-managed", "CLUSTER_IDENTITY_NAME",
		"CLUSTER_IDENTITY_TYPE=WorkloadIdentity", "CLUSTER_NAME=my-cluster", "CONTROL_PLANE_MACHINE_COUNT=1", "KUBERNETES_VERSION",
		"USER_IDENTITY=cloud-provider-user-identity", "WORKER_MACHINE_COUNT=0",
	},
	"cluster-template.yaml":            machineFlavor(),
	"cluster-template-private.yaml":    machineFlavor(),
	"cluster-template-dual-stack.yaml": machineFlavor(),
	"cluster-template-spot.yaml":       machineFlavor(),
	"cluster-template-gpu.yaml":        machineFlavor("AZURE_GPU_NODE_MACHINE_TYPE=Standard_NC4as_T4_v3"),
	"cluster-template-windows.yaml":    machineFlavor("AZURE_WINDOWS_NODE_MACHINE_TYPE=Standard_D4s_v5"),
	"cluster-template-own-network.yaml": slices.DeleteFunc(machineFlavor("AZURE_CONTROL_PLANE_SUBNET_CIDR", "AZURE_CONTROL_PLANE_SUBNET_NAME", "AZURE_CUSTOM_VNET_CIDR",
		"AZURE_CUSTOM_VNET_NAME", "AZURE_CUSTOM_VNET_RESOURCE_GROUP", "AZURE_NODE_SUBNET_CIDR", "AZURE_NODE_SUBNET_NAME"),
		func(name string) bool { return strings.HasPrefix(name, "AZURE_VNET_NAME") }),
}

// machineFlavor returns the variables of a template of virtual machines: those of CAPZ's default flavor, and more.
func machineFlavor(more ...string) []string {
	all := append([]string{
		"AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY", "AZURE_CONTROL_PLANE_MACHINE_TYPE", "AZURE_LOCATION", "AZURE_NODE_MACHINE_TYPE",
		"AZURE_RESOURCE_GROUP=${CLUSTER_NAME}", "AZURE_SSH_PUBLIC_KEY_B64=", "AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID",
		"AZURE_VNET_NAME=${CLUSTER_NAME}-vnet", "CI_RG=capz-ci", "CLUSTER_IDENTITY_NAME", "CLUSTER_IDENTITY_TYPE=WorkloadIdentity",
		"CLUSTER_NAME=my-cluster", "CONTROL_PLANE_MACHINE_COUNT=1", "KUBERNETES_VERSION", "USER_IDENTITY=cloud-provider-user-identity",
		"WORKER_MACHINE_COUNT=0",
	}, more...)
	slices.Sort(all)
	return all
}

// TestFlavorVariables has the real clusterctl list the variables of every flavor, and refuse to go without those that
// have no default.
func TestFlavorVariables(t *testing.T) {
	w := newWorld(t, "flavor-variables")
	for name, want := range flavorVariables {
		t.Run(name, func(t *testing.T) {
			listed, err := w.clusterctl(nil, "generate", "cluster", clusterName, "--from", w.flavor(name), "--list-variables")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, variablesIn(listed)); diff != "" {
				t.Errorf("variables (-want +got):\n%s", diff)
			}
			_, err = w.clusterctl([]string{"AZURE_LOCATION=westeurope"}, "generate", "cluster", clusterName, "--from", w.flavor(name),
				"--target-namespace", "default", "--kubernetes-version", version)
			if len(want) == 0 {
				if err != nil {
					t.Errorf("without variables: %v", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), "AZURE_NODE_MACHINE_TYPE") {
				t.Errorf("without AZURE_NODE_MACHINE_TYPE: %v, want clusterctl to name it", err)
			}
		})
	}
}

// variablesIn reads the list of variables that clusterctl prints.
func variablesIn(listed string) []string {
	var names []string
	for line := range strings.Lines(listed) {
		words := strings.Fields(line)
		if len(words) < 2 || words[0] != "-" {
			continue
		}
		name := words[1]
		if _, value, found := strings.Cut(line, "(defaults to "); found {
			name += "=" + strings.Trim(strings.TrimSpace(value), `")`)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
