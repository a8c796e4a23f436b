package machines

import (
	"context"
	"fmt"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

// A NATRules reads inbound NAT rules of load balancers.
type NATRules struct{ client *Client }

// NewNATRules returns a NATRules.
func NewNATRules(client *Client) *NATRules { return &NATRules{client: client} }

// Ports returns the frontend ports of the inbound NAT rules that a load balancer has, by the names of the rules in lower case; none when there is
// no such load balancer.
func (n *NATRules) Ports(ctx context.Context, as azure.Account, balancer string) (map[string]int32, error) {
	type rule struct {
		Name       string `json:"name"`
		Properties struct {
			FrontendPort int32 `json:"frontendPort"`
		} `json:"properties"`
	}
	ports := map[string]int32{}
	_, err := list(ctx, n.client, as, call{path: balancer + "/inboundNatRules", version: aso.LoadBalancersInboundNatRule.APIVersion()}, func(page []rule) {
		for _, r := range page {
			ports[strings.ToLower(r.Name)] = r.Properties.FrontendPort
		}
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list the inbound NAT rules of %s: %w", balancer, err)
	}
	return ports, nil
}
