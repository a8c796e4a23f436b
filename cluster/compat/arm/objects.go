package arm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-service-operator/v2/pkg/genruntime"
)

// Objects are ASO objects that refer to each other, in one subscription.
type Objects struct {
	Subscription string
	All          []genruntime.ARMMetaObject
	// Read are others that they refer to: ASO only reads those.
	Read []genruntime.ARMMetaObject
	// SecretMaps are the Secrets that they refer to as a whole, by name.
	SecretMaps map[string]map[string]string
}

// Add adds what ASO sends to ARM for each object to the resources, by its own conversion.
func (o Objects) Add(to Resources) error {
	for _, obj := range o.All {
		id, err := o.id(obj)
		if err != nil {
			return err
		}
		body, err := o.body(obj)
		if err != nil {
			return fmt.Errorf("%T %s: %w", obj, obj.GetName(), err)
		}
		if err := to.add(id, body); err != nil {
			return err
		}
	}
	return nil
}

func (o Objects) body(obj genruntime.ARMMetaObject) (any, error) {
	spec, ok := obj.GetSpec().(genruntime.ARMTransformer)
	if !ok {
		return nil, fmt.Errorf("ASO does not send it to ARM")
	}
	ids, maps := map[genruntime.ResourceReference]string{}, map[genruntime.SecretMapReference]map[string]string{}
	for _, ref := range find[genruntime.ResourceReference](obj.GetSpec()) {
		id, err := o.idOf(ref)
		if err != nil {
			return nil, err
		}
		ids[ref] = id
	}
	for _, ref := range find[genruntime.SecretMapReference](obj.GetSpec()) {
		maps[ref] = o.SecretMaps[ref.Name]
	}
	return spec.ConvertToARM(genruntime.ConvertToARMResolvedDetails{Name: obj.AzureName(),
		ResolvedReferences: genruntime.MakeResolved(ids), ResolvedSecretMaps: genruntime.MakeResolved(maps)})
}

// id returns the ID that the resource of an object has.
func (o Objects) id(obj genruntime.ARMMetaObject) (string, error) {
	if obj.GetType() == "Microsoft.Resources/resourceGroups" {
		return fmt.Sprintf("/subscriptions/%s/resourceGroups/%s", o.Subscription, obj.AzureName()), nil
	}
	owner, err := o.idOf(*obj.Owner())
	if err != nil {
		return "", fmt.Errorf("owner of %s %s: %w", obj.GetType(), obj.GetName(), err)
	}
	parent, err := arm.ParseResourceID(owner)
	if err != nil {
		return "", err
	}
	if last, isChild := strings.CutPrefix(strings.ToLower(obj.GetType()), strings.ToLower(parent.ResourceType.String())+"/"); isChild {
		return fmt.Sprintf("%s/%s/%s", owner, last, obj.AzureName()), nil
	}
	return fmt.Sprintf("%s/providers/%s/%s", owner, obj.GetType(), obj.AzureName()), nil
}

func (o Objects) idOf(ref genruntime.ResourceReference) (string, error) {
	if ref.ARMID != "" || ref == (genruntime.ResourceReference{}) { // CAPZ has empty ones.
		return ref.ARMID, nil
	}
	for _, obj := range slices.Concat(o.All, o.Read) {
		gvk := obj.GetObjectKind().GroupVersionKind()
		if gvk.Group == ref.Group && gvk.Kind == ref.Kind && obj.GetName() == ref.Name {
			return o.id(obj)
		}
	}
	return "", fmt.Errorf("there is no %s.%s %s", ref.Kind, ref.Group, ref.Name)
}
