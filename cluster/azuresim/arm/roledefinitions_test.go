package arm

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestTenantRoles(t *testing.T) {
	cases := map[string]struct {
		method, path string
		segments     []string
		found        bool
	}{
		"the list":          {http.MethodGet, "/providers/Microsoft.Authorization/roleDefinitions", []string{"providers", "Microsoft.Authorization", "roleDefinitions"}, true},
		"in lower case":     {http.MethodGet, "/providers/microsoft.authorization/roledefinitions", []string{"providers", "microsoft.authorization", "roledefinitions"}, true},
		"something else":    {http.MethodGet, "/providers/Microsoft.Compute", []string{"providers", "Microsoft.Compute"}, false},
		"not to be written": {http.MethodPut, "/providers/Microsoft.Authorization/roleDefinitions", []string{"providers", "Microsoft.Authorization", "roleDefinitions"}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			e := tenantRoles(w, httptest.NewRequest(c.method, c.path, nil), c.segments)
			if (e == nil) != c.found {
				t.Fatalf("answered %v", e)
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
