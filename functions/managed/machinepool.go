package managed

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/managed/expansion"
	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// MachinePool composes AzureManagedMachinePool: one agent pool of an AKS cluster.
type MachinePool struct{}

// Compose implements composer.Composer.
func (MachinePool) Compose(in *composer.Request) (*composer.Result, error) {
	status := member.ProvisionedStatus(in)
	p, problem, err := readPool(in)
	if err != nil {
		return nil, err
	}
	if problem != nil {
		return member.Refuse(in, problem, status)
	}
	i := p.inline(in)
	inlines := []*composer.Inline{i}
	composer.Ask(in, inlines)
	if err := errors.Join(p.setOwner(in, i), composer.FindUsed(in, inlines)); err != nil {
		return nil, err
	}
	plan := composer.Plan{Inlines: inlines, Cluster: p.cluster.GetName(), Paused: member.Paused(in, p.cluster), Withhold: p.hold, Known: true}
	out, err := plan.Make(in)
	if err != nil {
		return nil, err
	}
	setPoolStatus(in, status, out, i.Live(in))
	conditions := append([]composer.Condition{
		p.credential.Readiness(member.Readiness(status, out, composer.False(composer.ConditionReady, member.ReasonWaitingNodes,
			"waits for spec.providerIDList, which comes from the nodes of the pool"))),
		out.Condition(),
		member.PausedCondition(plan.Paused),
	}, kindConditions(in, out, poolConditions)...)
	return p.credential.Finish(in, out, status, append(conditions, headerConditions(in)...)...), nil
}

// aksPool is what the composer knows of an agent pool before it looks at the object.
type aksPool struct {
	pool        expansion.Pool
	machinePool *unstructured.Unstructured
	cluster     *unstructured.Unstructured
	cp          *v1beta1.AzureManagedControlPlane
	// managed is what the control plane says of its ManagedCluster; its name is empty while it says nothing.
	managed    v1beta1.ResourceStatus
	credential member.Credential
	// hold says what is missing of the credential.
	hold string
}

func readPool(in *composer.Request) (*aksPool, *composer.Problem, error) {
	p := &aksPool{cp: &v1beta1.AzureManagedControlPlane{}}
	var problem *composer.Problem
	var err error
	p.machinePool, p.cluster, problem, err = member.OwnerMachinePool(in)
	if err != nil || problem != nil {
		return nil, problem, err
	}
	name, problem := member.Reference(in, p.cluster, "controlPlaneRef", controlPlaneKind)
	if problem != nil {
		return nil, problem, nil
	}
	cp, err := in.Get("controlplane", controlPlaneKind, name)
	if err != nil {
		return nil, nil, err
	}
	if cp == nil {
		return nil, &composer.Problem{Reason: member.ReasonWaitingForOwner, Message: fmt.Sprintf(
			"waits for AzureManagedControlPlane %q, which spec.controlPlaneRef of Cluster %q names and which does not exist", name, p.cluster.GetName())}, nil
	}
	if problem := read(cp, p.cp); problem != nil {
		return nil, problem, nil
	}
	p.pool, problem = poolOf(in.XR, p.machinePool, p.cp.Status.AutoUpgradeVersion)
	if problem != nil {
		return nil, problem, nil
	}
	p.credential = member.CredentialOf(p.cp)
	if !p.credential.Usable() {
		p.hold = p.credential.Awaited(controlPlaneKind.Kind, name)
	}
	for _, r := range p.cp.Status.Resources {
		if (schema.GroupKind{Group: r.Resource.Group, Kind: r.Resource.Kind}) == member.ManagedClusterKind {
			p.managed = r
		}
	}
	return p, nil, nil
}

// inline returns the agent pool, with what decides whether it may be composed.
func (p *aksPool) inline(in *composer.Request) *composer.Inline {
	observed := madeOf(in, member.AgentPoolKind)
	later := p.upgradeLater()
	o := expansion.MachinePool(p.pool, p.cp, clusterOf(p.cluster), livePool(observed))
	i := &composer.Inline{Path: o.Path, Object: o.Object, Problem: o.Problem, Waits: o.Waits, Instead: instead(in, v1beta1.AnnotationAgentPool)}
	if i.Problem == nil {
		i.Problem = p.otherScaler()
	}
	switch wait := fmt.Sprintf("the ManagedCluster of AzureManagedControlPlane %s is ready", p.cp.Name); {
	case p.managed.Ready:
	case p.managed.Ownership == v1beta1.OwnershipOwned:
		i.Waits = append(i.Waits, wait)
	default: // It may be found to be somebody else's, and to have the pool already.
		i.Needs = append(i.Needs, wait)
	}
	switch {
	case later == "":
	case observed == nil:
		i.Waits = append(i.Waits, later)
	default:
		i.Later = "is upgraded when " + later
	}
	// Within a cluster that was not made here there may be a pool of that name already.
	if p.foreign() || observed != nil && observed.GetAnnotations()[v1beta1.AnnotationOwnership] != "" {
		i.Probe = &composer.Probe{Tag: v1beta1.OwnedTag(p.cluster.GetName())}
	}
	return i
}

