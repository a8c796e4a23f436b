package managed

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/functions/managed/expansion"
	"github.com/crossplane-capz/crossplane-capz/functions/member"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
)

// ControlPlane composes AzureManagedControlPlane: an AKS cluster, the network that it is in and what is attached to it.
type ControlPlane struct{}

// Compose implements composer.Composer.
func (ControlPlane) Compose(in *composer.Request) (*composer.Result, error) {
	status := member.ControlPlaneStatus(in, "autoUpgradeVersion", "oidcIssuerProfile")
	cp := &v1beta1.AzureManagedControlPlane{}
	problem := read(in.XR, cp)
	if problem != nil {
		return member.Refuse(in, problem, status)
	}
	a, problem, err := readAKS(in, cp)
	if err != nil {
		return nil, err
	}
	if problem != nil {
		return member.Refuse(in, problem, status)
	}
	inlines := a.inlines(in)
	composer.Ask(in, inlines)
	if err := composer.FindUsed(in, inlines); err != nil {
		return nil, err
	}
	managed := composer.First(inlines, member.ManagedClusterKind)
	inlines = standBehind(in, inlines, managed)
	refuseRenaming(in, inlines)

	plan := composer.Plan{Inlines: inlines, Cluster: a.cluster.GetName(), Paused: member.Paused(in, a.cluster), Withhold: a.hold, Keeps: foundation,
		Awaits: func(i *composer.Inline) []composer.Reference { return byID(i, inlines) }}
	out, err := plan.Make(in)
	if err != nil {
		return nil, err
	}
	setControlPlaneStatus(status, cp, managed.Live(in))
	if err := member.AnnounceVersion(in, a.cluster, status); err != nil {
		return nil, err
	}
	credential := member.CredentialOf(cp)
	conditions := append([]composer.Condition{
		credential.Readiness(member.ControlPlaneReadiness(status, out, composer.ConditionReady)),
		member.ControlPlaneReadiness(status, out, composer.ConditionAvailable),
		out.Condition(),
		credential.Condition(),
		member.PausedCondition(plan.Paused),
	}, kindConditions(in, out, controlPlaneConditions)...)
	return credential.Finish(in, out, status, append(conditions, headerConditions(in)...)...), nil
}

// aks is what the composer knows of an AKS cluster before it looks at single objects.
type aks struct {
	cp      *v1beta1.AzureManagedControlPlane
	cluster *unstructured.Unstructured
	pools   []expansion.Pool
	// poolWaits says what is missing of the pools, hold of the credential.
	poolWaits []string
	hold      string
}

// readAKS asks for all that there is to ask for at once: Crossplane asks a function no more than a handful of times.
func readAKS(in *composer.Request, cp *v1beta1.AzureManagedControlPlane) (*aks, *composer.Problem, error) {
	a := &aks{cp: cp}
	var problem *composer.Problem
	var clusterErr, poolsErr, holdErr error
	a.cluster, problem, clusterErr = member.OwnerCluster(in)
	if problem != nil {
		return nil, problem, nil
	}
	name := cp.Labels[composer.LabelClusterName]
	if a.cluster != nil {
		name = a.cluster.GetName()
	}
	if name != "" {
		a.pools, a.poolWaits, poolsErr = poolsOf(in, name, cp.Status.AutoUpgradeVersion)
		a.hold, holdErr = awaitedCredential(in, cp, name)
	}
	return a, nil, errors.Join(clusterErr, poolsErr, holdErr)
}

