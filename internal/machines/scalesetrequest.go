package machines

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	compute "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"
	"github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301/arm"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// ScaleSetKind is the kind of the objects that scale sets are created from, of the same version as VirtualMachineKind.
var ScaleSetKind = aso.VirtualMachineScaleSet.GroupKind().WithVersion(aso.VirtualMachineScaleSet.Version)

// DataHashTag is the tag of a scale set that tells with which bootstrap data it was last written, as Azure never tells the data. CAPZ has the
// same.
const DataHashTag = "capz-custom-data-hash"

// A Part is how much of a scale set is written.
type Part int

// The parts.
const (
	// WholeScaleSet is all of it, of one that is created.
	WholeScaleSet Part = iota
	// ScaleSetModel is all but the network of the instances: the cloud controller manager adds load balancers there.
	ScaleSetModel
	// ScaleSetCapacity is the number of instances, and all but their profile: as CAPZ sends it.
	ScaleSetCapacity
)

// A Desired is a scale set as its object has it.
type Desired struct {
	spec     *arm.VirtualMachineScaleSet_Spec
	settings []string
}

// NewDesired converts the ASO object of a scale set as ASO does it. The IDs are those of all References of the object, settings the protected ones of
// its extensions, by the name of the Secret that they refer to. The error names what cannot be converted.
func NewDesired(obj *unstructured.Unstructured, ids map[Reference]string, settings map[string]map[string]string) (*Desired, error) {
	if obj.GroupVersionKind() != ScaleSetKind {
		return nil, fmt.Errorf("%s %s is of %s, but must be of %s", obj.GetKind(), obj.GetName(), obj.GetAPIVersion(), ScaleSetKind.GroupVersion())
	}
	content, _ := obj.Object["spec"].(map[string]any)
	spec := &compute.VirtualMachineScaleSet_Spec{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(content, spec, true); err != nil {
		return nil, fmt.Errorf("VirtualMachineScaleSet %s cannot be read: %w", obj.GetName(), err)
	}
	d := &Desired{}
	resolved := map[genruntime.SecretMapReference]map[string]string{}
	for secret, values := range settings {
		resolved[genruntime.SecretMapReference{Name: secret}] = values
		for _, value := range values {
			d.settings = append(d.settings, value)
		}
	}
	converted, err := spec.ConvertToARM(genruntime.ConvertToARMResolvedDetails{
		Name: aso.AzureName(obj), ResolvedReferences: genruntime.MakeResolved(resolvedIDs(ids)), ResolvedSecretMaps: genruntime.MakeResolved(resolved),
	})
	if err != nil {
		return nil, fmt.Errorf("VirtualMachineScaleSet %s cannot be converted: %w", obj.GetName(), err)
	}
	set, ok := converted.(*arm.VirtualMachineScaleSet_Spec)
	if !ok || set.Properties == nil || set.Properties.VirtualMachineProfile == nil || set.Properties.VirtualMachineProfile.OsProfile == nil || set.Sku == nil {
		return nil, fmt.Errorf("VirtualMachineScaleSet %s has no spec.virtualMachineProfile.osProfile, which its bootstrap data belongs to, or no spec.sku", obj.GetName())
	}
	d.spec = set
	return d, nil
}

func resolvedIDs(ids map[Reference]string) map[genruntime.ResourceReference]string {
	resolved := map[genruntime.ResourceReference]string{}
	for ref, id := range ids {
		resolved[genruntime.ResourceReference{Group: ref.Group, Kind: ref.Kind, Name: ref.Name, ARMID: ref.ARMID}] = id
	}
	return resolved
}

// Model returns the model that the scale set is to have.
func (d *Desired) Model() Model {
	m := Model{Zones: slices.Sorted(slices.Values(d.spec.Zones)), Size: ptr.Deref(d.spec.Sku.Name, "")}
	storage := d.spec.Properties.VirtualMachineProfile.StorageProfile
	if storage == nil || storage.ImageReference == nil {
		return m
	}
	image := storage.ImageReference
	m.Image = Image{
		ID: ptr.Deref(image.Id, ""), Community: ptr.Deref(image.CommunityGalleryImageId, ""),
		Publisher: ptr.Deref(image.Publisher, ""), Offer: ptr.Deref(image.Offer, ""), SKU: ptr.Deref(image.Sku, ""), Version: ptr.Deref(image.Version, ""),
	}.String()
	return m
}

// HashOf returns the value of DataHashTag for bootstrap data.
func HashOf(data []byte) string {
	sum := sha256.Sum256([]byte(base64.StdEncoding.EncodeToString(data)))
	return hex.EncodeToString(sum[:])
}

// Request returns what writes a part of the scale set, for so many instances, where Azure has a scale set with some tags. It keeps these: a PUT
// takes away what it does not have.
func (d *Desired) Request(part Part, capacity int, tags map[string]string, secrets Secrets) (Request, error) {
	whole := *d.spec
	sku, properties := *whole.Sku, *whole.Properties
	sku.Capacity, whole.Sku, whole.Properties = &capacity, &sku, &properties
	whole.Tags = maps.Clone(tags)
	if part == ScaleSetCapacity {
		properties.VirtualMachineProfile = nil
		return d.write(whole, nil)
	}
	profile := *properties.VirtualMachineProfile
	system := *profile.OsProfile
	profile.OsProfile, properties.VirtualMachineProfile = &system, &profile
	if part == ScaleSetModel {
		profile.NetworkProfile = nil
	}
	all, err := secrets.writeTo(&system.CustomData, &system.AdminPassword, system.WindowsConfiguration != nil)
	if err != nil {
		return Request{}, err
	}
	if whole.Tags == nil {
		whole.Tags = map[string]string{}
	}
	maps.Copy(whole.Tags, d.spec.Tags)
	whole.Tags[DataHashTag] = HashOf(secrets.CustomData)
	return d.write(whole, all)
}

func (d *Desired) write(set arm.VirtualMachineScaleSet_Spec, secrets []string) (Request, error) {
	body, err := json.Marshal(set)
	if err != nil {
		return Request{}, errors.New("the scale set cannot be written as JSON")
	}
	return Request{body: body, secrets: append(secrets, d.settings...)}, nil
}
