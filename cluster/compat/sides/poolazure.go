package sides

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// A poolAzure is an Azure with one scale set, whose instances are made at once.
type poolAzure struct {
	// set is nil while there is none.
	set       map[string]any
	instances []any
	// id and body are those of the last PUT that nobody has taken yet.
	id   string
	body []byte
}

// put takes over what is sent, as Azure does: tags are as they are sent, and of the rest what is left out stays.
func (a *poolAzure) put(id string, body []byte) error {
	sent := map[string]any{}
	if err := json.Unmarshal(body, &sent); err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	a.id, a.body = id, body
	if a.set == nil {
		a.set = map[string]any{"properties": map[string]any{}}
	}
	properties, _ := a.set["properties"].(map[string]any)
	profile, _ := properties["virtualMachineProfile"].(map[string]any)
	sentProperties, _ := sent["properties"].(map[string]any)
	if sentProfile, whole := sentProperties["virtualMachineProfile"].(map[string]any); whole {
		if profile == nil {
			profile = map[string]any{}
		}
		maps.Copy(profile, sentProfile)
	}
	maps.Copy(properties, sentProperties)
	delete(a.set, "tags")
	maps.Copy(a.set, sent)
	properties["virtualMachineProfile"], properties["provisioningState"] = profile, "Succeeded"
	a.set["properties"], a.set["id"], a.set["name"] = properties, id, id[strings.LastIndex(id, "/")+1:]
	a.makeInstances()
	return nil
}

// makeInstances makes as many as there are to be, of the present model.
func (a *poolAzure) makeInstances() {
	sku, _ := a.set["sku"].(map[string]any)
	capacity, _ := sku["capacity"].(float64)
	for n := len(a.instances); n < int(capacity); n++ {
		instance := map[string]any{
			"id": fmt.Sprintf("%s/virtualMachines/%d", a.id, n), "instanceId": fmt.Sprint(n), "name": fmt.Sprintf("%v_%d", a.set["name"], n),
			"sku": map[string]any{"name": sku["name"]},
			"properties": map[string]any{"provisioningState": "Succeeded", "timeCreated": time.Date(2026, 1, 2, 3, 4, n, 0, time.UTC).Format(time.RFC3339),
				"storageProfile": map[string]any{"imageReference": at(a.set, "properties", "virtualMachineProfile", "storageProfile", "imageReference")}},
		}
		if zones, _ := a.set["zones"].([]any); len(zones) > 0 {
			instance["zones"] = []any{zones[n%len(zones)]}
		}
		if a.set["plan"] != nil {
			instance["plan"] = a.set["plan"]
		}
		a.instances = append(a.instances, instance)
	}
}

// at returns what is in an object at a path; nil if there is nothing.
func at(in any, path ...string) any {
	for _, field := range path {
		object, _ := in.(map[string]any)
		in = object[field]
	}
	return in
}

// take returns the last PUT, unless it has been taken.
func (a *poolAzure) take() (id string, body []byte) {
	id, body = a.id, a.body
	a.body = nil
	return id, body
}

// Do answers a request, also those that sign in.
func (a *poolAzure) Do(req *http.Request) (*http.Response, error) {
	status, body := http.StatusOK, any(map[string]any{"value": []any{}})
	const scaleSets = "/virtualMachineScaleSets/"
	_, below, isScaleSet := strings.Cut(req.URL.Path, scaleSets)
	_, below, within := strings.Cut(below, "/")
	switch {
	case req.URL.Host == "login.microsoftonline.com":
		body = signIn(req.URL.Path)
	case strings.HasSuffix(req.URL.Path, "/skus"):
		body = map[string]any{"value": offers()}
	case strings.Contains(req.URL.Path, "/userAssignedIdentities/"):
		body = map[string]any{"properties": map[string]any{"clientId": "client"}}
	case !isScaleSet:
	case req.Method == http.MethodPut:
		content, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		if err := a.put(req.URL.Path, content); err != nil {
			return nil, err
		}
		body = a.set
	case a.set == nil:
		status, body = http.StatusNotFound, map[string]any{"error": map[string]any{"code": "ResourceNotFound", "message": "none"}}
	case below == "virtualMachines":
		body = map[string]any{"value": a.instances}
	case within:
		body = map[string]any{"properties": map[string]any{"tags": a.set["tags"]}}
	default:
		body = a.set
	}
	content, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(content))), Request: req}, nil
}

// offers are the sizes that Azure offers everywhere. What it says of them the composers are told otherwise.
func offers() []any {
	var all []any
	for _, size := range specs.Sizes() {
		for _, location := range []string{"westus", "westeurope", "northeurope"} {
			all = append(all, map[string]any{"resourceType": "virtualMachines", "name": size.Name, "locationInfo": []any{map[string]any{"location": location}}})
		}
	}
	return all
}

// signIn answers what Microsoft Entra is asked.
func signIn(path string) any {
	const host = "https://login.microsoftonline.com/tenant"
	switch {
	case strings.Contains(path, "/discovery/instance"):
		return map[string]any{"tenant_discovery_endpoint": host + "/v2.0/.well-known/openid-configuration", "metadata": []any{}}
	case strings.HasSuffix(path, "/openid-configuration"):
		return map[string]any{"token_endpoint": host + "/oauth2/v2.0/token", "authorization_endpoint": host + "/authorize", "issuer": host + "/v2.0"}
	}
	return map[string]any{"access_token": "token", "token_type": "Bearer", "expires_in": 3600}
}
