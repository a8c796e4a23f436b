// Package rollout decides which instances of a scale set go, so that there are as many as asked for and all are of the present model. It is
// pure. The order of choice is that of CAPZ (azure/scope/strategies/machinepool_deployments), with which cluster/compat compares it.
package rollout

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// ModelFields are the fields of a scale set, in Azure's words, by which an instance is of its present model or of an older one.
var ModelFields = []string{FieldImage, FieldSize, FieldZones}

// The fields of ModelFields.
const (
	FieldImage = "virtualMachineProfile.storageProfile.imageReference"
	FieldSize  = "sku.name"
	FieldZones = "zones"
)

// An Instance is one of a scale set, as far as the choice depends on it.
type Instance struct {
	// Name is that of its object, which also decides between instances of the same age.
	Name    string
	Created time.Time
	// State is its provisioningState in Azure.
	State v1beta1.ProvisioningState
	// Ready reports that its Node is Ready, Latest that it is of the present model.
	Ready, Latest bool
	// Chosen reports that somebody, such as an autoscaler, has marked it as the one to go.
	Chosen bool
	// Leaving reports that it is on its way out already.
	Leaving bool
}

// A Strategy says how many instances are replaced at once, and which first.
type Strategy struct {
	// Surge is how many instances more than asked for there may be, Unavailable how many fewer may be ready.
	Surge, Unavailable int
	DeletePolicy       v1beta1.AzureMachinePoolDeletePolicy
}

// StrategyOf returns the strategy of a pool of so many replicas. Of 0 and 0 nothing would ever be replaced: then one at a time is, as by a
// Deployment of Kubernetes.
func StrategyOf(of *v1beta1.MachineRollingUpdateDeployment, replicas int) (Strategy, error) {
	s := Strategy{Surge: 1, DeletePolicy: v1beta1.DeleteOldest}
	if of == nil {
		return s, nil
	}
	s.DeletePolicy = cmp.Or(of.DeletePolicy, s.DeletePolicy)
	var err error
	if of.MaxSurge != nil {
		if s.Surge, err = intstr.GetScaledValueFromIntOrPercent(of.MaxSurge, replicas, true); err != nil {
			return s, fmt.Errorf("spec.strategy.rollingUpdate.maxSurge is %q, but must be a number, or one of percent: %w", of.MaxSurge.String(), err)
		}
	}
	if of.MaxUnavailable != nil {
		if s.Unavailable, err = intstr.GetScaledValueFromIntOrPercent(of.MaxUnavailable, replicas, false); err != nil {
			return s, fmt.Errorf("spec.strategy.rollingUpdate.maxUnavailable is %q, but must be a number, or one of percent: %w", of.MaxUnavailable.String(), err)
		}
	}
	if s.Surge == 0 && s.Unavailable == 0 {
		s.Unavailable = 1
	}
	return s, nil
}

// Choose returns the names of the instances that go next of a pool that is to have so many replicas. Replacing says that there are more than
// that because a change of the model has made the scale set larger for a while, and not because the number was lowered: then an instance that
// is not ready yet is given the time to become it.
//
// What has failed or goes already goes first, then what was chosen by others. Then what is too much: instances of an older model that are not
// ready, those of the present one that are not, ready ones of an older model, ready ones of the present one. Last, while enough are ready, those
// of an older model.
func (s Strategy) Choose(instances []Instance, replicas int, replacing bool) []string {
	staying := func(i Instance) bool {
		return !i.Leaving && i.State != v1beta1.Failed && i.State != v1beta1.Deleting && i.State != ""
	}
	failed := func(i Instance) bool { return i.State == v1beta1.Failed }
	deleted := func(i Instance) bool { return i.State == v1beta1.Deleting && !i.Leaving }
	chosen := func(i Instance) bool { return i.Chosen }
	ready := s.pick(instances, func(i Instance) bool { return i.Ready && i.State == v1beta1.Succeeded && !i.Leaving })
	unready := s.pick(instances, func(i Instance) bool { return !i.Ready && staying(i) })
	if gone := append(s.pick(instances, failed), s.pick(instances, deleted)...); len(gone) > 0 {
		return namesOf(gone)
	}
	if marked := s.pick(instances, chosen); len(marked) > 0 {
		return namesOf(marked)
	}
	protected := 0
	if replacing {
		protected = min(count(ready, isOld), count(unready, isLatest))
	}
	if excess := len(ready) + len(unready) - protected - replicas; excess > 0 {
		fresh := filter(unready, isLatest)
		fresh = fresh[:len(fresh)-protected]
		candidates := slices.Concat(filter(unready, isOld), fresh, filter(ready, isOld), filter(ready, isLatest))
		return namesOf(candidates[:min(excess, len(candidates))])
	}
	if len(ready) < replicas {
		return nil
	}
	return namesOf(atMost(filter(ready, isOld), s.budget(len(ready), replicas)))
}

// budget returns how many ready instances may go now.
func (s Strategy) budget(ready, replicas int) int {
	if s.Unavailable > replicas {
		return replicas
	}
	return max(0, ready-replicas+s.Unavailable)
}

// Wanted returns how many instances the scale set is asked for: more than there are to be while some have to be replaced. Azure makes the new
// ones; what is too much afterwards Choose takes away. It never asks for fewer than there are: which of them go is not Azure's to decide.
func (s Strategy) Wanted(have, replicas int, outdated bool) int {
	wanted := replicas
	if outdated {
		wanted += s.Surge
	}
	return max(have, wanted)
}

func isLatest(i Instance) bool { return i.Latest }
func isOld(i Instance) bool    { return !i.Latest }

func filter(instances []Instance, holds func(Instance) bool) []Instance {
	var some []Instance
	for _, i := range instances {
		if holds(i) {
			some = append(some, i)
		}
	}
	return some
}

func count(instances []Instance, holds func(Instance) bool) int { return len(filter(instances, holds)) }

func atMost(instances []Instance, n int) []Instance { return instances[:min(n, len(instances))] }

// pick returns the instances for which the condition holds, those first that the policy has go first. Of those what others have chosen is
// before all else.
func (s Strategy) pick(instances []Instance, holds func(Instance) bool) []Instance {
	some := filter(instances, holds)
	byAge := func(a, b Instance) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name)) }
	switch s.DeletePolicy {
	case v1beta1.DeleteNewest:
		slices.SortFunc(some, func(a, b Instance) int { return byAge(b, a) })
	case v1beta1.DeleteRandom:
		rand.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] }) //nolint:gosec // Nobody gains by foreseeing it.
	default:
		slices.SortFunc(some, byAge)
	}
	slices.SortStableFunc(some, func(a, b Instance) int { return cmp.Compare(rank(a), rank(b)) })
	return some
}

// rank is 0 for an instance that others have chosen.
func rank(i Instance) int {
	if i.Chosen {
		return 0
	}
	return 1
}

func namesOf(instances []Instance) []string {
	var names []string
	for _, i := range instances {
		names = append(names, i.Name)
	}
	return names
}

// Order returns the names of n instances in the order in which they would go, one after the other.
func (s Strategy) Order(instances []Instance, n int) []string {
	rest, order := slices.Clone(instances), []string(nil)
	for len(order) < n && len(rest) > 0 {
		next := s.Choose(rest, len(rest)-1, false)
		if len(next) == 0 {
			break
		}
		next = next[:min(len(next), n-len(order))]
		order = append(order, next...)
		rest = slices.DeleteFunc(rest, func(i Instance) bool { return slices.Contains(next, i.Name) })
	}
	return order
}
