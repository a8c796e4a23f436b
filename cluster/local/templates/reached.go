package templates

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/example"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

const (
	coreGroup           = "cluster.x-k8s.io"
	coreVersion         = "v1beta2"
	infrastructureGroup = "infrastructure.cluster.x-k8s.io"
)

// The kinds that are looked at. Which version a template has them in does not matter.
var (
	clusterKind         = schema.GroupVersionKind{Group: coreGroup, Version: coreVersion, Kind: "Cluster"}
	classKind           = schema.GroupVersionKind{Group: coreGroup, Version: coreVersion, Kind: "ClusterClass"}
	machineKind         = schema.GroupVersionKind{Group: coreGroup, Version: coreVersion, Kind: "Machine"}
	deploymentKind      = schema.GroupVersionKind{Group: coreGroup, Version: coreVersion, Kind: "MachineDeployment"}
	poolKind            = schema.GroupVersionKind{Group: coreGroup, Version: coreVersion, Kind: "MachinePool"}
	controlPlaneKind    = schema.GroupVersionKind{Group: "controlplane.cluster.x-k8s.io", Version: coreVersion, Kind: "KubeadmControlPlane"}
	resourceSetKind     = schema.GroupVersionKind{Group: "addons.cluster.x-k8s.io", Version: coreVersion, Kind: "ClusterResourceSet"}
	healthCheckKind     = schema.GroupVersionKind{Group: coreGroup, Version: coreVersion, Kind: "MachineHealthCheck"}
	identityKind        = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureClusterIdentity"}
	machineTemplateKind = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureMachineTemplate"}
	azureMachineKind    = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureMachine"}
	azurePoolKind       = schema.GroupVersionKind{Group: infrastructureGroup, Version: "v1beta1", Kind: "AzureMachinePool"}
)

// helmKind is that by which CAPZ's tests have Cluster API's add-on provider for Helm install charts.
const helmKind = "HelmChartProxy"

// registryFlag is a flag of former kubelets.
const registryFlag = "azure-container-registry-config"

// laterGroup is the version of an API group that kube-apiserver has later than machines here.
const laterGroup = "scheduling.k8s.io/v1beta1"

// notBooted is what a virtual machine says whose image has a version of Kubernetes that simulated machines do not have.
const notBooted = "simulated machines have"

// The ends that a template comes to here.
const (
	// whole is the end that it comes to in Azure.
	whole = "Available"
	// oldKubernetes is that of a template with a version of Kubernetes that simulated machines do not have.
	oldKubernetes = "the network is Ready, and the control plane's virtual machine is created but does not boot: simulated machines do not have the " +
		"template's old version of Kubernetes"
	// windowsRun is that of a template with Windows: nothing of what runs in such a machine is simulated.
	windowsRun = "Available except for Windows: its machines run, without Nodes"
	// classRead is that of a ClusterClass.
	classRead = "read: the ClusterClass finds its templates and variables"
	// ipv6Only is that of a cluster whose Services have IPv6 first: simulated machines have addresses of IPv4 only.
	ipv6Only = "network and control plane machine are Ready; no API server: simulated networks carry no IPv6"
	// flagGone is that of a template with a flag that the kubelet has no more; whoever serves CAPZ's kinds, it is the same.
	flagGone = "network and control plane machine are Ready; no API server: the kubelet has no flag --" + registryFlag + " any more"
	// groupMissing is that of a template whose API server is told of an API group's version that comes with a later Kubernetes, and waits for it.
	groupMissing = "network and control plane machine are Ready; the API server does not become ready: it waits for " + laterGroup +
		", which Kubernetes " + machineVersion + " does not have"
	// unsigned is that of machines whose Nodes no cloud controller can initialize: it has nothing to sign in with, whoever serves CAPZ's kinds.
	unsigned = "network and machines are Ready, and the API server answers; Nodes wait: machines have no identity, and azure.json has no client " +
		"secret, because the AzureClusterIdentity has none"
	// providerMissing is that of a template of kinds that nobody serves here.
	providerMissing = "all objects of this project are accepted, and an AzureCluster is Ready; the rest waits for its provider, which cannot be built here"
)

// refusals are the templates that Cluster API itself refuses, by what it says.
var refusals = map[string]string{
	"cluster-template-clusterclass-rke2.yaml": "variable with name subscriptionID cannot be found",
}

// refused is the end of a template that Cluster API does not take, whoever serves CAPZ's kinds.
const refused = "refused by Cluster API: its ClusterClass has patches with variables that it does not define"

