package machines

import (
	"reflect"
	"strings"
	"testing"

	compute "github.com/Azure/azure-service-operator/v2/api/compute/v1api20220301"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

// TestVersion shows that virtual machines are composed in the version whose Go types they are converted with.
func TestVersion(t *testing.T) {
	if path := reflect.TypeFor[compute.VirtualMachine]().PkgPath(); !strings.HasSuffix(path, "/"+aso.VirtualMachine.Version) {
		t.Errorf("they are composed in %s and converted by %s", aso.VirtualMachine.Version, path)
	}
}