// inlines returns the objects that the control plane stands for, with what decides whether they may be composed.
func (a *aks) inlines(in *composer.Request) []*composer.Inline {
	observed := madeOf(in, member.ManagedClusterKind)
	objects, live := a.expand(observed)
	var inlines []*composer.Inline
	for _, o := range objects {
		inlines = append(inlines, &composer.Inline{Path: o.Path, Object: o.Object, Problem: o.Problem, Waits: o.Waits})
	}
	tag := v1beta1.OwnedTag(a.cluster.GetName())
	network, managed := composer.First(inlines, networkKind), composer.First(inlines, member.ManagedClusterKind)
	for _, i := range inlines {
		switch i.Object.GroupVersionKind().GroupKind() {
		case composer.ResourceGroup, networkKind, privateEndpointKind:
			i.Probe = &composer.Probe{Tag: tag}
		case fleetsMemberKind:
			i.Probe = &composer.Probe{Within: managed, Belongs: joins(i.Object)}
		case extensionKind:
			i.Probe = &composer.Probe{Unless: managed}
		case subnetKind:
			i.Probe = &composer.Probe{Within: network}
		case member.ManagedClusterKind:
			i.Probe = &composer.Probe{Tag: tag}
			i.Instead = instead(in, v1beta1.AnnotationManagedCluster)
			a.setPools(i, observed, live)
		}
	}
	return inlines
}

// joins returns whether an observed membership is that of the same cluster: their names are the fleet's, and they have no tags.
func joins(member *unstructured.Unstructured) func(*unstructured.Unstructured) bool {
	return func(observed *unstructured.Unstructured) bool {
		id, _, _ := unstructured.NestedString(member.Object, "spec", "clusterResourceReference", "armId")
		return id != "" && strings.EqualFold(id, statusText(observed, "clusterResourceId"))
	}
}

// setPools has the ManagedCluster wait for the pools that it is created with. One that goes away while Azure works must
// not take the others with it, so then those that were sent stay.
func (a *aks) setPools(managed *composer.Inline, observed *unstructured.Unstructured, live expansion.LiveCluster) {
	if live.HasPools {
		managed.Waits = nil
		managed.Release(observed, "spec", "agentPoolProfiles")
		managed.Later = poolsOfTheirOwn(observed)
		return
	}
	managed.Waits = append(managed.Waits, a.poolWaits...)
	if len(managed.Waits) == 0 || observed == nil || managed.Problem != nil {
		return
	}
	if sent, _, _ := unstructured.NestedSlice(observed.Object, "spec", "agentPoolProfiles"); len(sent) > 0 {
		_ = unstructured.SetNestedSlice(managed.Object.Object, sent, "spec", "agentPoolProfiles")
	}
}

// expand returns the objects of the control plane, and what Azure says of the ManagedCluster. Its pools are its own until ASO has
// taken up their objects: to take them out of it earlier would only keep Azure busy with the cluster, for which ASO has the pools
// wait. As soon as one is to be another than it was sent it is left to its object at once.
func (a *aks) expand(observed *unstructured.Unstructured) ([]expansion.Object, expansion.LiveCluster) {
	live := liveCluster(observed)
	if live.HasPools && a.poolsComeUp() {
		early := live
		early.HasPools = false
		if objects := expansion.ControlPlane(a.cp, clusterOf(a.cluster), a.pools, early); sendsSamePools(objects, observed) {
			return objects, early
		}
	}
	return expansion.ControlPlane(a.cp, clusterOf(a.cluster), a.pools, live), live
}

// poolsComeUp reports whether all pools are known, and the object of one of them is not ready.
func (a *aks) poolsComeUp() bool {
	return len(a.poolWaits) == 0 && slices.ContainsFunc(a.pools, func(p expansion.Pool) bool {
		return !slices.ContainsFunc(p.XR.Status.Resources, func(r v1beta1.ResourceStatus) bool {
			return r.Ready && (schema.GroupKind{Group: r.Resource.Group, Kind: r.Resource.Kind}) == member.AgentPoolKind
		})
	})
}

