package v1alpha1

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// AnnotationMachineFacts is the annotation on an AzureMachine or AzureMachinePool that has its MachineFacts, as JSON. It is of the machine's own
// object, so that a change of it has one machine composed anew, and no other.
const AnnotationMachineFacts = "infrastructure.cluster.x-k8s.io/machine-facts"

// MachineFactsFormat is the format of MachineFacts that this version writes and reads. Fields may be added in it; one that changes its
// meaning needs another format.
const MachineFactsFormat = 1

// ErrNoMachineFacts is the error of ReadMachineFacts for an object that has none.
var ErrNoMachineFacts = errors.New("provider-capz has written no facts yet")

// MachineFacts is what provider-capz tells function-capz of one AzureMachine, or of the instances of one AzureMachinePool: what the Machine or
// MachinePool of Cluster API says of it, what Azure offers of its size, and what provider-capz has done for it in Azure. Only provider-capz
// writes them, and only when something in them changes.
//
// +kubebuilder:object:generate=false
type MachineFacts struct {
	// Format says what the fields mean. Facts in another format than MachineFactsFormat are not used.
	Format int32 `json:"format"`
	// Machine is what the Machine says that owns the AzureMachine.
	Machine FactsOfMachine `json:"machine,omitzero"`
	// Size is what Azure offers of spec.vmSize.
	Size FactsOfSize `json:"size,omitzero"`
	// SSHPort is the frontend port of the inbound NAT rule that leads to the machine: 22, or one of 2201 to 2219. No other machine of the
	// Cluster has it. Zero where there is none, as for a worker.
	SSHPort int32 `json:"sshPort,omitempty"`
	// Absent are the resources of the machine that Azure did not have just before they were composed, by FactOfAbsence: what is composed of them is
	// new. It is empty once the virtual machine has been asked for, and where nobody has looked.
	Absent []string `json:"absent,omitempty"`
	// Created is what has become of the virtual machine or the scale set, which provider-capz creates.
	Created FactsOfCreation `json:"created,omitzero"`
	// PrincipalID is that of its system-assigned identity; empty until Azure has one.
	PrincipalID string `json:"principalID,omitempty"`
	// Pool is what only an AzureMachinePool has.
	Pool FactsOfPool `json:"pool,omitzero"`
}

// FactOfAbsence returns the element of MachineFacts.Absent for a resource of a type, such as Microsoft.Network/networkInterfaces, with a name in Azure.
func FactOfAbsence(resourceType, name string) string {
	return strings.ToLower(resourceType + "/" + name)
}

// FactsOfPool is what a MachinePool says, and how its scale set is. It has nothing of single instances, of which there may be a thousand.
//
// +kubebuilder:object:generate=false
type FactsOfPool struct {
	// Replicas is spec.replicas of the MachinePool.
	Replicas int32 `json:"replicas,omitempty"`
	// FailureDomains are spec.failureDomains of the MachinePool, sorted.
	FailureDomains []string `json:"failureDomains,omitempty"`
	// State is the provisioningState of the scale set; empty until Azure has one.
	State string `json:"state,omitempty"`
	// Ready is how many instances are ready, Outdated how many are of an older model.
	Ready    int32 `json:"ready,omitempty"`
	Outdated int32 `json:"outdated,omitempty"`
	// Asked is for how many instances the scale set was last asked; nil before the first time.
	Asked *int32 `json:"asked,omitempty"`
	// Listed reports that provider-capz has listed the instances, and Cluster API has them in spec.providerIDList.
	Listed bool `json:"listed,omitempty"`
	// Refused is why Azure has refused the last change of the scale set; zero while it has not.
	Refused FactsOfCreation `json:"refused,omitzero"`
}

// FactsOfMachine is what a Machine, or a MachinePool of its machines, says.
//
// +kubebuilder:object:generate=false
type FactsOfMachine struct {
	// Name is metadata.name of the Machine or MachinePool; empty while none owns the object, and then all else is empty too.
	Name string `json:"name,omitempty"`
	// FailureDomain is spec.failureDomain.
	FailureDomain string `json:"failureDomain,omitempty"`
	// Version is spec.version, such as v1.33.2.
	Version string `json:"version,omitempty"`
	// ControlPlane reports that it is a machine of the control plane, by its label.
	ControlPlane bool `json:"controlPlane,omitempty"`
	// BootstrapReady reports that the Secret with its bootstrap data exists.
	BootstrapReady bool `json:"bootstrapReady,omitempty"`
	// Owner is what the Machine is one of.
	Owner FactsOfOwner `json:"owner,omitzero"`
	// AvailabilitySet is the name in Azure of the availability set that the machine is in, as it was first decided; empty for none.
	AvailabilitySet string `json:"availabilitySet,omitempty"`
}

// The kinds of FactsOfOwner.
const (
	// OwnerControlPlane is a control plane of machines, such as a KubeadmControlPlane.
	OwnerControlPlane = "ControlPlane"
	// OwnerMachineDeployment is a MachineDeployment.
	OwnerMachineDeployment = "MachineDeployment"
	// OwnerMachineSet is a MachineSet of no MachineDeployment.
	OwnerMachineSet = "MachineSet"
)

