package clouds

import "testing"

// TestOf checks which cloud and service a host belongs to.
func TestOf(t *testing.T) {
	cases := map[string]struct {
		cloud   *Cloud
		service Service
	}{
		"login.microsoftonline.com":                            {Public, Entra},
		"management.azure.com:443":                             {Public, ResourceManager},
		"eastus.management.azure.com":                          {Public, ResourceManager},
		"a.hcp.eastus.azmk8s.io":                               {Public, Kubernetes},
		"login.microsoftonline.us":                             {USGovernment, Entra},
		"Management.UsGovCloudApi.net":                         {USGovernment, ResourceManager},
		"a.hcp.usgovvirginia.cx.aks.containerservice.azure.us": {USGovernment, Kubernetes},
		"login.chinacloudapi.cn":                               {China, Entra},
		"login.partner.microsoftonline.cn":                     {China, Entra},
		"management.chinacloudapi.cn":                          {China, ResourceManager},
		"a.hcp.chinaeast2.cx.prod.service.azk8s.cn":            {China, Kubernetes},
		"notmanagement.azure.com":                              {Public, None},
		"login.microsoftonline.de":                             {Public, None},
	}
	for host, want := range cases {
		t.Run(host, func(t *testing.T) {
			if cloud, service := Of(host); cloud != want.cloud || service != want.service {
				t.Errorf("%s, %d; want %s, %d", cloud.Name, service, want.cloud.Name, want.service)
			}
		})
	}
}

// TestNamed checks the names of the clouds.
func TestNamed(t *testing.T) {
	for _, want := range All() {
		if got, err := Named(want.Name); err != nil || got != want {
			t.Errorf("%s: %v, %v", want.Name, got, err)
		}
	}
	if got, err := Named(""); err != nil || got != Public {
		t.Errorf("no name: %v, %v", got, err)
	}
	if _, err := Named("AzureGermanCloud"); err == nil {
		t.Error("a cloud that is gone was found")
	}
}
