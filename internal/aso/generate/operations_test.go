package main

import (
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestOperations(t *testing.T) {
	var r recording
	if err := yaml.Unmarshal([]byte(`
interactions:
- request: {method: PUT, url: "https://management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/d?api-version=1"}
  response: {headers: {Azure-Asyncoperation: ["https://management.azure.com/subscriptions/s/providers/Microsoft.Compute/locations/l/DiskOperations/1?p=q"], Location: ["https://management.azure.com/subscriptions/s/providers/Microsoft.Compute/locations/l/results/1"]}}
- request: {method: GET, url: "https://management.azure.com/subscriptions/s/providers/Microsoft.Compute/locations/l/DiskOperations/1?p=r"}
  response: {headers: {}}
- request: {method: DELETE, url: "https://management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.Cache/redis/r"}
  response: {headers: {Location: ["https://management.azure.com/subscriptions/s/operationresults/2"]}}
- request: {method: GET, url: "https://management.azure.com/subscriptions/s/operationresults/2"}
  response: {headers: {Location: ["https://management.azure.com/subscriptions/s/providers/Microsoft.Cache/operationresults/3"]}}
- request: {method: GET, url: "https://management.azure.com/subscriptions/s/providers/Microsoft.Cache/operationresults/3"}
  response: {headers: {}}
- request: {method: PUT, url: "https://management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/i"}
  response: {headers: {Location: ["https://management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/i"]}}
- request: {method: GET, url: "https://management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/i"}
  response: {headers: {}}
`), &r); err != nil {
		t.Fatal(err)
	}
	found := r.operations()
	for ofType, want := range map[string][]string{
		"Microsoft.Compute/disks":             {"Microsoft.Compute/locations/diskOperations"},
		"Microsoft.Compute/disks/parts":       {"Microsoft.Compute/locations/diskOperations"}, // As what it is a part of.
		"Microsoft.Compute/galleries":         {"Microsoft.Compute/locations/diskOperations"}, // As more than half of the provider's.
		"Microsoft.Cache/redis":               {"Microsoft.Cache/operationresults", "Microsoft.Resources/subscriptions/operationresults"},
		"Microsoft.ManagedIdentity/something": nil,
	} {
		if got := found.of(ofType); !slices.Equal(got, want) {
			t.Errorf("%s: %v is polled, want %v", ofType, got, want)
		}
	}
}
