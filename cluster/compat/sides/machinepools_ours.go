package sides

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// Pool returns what this project sends for a pool: what provider-capz makes of the scale set that the composers compose. A refusal is of the pool
// as it is created, or of its cluster.
func (o *SelfManagedOurs) Pool(ctx context.Context, p *specs.MachinePool) (answer *PoolAnswer, refusal, err error) {
	admitted, refusal := o.Admit(ctx, p.Cluster)
	if refusal != nil {
		return nil, refusal, nil
	}
	xr, refusal := admit(ctx, o.Schemas[pools], p.Created.Object, nil)
	if refusal != nil {
		return nil, refusal, nil
	}
	of, err := newSelfManagedWorld(p.Cluster, admitted)
	if err != nil {
		return nil, nil, err
	}
	w := &poolWorld{selfManagedWorld: of, pool: p}
	if w.play, err = newPoolPlay(of); err != nil {
		return nil, nil, err
	}
	answer = &PoolAnswer{Phases: map[string]*Sent{}}
	for _, phase := range PoolPhases {
		if phase == PoolPhases[2] {
			if xr, answer.Refused = admit(ctx, o.Schemas[pools], p.Change.Object, xr); answer.Refused != nil {
				break
			}
		}
		sent, err := w.sentIn(ctx, phase, xr)
		if errors.Is(err, ErrNoCluster) {
			return nil, err, nil
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", phase, err)
		}
		if answer.Phases[phase] = sent; len(sent.Failures) > 0 {
			break
		}
	}
	return answer, nil, nil
}

// A poolWorld is the management cluster, and the Azure, that a pool comes to.
type poolWorld struct {
	*selfManagedWorld

	pool *specs.MachinePool
	play *poolPlay
}

// sentIn returns what is sent in a phase.
func (w *poolWorld) sentIn(ctx context.Context, phase string, xr *unstructured.Unstructured) (*Sent, error) {
	state := stateIn(w.pool, phase)
	sent := &Sent{Resources: arm.Resources{}, Failures: map[string]string{}}
	composed, problem, err := w.compose(ctx, state, xr)
	if err != nil {
		return nil, err
	}
	if problem != "" {
		sent.Failures["AzureMachinePool/"+w.pool.Name()] = problem
		return sent, nil
	}
	id, body, err := w.play.reconcile(ctx, machinePoolOf(w.pool, state), xr, composed[slices.IndexFunc(composed, isScaleSet)], state.Bootstrap)
	if err != nil {
		return nil, err
	}
	if body != nil {
		if err := sent.Resources.AddBody(id, body); err != nil {
			return nil, err
		}
	}
	if phase != PoolPhases[0] {
		return sent, nil
	}
	objects := arm.Objects{Subscription: specs.Subscription}
	if objects.Read, err = typedObjects(composed); err != nil {
		return nil, err
	}
	objects.All = slices.DeleteFunc(slices.Clone(objects.Read), func(o genruntime.ARMMetaObject) bool {
		return o.GetObjectKind().GroupVersionKind().Kind != aso.RoleAssignment.Name
	})
	return sent, objects.Add(sent.Resources)
}

func isScaleSet(object *unstructured.Unstructured) bool {
	return object.GetKind() == aso.VirtualMachineScaleSet.Name
}

// compose returns what the composers make of a pool in a state, its scale set among it, and of its cluster; a problem is what keeps them from it.
func (w *poolWorld) compose(ctx context.Context, state specs.PoolState, xr *unstructured.Unstructured) (composed []*unstructured.Unstructured, problem string, err error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(machinePoolOf(w.pool, state))
	if err != nil {
		return nil, "", err
	}
	machinePool := &unstructured.Unstructured{Object: content}
	machinePool.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("MachinePool"))
	told, err := w.tellPool(state, xr)
	if err != nil {
		return nil, "", err
	}
	p, err := preview.MakeIn(ctx, w.found, function{facts: w.facts}, append(slices.Clone(w.manifests), machinePool, told))
	if err != nil {
		return nil, "", err
	}
	for _, found := range p.Problems {
		if found.Kind != composite.AzureMachinePool.Kind {
			return nil, "", fmt.Errorf("%w: %s", ErrNoCluster, found.Message)
		}
		problem = found.Message
	}
	if problem == "" && !slices.ContainsFunc(p.Resources, isScaleSet) {
		return nil, "", errors.New("no scale set is composed, and nothing says why")
	}
	return p.Resources, problem, nil
}

// tellPool returns an AzureMachinePool with what provider-capz tells of it.
func (w *poolWorld) tellPool(state specs.PoolState, xr *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	size, _ := state.Spec("template")["vmSize"].(string)
	facts := v1alpha1.MachineFacts{
		Machine: v1alpha1.FactsOfMachine{Name: w.pool.Name(), Version: state.Version, BootstrapReady: true},
		Pool:    v1alpha1.FactsOfPool{Replicas: state.Replicas, FailureDomains: state.FailureDomains},
		Size:    offered(w.spec, size),
	}
	text, err := facts.Encode()
	if err != nil {
		return nil, err
	}
	told := xr.DeepCopy()
	meta.AddAnnotations(told, map[string]string{v1alpha1.AnnotationMachineFacts: text})
	return told, nil
}
