package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	infrav1 "sigs.k8s.io/cluster-api-provider-azure/api/v1beta1"
	strategies "sigs.k8s.io/cluster-api-provider-azure/azure/scope/strategies/machinepool_deployments"
	infrav1exp "sigs.k8s.io/cluster-api-provider-azure/exp/api/v1beta1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/rollout"
)

// TestRolloutChoosesAsCAPZ lets both choose which instances of a scale set go, of many pools. Two things are left out in which this project
// differs on purpose: an instance that leaves already, or that Azure changes, is not chosen again in the place of another (CAPZ counts it when
// there are too many), and of no surge with nothing unavailable one at a time is replaced.
func TestRolloutChoosesAsCAPZ(t *testing.T) {
	const pools = 20000
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	chosen := 0
	for range pools {
		p := randomPool(random)
		ours, theirs := slices.Sorted(slices.Values(p.ours(t))), slices.Sorted(slices.Values(p.capz(t)))
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Fatalf("seed %d, %+v: -CAPZ +ours:\n%s", seed, p, diff)
		}
		chosen += len(ours)
	}
	if chosen < pools/2 {
		t.Errorf("only %d instances were chosen of %d pools", chosen, pools)
	}
}

// A pool is one as both are asked about.
type pool struct {
	instances          []rollout.Instance
	replicas           int
	surge, unavailable int
	policy             v1beta1.AzureMachinePoolDeletePolicy
	replacing          bool
}

func randomPool(random *rand.Rand) pool {
	p := pool{
		replicas: random.IntN(6), surge: random.IntN(3), unavailable: random.IntN(4), replacing: random.IntN(2) == 0,
		policy: []v1beta1.AzureMachinePoolDeletePolicy{v1beta1.DeleteOldest, v1beta1.DeleteNewest}[random.IntN(2)],
	}
	if p.surge == 0 && p.unavailable == 0 {
		p.unavailable = 1
	}
	for n := range random.IntN(8) {
		i := rollout.Instance{
			Name: fmt.Sprint("i", n), Created: time.Unix(int64(n), 0), State: v1beta1.Succeeded, Latest: random.IntN(2) == 0,
			Ready: random.IntN(4) > 0, Chosen: random.IntN(20) == 0,
		}
		switch random.IntN(20) {
		case 0:
			i.State = v1beta1.Failed
		case 1:
			i.Ready, i.State, i.Leaving = false, v1beta1.Deleting, random.IntN(2) == 0
		case 2, 3:
			i.Ready, i.State = false, v1beta1.Creating
		case 4:
			i.Leaving, i.Ready = true, false
		}
		p.instances = append(p.instances, i)
	}
	return p
}

func (p pool) ours(t *testing.T) []string {
	t.Helper()
	s, err := rollout.StrategyOf(&v1beta1.MachineRollingUpdateDeployment{
		MaxSurge: ptr.To(intstr.FromInt(p.surge)), MaxUnavailable: ptr.To(intstr.FromInt(p.unavailable)), DeletePolicy: p.policy,
	}, p.replicas)
	must(t, err)
	return s.Choose(p.instances, p.replicas, p.replacing)
}

func (p pool) capz(t *testing.T) []string {
	t.Helper()
	s := strategies.NewMachinePoolDeploymentStrategy(infrav1exp.AzureMachinePoolDeploymentStrategy{
		Type: infrav1exp.RollingUpdateAzureMachinePoolDeploymentStrategyType,
		RollingUpdate: &infrav1exp.MachineRollingUpdateDeployment{
			MaxSurge: ptr.To(intstr.FromInt(p.surge)), MaxUnavailable: ptr.To(intstr.FromInt(p.unavailable)), DeletePolicy: infrav1exp.AzureMachinePoolDeletePolicyType(p.policy),
		},
	})
	machines := map[string]infrav1exp.AzureMachinePoolMachine{}
	for _, i := range p.instances {
		m := infrav1exp.AzureMachinePoolMachine{}
		m.Name, m.CreationTimestamp = i.Name, metav1.NewTime(i.Created)
		m.Status.Ready, m.Status.LatestModelApplied, m.Status.ProvisioningState = i.Ready, i.Latest, ptr.To(infrav1.ProvisioningState(i.State))
		if i.Chosen {
			m.Annotations = map[string]string{clusterv1.DeleteMachineAnnotation: ""}
		}
		if i.Leaving {
			m.DeletionTimestamp = ptr.To(metav1.NewTime(i.Created))
		}
		machines[i.Name] = m
	}
	going, err := s.SelectMachinesToDelete(context.Background(), int32(p.replicas), machines, p.replacing)
	must(t, err)
	var names []string
	for _, m := range going {
		names = append(names, m.Name)
	}
	return names
}
