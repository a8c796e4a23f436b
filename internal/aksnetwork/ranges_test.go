package aksnetwork

import "testing"

func TestRanges(t *testing.T) {
	tests := map[string]struct {
		overlay                 bool
		network, subnet         string
		wantNetwork, wantSubnet string
	}{
		"nothing given":                        {wantNetwork: "10.0.0.0/8", wantSubnet: "10.240.0.0/16"},
		"nothing given, overlay":               {overlay: true, wantNetwork: "10.224.0.0/12", wantSubnet: "10.224.0.0/16"},
		"both given":                           {overlay: true, network: "172.16.0.0/12", subnet: "172.16.1.0/24", wantNetwork: "172.16.0.0/12", wantSubnet: "172.16.1.0/24"},
		"subnet within the overlay's network":  {overlay: true, subnet: "10.225.0.0/24", wantNetwork: "10.224.0.0/12", wantSubnet: "10.225.0.0/24"},
		"subnet without the overlay's network": {overlay: true, subnet: "10.240.0.0/16", wantNetwork: "10.0.0.0/8", wantSubnet: "10.240.0.0/16"},
		"network of both subnets, overlay":     {overlay: true, network: "10.0.0.0/8", wantNetwork: "10.0.0.0/8", wantSubnet: "10.224.0.0/16"},
		"network of the other subnet":          {network: "10.224.0.0/12", wantNetwork: "10.224.0.0/12", wantSubnet: "10.224.0.0/16"},
		"nothing goes with the subnet":         {subnet: "192.168.0.0/24", wantNetwork: "10.0.0.0/8", wantSubnet: "192.168.0.0/24"},
		"subnet larger than the network":       {subnet: "10.0.0.0/7", wantNetwork: "10.0.0.0/8", wantSubnet: "10.0.0.0/7"},
		"network is none":                      {network: "x", wantNetwork: "x", wantSubnet: "10.240.0.0/16"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			network, subnet := Ranges(tc.overlay, tc.network, tc.subnet)
			if network != tc.wantNetwork || subnet != tc.wantSubnet {
				t.Errorf("want %s and %s, got %s and %s", tc.wantNetwork, tc.wantSubnet, network, subnet)
			}
		})
	}
}
