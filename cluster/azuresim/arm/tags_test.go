package arm_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TestTags shows that the tags of a resource are written by a resource of their own, and nothing else of it.
func TestTags(t *testing.T) {
	many := make([]string, 0, 50)
	for n := range 50 {
		many = append(many, fmt.Sprintf(`"t%d":""`, n))
	}
	cases := map[string]struct {
		method, scope, name, body string
		want                      map[string]any
		status                    int
		code                      string
	}{
		"read":                     {method: http.MethodGet, want: map[string]any{"a": "1", "b": "2"}},
		"merged":                   {body: `{"operation":"Merge","properties":{"tags":{"B":"3","c":"4"}}}`, want: map[string]any{"a": "1", "b": "3", "c": "4"}},
		"replaced":                 {body: `{"operation":"Replace","properties":{"tags":{"c":"4"}}}`, want: map[string]any{"c": "4"}},
		"deleted":                  {body: `{"operation":"Delete","properties":{"tags":{"a":"1"}}}`, want: map[string]any{"b": "2"}},
		"deleted by name":          {body: `{"operation":"Delete","properties":{"tags":{"A":""}}}`, want: map[string]any{"b": "2"}},
		"another value is deleted": {body: `{"operation":"Delete","properties":{"tags":{"a":"9"}}}`, want: map[string]any{"a": "1", "b": "2"}},
		"an unknown operation":     {body: `{"operation":"Add","properties":{"tags":{"a":"9"}}}`, status: 400, code: "InvalidTagsPatchOperation"},
		"not JSON":                 {body: `{`, status: 400, code: "InvalidRequestContent"},
		"too many":                 {body: `{"operation":"Merge","properties":{"tags":{` + strings.Join(many, ",") + `}}}`, status: 400, code: "InvalidTags"},
		"a forbidden character":    {body: `{"operation":"Merge","properties":{"tags":{"a/b":""}}}`, status: 400, code: "InvalidTagNameCharacters"},
		"too long":                 {body: `{"operation":"Merge","properties":{"tags":{"a":"` + strings.Repeat("x", 257) + `"}}}`, status: 400, code: "InvalidTagValueLength"},
		"no text":                  {body: `{"operation":"Merge","properties":{"tags":{"a":1}}}`, status: 400, code: "InvalidTagValue"},
		"another name":             {name: "other", body: `{}`, status: 400, code: "InvalidTagsResourceName"},
		"of nothing":               {scope: armtest.Group + "/providers/Microsoft.Network/virtualNetworks/none", body: `{}`, status: 404, code: "ResourceNotFound"},
		"in no group":              {scope: armtest.Group + "none/providers/Microsoft.Network/virtualNetworks/none", body: `{}`, status: 404, code: "ResourceGroupNotFound"},
		"by another method":        {method: http.MethodPost + "ED", body: `{}`, status: 405, code: "HttpMethodNotSupported"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := armtest.New(t)
			f.Settle(http.MethodPut, armtest.Group, armtest.GroupBody)
			f.Settle(http.MethodPut, armtest.Network, strings.Replace(armtest.NetworkBody, `{`, `{"tags":{"a":"1","b":"2"},`, 1))
			before := f.Get(armtest.Network)
			if c.scope == "" {
				c.scope = armtest.Network
			}
			if c.name == "" {
				c.name = "default"
			}
			if c.method == "" {
				c.method = http.MethodPatch
			}
			answer := f.Send(c.method, c.scope+"/providers/Microsoft.Resources/tags/"+c.name, c.body)
			if c.status != 0 {
				if answer.Code != c.status || !strings.Contains(answer.Body.String(), `"`+c.code+`"`) {
					t.Errorf("answered %d: %s", answer.Code, answer.Body)
				}
				return
			}
			body, err := fields.Decode(answer.Body.Bytes())
			if err != nil || answer.Code != http.StatusOK {
				t.Fatalf("answered %d: %v", answer.Code, err)
			}
			if diff := cmp.Diff(c.want, fields.At(body, "properties", "tags")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			before["tags"] = c.want
			if diff := cmp.Diff(before, f.Get(armtest.Network)); diff != "" {
				t.Errorf("the network: -want +got:\n%s", diff)
			}
		})
	}
}
