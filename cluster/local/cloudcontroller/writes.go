package cloudcontroller

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// poolName is what cloud-provider-azure calls the pool of the nodes, after its flag --cluster-name.
const poolName = "kubernetes"

// change reads a resource of the network, has it altered, and writes it when it was, unless somebody else has written it meanwhile.
func (a *azure) change(ctx context.Context, id string, alter func(map[string]any) bool) error {
	return a.changeIn(ctx, id, networkVersion, alter)
}

// changeIn does that in an API version.
func (a *azure) changeIn(ctx context.Context, id, version string, alter func(map[string]any) bool) error {
	body := map[string]any{}
	found, err := a.get(ctx, id, version, &body)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("Azure has no %s", id) //nolint:staticcheck // A name.
	}
	if !alter(body) {
		return nil
	}
	etag, _ := body["etag"].(string)
	return a.put(ctx, id, version, etag, body)
}

// put writes a resource and does not wait until it is done. With an etag it is refused where that is another one by now.
func (a *azure) put(ctx context.Context, id, version, etag string, body map[string]any) error {
	request, err := runtime.NewRequest(ctx, http.MethodPut, runtime.JoinPaths(a.client.Endpoint(), id))
	if err != nil {
		return err
	}
	query := request.Raw().URL.Query()
	query.Set("api-version", version)
	request.Raw().URL.RawQuery = query.Encode()
	if etag != "" {
		request.Raw().Header.Set("If-Match", etag)
	}
	if err := runtime.MarshalAsJSON(request, body); err != nil {
		return err
	}
	response, err := a.client.Pipeline().Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if !runtime.HasStatusCode(response, http.StatusOK, http.StatusCreated, http.StatusAccepted) {
		return runtime.NewResponseError(response)
	}
	return nil
}

// items returns a list of objects in the properties of a resource.
func items(body map[string]any, name string) []any {
	list, _, _ := unstructured.NestedFieldNoCopy(body, "properties", name)
	all, _ := list.([]any)
	return all
}

// hasNamed reports whether a list in the properties of a resource has an object of a name.
func hasNamed(body map[string]any, list, name string) bool {
	return slices.ContainsFunc(items(body, list), func(item any) bool {
		object, _ := item.(map[string]any)
		return object["name"] == name
	})
}

// add appends an object to a list in the properties of a resource, unless one of its name is there, and reports whether it has.
func add(body map[string]any, list, name string, properties map[string]any) bool {
	if hasNamed(body, list, name) {
		return false
	}
	all, _ := body["properties"].(map[string]any)
	if all == nil {
		all = map[string]any{}
		body["properties"] = all
	}
	all[list] = append(items(body, list), map[string]any{"name": name, "properties": properties})
	return true
}

func ref(id string) map[string]any { return map[string]any{"id": id} }

// addFrontend adds to a load balancer what a Service takes, and reports whether anything was missing.
func addFrontend(lb map[string]any, id, name, ip string, ports []corev1.ServicePort) bool {
	changed := add(lb, "backendAddressPools", poolName, map[string]any{})
	changed = add(lb, "frontendIPConfigurations", name, map[string]any{"publicIPAddress": ref(ip)}) || changed
	for _, port := range ports {
		rule := ruleName(name, port)
		changed = add(lb, "probes", rule, map[string]any{
			"protocol": "Tcp", "port": port.NodePort, "intervalInSeconds": 5, "numberOfProbes": 2,
		}) || changed
		changed = add(lb, "loadBalancingRules", rule, map[string]any{
			"protocol": "Tcp", "frontendPort": port.Port, "backendPort": port.Port, "enableFloatingIP": true, "disableOutboundSnat": true,
			"frontendIPConfiguration": ref(id + "/frontendIPConfigurations/" + name), "backendAddressPool": ref(id + "/backendAddressPools/" + poolName),
			"probe": ref(id + "/probes/" + rule),
		}) || changed
	}
	return changed
}

func ruleName(name string, port corev1.ServicePort) string {
	return name + "-" + string(port.Protocol) + "-" + strconv.Itoa(int(port.Port))
}

// joinPool puts the first address of a network interface into a pool, and reports whether it was not there.
func joinPool(nic map[string]any, pool string) bool {
	configurations := items(nic, "ipConfigurations")
	if len(configurations) == 0 {
		return false
	}
	first, _ := configurations[0].(map[string]any)
	properties, _ := first["properties"].(map[string]any)
	if properties == nil {
		return false
	}
	pools, _ := properties["loadBalancerBackendAddressPools"].([]any)
	if slices.ContainsFunc(pools, func(p any) bool {
		have, _ := p.(map[string]any)
		id, _ := have["id"].(string)
		return strings.EqualFold(id, pool)
	}) {
		return false
	}
	properties["loadBalancerBackendAddressPools"] = append(pools, ref(pool))
	return true
}

// addSecurityRule admits what is sent to the ports of an address, with the first priority from 500 that is free.
func addSecurityRule(nsg map[string]any, name, address string, ports []corev1.ServicePort) bool {
	rule := "k8s-azure-lb_allow_IPv4_" + name
	if hasNamed(nsg, "securityRules", rule) {
		return false
	}
	priority := int64(500)
	for slices.ContainsFunc(items(nsg, "securityRules"), func(item any) bool { return priorityOf(item) == priority }) {
		priority++
	}
	var open []any
	for _, port := range ports {
		open = append(open, strconv.Itoa(int(port.Port)))
	}
	return add(nsg, "securityRules", rule, map[string]any{
		"protocol": "Tcp", "access": "Allow", "direction": "Inbound", "priority": priority, "sourceAddressPrefix": "Internet", "sourcePortRange": "*",
		"destinationAddressPrefix": address, "destinationPortRanges": open,
	})
}

func priorityOf(rule any) int64 {
	object, _ := rule.(map[string]any)
	switch priority, _, _ := unstructured.NestedFieldNoCopy(object, "properties", "priority"); priority := priority.(type) {
	case int64:
		return priority
	case float64:
		return int64(priority)
	}
	return 0
}