// upgradeLater takes a version away from the pool that is above what the control plane runs, which AKS would refuse, and
// says what it waits for.
func (p *aksPool) upgradeLater() string {
	wanted, runs := p.pool.Version, p.cp.Status.Version
	if runs == "" || wanted == "" || semver.Compare(withV(wanted), withV(runs)) <= 0 || semver.Compare(withV(wanted), withV(p.cp.Spec.Version)) > 0 {
		return "" // Above what the control plane shall run it is a mistake, which the expansion tells.
	}
	p.pool.Version = ""
	return fmt.Sprintf("AzureManagedControlPlane %s runs Kubernetes %s (it runs %s)", p.cp.Name, wanted, runs)
}

func withV(version string) string { return "v" + strings.TrimPrefix(version, "v") }

// foreign reports whether the ManagedCluster was not made for the Cluster.
func (p *aksPool) foreign() bool {
	return p.managed.Ownership == v1beta1.OwnershipExternal || p.managed.Ownership == v1beta1.OwnershipUser
}

// otherScaler refuses to have two scale the pool.
func (p *aksPool) otherScaler() *composer.Problem {
	manager := p.machinePool.GetAnnotations()[member.AnnotationReplicasBy]
	if p.pool.XR.Spec.Scaling == nil || manager == "" || manager == "aks" || manager == "true" {
		return nil
	}
	return &composer.Problem{Reason: composer.ReasonReplicasManagedBy, Message: fmt.Sprintf(
		"spec.scaling is set, but must be absent because annotation %s of MachinePool %q says that %q manages the replicas",
		member.AnnotationReplicasBy, p.machinePool.GetName(), manager)}
}

// setOwner makes the pool one of the ManagedCluster that stands behind the control plane.
func (p *aksPool) setOwner(in *composer.Request, i *composer.Inline) error {
	if i.Problem != nil || !p.foreign() {
		return nil
	}
	if p.managed.Ownership == v1beta1.OwnershipUser {
		_ = unstructured.SetNestedField(i.Object.Object, p.managed.Resource.Name, "spec", "owner", "name")
	}
	if p.pool.XR.Spec.SubnetName != nil {
		return nil
	}
	return p.setSubnet(in, i)
}

// setSubnet puts the nodes where the other nodes of a cluster are that was not made here: AKS has all of a cluster's nodes
// in one network, of which the spec need not know.
func (p *aksPool) setSubnet(in *composer.Request, i *composer.Inline) error {
	subnet, known := any(nil), false
	if observed := in.Made(i.Name()); observed != nil {
		subnet, known, _ = unstructured.NestedFieldCopy(observed.Object, "spec", "vnetSubnetReference")
	} else {
		gvk := schema.GroupVersionKind{Group: p.managed.Resource.Group, Version: p.managed.Resource.Version, Kind: p.managed.Resource.Kind}
		managed, err := in.Get("managedcluster", gvk, p.managed.Resource.Name)
		if err != nil || managed == nil {
			return err
		}
		profiles, _, _ := unstructured.NestedSlice(managed.Object, "status", "agentPoolProfiles")
		for _, profile := range profiles {
			m, _ := profile.(map[string]any)
			if id, _ := m["vnetSubnetID"].(string); id != "" && !known {
				subnet, known = map[string]any{"armId": id}, true
			}
		}
	}
	if !known {
		unstructured.RemoveNestedField(i.Object.Object, "spec", "vnetSubnetReference")
		return nil
	}
	return unstructured.SetNestedField(i.Object.Object, subnet, "spec", "vnetSubnetReference")
}

// livePool returns what Azure says of the agent pool.
func livePool(pool *unstructured.Unstructured) expansion.LivePool {
	if pool == nil {
		return expansion.LivePool{}
	}
	live := expansion.LivePool{}
	live.Version, _, _ = unstructured.NestedString(pool.Object, "spec", "orchestratorVersion")
	if count, found, _ := unstructured.NestedFieldNoCopy(pool.Object, "status", "count"); found {
		live.Count = ptr.To(int(composer.Integer(count)))
	}
	return live
}

func setPoolStatus(in *composer.Request, status map[string]any, out *composer.Outcomes, agentPool *unstructured.Unstructured) {
	replicas, found, _ := unstructured.NestedFieldNoCopy(in.XR.Object, "status", "replicas")
	if agentPool != nil {
		if count, counted, _ := unstructured.NestedFieldNoCopy(agentPool.Object, "status", "count"); counted {
			replicas, found = count, true
		}
	}
	if found {
		status["replicas"] = replicas
	}
	providerIDs, _, _ := unstructured.NestedStringSlice(in.XR.Object, "spec", "providerIDList")
	if out.Ready() && (len(providerIDs) > 0 || found && composer.Integer(replicas) == 0) {
		member.SetProvisioned(status)
	}
}
