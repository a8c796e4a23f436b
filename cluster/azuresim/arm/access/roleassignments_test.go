package access_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/armtest"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
)

// TestRoleAssignments checks that one principal has a role once at a scope.
func TestRoleAssignments(t *testing.T) {
	f := armtest.New(t)
	f.Make(armtest.CreateGroup)
	path := armtest.Group + "/providers/Microsoft.Authorization/roleAssignments/00000000-0000-0000-0000-00000000000"
	body := `{"properties":{"principalId":"00000000-0000-0000-0000-000000000009","roleDefinitionId":"/providers/Microsoft.Authorization/roleDefinitions/r"}}`
	f.Settle(http.MethodPut, path+"1", body)
	first := fields.Text(f.Get(path+"1"), "properties", "updatedOn")
	f.Settle(http.MethodPut, path+"1", body)
	if again := fields.Text(f.Get(path+"1"), "properties", "updatedOn"); first == "" || again != first {
		t.Errorf("the same PUT changes it: updatedOn %q, then %q", first, again)
	}
	if w := f.Send(http.MethodPut, path+"2", body); w.Code != http.StatusConflict || armtest.ErrorCodeOf(w) != "RoleAssignmentExists" {
		t.Errorf("the same once more: %d %s", w.Code, armtest.ErrorCodeOf(w))
	}
	if w := f.Send(http.MethodPut, path+"1", strings.Replace(body, "009", "008", 1)); armtest.ErrorCodeOf(w) != "RoleAssignmentUpdateNotPermitted" {
		t.Errorf("another principal: %d %s", w.Code, armtest.ErrorCodeOf(w))
	}
	if got := fields.Text(f.Get(path+"1"), "properties", "scope"); got != armtest.Group {
		t.Errorf("scope %q, want %q", got, armtest.Group)
	}
}
