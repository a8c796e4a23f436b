package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// objectExamples has, for each documented difference between what the two sides refuse, what makes it: fields of the spec with which an object
// is created, and those that change it then.
var objectExamples = map[string]struct {
	kind             string
	created, changed map[string]string
	applied          bool
}{
	"changes of `vmSize`, `dnsServers`, `additionalCapabilities`, `failureDomain`":     {"AzureMachine", nil, map[string]string{"dnsServers": "[10.0.0.4]"}, true},
	"an empty `location` or `vmSize`":                                                  {"AzureCluster", map[string]string{"location": `""`}, nil, false},
	"`capacityReservationGroupID` of another kind of resource":                         {"AzureMachine", map[string]string{"capacityReservationGroupID": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/i"}, nil, false},
	"`sshPublicKey`, or the name of a role assignment, left out later":                 {"AzureMachine", nil, map[string]string{"sshPublicKey": "null"}, true},
	"`subscriptionID` left out later":                                                  {"AzureCluster", nil, map[string]string{"subscriptionID": "null"}, false},
	"`cloudProviderConfigOverrides`":                                                   {"AzureCluster", map[string]string{"cloudProviderConfigOverrides": "{}"}, nil, false},
	"`controlPlaneEnabled` changes":                                                    {"AzureCluster", nil, map[string]string{"controlPlaneEnabled": "false"}, true},
	"`idleTimeoutInMinutes` and `frontendIPsCount` of a `nodeOutboundLB`":              {"AzureCluster", map[string]string{"networkSpec.nodeOutboundLB": "{frontendIPsCount: 17}"}, nil, false},
	"`nodeOutboundLB` changes":                                                         {"AzureCluster", map[string]string{"networkSpec.nodeOutboundLB": "{name: a}"}, map[string]string{"networkSpec.nodeOutboundLB": "{name: b}"}, false},
	"what is empty, written into an AzureClusterTemplate that lacks it":                {"AzureClusterTemplate", nil, map[string]string{"networkSpec.privateDNSZoneName": `""`}, true},
	"`subnetName` or `acceleratedNetworking` written beside `networkInterfaces` later": {"AzureMachine", nil, map[string]string{"subnetName": "b"}, true},
	"`networkInterfaces[0].subnetName` written later":                                  {"AzureMachine", nil, map[string]string{"networkInterfaces": "[{subnetName: a}]"}, false},
	"an empty list written later where there was none, such as `dataDisks: []`":        {"AzureMachine", nil, map[string]string{"dataDisks": "[]"}, false},
	"`bastionSpec.azureBastion.subnet.name` of an AzureClusterTemplate":                {"AzureClusterTemplate", map[string]string{"bastionSpec.azureBastion": "{subnet: {name: AzureBastionSubnet}}"}, map[string]string{"bastionSpec.azureBastion": "{}"}, false},
	"`osType` of a disk":                      {"AzureMachineTemplate", map[string]string{"osDisk": "{osType: Plan9}"}, nil, false},
	"a managed identity without `providerID`": {"AzureMachine", map[string]string{"identity": "UserAssigned", "userAssignedIdentities": "[{providerID: ''}]"}, nil, false},
	"`subnetName` or `acceleratedNetworking` written later as `networkInterfaces` has it": {"AzureMachine", map[string]string{"acceleratedNetworking": "true"}, map[string]string{"acceleratedNetworking": "true"}, true},
	"`spec.orchestrationMode`, `spec.location` change":                                    {"AzureMachinePool", nil, map[string]string{"location": "eastus"}, false},
	"`dataDisks` and `networkInterfaces` that no machine may have":                        {"AzureMachinePool", map[string]string{"template.dataDisks": "[{nameSuffix: a, diskSizeGB: 3}]"}, nil, false},
	"`maxSurge` and `maxUnavailable` that are no number and no percentage":                {"AzureMachinePool", map[string]string{"strategy": "{type: RollingUpdate, rollingUpdate: {maxSurge: x}}"}, nil, false},
	"`identity: SystemAssigned` of a pool that had another":                               {"AzureMachinePool", nil, map[string]string{"identity": "SystemAssigned"}, true},
	"subnets that an AzureClusterTemplate lacks":                                          {"AzureClusterTemplate", map[string]string{"networkSpec.subnets": "[]"}, nil, false},
}

func objectRulesFor(t *testing.T, out *bytes.Buffer) *objectRules {
	t.Helper()
	t.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription)
	sources, err := capzSources()
	must(t, err)
	c, err := newObjectRules(sources, out)
	must(t, err)
	return c
}

func TestEachDocumentedObjectAnswerIsOne(t *testing.T) {
	out := &bytes.Buffer{}
	c := objectRulesFor(t, out)
	for _, m := range meantObjectAnswers {
		t.Run(m.row, func(t *testing.T) {
			example, ok := objectExamples[m.row]
			if !ok {
				t.Fatal("it has no example")
			}
			clear(c.documented)
			out.Reset()
			before := c.differences
			for _, a := range c.judge(context.Background(), specs.WrittenObjectRequests(example.kind, example.created, example.changed, example.applied)) {
				c.take(a)
			}
			if c.differences > before || c.documented[m.row] != 1 {
				t.Errorf("found %v\n%s", c.documented, out)
			}
		})
	}
}

// TestUndocumentedObjectAnswersAreFound shows that the comparison sees a rule that only one side has, and that each request is judged: what
// creates, changes and deletes an object.
func TestUndocumentedObjectAnswersAreFound(t *testing.T) {
	out := &bytes.Buffer{}
	c := objectRulesFor(t, out)
	answers := c.judge(context.Background(), specs.WrittenObjectRequests("AzureMachine", nil, map[string]string{"osDisk": "{osType: Windows}"}, false))
	var refused []bool
	for _, a := range answers {
		refused = append(refused, a.capz != nil && a.ours != nil)
	}
	if !slices.Equal(refused, []bool{false, true, false}) {
		t.Errorf("both refuse %v, want the change only: %v", refused, answers)
	}
	answers[1].ours = nil // as if there were no rule here
	answers[2].ours = errors.New("stays")
	for _, a := range answers {
		c.take(a)
	}
	if c.differences != 2 || c.requests != 3 {
		t.Errorf("%d differences of %d requests, want 2 of 3\n%s", c.differences, c.requests, out)
	}
}
