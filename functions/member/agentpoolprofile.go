package member

import (
	"bytes"
	"encoding/json"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// notInProfile are the fields of an agent pool that say where its object belongs and not what it is.
var notInProfile = []string{"azureName", "operatorSpec", "originalVersion", "owner"}

// AgentPoolProfile turns an agent pool into an entry of agentPoolProfiles of a ManagedCluster. The two have the same
// fields in every version of the AKS API, so whatever a user wrote is kept, known to this project or not.
func AgentPoolProfile(agentPool *unstructured.Unstructured) map[string]any {
	profile := map[string]any{}
	spec, _, _ := unstructured.NestedMap(agentPool.Object, "spec")
	maps.Copy(profile, spec)
	for _, field := range notInProfile {
		delete(profile, field)
	}
	profile["name"] = AzureName(agentPool)
	return profile
}

// AzureName returns the name that the resource of an object has in Azure: ASO's default is the name of the object.
func AzureName(obj *unstructured.Unstructured) string {
	if name, _, _ := unstructured.NestedString(obj.Object, "spec", "azureName"); name != "" {
		return name
	}
	return obj.GetName()
}

// SameProfiles reports whether both lists of agent pool profiles are the same, also where one came through protobuf.
func SameProfiles(a, b []any) bool {
	x, errA := json.Marshal(a)
	y, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(x, y)
}