// end says what the objects that are there can come to.
func (w *world) end(ctx context.Context) (string, error) {
	clusters, err := w.list(ctx, clusterKind)
	if err != nil {
		return "", err
	}
	switch {
	case slices.ContainsFunc(w.leftOut, func(u *unstructured.Unstructured) bool { return u.GetKind() != helmKind }):
		return providerMissing, nil
	case len(clusters) == 0:
		return classRead, nil
	case slices.ContainsFunc(clusters, servicesIPv6):
		return ipv6Only, nil
	case strings.Contains(w.template.text, registryFlag):
		return flagGone, nil
	case strings.Contains(w.template.text, laterGroup):
		return groupMissing, nil
	}
	if old, err := w.tooOld(ctx); old || err != nil {
		return oldKubernetes, err
	}
	if on, err := w.unsigned(ctx); on || err != nil {
		return unsigned, err
	}
	for _, gvk := range []schema.GroupVersionKind{deploymentKind, poolKind} {
		sets, err := w.list(ctx, gvk)
		if err != nil {
			return "", err
		}
		for i := range sets {
			if on, err := w.windows(ctx, &sets[i]); on || err != nil {
				return windowsRun, err
			}
		}
	}
	return whole, nil
}

// tooOld reports whether a Cluster has a version of Kubernetes of its own that is before all that simulated machines have.
func (w *world) tooOld(ctx context.Context) (bool, error) {
	planes, err := w.list(ctx, controlPlaneKind)
	if err != nil {
		return false, err
	}
	for i := range planes {
		text, _, _ := unstructured.NestedString(planes[i].Object, "spec", "version")
		version, err := utilversion.ParseSemantic(text)
		if err == nil && version.LessThan(utilversion.MustParseSemantic(oldestVersion)) {
			return true, nil
		}
	}
	return false, nil
}

// unsigned reports whether machines have no identity of their own in Azure, nor the AzureClusterIdentity a client secret that they could have
// in its place.
func (w *world) unsigned(ctx context.Context) (bool, error) {
	described, err := w.list(ctx, machineTemplateKind)
	if err != nil {
		return false, err
	}
	for i := range described {
		if own, _, _ := unstructured.NestedString(described[i].Object, "spec", "template", "spec", "identity"); own != "" && own != "None" {
			return false, nil
		}
	}
	identities, err := w.list(ctx, identityKind)
	if err != nil {
		return false, err
	}
	for i := range identities {
		if _, has, _ := unstructured.NestedMap(identities[i].Object, "spec", "clientSecret"); has {
			return false, nil
		}
	}
	return len(described) > 0, nil
}

// servicesIPv6 reports whether the first range of a Cluster's Services is one of IPv6.
func servicesIPv6(u unstructured.Unstructured) bool {
	ranges, _, _ := unstructured.NestedStringSlice(u.Object, "spec", "clusterNetwork", "services", "cidrBlocks")
	if len(ranges) == 0 {
		return false
	}
	prefix, err := netip.ParsePrefix(ranges[0])
	return err == nil && prefix.Addr().Is6()
}

// windows reports whether the machines of a MachineDeployment or MachinePool run Windows.
func (w *world) windows(ctx context.Context, set *unstructured.Unstructured) (bool, error) {
	kind, _, _ := unstructured.NestedString(set.Object, "spec", "template", "spec", "infrastructureRef", "kind")
	of, disk := machineTemplateKind, []string{"spec", "template", "spec", "osDisk", "osType"}
	switch kind {
	case azurePoolKind.Kind:
		of, disk = azurePoolKind, []string{"spec", "template", "osDisk", "osType"}
	case machineTemplateKind.Kind:
	default:
		return false, nil // AKS says what its nodes run.
	}
	name, _, _ := unstructured.NestedString(set.Object, "spec", "template", "spec", "infrastructureRef", "name")
	described := &unstructured.Unstructured{}
	described.SetGroupVersionKind(of)
	if err := w.Client.Get(ctx, client.ObjectKey{Namespace: w.namespace, Name: name}, described); err != nil {
		return false, err
	}
	os, _, _ := unstructured.NestedString(described.Object, disk...)
	return os == "Windows", nil
}

