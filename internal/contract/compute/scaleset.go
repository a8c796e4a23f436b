package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
	"github.com/crossplane-capz/crossplane-capz/internal/rollout"
)

const (
	// movingInterval is how often a scale set is looked at that has not all that it is to have, settledInterval how often else: instances may go
	// without anybody asking for it, as spot instances do.
	movingInterval  = 10 * time.Second
	settledInterval = time.Minute
	// refusedInterval is when a change is asked for again that Azure has refused for good: there is no other pool that would take the place.
	refusedInterval = 5 * time.Minute
)

// scale takes the next step with the scale set, if function-capz has composed one.
func (w *poolWork) scale(ctx context.Context) error {
	obj, err := composedObject(ctx, w.API, w.XR, machines.ScaleSetKind.GroupKind())
	if err != nil || obj == nil || w.owner == nil || undecided(obj) {
		return err
	}
	if w.facts.Created.State == v1alpha1.NotCreated && !w.mayChange(obj) {
		return nil // What changes that leads here.
	}
	id, err := idOf(ctx, w.Live, aso.VirtualMachineScaleSet, obj)
	if err != nil || id == "" {
		return err
	}
	account, err := w.Credentials.Account(ctx, obj)
	if err != nil {
		return fmt.Errorf("cannot use the credential of VirtualMachineScaleSet %s: %w", obj.GetName(), err)
	}
	unlock := w.lock(id)
	defer unlock()
	// Read once more: after its deletion has begun nobody would look for the scale set any more.
	if obj, err = composedObject(ctx, w.API, w.XR, machines.ScaleSetKind.GroupKind()); err != nil || obj == nil {
		return err
	}
	set := &scaleSet{poolWork: w, obj: obj, id: id, account: account, mayChange: w.mayChange(obj)}
	return set.step(ctx)
}

// mayChange reports whether provider-capz may create or change the scale set of an object now.
func (w *poolWork) mayChange(obj *unstructured.Unstructured) bool {
	return creatable(obj) && !leaves(w.owner)
}

// A scaleSet is one look at the scale set of a pool.
type scaleSet struct {
	*poolWork

	obj     *unstructured.Unstructured
	id      string
	account azure.Account
	// mayChange reports that provider-capz may create or change it now.
	mayChange bool
	// goesOn reports that Azure is still at the last change.
	goesOn bool

	found     *machines.ScaleSet
	instances []machines.Instance
}

// step takes the next step.
func (s *scaleSet) step(ctx context.Context) error {
	goesOn, after, err := s.scaleSets.Follow(ctx, s.id)
	if s.refused(err) {
		err = nil
	}
	if err != nil {
		return err
	}
	s.goesOn = goesOn
	s.again(after)
	if s.found, err = s.scaleSets.Read(ctx, s.account, s.id); err != nil {
		return err
	}
	switch {
	case s.found == nil:
		return s.create(ctx)
	case !s.found.Of(s.Cluster.Name):
		return nil // function-capz finds out whose it is, and says so.
	}
	if s.instances, err = s.scaleSets.Instances(ctx, s.account, s.id); err != nil {
		return err
	}
	s.observe()
	desired, err := s.desired(ctx)
	if err != nil {
		return err
	}
	members, err := s.keepMachines(ctx, desired.Model())
	if err != nil {
		return err
	}
	return errors.Join(s.follow(ctx, desired, members), s.applyTags(ctx))
}

// applyTags has the scale set have the tags of the spec, also where nothing else of it changes.
func (s *scaleSet) applyTags(ctx context.Context) (err error) {
	if s.mayChange && !tagged(s.XR, s.obj) {
		s.applied, err = s.Azure.applyTags(ctx, s.XR, []*unstructured.Unstructured{s.obj})
	}
	return err
}

