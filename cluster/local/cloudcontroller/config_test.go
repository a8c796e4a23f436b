package cloudcontroller

import (
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

func TestAzureJSON(t *testing.T) {
	const least = `"subscriptionId": "s", "resourceGroup": "g", "location": "l", "tenantId": "t"`
	cases := map[string]struct {
		text  string
		fails string
	}{
		"ServicePrincipal": {text: `{` + least + `, "aadClientId": "c", "aadClientSecret": "hidden"}`},
		"MachineIdentity":  {text: `{` + least + `, "useManagedIdentityExtension": true}`},
		"OneOfMany":        {text: `{` + least + `, "cloud": "AzureUSGovernmentCloud", "useManagedIdentityExtension": true, "userAssignedIdentityID": "c"}`},
		"NoCredential":     {text: `{` + least + `, "aadClientId": "c"}`, fails: "neither"},
		"NoGroup":          {text: `{"subscriptionId": "s", "location": "l", "tenantId": "t"}`, fails: "no resourceGroup"},
		"OtherCloud":       {text: `{` + least + `, "cloud": "hidden-cloud"}`, fails: "hidden-cloud"},
		"NoJSON":           {text: `"aadClientSecret": "hidden"`, fails: "no JSON object"},
		"OtherType":        {text: `{"tenantId": {"hidden": 1}}`, fails: "no JSON object"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, err := parseConfig([]byte(tc.text))
			if err == nil {
				if _, err = c.environment(); err == nil {
					_, err = c.credential(azcore.ClientOptions{})
				}
			}
			if (err != nil) != (tc.fails != "") || err != nil && !strings.Contains(err.Error(), tc.fails) {
				t.Errorf("error %v, want %q", err, tc.fails)
			}
			if err != nil && strings.Contains(err.Error(), `"hidden"`) {
				t.Errorf("the error tells a secret: %v", err)
			}
		})
	}
}
