package machines

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// A Frontends adds addresses to load balancers that others write as well, and changes nothing else of them.
type Frontends struct{ client *Client }

// NewFrontends returns a Frontends.
func NewFrontends(client *Client) *Frontends { return &Frontends{client: client} }

// A Frontend is one address of a load balancer: its name there, and the ID of the public IP address.
type Frontend struct{ Name, PublicIP string }

// An Addition is what a load balancer is to have.
type Addition struct {
	// ID is that of the load balancer, and Version that of Azure's API.
	ID, Version string
	// Cluster is the name of the Cluster that it was made for. One without the tag of that is left alone.
	Cluster string
	// As is whose credential is used.
	As azure.Account
	// Frontends are its addresses, by which its outbound rule of the name lets the pool reach the world.
	Frontends []Frontend
	Rule      string
}

// Add has a load balancer have its addresses, and reports whether it has them. What somebody else writes at the same time is not lost: the
// request holds for what was read only.
func (f *Frontends) Add(ctx context.Context, what Addition) (done bool, err error) {
	balancer := map[string]any{}
	found, err := f.client.get(ctx, what.As, call{path: what.ID, version: what.Version}, &balancer)
	if err != nil {
		return false, fmt.Errorf("cannot read load balancer %s: %w", what.ID, err)
	}
	tags, _ := balancer["tags"].(map[string]any)
	if !found || tags[v1beta1.OwnedTag(what.Cluster)] != "owned" {
		return true, nil
	}
	properties, _ := balancer["properties"].(map[string]any)
	if !strings.EqualFold(field.Text(properties["provisioningState"]), "Succeeded") {
		return false, nil
	}
	if !what.addTo(properties) {
		return true, nil
	}
	body, err := json.Marshal(balancer)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := f.client.do(ctx, what.As, call{
		method: http.MethodPut, path: what.ID, version: what.Version, body: body, etag: field.Text(balancer["etag"]), expected: []int{http.StatusOK, http.StatusCreated},
	})
	if err != nil {
		return false, fmt.Errorf("cannot add addresses to load balancer %s: %w", what.ID, err)
	}
	return false, resp.Body.Close()
}

// addTo adds what the properties of a load balancer lack, and reports whether that is something.
func (a Addition) addTo(properties map[string]any) bool {
	var rule map[string]any
	for _, one := range field.Maps(anyList(properties["outboundRules"])) {
		if strings.EqualFold(field.Text(one["name"]), a.Rule) {
			rule, _ = one["properties"].(map[string]any)
		}
	}
	added := false
	for _, frontend := range a.Frontends {
		if !contains(properties["frontendIPConfigurations"], "name", frontend.Name) {
			properties["frontendIPConfigurations"] = append(anyList(properties["frontendIPConfigurations"]), map[string]any{
				"name": frontend.Name, "properties": map[string]any{"publicIPAddress": map[string]any{"id": frontend.PublicIP}},
			})
			added = true
		}
		id := a.ID + "/frontendIPConfigurations/" + frontend.Name
		if rule != nil && !contains(rule["frontendIPConfigurations"], "id", id) {
			rule["frontendIPConfigurations"] = append(anyList(rule["frontendIPConfigurations"]), map[string]any{"id": id})
			added = true
		}
	}
	return added
}

func anyList(value any) []any {
	list, _ := value.([]any)
	return list
}

// contains reports whether a list has an object with the value in a field.
func contains(list any, name, value string) bool {
	for _, one := range field.Maps(anyList(list)) {
		if strings.EqualFold(field.Text(one[name]), value) {
			return true
		}
	}
	return false
}
