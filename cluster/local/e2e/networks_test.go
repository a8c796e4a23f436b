package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// networks has references within one composite resource, from the control plane and from the pools to the networks of
// the AzureASOManagedCluster: what CAPZ issue 6493 is about.
var networks = &scenario{
	name: "networks",
	steps: []step{
		{
			name:   "create",
			act:    applyExample("aks-aso-vnets"),
			expect: []expectation{available, contractKept, referencedFirst, unless(stack.ASO, acceptedPuts), kubeconfigWorks},
			lasts:  20 * time.Second,
		},
		{
			name: "a network loses Ready",
			act: all(
				func(w *world) error {
					return w.fault("network", admin.Fault{
						Method: http.MethodPut, Path: "/virtualNetworks/my-cluster-nodes",
						Status: http.StatusInternalServerError, Code: "InternalServerError", Message: "the network is on fire",
					})
				},
				func(w *world) error {
					return w.setResource(asoClusterKind, clusterName, "VirtualNetwork/my-cluster-nodes", "spec.tags", map[string]any{"changed": "yes"})
				},
			),
			expect: []expectation{
				entry(asoClusterKind, clusterName, "VirtualNetwork/my-cluster-nodes", false, "", "the network is on fire"),
				entry(asoClusterKind, clusterName, "VirtualNetwork/my-cluster-services", true, "", ""),
				says(asoClusterKind, clusterName, "the network is on fire"),
			},
			stays: []expectation{
				field(asoClusterKind, clusterName, "status.initialization.provisioned", true),
				field(controlPlaneKind, clusterName, "status.ready", true), replicas(systemPool, 2), replicas(userPool, 2),
			},
			staysFor: 3 * time.Second,
		},
		{
			name: "it recovers",
			act:  func(w *world) error { return w.fix("network") },
			expect: []expectation{
				inAzure("/virtualNetworks/my-cluster-nodes", "tags.changed", "yes"),
				silent(asoClusterKind, clusterName, "the network is on fire"), available, contractKept,
			},
		},
		inForeground(),
	},
}

// acceptedPuts expects that Azure has refused no PUT, but for those that only come too soon after another: a network
// takes one change at a time, and ASO tries again.
func acceptedPuts(w *world) []string {
	requests, err := w.requests(w.begun, http.MethodPut)
	if err != nil {
		return []string{err.Error()}
	}
	var refused []string
	for _, r := range requests {
		if r.Status >= 400 && r.Status != http.StatusConflict && r.Status != http.StatusTooManyRequests {
			refused = append(refused, fmt.Sprintf("PUT %s was answered %d", r.Path, r.Status))
		}
	}
	return refused
}

// referencedFirst expects that Azure was not asked for any resource before everything that it refers to, in its path or
// in its body, was there: created, and not only begun.
func referencedFirst(w *world) []string {
	requests, err := w.requests(w.begun, http.MethodPut)
	if err != nil {
		return []string{err.Error()}
	}
	first := map[string]admin.Request{}
	for _, r := range requests {
		id := strings.ToLower(r.Path)
		if earlier, seen := first[id]; !seen || r.Time.Before(earlier.Time) {
			first[id] = r
		}
	}
	var early []string
	for id, r := range first {
		for other, o := range first {
			if id == other || !refersTo(r, other) {
				continue
			}
			// The simulator answers the PUT at once and takes its time then.
			if ready := o.Time.Add(latency.of(resourceType(other))); r.Time.Before(ready) {
				early = append(early, fmt.Sprintf("PUT %s came at %s, but %s, which it refers to, was not ready before %s",
					r.Path, r.Time.Format(time.StampMilli), o.Path, ready.Format(time.StampMilli)))
			}
		}
	}
	if len(first) < 10 {
		early = append(early, fmt.Sprintf("Azure was asked for %d resources only", len(first)))
	}
	return early
}

// refersTo reports whether a PUT is for a child of a resource, or has its ID in its body.
func refersTo(r admin.Request, id string) bool {
	if strings.HasPrefix(strings.ToLower(r.Path), id+"/") {
		return true
	}
	return regexp.MustCompile(regexp.QuoteMeta(id) + `["/]`).MatchString(strings.ToLower(r.Body))
}

// resourceType returns the type of the resource with an ID, as in Microsoft.Network/virtualNetworks/subnets.
func resourceType(id string) string {
	_, provider, found := strings.Cut(id, "/providers/")
	if !found {
		return "Microsoft.Resources/resourceGroups"
	}
	segments := strings.Split(provider, "/")
	text := segments[0]
	for i := 1; i < len(segments); i += 2 {
		text += "/" + segments[i]
	}
	return text
}
