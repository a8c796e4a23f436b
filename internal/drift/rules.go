package drift

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// ofASO are the fields of every kind that are for ASO and not for Azure, and the name, which is in the ID.
var ofASO = []string{"azureName", "owner", "operatorSpec", "$propertyBag"}

// ofResource are the fields of the status that every resource has of its own, whatever a field of the spec means by that name.
var ofResource = []string{"id", "name", "type", "etag"}

// chosen are the maps whose keys users choose, so that one that is absent has been taken away.
var chosen = []string{"tags", "nodeLabels"}

func isMap(path string) bool { return slices.Contains(chosen, path) }

// others are the fields, by kind, that somebody else decides once the resource is there, or that Azure only reads when it is made.
var others = map[schema.GroupKind][]string{
	// The pools are objects of their own, and come and go by themselves.
	aso.ManagedCluster.GroupKind(): {"agentPoolProfiles"},
	// AKS replaces the image of nodes by its channel of node images.
	aso.ManagedClustersAgentPool.GroupKind(): {"nodeImageVersion", "creationData", "upgradeSettings.overrideSettings"},
	// Azure has no vaults without it any more.
	aso.Vault.GroupKind(): {"enableSoftDelete"},
}

// ofCreation are the fields that are compared of kinds that provider-capz creates. Their object may change by a new version of this project
// while the resource stays. Its tags are written after its creation; of scale sets provider-capz looks at the model by itself.
var ofCreation = map[schema.GroupKind][]string{
	aso.VirtualMachine.GroupKind(): {"evictionPolicy", "hardwareProfile", "networkProfile", "priority", "securityProfile"},
}

// alwaysTold are the fields, by kind, that Azure reports whenever they are set, so that one that is absent has been taken away.
var alwaysTold = map[schema.GroupKind][]string{
	aso.VirtualNetworksSubnet.GroupKind():    {"natGateway.reference", "networkSecurityGroup.reference", "routeTable.reference"},
	aso.NetworkInterface.GroupKind():         {"networkSecurityGroup.reference"},
	aso.ManagedCluster.GroupKind():           {"apiServerAccessProfile.authorizedIPRanges"},
	aso.ManagedClustersAgentPool.GroupKind(): {"nodeTaints"},
}

// versions are the fields with the least version that is asked for.
var versions = []string{"kubernetesVersion", "orchestratorVersion", "typeHandlerVersion", "version"}

// counts are the fields where zero is a number like others. Elsewhere it has Azure choose.
var counts = []string{"count", "minCount"}

// added are the beginnings of what Azure itself puts into lists of texts, and the lists to which it adds anything.
var added = map[string]string{
	"nodeTaints": "kubernetes.azure.com/", // That of spot nodes.
	"locations":  "",                      // A service endpoint is also for the region that belongs to the one that was asked for.
	"noProxy":    "",
}

// rules are what is special about one object.
type rules struct {
	kind schema.GroupKind
	// only are the fields that are compared; nil for all.
	only []string
	// otherCount is set where the number of nodes is not what was asked for, as somebody else decides it, or they are stopped.
	otherCount bool
	// readOnly is set where others write what ASO has created, and may add to lists.
	readOnly bool
	// complete is set where the status is all that Azure has to say, as it is where Azure says how far it is.
	complete bool
}

var (
	statusAutoScaling = field.At[bool]("status", "enableAutoScaling")
	powerState        = field.At[string]("status", "powerState", "code")
)

func rulesOf(obj *unstructured.Unstructured) rules {
	r := rules{kind: obj.GroupVersionKind().GroupKind(), readOnly: aso.LifecycleOf(obj) != aso.Managed, complete: aso.StatusProvisioningState.Has(obj)}
	if aso.LifecycleOf(obj) == aso.ProviderCreated {
		r.only = ofCreation[r.kind]
	}
	if r.kind == aso.ManagedClustersAgentPool.GroupKind() {
		power := powerState.Value(obj)
		r.otherCount = aso.SpecEnableAutoScaling.Value(obj) || statusAutoScaling.Value(obj) || power != "" && power != "Running"
	}
	return r
}

// skips reports whether a field is not compared.
func (r rules) skips(at place, name string) bool {
	top, _, _ := strings.Cut(at.path, ".")
	switch {
	case slices.Contains(ofASO, at.path), slices.Contains(others[r.kind], at.path):
		return true
	case strings.Contains(strings.ToLower(name), "protected"): // Azure reports something else in its place.
		return true
	case r.only != nil && !slices.Contains(r.only, top):
		return true
	}
	return r.otherCount && at.path == "count"
}

// told reports whether Azure reports a field whenever it is set.
func (r rules) told(path string) bool { return r.complete && slices.Contains(alwaysTold[r.kind], path) }

// same reports whether two values of a field are one.
func (r rules) same(name string, wanted, reported any) bool {
	want, have := textOf(wanted), textOf(reported)
	switch {
	case slices.Contains(versions, name):
		return want == "latest" || satisfies(have, want)
	case want == "0" && !slices.Contains(counts, name):
		return true
	}
	return sameText(want, have)
}

// mayBeAdded reports whether somebody else may have put a value into a list that is not asked for.
func (r rules) mayBeAdded(name string, value any) bool {
	beginning, known := added[name]
	return r.readOnly || known && strings.HasPrefix(textOf(value), beginning)
}

// secrets are the names of fields with values that are secret, or may be.
var secrets = regexp.MustCompile(`(?i)password|secret|token|credential|certificate|customdata|userdata|protected|^settings$|configurationsettings|accesskey|^sas|^config$|proxy|trustedca|keydata|connectionstring`)

func secretive(name string) bool { return secrets.MatchString(name) }

// credentials are what gives access by itself: a user in an address, a signature of Azure Storage, and whatever is in PEM.
var credentials = regexp.MustCompile(`://[^/]*@|[?&]sig=|-----BEGIN`)

// confidential reports whether a value is not to be shown, whatever its field is called.
func confidential(value any) bool {
	switch v := value.(type) {
	case string:
		return credentials.MatchString(v)
	case []any:
		return slices.ContainsFunc(v, confidential)
	case map[string]any:
		for name, inner := range v {
			if secretive(name) || confidential(inner) {
				return true
			}
		}
	}
	return false
}