// missing returns what is missing to an end, in words.
func (w *world) missing(ctx context.Context, end string) ([]string, error) {
	switch end {
	case classRead:
		return w.classLacks(ctx)
	case providerMissing:
		return w.networkLacks(ctx)
	case ipv6Only, flagGone, groupMissing:
		return w.infrastructureLacks(ctx)
	case oldKubernetes:
		return w.bootLacks(ctx)
	}
	looks := []func(context.Context, string) ([]string, error){w.clusterLacks, w.nodesLack, w.addOnsLack}
	if end == unsigned {
		looks = []func(context.Context, string) ([]string, error){w.clusterLacks, w.machinesLack}
	}
	var missing []string
	for _, look := range looks {
		lacks, err := look(ctx, end)
		if err != nil {
			return nil, err
		}
		missing = append(missing, lacks...)
	}
	return missing, nil
}

// clusterLacks says what the Cluster lacks: to be Available, or, where there are workers without Nodes, all else.
func (w *world) clusterLacks(ctx context.Context, end string) ([]string, error) {
	clusters, err := w.list(ctx, clusterKind)
	if err != nil {
		return nil, err
	}
	var missing []string
	for i := range clusters {
		want := []string{"Available"}
		switch end {
		case windowsRun:
			want = []string{"InfrastructureReady", "ControlPlaneAvailable", "RemoteConnectionProbe"}
		case unsigned:
			want = []string{"InfrastructureReady", "ControlPlaneInitialized", "RemoteConnectionProbe"}
		}
		for _, condition := range want {
			missing = append(missing, conditionLacks(&clusters[i], condition)...)
		}
	}
	return missing, nil
}

// nodesLack says what lacks of the machines that the template asks for.
func (w *world) nodesLack(ctx context.Context, _ string) ([]string, error) {
	missing, found, err := w.setsLack(ctx, w.setLacks, controlPlaneKind, deploymentKind, poolKind)
	if err == nil && found == 0 {
		missing = append(missing, "there are no machines")
	}
	return missing, err
}

// machinesLack says what lacks of the machines, which become no Nodes that are Ready.
func (w *world) machinesLack(ctx context.Context, _ string) ([]string, error) {
	missing, _, err := w.setsLack(ctx, w.runningLacks, deploymentKind, poolKind)
	return missing, err
}

// setsLack says what lacks of all objects of kinds that describe machines, and how many there are.
func (w *world) setsLack(ctx context.Context, look func(context.Context, *unstructured.Unstructured) ([]string, error), kinds ...schema.GroupVersionKind) (missing []string, found int, err error) {
	for _, gvk := range kinds {
		sets, err := w.list(ctx, gvk)
		if err != nil {
			return nil, found, err
		}
		found += len(sets)
		for i := range sets {
			lacks, err := look(ctx, &sets[i])
			if err != nil {
				return nil, found, err
			}
			missing = append(missing, lacks...)
		}
	}
	return missing, found, nil
}

// setLacks says what lacks of the machines of one MachineDeployment, MachinePool or KubeadmControlPlane.
func (w *world) setLacks(ctx context.Context, set *unstructured.Unstructured) ([]string, error) {
	if set.GetKind() != controlPlaneKind.Kind {
		on, err := w.windows(ctx, set)
		if err != nil {
			return nil, err
		}
		if on {
			return w.runningLacks(ctx, set)
		}
	}
	if lack := example.NodesLack(set); lack != "" {
		return []string{lack}, nil
	}
	return nil, nil
}

// setLabels are those by which Machines say which set they are of.
var setLabels = map[string]string{deploymentKind.Kind: "cluster.x-k8s.io/deployment-name", poolKind.Kind: "cluster.x-k8s.io/pool-name"}

// runningLacks says what lacks of the machines of a MachineDeployment or MachinePool that become no Nodes here.
func (w *world) runningLacks(ctx context.Context, set *unstructured.Unstructured) ([]string, error) {
	machines, err := w.list(ctx, machineKind)
	if err != nil {
		return nil, err
	}
	want, _, _ := unstructured.NestedInt64(set.Object, "spec", "replicas")
	running := int64(0)
	for i := range machines {
		if machines[i].GetLabels()[setLabels[set.GetKind()]] != set.GetName() {
			continue
		}
		done, _, _ := unstructured.NestedBool(machines[i].Object, "status", "initialization", "infrastructureProvisioned")
		id, _, _ := unstructured.NestedString(machines[i].Object, "spec", "providerID")
		if done && id != "" {
			running++
		}
	}
	if running == want {
		return nil, nil
	}
	return []string{fmt.Sprintf("%d of %d machines of %s run", running, want, set.GetName())}, nil
}

