package clusters

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
	"github.com/crossplane-capz/crossplane-capz/internal/walk"
)

// checkForth says what stands in the way, or that there is nothing to do.
func (m *Migration) checkForth(ctx context.Context) (done bool, err error) {
	p, err := m.read(ctx)
	if err != nil {
		return false, err
	}
	switch p.state {
	case "":
	case toInline, atInline:
		return false, nil
	default:
		return false, blocked("%s is on its way back: end that first, with --back", title(p.cluster))
	}
	if p.migrated() {
		return true, nil
	}
	problems := append(p.clusterProblems(), p.poolProblems()...)
	for _, of := range p.pairs() {
		problems = append(problems, p.pairProblems(of)...)
	}
	for _, c := range p.children {
		problems = append(problems, p.childProblems(c)...)
	}
	if len(problems) > 0 {
		return false, &walk.BlockedError{Problems: problems}
	}
	return false, nil
}

// migrated reports whether all that refers to one of a pair refers to the inline one.
func (p *picture) migrated() bool {
	for _, of := range p.pairs() {
		if of.ref.Value(of.referrer)["kind"] != of.inlineKind.Kind {
			return false
		}
	}
	return true
}

func (p *picture) clusterProblems() []string {
	var problems []string
	name := title(p.cluster)
	if p.cluster.GetDeletionTimestamp() != nil {
		problems = append(problems, name+" is being deleted")
	}
	if clusterPaused.Value(p.cluster) {
		problems = append(problems, name+" is paused (spec.paused): let it go on first, as it is paused and let go on by the migration itself")
	}
	if len(clusterTopology.Value(p.cluster)) > 0 {
		problems = append(problems, name+" has a topology (spec.topology), whose ClusterClass says of what kinds it is: give that another ClusterClass instead")
	}
	return problems
}

// pairProblems returns why the typed object of a pair cannot be migrated now.
func (p *picture) pairProblems(of *pair) []string {
	if of.typed == nil {
		return []string{fmt.Sprintf("%s: %s names %s %s, which does not exist", title(of.referrer), of.ref, of.typedKind.Kind, of.name)}
	}
	var problems []string
	say := func(format string, args ...any) {
		problems = append(problems, title(of.typed)+" "+fmt.Sprintf(format, args...))
	}
	if of.ref.Value(of.referrer)["kind"] != of.typedKind.Kind {
		say("is not what %s refers to any more", title(of.referrer))
	}
	switch _, paused := of.typed.GetAnnotations()[clusterv1.PausedAnnotation]; {
	case of.typed.GetDeletionTimestamp() != nil:
		say("is being deleted")
	case paused:
		say("is paused by annotation %s: take that away first", clusterv1.PausedAnnotation)
	case access.Unmanaged(of.typed):
		say("is not this project's to act on: it is externally managed, paused by a person through Crossplane, or being moved")
	case !walk.ConditionTrue(of.typed, "Synced"), !walk.ConditionTrue(of.typed, "Ready"), !statusReady.Value(of.typed):
		say("is not ready: %s", cmp.Or(field.Text(field.Condition(of.typed, "Ready")["message"]), "wait until it is, kubectl capz why says why"))
	}
	if of.inline != nil && of.inline.GetAnnotations()[fromAnnotation] != string(of.typed.GetUID()) {
		problems = append(problems, title(of.inline)+" exists already, and was not made by a migration: it must be gone")
	}
	for _, status := range field.Maps(statusResources.Value(of.typed)) {
		if resource, _ := status["resource"].(map[string]any); status["ownership"] == v1beta1.OwnershipUser {
			say("uses %v %v, which is yours and which it has not composed: AzureASOManaged* have such an object in spec.resources, see docs/adopt.md", resource["kind"], resource["name"])
		}
	}
	return problems
}