// FactsOfOwner is what a Machine is one of; empty for one that stands alone.
//
// +kubebuilder:object:generate=false
type FactsOfOwner struct {
	// Kind is OwnerControlPlane, OwnerMachineDeployment or OwnerMachineSet.
	Kind string `json:"kind,omitempty"`
	// Name is its metadata.name.
	Name string `json:"name,omitempty"`
}

// FactsOfSize is what Azure offers of a size in the location of the cluster.
//
// +kubebuilder:object:generate=false
type FactsOfSize struct {
	// Name is that of the size that the facts are of, as spec.vmSize has it.
	Name string `json:"name,omitempty"`
	// Known reports that Azure has told what it offers in the location. While it is not set, nothing else is.
	Known bool `json:"known,omitempty"`
	// Offered reports that the subscription may have machines of the size in the location.
	Offered bool `json:"offered,omitempty"`
	// Restriction is Azure's reason for not offering a size that the location has, such as NotAvailableForSubscription.
	Restriction string `json:"restriction,omitempty"`
	// VCPUs and MemoryGiB are how large it is.
	VCPUs     int64   `json:"vCPUs,omitempty"`
	MemoryGiB float64 `json:"memoryGiB,omitempty"`
	// Zones are those that have the size for the subscription, sorted; UltraSSDZones those of them with ultra disks.
	Zones         []string `json:"zones,omitempty"`
	UltraSSDZones []string `json:"ultraSSDZones,omitempty"`
	// UltraSSD reports that the size has ultra disks where there are no zones.
	UltraSSD bool `json:"ultraSSD,omitempty"`
	// AcceleratedNetworking, EphemeralOSDisk, EncryptionAtHost report what the size can do.
	AcceleratedNetworking bool `json:"acceleratedNetworking,omitempty"`
	EphemeralOSDisk       bool `json:"ephemeralOSDisk,omitempty"`
	EncryptionAtHost      bool `json:"encryptionAtHost,omitempty"`
	// ConfidentialComputingType is SNP, TDX or another way of confidential machines; empty when it has none.
	ConfidentialComputingType string `json:"confidentialComputingType,omitempty"`
	// TrustedLaunchDisabled reports that the size cannot have trusted launch.
	TrustedLaunchDisabled bool `json:"trustedLaunchDisabled,omitempty"`
	// Architecture is that of its processor, as Azure says it: x64 or Arm64.
	Architecture string `json:"architecture,omitempty"`
	// FaultDomains are how many an availability set of the location may have.
	FaultDomains int64 `json:"faultDomains,omitempty"`
}

// A CreationState is what has become of a virtual machine.
type CreationState string

// The states of FactsOfCreation.
const (
	// NotCreated is that of a machine that Azure was not asked for yet.
	NotCreated CreationState = ""
	// Creating is that of one that Azure was asked for, and has not yet.
	Creating CreationState = "Creating"
	// Created is that of one that Azure has.
	Created CreationState = "Created"
	// CreationFailed is that of one that Azure will not have. Reason and Message are Azure's. It is not tried again.
	CreationFailed CreationState = "Failed"
	// Deleted is that of one that Azure had, and has no more. It is not created anew.
	Deleted CreationState = "Deleted"
)

// FactsOfCreation is what has become of a virtual machine that provider-capz creates.
//
// +kubebuilder:object:generate=false
type FactsOfCreation struct {
	State CreationState `json:"state,omitempty"`
	// Reason and Message are Azure's, of a failure: of one that is final in state Failed, of one that may pass before.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Encode returns the value of AnnotationMachineFacts for the facts, in MachineFactsFormat: the same text for the same facts.
func (f MachineFacts) Encode() (string, error) {
	f.Format = MachineFactsFormat
	content, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("cannot write the facts of a machine: %w", err)
	}
	return string(content), nil
}

// ReadMachineFacts returns the facts that the annotations of an AzureMachine have. The error is ErrNoMachineFacts when they have none, and
// says what is wrong with those that are no JSON or in a format that this version does not know.
func ReadMachineFacts(annotations map[string]string) (MachineFacts, error) {
	text := annotations[AnnotationMachineFacts]
	if text == "" {
		return MachineFacts{}, ErrNoMachineFacts
	}
	facts := MachineFacts{}
	if err := json.Unmarshal([]byte(text), &facts); err != nil {
		return MachineFacts{}, fmt.Errorf("annotation %s is not what provider-capz writes: %w", AnnotationMachineFacts, err)
	}
	if facts.Format != MachineFactsFormat {
		return MachineFacts{}, fmt.Errorf("annotation %s has format %d; this version of function-capz reads format %d, so that provider-capz has to be of the same version",
			AnnotationMachineFacts, facts.Format, MachineFactsFormat)
	}
	return facts, nil
}
