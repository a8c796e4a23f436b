package aso

import (
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// longestID is more than ARM takes for an ID. Longer texts are none, and to parse them would take long.
const longestID = 2048

// Fields that every kind of ASO has.
var (
	SpecAzureName  = field.At[string]("spec", "azureName")
	SpecOwnerName  = field.At[string]("spec", "owner", "name")
	SpecOwnerARMID = field.At[string]("spec", "owner", "armId")
	StatusID       = field.At[string]("status", "id")
	// StatusProvisioningState is how Azure says that a resource is doing.
	StatusProvisioningState = field.At[string]("status", "provisioningState")

	// SpecOperatorSpec is what ASO is to do beside Azure, such as to write Secrets.
	SpecOperatorSpec = field.At[map[string]any]("spec", "operatorSpec")
	generation       = field.At[int64]("metadata", "generation")
)

// AzureName returns the name that the resource of an object has in Azure: ASO's default is the name of the object.
func AzureName(obj *unstructured.Unstructured) string {
	if name := SpecAzureName.Value(obj); name != "" {
		return name
	}
	return obj.GetName()
}

// ParseID returns the parts of an ID of Azure Resource Manager; nil if the text is none.
func ParseID(text string) *arm.ResourceID {
	if len(text) > longestID {
		return nil
	}
	id, err := arm.ParseResourceID(text)
	if err != nil {
		return nil
	}
	return id
}

// SameID reports whether both are the ID of one resource. Azure does not tell upper from lower case in IDs.
func SameID(a, b *arm.ResourceID) bool {
	return a != nil && b != nil && strings.EqualFold(a.String(), b.String())
}
