package azure

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestClouds checks what ASO is told of each cloud, and that the cloud is known by that.
func TestClouds(t *testing.T) {
	want := map[string][3]string{
		"AzurePublicCloud":       {"https://login.microsoftonline.com/", "https://management.azure.com", "https://management.core.windows.net/"},
		"AzureUSGovernmentCloud": {"https://login.microsoftonline.us/", "https://management.usgovcloudapi.net", "https://management.core.usgovcloudapi.net/"},
		"AzureChinaCloud":        {"https://login.chinacloudapi.cn/", "https://management.chinacloudapi.cn", "https://management.core.chinacloudapi.cn/"},
	}
	got := map[string][3]string{}
	for _, c := range Clouds() {
		endpoints := c.Endpoints()
		got[c.Name] = [3]string{string(endpoints[keyAuthorityHost]), string(endpoints[keyARMEndpoint]), string(endpoints[keyARMAudience])}
		if found, ok := cloudAt(got[c.Name][0]); !ok || found.Name != c.Name {
			t.Errorf("%s is at the host of %s", found.Name, c.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if c, ok := cloudAt("https://login.partner.microsoftonline.cn"); !ok || c.Name != "AzureChinaCloud" {
		t.Errorf("the other host of China is of %q", c.Name)
	}
	for _, host := range []string{"", "https://", "https://login.microsoftonline.com.evil.example", "http://login.microsoftonline.com", "https://login.microsoftonline.com@evil.example/"} {
		if c, ok := cloudAt(host); ok {
			t.Errorf("%q is the host of %s", host, c.Name)
		}
	}
}
