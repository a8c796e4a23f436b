package cloudcontroller

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	lbID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/loadBalancers/nodes"
	ipID = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/publicIPAddresses/nodes-a1"
)

// parsed reads a resource from JSON.
func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	body := map[string]any{}
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		t.Fatal(err)
	}
	return body
}

// TestWrites has each write keep what others have written, be what is asked for, and not be repeated.
func TestWrites(t *testing.T) {
	ports := []corev1.ServicePort{{Protocol: corev1.ProtocolTCP, Port: 80, NodePort: 30080}}
	cases := map[string]struct {
		before string
		write  func(map[string]any) bool
		has    []string
	}{
		"LoadBalancer": {
			before: `{"properties":{"frontendIPConfigurations":[{"name":"outbound"}],"backendAddressPools":[{"name":"pool"}],"outboundRules":[{"name":"rule"}]}}`,
			write:  func(lb map[string]any) bool { return addFrontend(lb, lbID, "a1", ipID, ports) },
			has: []string{
				`{"name":"outbound"}`, `{"name":"pool"}`, `"outboundRules":[{"name":"rule"}]`, `{"name":"a1","properties":{"publicIPAddress":{"id":"` + ipID + `"}}}`,
				`"frontendIPConfiguration":{"id":"` + lbID + `/frontendIPConfigurations/a1"}`, `"backendAddressPool":{"id":"` + lbID + `/backendAddressPools/kubernetes"}`,
				`"name":"a1-TCP-80"`, `"port":30080`,
			},
		},
		"NetworkInterface": {
			before: `{"properties":{"ipConfigurations":[{"name":"pipConfig","properties":{"loadBalancerBackendAddressPools":[{"id":"outbound"}]}},{"name":"second","properties":{}}]}}`,
			write:  func(nic map[string]any) bool { return joinPool(nic, lbID+"/backendAddressPools/kubernetes") },
			has:    []string{`[{"id":"outbound"},{"id":"` + lbID + `/backendAddressPools/kubernetes"}]`, `{"name":"second","properties":{}}`},
		},
		"FirstPool": {
			before: `{"properties":{"ipConfigurations":[{"name":"pipConfig","properties":{}}]}}`,
			write:  func(nic map[string]any) bool { return joinPool(nic, "pool") },
			has:    []string{`"loadBalancerBackendAddressPools":[{"id":"pool"}]`},
		},
		"SecurityGroup": {
			before: `{"properties":{"securityRules":[{"name":"other","properties":{"priority":500}}]}}`,
			write:  func(nsg map[string]any) bool { return addSecurityRule(nsg, "a1", "20.0.0.1", ports) },
			has:    []string{`{"name":"other","properties":{"priority":500}}`, `"priority":501`, `"destinationAddressPrefix":"20.0.0.1"`, `"destinationPortRanges":["80"]`},
		},
		"EmptySecurityGroup": {
			before: `{}`,
			write:  func(nsg map[string]any) bool { return addSecurityRule(nsg, "a1", "20.0.0.1", ports) },
			has:    []string{`"name":"k8s-azure-lb_allow_IPv4_a1"`, `"priority":500`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			body := parsed(t, tc.before)
			if !tc.write(body) {
				t.Error("nothing was written")
			}
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range tc.has {
				if !strings.Contains(string(text), part) {
					t.Errorf("there is no %s in\n%s", part, text)
				}
			}
			// As Azure sends it back.
			if again := parsed(t, string(text)); tc.write(again) {
				t.Errorf("it was written again: %v", again)
			}
		})
	}
}

func TestFrontendName(t *testing.T) {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{UID: "1b0dd0c2-1f37-4a5b-9a0b-3d3a4b1d2c55"}}
	if got := frontendName(service); got != "a1b0dd0c21f374a5b9a0b3d3a4b1d2c5" {
		t.Errorf("frontendName() = %s", got)
	}
}
