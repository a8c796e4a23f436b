package asomanaged

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// ControlPlane composes AzureASOManagedControlPlane: an AKS ManagedCluster and what goes with it.
type ControlPlane struct{}

// Compose implements composer.Composer.
func (ControlPlane) Compose(in *composer.Request) (*composer.Result, error) {
	status := member.ControlPlaneStatus(in)
	cluster, problem, err := member.OwnerCluster(in)
	if err != nil {
		return nil, err
	}
	var infra string
	if problem == nil {
		infra, problem = member.Reference(in, cluster, "infrastructureRef", asoClusterKind)
	}
	inlines := composer.Inlines(in.XR)
	managed := composer.First(inlines, member.ManagedClusterKind)
	if problem == nil && managed == nil {
		problem = &composer.Problem{Reason: reasonMissingResource,
			Message: "spec.resources has no ManagedCluster of group containerservice.azure.com, but an AzureASOManagedControlPlane needs one"}
	}
	if problem != nil {
		return member.Refuse(in, problem, status)
	}

	observed := in.Made(managed.Name())
	// Crossplane resolves requirements in a handful of rounds, so everything that can be asked for now is.
	composer.Ask(in, inlines)
	infraXR, err := in.Get("infrastructure", asoClusterKind, infra)
	if managed.Problem == nil && (err == nil || errors.Is(err, composer.ErrPending)) {
		var setErr error
		managed.Problem, setErr = setManagedCluster(in, cluster, managed, observed)
		err = errors.Join(err, setErr)
	}
	if err != nil {
		return nil, err
	}
	signsIn := credential{controlPlane: in.XR, name: in.XR.GetName(), cluster: cluster.GetName()}
	signsIn.set(in, inlines)
	plan := composer.Plan{Inlines: inlines, Cluster: cluster.GetName(), Paused: member.Paused(in, cluster),
		Peers: []composer.Peer{{Kind: asoClusterKind.Kind, Name: infra, XR: infraXR}}}
	out, err := plan.Make(in)
	if err != nil {
		return nil, err
	}
	setControlPlaneStatus(status, observed)
	if err := member.AnnounceVersion(in, cluster, status); err != nil {
		return nil, err
	}
	conditions := []composer.Condition{
		signsIn.said().Readiness(member.ControlPlaneReadiness(status, out, composer.ConditionReady)),
		member.ControlPlaneReadiness(status, out, composer.ConditionAvailable),
		out.Condition(), member.PausedCondition(plan.Paused),
	}
	if signsIn.asked() {
		conditions = append(conditions, signsIn.said().Condition())
	}
	return signsIn.said().Finish(in, out, status, conditions...), nil
}

// setManagedCluster sets on the ManagedCluster what Cluster API decides, in CAPZ's order.
func setManagedCluster(in *composer.Request, cluster *unstructured.Unstructured, managed *composer.Inline, observed *unstructured.Unstructured) (*composer.Problem, error) {
	if problem := setKubernetesVersion(in, managed); problem != nil {
		return problem, nil
	}
	for _, network := range []struct{ from, to string }{{"services", "serviceCidr"}, {"pods", "podCidr"}} {
		if problem := setCIDR(cluster, managed, network.from, network.to); problem != nil {
			return problem, nil
		}
	}
	problem, err := setAgentPoolProfiles(in, cluster, managed, observed)
	if problem != nil || err != nil {
		return problem, err
	}
	return setCredentials(cluster, managed), nil
}

func setKubernetesVersion(in *composer.Request, managed *composer.Inline) *composer.Problem {
	version, _, _ := unstructured.NestedString(in.XR.Object, "spec", "version")
	if version == "" {
		return nil
	}
	return managed.SetField(strings.TrimPrefix(version, "v"), fmt.Sprintf("because spec.version is %q", version), "spec", "kubernetesVersion")
}

// setCIDR sets a network of the cluster; AKS takes one range for each, so only the first block of the Cluster counts.
func setCIDR(cluster *unstructured.Unstructured, managed *composer.Inline, from, to string) *composer.Problem {
	blocks, _, _ := unstructured.NestedStringSlice(cluster.Object, "spec", "clusterNetwork", from, "cidrBlocks")
	if len(blocks) == 0 {
		return nil
	}
	because := fmt.Sprintf("because spec.clusterNetwork.%s.cidrBlocks[0] of Cluster %s/%s is %q", from, cluster.GetNamespace(), cluster.GetName(), blocks[0])
	return managed.SetField(blocks[0], because, "spec", "networkProfile", to)
}

// setCredentials has ASO write the admin kubeconfig to a Secret, unless the user chose one. With local accounts
// disabled there is no admin kubeconfig, so the user's it is. The Secret is not <cluster>-kubeconfig: ASO writes
// Secrets without the type that the CAPI contract asks for, and provider-capz makes that one.
func setCredentials(cluster *unstructured.Unstructured, managed *composer.Inline) *composer.Problem {
	object := managed.Object.Object
	contract := cluster.GetName() + "-kubeconfig"
	admin, hasAdmin, _ := unstructured.NestedMap(object, "spec", "operatorSpec", "secrets", "adminCredentials")
	_, hasUser, _ := unstructured.NestedMap(object, "spec", "operatorSpec", "secrets", "userCredentials")
	switch {
	case hasAdmin && admin["name"] == contract:
		// CAPI core reads only labelled Secrets, and ASO drops labels that are not in its spec.
		return managed.SetField(cluster.GetName(), "because Cluster API finds the kubeconfig by it",
			"spec", "operatorSpec", "secrets", "adminCredentials", "labels", composer.LabelClusterName)
	case hasAdmin || hasUser:
		return nil
	}
	credentials := "adminCredentials"
	if disabled, _, _ := unstructured.NestedBool(object, "spec", "disableLocalAccounts"); disabled {
		credentials = "userCredentials"
	}
	return managed.SetField(map[string]any{"name": cluster.GetName() + "-aso-kubeconfig", "key": "value"},
		"because the kubeconfig of the cluster is read from it", "spec", "operatorSpec", "secrets", credentials)
}

// setControlPlaneStatus takes over what Azure says of the ManagedCluster. The first body that Azure returns has
// an endpoint and a version already, so only a ready one counts.
func setControlPlaneStatus(status map[string]any, managed *unstructured.Unstructured) {
	if managed == nil || !composer.StateOf(managed).Ready {
		return
	}
	host, _, _ := unstructured.NestedString(managed.Object, "status", "privateFQDN")
	if host == "" {
		host, _, _ = unstructured.NestedString(managed.Object, "status", "fqdn")
	}
	if version, _, _ := unstructured.NestedString(managed.Object, "status", "currentKubernetesVersion"); version != "" {
		status["version"] = "v" + version
		status["versions"] = []any{map[string]any{"version": "v" + version}}
	}
	if host == "" {
		return
	}
	member.SetInitialized(status, host)
}