// childProblems returns why an ASO object cannot change hands now.
func (p *picture) childProblems(c *child) []string {
	var problems []string
	say := func(format string, args ...any) {
		problems = append(problems, title(c)+" "+fmt.Sprintf(format, args...))
	}
	ownership := c.GetAnnotations()[v1beta1.AnnotationOwnership]
	switch state := aso.StateOf(c.Unstructured); {
	case !aso.IsASO(c.GroupVersionKind().Group):
		say("is no object of Azure Service Operator: a function of another Composition composes it, which AzureASOManaged* have to have, too")
		return problems
	case !controls(c.typed.typed, c):
		say("is not controlled by %s %s", c.typed.typedKind.Kind, c.typed.name)
	case c.GetDeletionTimestamp() != nil:
		say("is being deleted")
	case aso.Held(c), ownership == v1beta1.OwnershipUndecided, !state.Ready:
		say("is not ready: wait until it is")
	case aso.Lost(c.Unstructured):
		say("is lost in Azure: see to that first")
	}
	if agentPoolProfiles.Has(c.Unstructured) {
		say("still has the agent pools that it was made with (spec.agentPoolProfiles): wait until they are objects of their own")
	}
	if _, err := plan.AsApplied(c.Unstructured); err != nil {
		problems = append(problems, "it is not known what was applied: "+err.Error())
	}
	return problems
}

// poolProblems returns which pools are on their way to another version.
func (p *picture) poolProblems() []string {
	var problems []string
	for _, c := range p.children {
		if c.inline.typedKind.Role != composite.InfrastructureMachinePool || c.GroupVersionKind().GroupKind() != aso.ManagedClustersAgentPool.GroupKind() {
			continue
		}
		wanted, applied := kubeversion.WithoutV(poolVersion.Value(c.inline.referrer)), orchestratorVersion.Value(c.Unstructured)
		if wanted != "" && applied != "" && kubeversion.Compare(wanted, applied) > 0 {
			problems = append(problems, fmt.Sprintf("%s is to run Kubernetes %s and runs %s: wait until it does", title(c.inline.referrer), wanted, applied))
		}
	}
	return problems
}

// checkBack says what stands in the way back.
func (m *Migration) checkBack(ctx context.Context) error {
	p, err := m.read(ctx)
	if err != nil {
		return err
	}
	if p.state == "" {
		return blocked("%s is not being migrated, or the last step of that is done: there is nothing to go back to", title(p.cluster))
	}
	if p.state == atTyped {
		return nil
	}
	var problems []string
	for _, of := range p.pairs() {
		switch {
		case of.typed == nil:
			problems = append(problems, fmt.Sprintf("%s %s has no %s to go back to", of.inlineKind.Kind, of.name, of.typedKind.Kind))
		case of.typed.GetDeletionTimestamp() != nil:
			problems = append(problems, title(of.typed)+" is being deleted: there is no way back any more")
		}
	}
	for _, c := range p.children {
		if !c.known {
			problems = append(problems, fmt.Sprintf("%s was added to %s %s since and would be deleted in Azure: take it out of spec.resources first", title(c), c.inline.inlineKind.Kind, c.inline.name))
		}
	}
	if len(problems) > 0 {
		return &walk.BlockedError{Problems: problems}
	}
	return nil
}

// unsettled returns what of a composite resource is not as it should be; empty when all is. Crossplane says of one that provider-capz has paused that it
// is not synced.
func unsettled(o *unstructured.Unstructured, paused bool) string {
	synced := field.Condition(o, "Synced")
	good := synced["status"] == "True" || paused && synced["reason"] == "ReconcilePaused"
	switch ready := field.Condition(o, "Ready"); {
	case !good && synced["reason"] != "ReconcilePaused" && field.Text(synced["message"]) != "":
		return fmt.Sprintf("%s to be synced: %s", title(o), synced["message"])
	case !good:
		return title(o) + " to be synced"
	case ready["status"] != "True", !statusReady.Value(o):
		return fmt.Sprintf("%s to be ready: %s", title(o), cmp.Or(field.Text(ready["message"]), "nothing is known of it yet"))
	}
	return ""
}