// create creates the scale set that Azure does not have. One that it had is made anew: a pool has no other that would take its place, and
// Cluster API keeps its bootstrap data fresh.
func (s *scaleSet) create(ctx context.Context) error {
	if s.goesOn {
		s.facts.Created = v1alpha1.FactsOfCreation{State: v1alpha1.Creating}
		return nil
	}
	if s.facts.Created.State == v1alpha1.Created {
		s.Events.Warn(s.XR, "ScaleSetDeleted", "", "the scale set is gone from Azure, and is made anew")
	}
	if s.facts.Created.State != v1alpha1.NotCreated {
		s.facts.Created, s.facts.Pool.State, s.facts.Pool.Listed, s.facts.Pool.Ready, s.facts.Pool.Outdated = v1alpha1.FactsOfCreation{}, "", false, 0, 0
	}
	if !s.mayChange {
		return nil
	}
	desired, err := s.desired(ctx)
	if err != nil {
		return err
	}
	if err := s.put(ctx, desired, machines.WholeScaleSet, int(s.facts.Pool.Replicas)); err != nil {
		return err
	}
	if s.facts.Pool.Refused.Reason != "" {
		s.facts.Created = v1alpha1.FactsOfCreation{Reason: s.facts.Pool.Refused.Reason, Message: s.facts.Pool.Refused.Message}
		return nil
	}
	s.facts.Created, s.facts.Pool.Asked = v1alpha1.FactsOfCreation{State: v1alpha1.Creating}, ptr.To(s.facts.Pool.Replicas)
	s.applied = &appliedTags{Resource: resourceName(s.obj), Tags: specTags.Value(s.obj)}
	return nil
}

// observe notes how the scale set is.
func (s *scaleSet) observe() {
	s.facts.Pool.State = s.found.Properties.ProvisioningState
	if id := s.found.Identity.PrincipalID; id != "" {
		s.facts.PrincipalID = id
	}
	state := v1alpha1.Created
	if s.facts.Created.State != v1alpha1.Created && strings.EqualFold(s.facts.Pool.State, string(v1beta1.Creating)) {
		state = v1alpha1.Creating
	}
	s.facts.Created = v1alpha1.FactsOfCreation{State: state}
	switch failed := strings.EqualFold(s.facts.Pool.State, string(v1beta1.Failed)); {
	case failed && s.facts.Pool.Refused.Reason == "":
		s.facts.Pool.Refused = v1alpha1.FactsOfCreation{State: v1alpha1.CreationFailed, Reason: "ProvisioningFailed",
			Message: "provisioningState of the scale set is Failed, and Azure does not say why"}
	case !failed && !s.goesOn && strings.EqualFold(s.facts.Pool.State, string(v1beta1.Succeeded)) && s.facts.Pool.Refused.State == v1alpha1.CreationFailed:
		s.facts.Pool.Refused = v1alpha1.FactsOfCreation{}
	}
}

// desired returns the scale set as function-capz has composed it, with the protected settings of its extensions.
func (s *scaleSet) desired(ctx context.Context) (*machines.Desired, error) {
	ids, err := referredIDs(ctx, s.API, s.obj)
	if err != nil {
		return nil, err
	}
	settings := map[string]map[string]string{}
	name := azuremachine.ScaleSetName(s.pool)
	cloud := ""
	if s.azureCluster != nil {
		cloud = s.azureCluster.Spec.AzureEnvironment
	}
	for _, e := range azuremachine.Extensions(azuremachine.OfPool(s.pool), cloud, s.facts.Size.Architecture) {
		if len(e.ProtectedSettings) > 0 {
			settings[azuremachine.ProtectedSettingsSecret(name, e.Name)] = e.ProtectedSettings
		}
	}
	return machines.NewDesired(s.obj, ids, settings)
}

// put sends a part of the scale set, for so many instances.
func (s *scaleSet) put(ctx context.Context, desired *machines.Desired, part machines.Part, capacity int) error {
	data, err := bootstrapData(ctx, s.API, s.owner.Namespace, "MachinePool", s.owner.Spec.Template.Spec.Bootstrap.DataSecretName)
	if err != nil && part != machines.ScaleSetCapacity {
		return err
	}
	if part == machines.ScaleSetCapacity && s.found != nil && err == nil && s.found.Tags[machines.DataHashTag] != machines.HashOf(data) {
		part = machines.ScaleSetModel // New instances need the bootstrap data of now.
	}
	var tags map[string]string
	if s.found != nil {
		tags = s.found.Tags
	}
	request, err := desired.Request(part, capacity, tags, machines.NewSecrets(data))
	if err != nil {
		return err
	}
	err = s.scaleSets.Put(ctx, s.account, s.id, request)
	if s.refused(err) {
		return nil
	}
	if err == nil {
		s.facts.Pool.Refused = v1alpha1.FactsOfCreation{}
		s.again(movingInterval)
	}
	return err
}

