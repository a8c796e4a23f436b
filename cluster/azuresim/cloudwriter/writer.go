// Package cloudwriter writes to Azure what Kubernetes' cloud controller for Azure and its disk driver write while a self-managed cluster is used:
// frontends and rules of a load balancer, members of its pools, routes, security rules, attached disks. Tests have it write and then look whether
// everything is still there (cloud-provider-azure, pkg/provider: azure_loadbalancer.go, azure_standard.go, azure_routes.go,
// azure_controller_standard.go).
package cloudwriter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// The API versions that the cloud controller speaks.
const (
	networkVersion = "2022-07-01"
	computeVersion = "2022-03-01"
)

// attempts are how often a change is tried that Azure refuses because something else is changing, pause is what lies between.
const (
	attempts = 60
	pause    = 500 * time.Millisecond
)

// Writer writes to one resource group. It remembers what it has written.
type Writer struct {
	// HTTP reaches Azure, Token is the bearer token that it sends.
	HTTP  *http.Client
	Token string
	// Group is the resource group's path: /subscriptions/S/resourceGroups/G.
	Group string

	written []piece
}

// piece is something that was written: the resource and what tells whether it is there.
type piece struct {
	what, path, version string
	there               func(body map[string]any) bool
}

func (w *Writer) network(kind, name string) string {
	return w.Group + "/providers/Microsoft.Network/" + kind + "/" + name
}

// Expose gives a Service of type LoadBalancer an address: a public IP address, a frontend, a probe and a rule of the load balancer, and the network
// interfaces in the pool of that name, which is added if the load balancer has none. Errors are those of the requests.
func (w *Writer) Expose(ctx context.Context, balancer, pool, service string, port int, interfaces ...string) error {
	address, path := w.network("publicIPAddresses", "kubernetes-"+service), w.network("loadBalancers", balancer)
	location, err := w.locationOf(ctx, path)
	if err != nil {
		return err
	}
	err = w.put(ctx, address, networkVersion, map[string]any{
		"location": location, "sku": map[string]any{"name": "Standard"}, "properties": map[string]any{"publicIPAllocationMethod": "Static"},
	})
	if err != nil {
		return err
	}
	reference := func(list, name string) map[string]any { return map[string]any{"id": path + "/" + list + "/" + name} }
	err = w.Change(ctx, path, networkVersion, func(body map[string]any) {
		add(body, "frontendIPConfigurations", service, map[string]any{"publicIPAddress": map[string]any{"id": address}})
		add(body, "backendAddressPools", pool, map[string]any{})
		add(body, "probes", service, map[string]any{"protocol": "Tcp", "port": port})
		add(body, "loadBalancingRules", service, map[string]any{
			"protocol": "Tcp", "frontendPort": port, "backendPort": port, "frontendIPConfiguration": reference("frontendIPConfigurations", service),
			"backendAddressPool": reference("backendAddressPools", pool), "probe": reference("probes", service),
		})
	})
	if err != nil {
		return err
	}
	for _, list := range []string{"frontendIPConfigurations", "backendAddressPools", "probes", "loadBalancingRules"} {
		name := service
		if list == "backendAddressPools" {
			name = pool
		}
		w.note(list+"/"+name, path, networkVersion, func(body map[string]any) bool { return has(body, list, name) })
	}
	for _, one := range interfaces {
		if err := w.join(ctx, w.network("networkInterfaces", one), path+"/backendAddressPools/"+pool); err != nil {
			return err
		}
	}
	return nil
}

// join brings the first IP configuration of a network interface into a backend pool.
func (w *Writer) join(ctx context.Context, path, pool string) error {
	err := w.Change(ctx, path, networkVersion, func(body map[string]any) {
		for _, configuration := range list(body, "ipConfigurations")[:1] {
			inner, _ := configuration["properties"].(map[string]any)
			pools, _ := inner["loadBalancerBackendAddressPools"].([]any)
			inner["loadBalancerBackendAddressPools"] = append(pools, map[string]any{"id": pool})
		}
	})
	w.note("membership of "+pool, path, networkVersion, func(body map[string]any) bool {
		for _, configuration := range list(body, "ipConfigurations") {
			raw, err := json.Marshal(configuration)
			if err == nil && strings.Contains(strings.ToLower(string(raw)), `"`+strings.ToLower(pool)+`"`) {
				return true
			}
		}
		return false
	})
	return err
}

// Route adds the route to a node's Pods to a route table.
func (w *Writer) Route(ctx context.Context, table, node, prefix, nextHop string) error {
	return w.child(ctx, w.network("routeTables", table)+"/routes/"+node, map[string]any{"addressPrefix": prefix, "nextHopType": "VirtualAppliance", "nextHopIpAddress": nextHop})
}

// Allow adds the rule that lets the clients of a Service in to a security group.
func (w *Writer) Allow(ctx context.Context, group, rule string, priority, port int) error {
	return w.child(ctx, w.network("networkSecurityGroups", group)+"/securityRules/"+rule, map[string]any{
		"priority": priority, "direction": "Inbound", "access": "Allow", "protocol": "Tcp", "sourceAddressPrefix": "Internet", "sourcePortRange": "*",
		"destinationAddressPrefix": "*", "destinationPortRange": fmt.Sprint(port),
	})
}

func (w *Writer) child(ctx context.Context, path string, properties map[string]any) error {
	w.note("resource", path, networkVersion, func(map[string]any) bool { return true })
	return w.put(ctx, path, networkVersion, map[string]any{"properties": properties})
}

