package host

import (
	"strings"
	"testing"
)

func TestKubernetesVersion(t *testing.T) {
	const gallery = "/CommunityGalleries/ClusterAPI-f72ceb4f/Images/capi-ubun2-2404/Versions/"
	for name, c := range map[string]struct{ image, want, err string }{
		"of a gallery":                {gallery + "1.36.1", "v1.36.1", ""},
		"of the minor before":         {gallery + "1.35.6", "v1.35.6", ""},
		"of long ago":                 {gallery + "1.28.3", "", "has Kubernetes 1.28.3; simulated machines have 1.33 or 1.34 or 1.35 or 1.36"},
		"of the future":               {gallery + "1.99.0", "", "has Kubernetes 1.99.0"},
		"the latest":                  {gallery + "latest", DefaultVersion, ""},
		"of the marketplace":          {"cncf-upstream:capi:ubuntu-2204-gen1:128.3.20230908", DefaultVersion, ""},
		"of the marketplace, by name": {"a:b:c:1.36.2", "v1.36.2", ""},
		"an own one":                  {"/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/mine", DefaultVersion, ""},
		"none":                        {"", DefaultVersion, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := kubernetesVersion(c.image)
			if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

func TestFolder(t *testing.T) {
	const id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/"
	if folder(id+"VM_1") != folder(strings.ToUpper(id)+"vm_1") {
		t.Error("the same machine has two folders")
	}
	other := strings.Replace(id, "/g/", "/h/", 1)
	if folder(id+"vm") == folder(other+"vm") {
		t.Error("two machines share a folder")
	}
	if got := folder(id + "../../etc"); strings.ContainsAny(got, "/.") {
		t.Error(got)
	}
}