// refused notes why Azure has refused a change, or why one has failed, and reports whether it has.
func (s *scaleSet) refused(err error) bool {
	var answer *machines.Answer
	if !errors.As(err, &answer) {
		return false
	}
	why, after := v1alpha1.FactsOfCreation{Reason: answer.Code, Message: answer.Message}, max(movingInterval, min(answer.RetryAfter, refusedInterval))
	if !answer.Passes() {
		why.State, after = v1alpha1.CreationFailed, refusedInterval
	}
	if why != s.facts.Pool.Refused {
		s.Events.Warn(s.XR, "ScaleSetRefused", answer.Code, fmt.Sprintf("Azure refuses the scale set: %s: %s", answer.Code, answer.Message))
	}
	s.facts.Pool.Refused = why
	s.again(after)
	return true
}

// follow has the scale set be as it is desired to be: its model, the number of its instances, and which of them go.
func (s *scaleSet) follow(ctx context.Context, desired *machines.Desired, members []member) error {
	changes := s.found.Model().Changes(desired.Model())
	outdated := 0
	for _, m := range members {
		if !m.Latest {
			outdated++
		}
	}
	if s.scaledByOthers() && outdated == 0 && len(changes) == 0 {
		if err := s.setReplicas(ctx, s.found.SKU.Capacity); err != nil {
			return err
		}
	}
	s.count(members, outdated)
	replicas := int(s.facts.Pool.Replicas)
	strategy, err := rollout.StrategyOf(s.pool.Spec.Strategy.RollingUpdate, replicas)
	if err != nil {
		return err
	}
	if s.settled(members, outdated, changes) {
		s.again(settledInterval)
	} else {
		s.again(movingInterval)
	}
	if !s.mayChange {
		return nil
	}
	lowered := s.facts.Pool.Asked != nil && s.facts.Pool.Replicas < *s.facts.Pool.Asked
	// Until Azure has the new model, no instance goes for it: Azure may refuse it, and would make others of the old one.
	candidates := instancesOf(members, len(changes) > 0)
	if err := s.remove(ctx, members, strategy.Choose(candidates, replicas, outdated > 0 && !lowered)); err != nil {
		return err
	}
	if !lowered || len(members) <= replicas {
		s.facts.Pool.Asked = ptr.To(s.facts.Pool.Replicas)
	}
	return s.grow(ctx, desired, changes, strategy.Wanted(s.found.SKU.Capacity, replicas, outdated > 0 || len(changes) > 0))
}

// grow changes the model and the number of instances, if either is to be another. An Event says what a rollout is for.
func (s *scaleSet) grow(ctx context.Context, desired *machines.Desired, changes []string, wanted int) error {
	busy := s.goesOn || slices.Contains([]string{"creating", "updating", "deleting"}, strings.ToLower(s.facts.Pool.State))
	part := machines.ScaleSetCapacity
	switch {
	case busy:
		return nil
	case len(changes) > 0:
		part = machines.ScaleSetModel
		s.Events.Warn(s.XR, "RolloutStarted", "", "instances are replaced, as the model of the scale set changes: "+strings.Join(changes, "; "))
	case wanted <= s.found.SKU.Capacity:
		return nil
	}
	return s.put(ctx, desired, part, wanted)
}

// count notes how many instances are ready, and how many are of an older model.
func (s *scaleSet) count(members []member, outdated int) {
	ready := 0
	for _, m := range members {
		if m.Ready && !m.Leaving {
			ready++
		}
	}
	s.facts.Pool.Ready, s.facts.Pool.Outdated = int32(ready), int32(outdated) //nolint:gosec // Azure has no scale set of that many.
}

// settled reports whether all is as it is to be.
func (s *scaleSet) settled(members []member, outdated int, changes []string) bool {
	return !s.goesOn && outdated == 0 && len(changes) == 0 && len(members) == int(s.facts.Pool.Replicas) && s.facts.Pool.Ready == s.facts.Pool.Replicas &&
		strings.EqualFold(s.facts.Pool.State, string(v1beta1.Succeeded))
}