// Attach makes a data disk and attaches it to a virtual machine, by a PUT that has nothing but the location and the list of data disks.
func (w *Writer) Attach(ctx context.Context, machine, disk string, lun int) error {
	path, diskPath := w.Group+"/providers/Microsoft.Compute/virtualMachines/"+machine, w.Group+"/providers/Microsoft.Compute/disks/"+disk
	present, _, err := w.send(ctx, http.MethodGet, path, computeVersion, nil)
	if err != nil {
		return err
	}
	body := map[string]any{"location": present["location"], "sku": map[string]any{"name": "Premium_LRS"}, "properties": map[string]any{
		"creationData": map[string]any{"createOption": "Empty"}, "diskSizeGB": 1,
	}}
	if zones, zonal := present["zones"]; zonal {
		body["zones"] = zones
	}
	if err := w.put(ctx, diskPath, computeVersion, body); err != nil {
		return err
	}
	disks, _ := at(present, "properties", "storageProfile", "dataDisks").([]any)
	disks = append(disks, map[string]any{"lun": lun, "createOption": "Attach", "managedDisk": map[string]any{"id": diskPath}})
	err = w.put(ctx, path, computeVersion, map[string]any{
		"location": present["location"], "properties": map[string]any{"storageProfile": map[string]any{"dataDisks": disks}},
	})
	w.note("attachment to "+machine, diskPath, computeVersion, func(body map[string]any) bool {
		owner, _ := body["managedBy"].(string)
		return strings.EqualFold(owner, path)
	})
	return err
}

// Missing returns what was written and is not there any more, each in words.
func (w *Writer) Missing(ctx context.Context) ([]string, error) {
	var missing []string
	for _, one := range w.written {
		body, status, err := w.send(ctx, http.MethodGet, one.path, one.version, nil)
		switch {
		case status == http.StatusNotFound:
			missing = append(missing, one.path+": gone")
		case err != nil:
			return nil, err
		case !one.there(body):
			missing = append(missing, one.path+": without "+one.what)
		}
	}
	return missing, nil
}

func (w *Writer) note(what, path, version string, there func(map[string]any) bool) {
	w.written = append(w.written, piece{what, path, version, there})
}

func (w *Writer) locationOf(ctx context.Context, path string) (any, error) {
	body, _, err := w.send(ctx, http.MethodGet, path, networkVersion, nil)
	return body["location"], err
}

// Change reads a resource, changes it and writes it back, if nobody has written it meanwhile, and waits until it is there. Errors are those of the
// requests, and that Azure has not come to an end with it.
func (w *Writer) Change(ctx context.Context, path, version string, change func(map[string]any)) error {
	err := insist(func() (int, error) {
		body, _, err := w.send(ctx, http.MethodGet, path, version, nil)
		if err != nil {
			return 0, err
		}
		change(body)
		_, status, err := w.send(ctx, http.MethodPut, path, version, body)
		return status, err
	})
	if err != nil {
		return err
	}
	return w.settled(ctx, path, version)
}

// put writes a resource and waits until it is there.
func (w *Writer) put(ctx context.Context, path, version string, body map[string]any) error {
	err := insist(func() (int, error) {
		_, status, err := w.send(ctx, http.MethodPut, path, version, body)
		return status, err
	})
	if err != nil {
		return err
	}
	return w.settled(ctx, path, version)
}

// insist writes until Azure takes it, or refuses it for good, or has been asked often enough. It returns the last error.
func insist(write func() (status int, err error)) error {
	var err error
	for range attempts {
		var status int
		if status, err = write(); err == nil || !passing(status) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

// passing tells whether Azure may do later what it refuses now.
func passing(status int) bool {
	return status == http.StatusConflict || status == http.StatusTooManyRequests || status == http.StatusPreconditionFailed
}

func (w *Writer) settled(ctx context.Context, path, version string) error {
	state := ""
	for range attempts {
		body, _, err := w.send(ctx, http.MethodGet, path, version, nil)
		if err != nil {
			return err
		}
		if state, _ = at(body, "properties", "provisioningState").(string); state == "Succeeded" || state == "Failed" {
			break
		}
		time.Sleep(pause)
	}
	if state != "Succeeded" {
		return fmt.Errorf("%s: provisioningState %s, want Succeeded", path, state)
	}
	return nil
}

func (w *Writer) send(ctx context.Context, method, path, version string, body map[string]any) (map[string]any, int, error) {
	var payload bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&payload).Encode(body); err != nil {
			return nil, 0, fmt.Errorf("encode %s: %w", path, err)
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, "https://management.azure.com"+path+"?api-version="+version, &payload)
	if err != nil {
		return nil, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+w.Token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "kubernetes-cloudprovider")
	if etag, ok := body["etag"].(string); ok {
		r.Header.Set("If-Match", etag)
	}
	answer, err := w.HTTP.Do(r)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, answer.StatusCode, fmt.Errorf("%s %s: %w", method, path, err)
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return nil, answer.StatusCode, fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, raw)
	}
	var decoded map[string]any
	if len(raw) > 0 {
		err = json.Unmarshal(raw, &decoded)
	}
	return decoded, answer.StatusCode, err
}

func at(body map[string]any, path ...string) any {
	var value any = body
	for _, name := range path {
		m, _ := value.(map[string]any)
		value = m[name]
	}
	return value
}

func list(body map[string]any, name string) []map[string]any {
	raw, _ := at(body, "properties", name).([]any)
	var found []map[string]any
	for _, one := range raw {
		if m, ok := one.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}

func has(body map[string]any, in, name string) bool {
	for _, one := range list(body, in) {
		if one["name"] == name {
			return true
		}
	}
	return false
}

// add adds something named to a list in the properties, unless there is one of that name.
func add(body map[string]any, to, name string, properties map[string]any) {
	if has(body, to, name) {
		return
	}
	inner, _ := body["properties"].(map[string]any)
	raw, _ := inner[to].([]any)
	inner[to] = append(raw, map[string]any{"name": name, "properties": properties})
}
