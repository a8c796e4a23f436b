package arm_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TestGeneric checks that a resource type of which nothing is known works, identifiers compare without regard to case, and
// PATCH, HEAD, lists and conditions work for any.
func TestGeneric(t *testing.T) {
	f := armtest.New(t)
	thing := armtest.Group + "/providers/Microsoft.Example/things/One"
	f.Make(armtest.CreateGroup)
	f.Settle(http.MethodPut, thing, `{"location":"eastus","properties":{"a":1,"b":null,"c":{"d":[1,{"e":null}]}}}`)
	got := f.Get(strings.ToLower(thing))
	want := map[string]any{
		"id": thing, "name": "One", "type": "Microsoft.Example/things", "location": "eastus",
		"properties": map[string]any{"a": int64(1), "c": map[string]any{"d": []any{int64(1), map[string]any{}}}, "provisioningState": "Succeeded"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	f.Settle(http.MethodPatch, thing, `{"tags":{"x":"y"}}`)
	if got := fields.Text(f.Get(thing), "tags", "x"); got != "y" {
		t.Errorf("tag after PATCH %q, want y", got)
	}
	f.Settle(http.MethodPut, thing+"/parts/p", `{"properties":{}}`)
	for path, count := range map[string]int{
		armtest.Group + "/providers/Microsoft.Example/things": 1,
		"/subscriptions/s/providers/Microsoft.Example/things": 1,
		thing + "/parts": 1,
		armtest.Group + "/providers/Microsoft.Example/others": 0,
		"/subscriptions/s/resourceGroups":                     1,
		"/subscriptions/other/resourcegroups":                 0,
	} {
		if list, _ := f.Get(path)["value"].([]any); len(list) != count {
			t.Errorf("GET %s lists %d, want %d", path, len(list), count)
		}
	}
	codes := []int{
		f.Send(http.MethodHead, thing, "").Code,
		f.Send(http.MethodHead, thing+"x", "").Code,
		f.Send(http.MethodPut, thing, `{"location":"eastus"}`, "If-None-Match", "*").Code,
		f.Send(http.MethodPut, thing+"x", `{"location":"eastus"}`, "If-Match", "*").Code,
	}
	if diff := cmp.Diff([]int{204, 404, 412, 412}, codes); diff != "" {
		t.Errorf("HEAD and conditions: -want +got\n%s", diff)
	}
	f.Settle(http.MethodDelete, thing, "")
	if left := f.Resources(thing); len(left) != 0 {
		t.Errorf("%d resources are left of a deleted one and its children", len(left))
	}
}

// TestETag checks that a network resource's etag changes with it and is a header too.
func TestETag(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	f.Make(armtest.CreateNetwork)
	first := f.Send(http.MethodGet, armtest.Network, "")
	etag := first.Header().Get("ETag")
	if body, err := fields.Decode(first.Body.Bytes()); err != nil || etag == "" || fields.Text(body, "etag") != etag {
		t.Errorf("ETag header %q, body %q, %v", etag, fields.Text(body, "etag"), err)
	}
	f.Settle(http.MethodPut, armtest.Network, strings.Replace(armtest.NetworkBody, "{", `{"tags":{"a":"b"},`, 1))
	if again := f.Send(http.MethodGet, armtest.Network, "").Header().Get("ETag"); again == etag {
		t.Errorf("ETag %s did not change", again)
	}
	if w := f.Send(http.MethodPut, armtest.Network, armtest.NetworkBody, "If-Match", etag); w.Code != http.StatusPreconditionFailed {
		t.Errorf("PUT with an old ETag: %d, want 412", w.Code)
	}
}

// TestRegistration checks that a provider that is not registered refuses changes until a client registers it.
func TestRegistration(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	if err := f.Service.SetProviderRegistered("Microsoft.Network", false); err != nil {
		t.Fatal(err)
	}
	if w := f.Ask(armtest.CreateNetwork); w.Code != http.StatusConflict || armtest.ErrorCodeOf(w) != "MissingSubscriptionRegistration" {
		t.Errorf("PUT: %d %s", w.Code, w.Body)
	}
	if w := f.Send(http.MethodPost, "/subscriptions/s/providers/Microsoft.Network/register", ""); w.Code != http.StatusOK {
		t.Errorf("register: %d %s", w.Code, w.Body)
	}
	f.Make(armtest.CreateNetwork)
}