// sendsSamePools reports whether the ManagedCluster among the objects has the pools that were sent with the observed one.
func sendsSamePools(objects []expansion.Object, observed *unstructured.Unstructured) bool {
	sent, _, _ := unstructured.NestedSlice(observed.Object, "spec", "agentPoolProfiles")
	return len(sent) > 0 && slices.ContainsFunc(objects, func(o expansion.Object) bool {
		wanted, _, _ := unstructured.NestedSlice(o.Object.Object, "spec", "agentPoolProfiles")
		return o.Object.GroupVersionKind().GroupKind() == member.ManagedClusterKind && o.Problem == nil && len(o.Waits) == 0 &&
			member.SameProfiles(wanted, sent)
	})
}

// poolsOfTheirOwn says, in words, that a ManagedCluster is about to be changed: once Azure has its pools they are taken out
// of it. Pools that are sent before that is done find their owner at work, and ASO tries again only on a timer.
func poolsOfTheirOwn(managed *unstructured.Unstructured) string {
	applied, err := composer.AsApplied(managed)
	if err != nil {
		return ""
	}
	if sent, _, _ := unstructured.NestedSlice(applied.Object, "spec", "agentPoolProfiles"); len(sent) == 0 {
		return ""
	}
	return "is updated: its agent pools are objects of their own from now on"
}

// instead returns what the annotation of the composite resource says of an object of the user's own.
func instead(in *composer.Request, annotation string) composer.Instead {
	name, set := in.XR.GetAnnotations()[annotation]
	return composer.Instead{Name: name, Path: "metadata.annotations[" + annotation + "]", Forget: set && name == ""}
}

// madeOf returns the composed object of a kind of which there is one at most, unless that is held.
func madeOf(in *composer.Request, kind schema.GroupKind) *unstructured.Unstructured {
	var found *unstructured.Unstructured
	for _, o := range in.Observed {
		if o.GroupVersionKind().GroupKind() == kind && !composer.Held(o) && (found == nil || o.GetName() < found.GetName()) {
			found = o
		}
	}
	return found
}

// liveCluster returns what Azure says of the ManagedCluster.
func liveCluster(managed *unstructured.Unstructured) expansion.LiveCluster {
	if managed == nil {
		return expansion.LiveCluster{}
	}
	version, _, _ := unstructured.NestedString(managed.Object, "status", "currentKubernetesVersion")
	pools, _, _ := unstructured.NestedSlice(managed.Object, "status", "agentPoolProfiles")
	state, _, _ := unstructured.NestedString(managed.Object, "status", "provisioningState")
	return expansion.LiveCluster{Version: version, HasPools: len(pools) > 0, Provisioned: state == "Succeeded"}
}

// foundation are the kinds that a cluster stands on. Which of them it has never changes: a field that named one may have been
// changed all the same, where the API server did not see to it.
var foundation = []schema.GroupKind{composer.ResourceGroup, networkKind, subnetKind, member.ManagedClusterKind}

// refuseRenaming refuses to make another resource of a foundation that exists.
func refuseRenaming(in *composer.Request, inlines []*composer.Inline) {
	for _, i := range inlines {
		kind := i.Object.GroupVersionKind().GroupKind()
		if i.Problem != nil || i.Used != nil || in.Made(i.Name()) != nil || !slices.Contains(foundation, kind) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(in.Observed)) {
			o := in.Observed[name]
			asked := slices.ContainsFunc(inlines, func(other *composer.Inline) bool { return other.Name() == name })
			if o.GroupVersionKind().GroupKind() == kind && !asked && !composer.Held(o) {
				i.Problem = &composer.Problem{Reason: composer.ReasonImmutableField, Message: fmt.Sprintf(
					"%s gives %s %q, but must stay with %q, which the cluster stands on", i.Path, kind.Kind, i.Object.GetName(), o.GetName())}
				break
			}
		}
	}
}

// byID returns what a new object refers to by ARM ID among those of the same control plane: Azure refuses a reference to
// what it does not have yet.
func byID(i *composer.Inline, inlines []*composer.Inline) []composer.Reference {
	objects := make([]*unstructured.Unstructured, 0, len(inlines))
	for _, other := range inlines {
		objects = append(objects, other.Object)
	}
	return composer.ReferencesByID(i.Object, objects)
}
