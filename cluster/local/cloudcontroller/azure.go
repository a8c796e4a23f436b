package cloudcontroller

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
)

const (
	computeVersion = "2022-03-01"
	networkVersion = "2024-03-01"
)

// azure is Azure Resource Manager as azure.json lets one see it.
type azure struct {
	config config
	client *arm.Client
}

// signIn returns Azure for an azure.json. The first request signs in.
func signIn(c config) (*azure, error) {
	environment, err := c.environment()
	if err != nil {
		return nil, err
	}
	options := azcore.ClientOptions{
		Cloud:     environment,
		Telemetry: policy.TelemetryOptions{ApplicationID: "cloud-controller"},
		// Who asks looks again by itself.
		Retry: policy.RetryOptions{MaxRetries: 1},
	}
	credential, err := c.credential(options)
	if err != nil {
		return nil, err
	}
	client, err := arm.NewClient("cloudcontroller", "v1.0.0", credential, &arm.ClientOptions{ClientOptions: options, DisableRPRegistration: true})
	if err != nil {
		return nil, err
	}
	return &azure{c, client}, nil
}

// get reads a resource and reports whether it is there.
func (a *azure) get(ctx context.Context, id, version string, into any) (bool, error) {
	request, err := runtime.NewRequest(ctx, http.MethodGet, runtime.JoinPaths(a.client.Endpoint(), id))
	if err != nil {
		return false, err
	}
	query := request.Raw().URL.Query()
	query.Set("api-version", version)
	request.Raw().URL.RawQuery = query.Encode()
	response, err := a.client.Pipeline().Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	if !runtime.HasStatusCode(response, http.StatusOK) {
		err := runtime.NewResponseError(response)
		var refused *azcore.ResponseError
		if errors.As(err, &refused) && refused.StatusCode == http.StatusNotFound {
			return false, nil
		}
		return false, err
	}
	return true, runtime.UnmarshalAsJSON(response, into)
}

// A reference is another resource.
type reference struct {
	ID string `json:"id"`
}

// A machine is a virtual machine as Azure shows it.
type machine struct {
	ID       string   `json:"id"`
	Location string   `json:"location"`
	Zones    []string `json:"zones"`
	SKU      struct {
		Name string `json:"name"`
	} `json:"sku"`
	Properties struct {
		OSProfile struct {
			ComputerName string `json:"computerName"`
		} `json:"osProfile"`
		HardwareProfile struct {
			VMSize string `json:"vmSize"`
		} `json:"hardwareProfile"`
		NetworkProfile struct {
			NetworkInterfaces []reference `json:"networkInterfaces"`
		} `json:"networkProfile"`
	} `json:"properties"`
}

// machine returns the virtual machine of a Node, whose name is its own, or the instance of a scale set; nil when there is none.
func (a *azure) machine(ctx context.Context, node string) (*machine, error) {
	m := &machine{}
	found, err := a.get(ctx, a.inGroup("Microsoft.Compute/virtualMachines/"+node), computeVersion, m)
	if err != nil {
		return nil, err
	}
	if !found {
		return a.inScaleSets(ctx, node)
	}
	return m, nil
}

// inGroup returns the ID of a resource of the cluster's resource group.
func (a *azure) inGroup(resource string) string {
	return a.inGroupOf(a.config.ResourceGroup, resource)
}

func (a *azure) inGroupOf(group, resource string) string {
	return "/subscriptions/" + a.config.SubscriptionID + "/resourceGroups/" + group + "/providers/" + resource
}

// providerID is how Kubernetes calls the machine. The name of the resource group is in lower case, as in cloud-provider-azure.
func (m *machine) providerID() string {
	segments := strings.Split(m.ID, "/")
	for i := range len(segments) - 1 {
		if strings.EqualFold(segments[i], "resourceGroups") {
			segments[i+1] = strings.ToLower(segments[i+1])
			break
		}
	}
	return "azure://" + strings.Join(segments, "/")
}

// zone is the value of a Node's zone label: "westeurope-1", or a fault domain where there are no zones.
func (m *machine) zone() string {
	if len(m.Zones) == 0 {
		return "0"
	}
	return strings.ToLower(m.Location) + "-" + m.Zones[0]
}

// An ipConfiguration is an address of a network interface.
type ipConfiguration struct {
	Properties struct {
		PrivateIPAddress string     `json:"privateIPAddress"`
		PublicIPAddress  *reference `json:"publicIPAddress"`
	} `json:"properties"`
}

// addresses returns the private and the public addresses of a machine.
func (a *azure) addresses(ctx context.Context, m *machine) (private, public []string, err error) {
	for _, ref := range m.Properties.NetworkProfile.NetworkInterfaces {
		var nic struct {
			Properties struct {
				IPConfigurations []ipConfiguration `json:"ipConfigurations"`
			} `json:"properties"`
		}
		if _, err := a.get(ctx, ref.ID, networkVersion, &nic); err != nil {
			return nil, nil, err
		}
		for _, c := range nic.Properties.IPConfigurations {
			if c.Properties.PrivateIPAddress != "" {
				private = append(private, c.Properties.PrivateIPAddress)
			}
			if c.Properties.PublicIPAddress == nil {
				continue
			}
			address, err := a.publicAddress(ctx, c.Properties.PublicIPAddress.ID)
			if err != nil {
				return nil, nil, err
			}
			if address != "" {
				public = append(public, address)
			}
		}
	}
	return private, public, nil
}

func (a *azure) publicAddress(ctx context.Context, id string) (string, error) {
	var ip struct {
		Properties struct {
			IPAddress string `json:"ipAddress"`
		} `json:"properties"`
	}
	_, err := a.get(ctx, id, networkVersion, &ip)
	return ip.Properties.IPAddress, err
}
