package compute

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/retry"
)

// A look is one look at an AzureMachine or AzureMachinePool: what is read of it and of its Cluster, and what is found out.
type look struct {
	*access.Scope

	// azureCluster and infrastructure are nil while there is no AzureCluster.
	azureCluster   *v1beta1.AzureCluster
	infrastructure *unstructured.Unstructured

	// facts are what was noted, and what is to be.
	facts v1alpha1.MachineFacts
	// providerID is that of a virtual machine that is there; empty while it is not known.
	providerID string
	// after is when to look again; zero for never.
	after time.Duration
}

// begin begins a look.
func begin(ctx context.Context, api access.API, s *access.Scope) (*look, error) {
	infrastructure, err := access.InfrastructureOf(ctx, api.Client, s.Cluster)
	if err != nil {
		return nil, err
	}
	l := &look{Scope: s}
	l.facts, _ = v1alpha1.ReadMachineFacts(s.XR.GetAnnotations()) // What cannot be read is written anew.
	if azureCluster, known := read[v1beta1.AzureCluster](infrastructure); known {
		l.azureCluster, l.infrastructure = azureCluster, infrastructure
	}
	return l, nil
}

// end tells the problem that there was, and notes the facts, and what is to be noted beside.
func (l *look) end(ctx context.Context, api access.API, problem error, beside ...func(map[string]string)) (ctrl.Result, error) {
	tell(api, l.XR, problem)
	if err := note(ctx, api, l.XR, l.facts, l.providerID, beside...); err != nil {
		return ctrl.Result{}, err // A conflict comes before all else: what was found out is not noted yet.
	}
	return ctrl.Result{RequeueAfter: l.after}, problem
}

// again has the object looked at again after some time, if it is not before; zero is never.
func (l *look) again(after time.Duration) { l.after = retry.Sooner(l.after, after) }

// bootstrapped reports whether the bootstrap data of what has asked Azure for its resource were there when it did.
func (l *look) bootstrapped() bool {
	return l.facts.Machine.BootstrapReady && l.facts.Created.State != v1alpha1.NotCreated
}

// lookForBootstrapData notes whether the Secret that a Machine or MachinePool names, which is the owner, is there, unless that is known for good.
func (l *look) lookForBootstrapData(ctx context.Context, api access.API, kind, owner string, secret *string) error {
	if l.facts.Machine.BootstrapReady || ptr.Deref(secret, "") == "" {
		return nil
	}
	there, err := bootstrapDataThere(ctx, api, l.XR.GetNamespace(), *secret)
	switch {
	case err != nil:
		return fmt.Errorf("cannot look for the bootstrap data of %s %s: %w", kind, owner, err)
	case !there:
		l.again(bootstrapInterval)
	}
	l.facts.Machine.BootstrapReady = there
	return nil
}
