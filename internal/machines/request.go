package machines

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	compute "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	"github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301/arm"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// VirtualMachineKind is the kind of the objects that virtual machines are created from. The Go types that they are converted with are of the same
// version.
var VirtualMachineKind = aso.VirtualMachine.GroupKind().WithVersion(aso.VirtualMachine.Version)

// computeVersion is the version of Azure's API that those objects are written in.
var computeVersion = arm.VirtualMachine_Spec{}.GetAPIVersion()

// A Request is what is sent to Azure to create a virtual machine. It carries secrets, and is printed as nothing.
type Request struct {
	body    []byte
	secrets []string
}

// Format prints nothing of a request, whatever the verb.
func (Request) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "a request with secrets") }

// Secrets are what a virtual machine is created with and its object does not have.
type Secrets struct {
	// CustomData is the bootstrap data.
	CustomData []byte
	// Random is where the password of a Windows machine comes from, which nobody is told.
	Random io.Reader
}

// NewRequest returns the request that creates the virtual machine of an ASO object, which is converted as ASO does it: the same fields of the
// same version, with the secrets. The IDs are those of all References of the object. The error names what cannot be converted.
func NewRequest(obj *unstructured.Unstructured, ids map[Reference]string, secrets Secrets) (Request, error) {
	if obj.GroupVersionKind() != VirtualMachineKind {
		return Request{}, fmt.Errorf("%s %s is of %s, but must be of %s", obj.GetKind(), obj.GetName(), obj.GetAPIVersion(), VirtualMachineKind.GroupVersion())
	}
	content, _ := obj.Object["spec"].(map[string]any)
	spec := &compute.VirtualMachine_Spec{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, spec, true); err != nil {
		return Request{}, fmt.Errorf("VirtualMachine %s cannot be read: %w", obj.GetName(), err)
	}
	converted, err := spec.ConvertToARM(genruntime.ConvertToARMResolvedDetails{
		Name: aso.AzureName(obj), ResolvedReferences: genruntime.MakeResolved(resolvedIDs(ids)),
	})
	if err != nil {
		return Request{}, fmt.Errorf("VirtualMachine %s cannot be converted: %w", obj.GetName(), err)
	}
	machine, ok := converted.(*arm.VirtualMachine_Spec)
	if !ok || machine.Properties == nil || machine.Properties.OsProfile == nil {
		return Request{}, fmt.Errorf("VirtualMachine %s has no spec.osProfile, which its bootstrap data belongs to", obj.GetName())
	}
	return withSecrets(machine, secrets)
}

// withSecrets returns the request for a machine with its bootstrap data, and with a password where Azure asks for one.
func withSecrets(machine *arm.VirtualMachine_Spec, secrets Secrets) (Request, error) {
	profile := machine.Properties.OsProfile
	all, err := secrets.writeTo(&profile.CustomData, &profile.AdminPassword, profile.WindowsConfiguration != nil)
	if err != nil {
		return Request{}, err
	}
	body, err := json.Marshal(machine)
	if err != nil {
		return Request{}, errors.New("the virtual machine cannot be written as JSON")
	}
	return Request{body: body, secrets: all}, nil
}

// writeTo writes the bootstrap data, and a password where Azure asks for one, as it does for Windows, into the fields of a profile. It returns all
// that may be shown to nobody.
func (s Secrets) writeTo(customData, password **string, windows bool) ([]string, error) {
	if len(s.CustomData) == 0 {
		return nil, errors.New("there is no bootstrap data")
	}
	encoded := base64.StdEncoding.EncodeToString(s.CustomData)
	*customData = &encoded
	all := []string{encoded, string(s.CustomData)}
	if windows {
		made, err := newPassword(s.Random)
		if err != nil {
			return nil, err
		}
		*password = &made
		all = append(all, made)
	}
	return all, nil
}

// A Reference is a mention of another resource in an ASO object: by its ID, or by the object that stands for it.
type Reference struct{ Group, Kind, Name, ARMID string }

// References returns the mentions in the spec of an ASO object that its conversion needs the IDs of, each once. The owner is not among them.
func References(obj *unstructured.Unstructured) []Reference {
	spec, _ := obj.Object["spec"].(map[string]any)
	found := map[Reference]bool{}
	for key, value := range spec {
		if key != "owner" {
			collect(value, found)
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b Reference) int { return cmp.Compare(a.String(), b.String()) })
}

// String returns the reference as a person would say it.
func (r Reference) String() string {
	if r.ARMID != "" {
		return r.ARMID
	}
	return r.Kind + "." + r.Group + " " + r.Name
}

func collect(value any, found map[Reference]bool) {
	switch v := value.(type) {
	case map[string]any:
		ref := Reference{Group: field.Text(v["group"]), Kind: field.Text(v["kind"]), Name: field.Text(v["name"]), ARMID: field.Text(v["armId"])}
		if ref.ARMID != "" || aso.IsASO(ref.Group) && ref.Kind != "" && ref.Name != "" {
			found[ref] = true
			return
		}
		for _, inner := range v {
			collect(inner, found)
		}
	case []any:
		for _, inner := range v {
			collect(inner, found)
		}
	}
}
