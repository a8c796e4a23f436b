package access_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
)

// TestListRoles reads the list of the built-in roles, which belong to no subscription.
func TestListRoles(t *testing.T) {
	cases := map[string]struct {
		method, path string
		found        bool
	}{
		"the list":          {http.MethodGet, "/providers/Microsoft.Authorization/roleDefinitions", true},
		"in lower case":     {http.MethodGet, "/providers/microsoft.authorization/roledefinitions", true},
		"something else":    {http.MethodGet, "/providers/Microsoft.Compute", false},
		"not to be written": {http.MethodPut, "/providers/Microsoft.Authorization/roleDefinitions", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := armtest.New(t).Send(c.method, c.path, "")
			if (w.Code == http.StatusOK) != c.found {
				t.Fatalf("answered %d %s", w.Code, w.Body)
			}
			if !c.found {
				return
			}
			var list struct {
				Value []struct {
					ID         string
					Properties struct{ RoleName string }
				}
			}
			if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
				t.Fatal(err)
			}
			for _, role := range list.Value {
				if role.Properties.RoleName == "Network Contributor" && role.ID == "/providers/Microsoft.Authorization/roleDefinitions/4d97b98b-1d4f-4787-a291-c67834d212e7" {
					return
				}
			}
			t.Errorf("no Network Contributor in %s", w.Body)
		})
	}
}