// networkLacks says what Clusters lack that have an AzureCluster and no machines.
func (w *world) networkLacks(ctx context.Context) ([]string, error) {
	clusters, err := w.list(ctx, clusterKind)
	if err != nil {
		return nil, err
	}
	var missing []string
	for i := range clusters {
		if name, _, _ := unstructured.NestedString(clusters[i].Object, "spec", "infrastructureRef", "name"); name != "" {
			missing = append(missing, conditionLacks(&clusters[i], "InfrastructureReady")...)
		}
	}
	return missing, nil
}

// infrastructureLacks says what lacks of the infrastructure of a cluster whose API server does not come up: the network, and the machines of
// the control plane.
func (w *world) infrastructureLacks(ctx context.Context) ([]string, error) {
	missing, err := w.networkLacks(ctx)
	if err != nil {
		return nil, err
	}
	machines, err := w.list(ctx, machineKind)
	if err != nil {
		return nil, err
	}
	found := false
	for i := range machines {
		if _, of := machines[i].GetLabels()["cluster.x-k8s.io/control-plane"]; of {
			found = true
			missing = append(missing, conditionLacks(&machines[i], "InfrastructureReady")...)
		}
	}
	if !found {
		missing = append(missing, "there is no machine of the control plane")
	}
	return missing, nil
}

// bootLacks says what lacks of a cluster whose machines do not boot: the network, and the virtual machine of the control plane, which says why.
func (w *world) bootLacks(ctx context.Context) ([]string, error) {
	missing, err := w.networkLacks(ctx)
	if err != nil {
		return nil, err
	}
	machines, err := w.list(ctx, azureMachineKind)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(machines, func(u unstructured.Unstructured) bool {
		message, _ := field.Condition(&u, "VMRunning")["message"].(string)
		return strings.Contains(message, notBooted)
	}) {
		missing = append(missing, fmt.Sprintf("no AzureMachine says %q in VMRunning", notBooted))
	}
	return missing, nil
}

// classLacks says what the ClusterClass lacks.
func (w *world) classLacks(ctx context.Context) ([]string, error) {
	found, err := w.list(ctx, classKind)
	if err != nil {
		return nil, err
	}
	var missing []string
	for i := range found {
		missing = append(missing, conditionLacks(&found[i], "VariablesReady")...)
		// That a newer version of a kind is there says, too, that its template has been found.
		if field.Condition(&found[i], "RefVersionsUpToDate")["reason"] != "RefVersionsNotUpToDate" {
			missing = append(missing, conditionLacks(&found[i], "RefVersionsUpToDate")...)
		}
	}
	if len(found) == 0 {
		missing = append(missing, "there is no ClusterClass")
	}
	return missing, nil
}

// addOnsLack says which ClusterResourceSets have not been applied, and which MachineHealthChecks find their machines unhealthy.
func (w *world) addOnsLack(ctx context.Context, end string) ([]string, error) {
	sets, _, err := w.appliedSets(ctx)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, set := range sets {
		missing = append(missing, conditionLacks(set, "ResourcesApplied")...)
	}
	checks, err := w.list(ctx, healthCheckKind)
	if err != nil {
		return nil, err
	}
	for i := range checks {
		expected, _, _ := unstructured.NestedInt64(checks[i].Object, "status", "expectedMachines")
		healthy, _, _ := unstructured.NestedInt64(checks[i].Object, "status", "currentHealthy")
		if end == whole && expected != healthy {
			missing = append(missing, fmt.Sprintf("MachineHealthCheck %s finds %d of %d machines healthy", checks[i].GetName(), healthy, expected))
		}
	}
	return missing, nil
}

// conditionLacks says what a condition is instead of True.
func conditionLacks(u *unstructured.Unstructured, name string) []string {
	found := field.Condition(u, name)
	if found["status"] == "True" {
		return nil
	}
	if found == nil {
		return []string{fmt.Sprintf("%s %s has no condition %s", u.GetKind(), u.GetName(), name)}
	}
	return []string{fmt.Sprintf("%s %s is not %s (%v: %s)", u.GetKind(), u.GetName(), name, found["reason"], oneLine(found["message"]))}
}

// oneLine returns a message of several lines as one.
func oneLine(message any) string {
	text, _ := message.(string)
	return strings.Join(strings.Fields(text), " ")
}

// staying says of an object that is being deleted what it waits for, as far as it says so itself.
func staying(u *unstructured.Unstructured) string {
	return fmt.Sprintf("%s %s: %s (finalizers %s)", u.GetKind(), u.GetName(), oneLine(field.Condition(u, "Deleting")["message"]), strings.Join(u.GetFinalizers(), ", "))
}
