package containerservice

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
)

// latestPatch is the newest patch release that AKS offers of each minor version; older ones are offered too.
var latestPatch = map[int]int{27: 16, 28: 15, 29: 15, 30: 14, 31: 13, 32: 11, 33: 6, 34: 3, 35: 1, 36: 3}

// defaultMinor is the version of a cluster that asks for none.
const defaultMinor = 33

// kubernetesVersion is a version that AKS offers.
type kubernetesVersion struct {
	minor, patch int
	// alias is how the user asked for it: "1.33" for the newest patch, or the full version.
	alias string
}

func (v kubernetesVersion) String() string {
	return fmt.Sprintf("1.%d.%d", v.minor, v.patch)
}

func (v kubernetesVersion) newerThan(other kubernetesVersion) bool {
	return v.minor > other.minor || v.minor == other.minor && v.patch > other.patch
}

// resolveVersion finds the offered version for what a user asks; an empty string asks for the default.
// At an alias of the present minor version the present patch stays.
func resolveVersion(asked string, present *kubernetesVersion) (kubernetesVersion, *arm.Error) {
	if asked == "" {
		if present != nil {
			return *present, nil
		}
		asked = fmt.Sprintf("1.%d", defaultMinor)
	}
	parts := strings.Split(asked, ".")
	unsupported := arm.BadRequest("K8sVersionNotSupported",
		"Managed cluster is on version %s, which is not supported in this region. Please use [az aks get-versions] command to get the supported version list in this region. Supported minor versions: %s. For more information, please check https://aka.ms/supported-version-list", asked, strings.Join(offeredMinors(), ", "))
	if len(parts) < 2 || len(parts) > 3 || parts[0] != "1" {
		return kubernetesVersion{}, unsupported
	}
	minor, err := strconv.Atoi(parts[1])
	latest, offered := latestPatch[minor]
	if err != nil || !offered {
		return kubernetesVersion{}, unsupported
	}
	v := kubernetesVersion{minor: minor, patch: latest, alias: asked}
	if len(parts) == 2 {
		if present != nil && present.minor == minor {
			v.patch = present.patch
		}
		return v, nil
	}
	if v.patch, err = strconv.Atoi(parts[2]); err != nil || v.patch > latest || v.patch < 0 {
		return kubernetesVersion{}, unsupported
	}
	return v, nil
}

func offeredMinors() []string {
	var minors []string
	for minor := range latestPatch {
		minors = append(minors, fmt.Sprintf("1.%d", minor))
	}
	sort.Strings(minors)
	return minors
}

// checkUpgrade refuses a step down and a step over a minor version, https://learn.microsoft.com/azure/aks/upgrade-aks-cluster.
func checkUpgrade(what string, from, to kubernetesVersion) *arm.Error {
	if from.newerThan(to) {
		return arm.BadRequest("OperationNotAllowed", "Downgrading %s from Kubernetes version %s to %s is not allowed.", what, from, to)
	}
	if to.minor > from.minor+1 {
		return arm.BadRequest("OperationNotAllowed", "Upgrading %s from Kubernetes version %s to %s is not allowed: minor versions cannot be skipped.", what, from, to)
	}
	return nil
}
