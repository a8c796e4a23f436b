package selfmanaged

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/functions/capi"
	"github.com/crossplane-capz/crossplane-capz/functions/typed"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A machineStatus is what Cluster API reads of an AzureMachine, in both versions of the contract, and what CAPZ shows beside it.
type machineStatus struct {
	Ready          bool                                  `json:"ready"`
	Initialization *v1beta1.InfrastructureInitialization `json:"initialization"`
	// Addresses, FailureDomain and ProviderID stay as they were known.
	Addresses     []any                      `json:"addresses,omitempty"`
	FailureDomain string                     `json:"failureDomain,omitempty"`
	ProviderID    string                     `json:"providerID,omitempty"`
	VMState       *v1beta1.ProvisioningState `json:"vmState,omitempty"`
	// FailureReason and FailureMessage are for good: Cluster API core keeps them, and replaces the Machine if it is told to.
	FailureReason  *string `json:"failureReason,omitempty"`
	FailureMessage *string `json:"failureMessage,omitempty"`
}

var (
	statusProvisioned    = field.At[bool]("status", "initialization", "provisioned")
	statusReady          = field.At[bool]("status", "ready")
	statusAddresses      = field.At[[]any]("status", "addresses")
	statusFailureDomain  = field.At[string]("status", "failureDomain")
	statusProviderID     = field.At[string]("status", "providerID")
	statusVMState        = field.At[string]("status", "vmState")
	statusFailureReason  = field.At[string]("status", "failureReason")
	statusFailureMessage = field.At[string]("status", "failureMessage")
)

// readMachineStatus returns the status as it was known.
func readMachineStatus(in *composer.Request) *machineStatus {
	s := &machineStatus{
		Ready: statusReady.Value(in.XR), Initialization: &v1beta1.InfrastructureInitialization{Provisioned: ptr.To(statusProvisioned.Value(in.XR))},
		Addresses: statusAddresses.Value(in.XR), FailureDomain: statusFailureDomain.Value(in.XR), ProviderID: statusProviderID.Value(in.XR),
		FailureReason: typed.Text(statusFailureReason.Value(in.XR)), FailureMessage: typed.Text(statusFailureMessage.Value(in.XR)),
	}
	if state := statusVMState.Value(in.XR); state != "" {
		s.VMState = ptr.To(v1beta1.ProvisioningState(state))
	}
	return s
}

// vmStates are the words of CAPZ for what has become of a virtual machine.
var vmStates = map[v1alpha1.CreationState]v1beta1.ProvisioningState{
	v1alpha1.Creating: v1beta1.Creating, v1alpha1.Created: v1beta1.Succeeded, v1alpha1.CreationFailed: v1beta1.Failed, v1alpha1.Deleted: v1beta1.Deleted,
}

// set takes over what has become of the machine.
func (s *machineStatus) set(in *composer.Request, m *machineInputs, out *plan.Outcomes) {
	if state, known := vmStates[m.facts.Created.State]; known {
		s.VMState = &state
	}
	if m.facts.Created.State == v1alpha1.Created {
		s.ProviderID = azuremachine.ProviderID(m.cluster.Azure, m.xr)
		s.FailureDomain = cmp.Or(m.facts.Machine.FailureDomain, ptr.Deref(m.xr.Spec.FailureDomain, ""))
		s.Addresses = m.addresses(in)
	}
	if m.failed == nil {
		m.failForOwner(out)
	}
	if m.failed != nil {
		s.fail(m.failed)
		return
	}
	// Cluster API takes a machine for provisioned only with its provider ID, which provider-capz copies into the spec.
	if out.Ready() && ptr.Deref(m.xr.Spec.ProviderID, "") != "" {
		s.Ready, s.Initialization.Provisioned = true, ptr.To(true)
	}
}

func (s *machineStatus) fail(f *failure) {
	s.Ready, s.FailureReason, s.FailureMessage = false, &f.reason, ptr.To(field.Cut(f.message, composer.LongestMessage))
	if s.VMState == nil {
		s.VMState = ptr.To(v1beta1.Failed)
	}
}

// waitsForProviderID is the condition while all is there and provider-capz has not written the provider ID.
var waitsForProviderID = composer.False(composer.ConditionReady, "WaitingForProviderID", "waits for spec.providerID, which provider-capz writes")

// condition returns the condition Ready.
func (s *machineStatus) condition(out *plan.Outcomes) composer.Condition {
	if s.FailureReason != nil {
		return composer.False(composer.ConditionReady, *s.FailureReason, ptr.Deref(s.FailureMessage, ""))
	}
	infrastructure := capi.InfrastructureStatus{Ready: s.Ready}
	return infrastructure.Condition(out, waitsForProviderID)
}

// result returns the fields of the status.
func (s *machineStatus) result() map[string]any { return fieldsOf(s) }

// fieldsOf returns the fields of a status as JSON has them.
func fieldsOf(status any) map[string]any {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	if err != nil {
		panic(err) // A struct of this package, which can be written.
	}
	return fields
}

// A failure is why a machine will never be one, in CAPZ's words.
type failure struct{ reason, message string }

// The reasons.
const (
	failedConfiguration = "InvalidConfiguration"
	failedCreate        = "CreateError"
	failedUpdate        = "UpdateError"
)

// failure returns why there will be no virtual machine, as far as that is known before anything is composed. What was said once stays.
func (m *machineInputs) failure(in *composer.Request) *failure {
	reason, message := statusFailureReason.Value(in.XR), statusFailureMessage.Value(in.XR)
	created := m.facts.Created
	switch {
	case reason != "":
		return &failure{reason, message}
	case created.State == v1alpha1.CreationFailed:
		return &failure{failedCreate, strings.Trim(created.Reason+": "+created.Message, ": ")}
	case created.State == v1alpha1.Deleted:
		return &failure{failedUpdate, fmt.Sprintf("virtual machine %s is gone from Azure, where it was; it is not made again", azuremachine.Name(m.xr))}
	}
	return nil
}

// failForSize has the machine fail whose size Azure does not offer, or which cannot do what the spec asks for.
func (m *machineInputs) failForSize(vm *plan.Resource) {
	if vm.Err == nil || vm.Err.Reason != composer.ReasonUnsupportedSize || m.failed != nil {
		return
	}
	reason := failedCreate
	if !m.facts.Size.Offered {
		reason = failedConfiguration
	}
	m.failed = &failure{reason, vm.Err.Message}
}

// failForOwner has the machine fail whose name a virtual machine in the resource group has already that is none of the Cluster's.
func (m *machineInputs) failForOwner(out *plan.Outcomes) {
	for _, o := range out.Of {
		if o.Object.GroupVersionKind().GroupKind() == aso.VirtualMachine.GroupKind() && o.Ownership == v1beta1.OwnershipExternal {
			m.failed = &failure{failedCreate, fmt.Sprintf("virtual machine %s is in the resource group already and lacks tag %s, so that it is somebody else's; delete it, or have the Machine replaced by one with another name",
				azuremachine.Name(m.xr), v1beta1.OwnedTag(m.cluster.Name))}
		}
	}
}
