package e2e

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A form is one of the two kinds that a team can have a cluster as. The examples have pools named system, of two nodes, and
// work.
type form struct {
	kind       schema.GroupVersionKind
	plural     string
	file, name string
	// fixed is the Composition with the platform team's rules, compositionRef the field that names it.
	fixed, compositionRef string
}

var forms = []form{
	{kind: teamClusterKind, plural: "aksclusters", file: "akscluster.yaml", name: "shop",
		fixed: "eu-production", compositionRef: "spec.crossplane.compositionRef.name"},
	{kind: teamClaimKind, plural: "aksclusterclaims", file: "claim.yaml", name: "blog",
		fixed: "eu-production-claims", compositionRef: "spec.compositionRef.name"},
}

// teams are the scenarios about the kinds for application teams. Both forms have a life; of the rest each is in one form, for the
// sake of time: one composer and one reconciler serve both. For refusals and a new token a claim is the longer way, for what
// goes wrong in Azure and a Cluster made by hand both are the same.
func teams() []*scenario {
	resource, claim := forms[0], forms[1]
	return []*scenario{resource.life(), claim.policy(), claim.life(), resource.trouble(), claim.renewal(), resource.clusterByHand(), sameName}
}

// twoPools has pools with a number of nodes that the team decides on.
var twoPools = with("spec.nodePools", []any{
	map[string]any{"name": "system", "mode": "system", "count": int64(2)},
	map[string]any{"name": "work", "count": int64(1)},
})

func (f form) lower() string { return strings.TrimSuffix(f.plural, "s") }

func (f form) patch(patch string) func(*world) error {
	return asks("patch", f.lower(), f.name, "--type", "json", "--patch", patch)
}

// ready expects the row that the team sees, and the number of nodes through its connection Secret.
func (f form) ready(version string, nodes int) []expectation {
	return []expectation{
		row(f.lower(), f.name, map[string]string{
			"READY": "True", "SYNCED": "True", "VERSION": version, "NODES": fmt.Sprintf("%d/%d", nodes, nodes), "ENDPOINT": "https://*",
		}),
		reached(f.name+"-connection", nodes),
	}
}

// deleted is the last step: the team deletes its cluster, which stays to be seen until everything of it is gone.
func (f form) deleted() step {
	return step{
		name:    "delete",
		act:     asks("delete", f.lower(), f.name, "--wait=false", "--ignore-not-found"),
		expect:  []expectation{nothingLeft, azureEmpty, acceptedDeletes},
		never:   []expectation{compositesOutlive, f.goneBeforeCluster},
		deletes: true,
		lasts:   10 * time.Second,
	}
}

// deletedWithNamespace is another last step: somebody deletes the team's namespace.
func (f form) deletedWithNamespace() step {
	return step{
		name: "delete the namespace", deletes: true, lasts: 30 * time.Second,
		act:    deleteNamespace,
		expect: []expectation{azureEmpty, namespaceGone},
		never:  []expectation{compositesOutlive, f.goneBeforeCluster},
	}
}

// deletedInForeground is the same as Argo CD does it.
func (f form) deletedInForeground() step {
	s := f.deleted()
	s.name, s.act = "delete in the foreground", asks("delete", f.lower(), f.name, "--cascade=foreground", "--wait=false", "--ignore-not-found")
	s.expect = []expectation{nothingLeft, azureEmpty} // Azure may refuse to delete what is still in use.
	return s
}

// goneBeforeCluster finds that the team no longer sees a cluster of which there still is something.
func (f form) goneBeforeCluster(w *world) []string {
	// In this order: what is gone first must be looked at last.
	seen, err := w.get(f.kind, f.name)
	if err != nil || seen != nil {
		return nil
	}
	cluster, err := w.get(clusterKind, f.name)
	if err != nil || cluster == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s %s is gone, but its Cluster is not", f.kind.Kind, f.name)}
}

// life is what a member of a team does with a cluster, and may not do.
func (f form) life() *scenario {
	last := f.deleted()
	if f.kind == teamClusterKind {
		last = f.deletedInForeground()
	}
	return &scenario{
		// A claim has all that the other form has, and Crossplane's own handling of claims besides.
		name: "team-" + f.lower(), calmOnly: f.kind != teamClaimKind,
		steps: []step{
			{name: "offer", act: offer},
			{name: "make mistakes", act: f.makeMistakes, expect: []expectation{gone(f.kind, f.name)}},
			{
				name:   "create",
				act:    applies(f.file, twoPools),
				expect: append(f.ready(version, 3), confined(f.name)),
				lasts:  20 * time.Second,
			},
			{
				name:   "scale",
				act:    f.patch(`[{"op": "replace", "path": "/spec/nodePools/1/count", "value": 3}]`),
				expect: append(f.ready(version, 5), inAzure("/agentPools/work", "properties.count", 3)),
			},
			{
				name: "add a pool that AKS scales",
				act: f.patch(`[{"op": "add", "path": "/spec/nodePools/2", "value":
					{"name": "batch", "min": 2, "max": 4, "spot": true, "labels": {"workload": "batch"}}}]`),
				expect: append(f.ready(version, 7), inAzure("/agentPools/batch", "properties.minCount", 2),
					inAzure("/agentPools/batch", "properties.scaleSetPriority", "Spot")),
			},
			{
				name: "remove that pool",
				act: f.patch(`[{"op": "test", "path": "/spec/nodePools/2/name", "value": "batch"},
					{"op": "remove", "path": "/spec/nodePools/2"}]`),
				expect: append(f.ready(version, 5), notInAzure("/agentPools/batch")),
				goes:   []removal{{"ManagedClustersAgentPool/" + f.name + "-batch", "/agentPools/batch"}},
			},
			{
				name:   "ask for a version that AKS does not have",
				act:    f.patch(fmt.Sprintf(`[{"op": "replace", "path": "/spec/version", "value": %q}]`, unknown)),
				expect: []expectation{says(controlPlaneKind, f.name, unknown[1:])},
			},
			{
				name:   "take it back",
				act:    f.patch(fmt.Sprintf(`[{"op": "replace", "path": "/spec/version", "value": %q}]`, version)),
				expect: append(f.ready(version, 5), silent(controlPlaneKind, f.name, unknown[1:]), condition(clusterKind, f.name, "TopologyReconciled", "True", "")),
			},
			{
				name: "upgrade",
				act:  f.patch(fmt.Sprintf(`[{"op": "replace", "path": "/spec/version", "value": %q}]`, newer)),
				expect: append(f.ready(newer, 5), inAzure("/agentPools/system", "properties.currentOrchestratorVersion", newer[1:]),
					inAzure("/agentPools/work", "properties.currentOrchestratorVersion", newer[1:])),
				lasts: 20 * time.Second,
			},
			{name: "change what stays", act: f.changeWhatStays, expect: f.ready(newer, 5)},
			last,
		},
	}
}

// mistaken are specs that are refused as the team applies them, each with what it is told. cluster/local/schema has them all.
var mistaken = []struct {
	change func(*unstructured.Unstructured) error
	want   string
}{
	{with("spec.version", "latest"), `spec.version: Invalid value: "latest"`},
	{with("spec.nodePools", []any{map[string]any{"name": "a", "mode": "system", "count": int64(1), "min": int64(1), "max": int64(2)}}), "pool a has count and min or max, but must have only one of both because"},
	{with("spec.nodePools", []any{map[string]any{"name": "a", "mode": "system", "spot": true}}), "pool a has spot true, but it must be false or left out because"},
	{with("spec.network", map[string]any{"podCIDR": "10.0.0.0"}), "spec.network.podCIDR: Invalid value: \"10.0.0.0\": must be an IPv4 range"},
}

// makeMistakes has the team apply what is mistaken.
func (f form) makeMistakes(w *world) error {
	for _, m := range mistaken {
		if err := refusedToTeam(m.want, applies(f.file, m.change))(w); err != nil {
			return err
		}
	}
	return nil
}

// changeWhatStays has the team ask for what cannot be changed on a running cluster of version newer.
func (f form) changeWhatStays(w *world) error {
	for _, m := range []struct{ patch, want string }{
		{`[{"op": "replace", "path": "/spec/location", "value": "northeurope"}]`, "must stay westeurope because"},
		{fmt.Sprintf(`[{"op": "replace", "path": "/spec/version", "value": %q}]`, version), "must be " + newer + " or newer, which Azure runs, because"},
	} {
		if err := refusedToTeam(m.want, f.patch(m.patch))(w); err != nil {
			return err
		}
	}
	return nil
}

// refusesWith expects the condition that says why a spec is not taken.
func (f form) refusesWith(text string) expectation {
	return condition(f.kind, f.name, "Accepted", "False", text)
}

// policy is a Composition in which the platform team has fixed some fields and hidden others.
func (f form) policy() *scenario {
	return &scenario{
		name: "policy-" + f.lower(), calmOnly: true,
		steps: []step{
			{name: "offer", act: all(offer, holdToRules)},
			{
				name:   "choose a Composition without rules",
				act:    refusedToTeam("must be "+f.fixed+" in this namespace", tries(f.file, twoPools)),
				expect: []expectation{gone(f.kind, f.name)},
			},
			{
				name: "ask for another value than the fixed one",
				act: applies(f.file, twoPools, with(f.compositionRef, f.fixed), with("spec.version", nil), with("spec.location", "northeurope"),
					with("spec.network", nil)),
				expect: []expectation{
					f.refusesWith(`spec.location is "northeurope", but must be "westeurope" or left out because the platform team has fixed it`),
					gone(clusterKind, f.name),
					row(f.lower(), f.name, map[string]string{"READY": "False"}),
				},
			},
			{name: "start again", act: asks("delete", f.lower(), f.name, "--wait=false", "--ignore-not-found"), expect: []expectation{gone(f.kind, f.name)}},
			{
				name: "set a hidden field",
				act: applies(f.file, twoPools, with(f.compositionRef, f.fixed), with("spec.version", nil), with("spec.location", nil),
					with("spec.network", map[string]any{"private": true})),
				expect: []expectation{
					f.refusesWith("spec.network.private is true, but must be left out because the platform team decides on it"),
					gone(clusterKind, f.name),
				},
			},
			{
				name: "leave out what the platform team decides",
				act: applies(f.file, twoPools, with(f.compositionRef, f.fixed), with("spec.version", nil), with("spec.location", nil),
					with("spec.network", nil)),
				expect: append(f.ready(version, 3),
					condition(f.kind, f.name, "Accepted", "True", ""),
					inAzure("/managedClusters/"+f.name, "location", "westeurope"),
					inAzure("/managedClusters/"+f.name, "properties.networkProfile.networkPolicy", "cilium"),
					inAzure("/agentPools/work", "properties.vmSize", "Standard_D4s_v5"),
					inAzure("/agentPools/work", "properties.availabilityZones", []any{"1", "2", "3"}),
				),
				lasts: 20 * time.Second,
			},
			{
				name: "set a hidden field of a running cluster",
				act:  f.patch(`[{"op": "add", "path": "/spec/nodePools/1/spot", "value": true}]`),
				expect: []expectation{
					f.refusesWith("spec.nodePools[work].spot is true, but must be left out because the platform team decides on it"),
					condition(clusterKind, f.name, "Available", "True", ""),
				},
			},
			{
				name:   "take it back and scale",
				act:    f.patch(`[{"op": "remove", "path": "/spec/nodePools/1/spot"}, {"op": "replace", "path": "/spec/nodePools/1/count", "value": 2}]`),
				expect: f.ready(version, 4),
			},
			f.deletedWithNamespace(),
		},
	}
}

const sizeRefused = "The VM size of Standard_D2s_v5 is not allowed in your subscription in location 'westeurope'."

// trouble is what a team sees when Azure refuses, and that nobody's Secret is overwritten.
func (f form) trouble() *scenario {
	return &scenario{
		name: "trouble-" + f.lower(), calmOnly: true,
		steps: []step{
			{name: "offer", act: offer},
			{
				name: "create, while Azure refuses, with a Secret in the way",
				act:  all(refuse("size", "/managedClusters/"+f.name, sizeRefused), strangersSecret(f.name+"-connection"), applies(f.file, twoPools)),
				expect: []expectation{
					condition(f.kind, f.name, "ControlPlaneReady", "False", sizeRefused),
					row(f.lower(), f.name, map[string]string{"READY": "False"}),
				},
			},
			{
				name: "allow it",
				act:  fix("size"),
				expect: []expectation{
					row(f.lower(), f.name, map[string]string{"READY": "True", "NODES": "3/3"}),
					warned(f.kind, f.name, "a Secret of that name exists and is not this cluster's"),
					strangersSecretKept(f.name + "-connection"),
				},
			},
			{
				name: "touch it",
				act:  func(w *world) error { return w.set(f.kind, f.name, "metadata.labels.touched", "yes") },
				// What is said once more is counted, not written anew.
				expect: []expectation{warnedAgain(f.kind, f.name, "a Secret of that name exists and is not this cluster's")},
			},
			{
				name:   "name another Secret, then take the stranger's away and name that again",
				act:    all(removeStranger(f.name+"-connection"), f.patch(`[{"op": "replace", "path": "/spec/writeConnectionSecretToRef/name", "value": "elsewhere"}]`)),
				expect: []expectation{exists(secretKind, "elsewhere")},
			},
			{
				name:   "name the first again",
				act:    f.patch(fmt.Sprintf(`[{"op": "replace", "path": "/spec/writeConnectionSecretToRef/name", "value": %q}]`, f.name+"-connection")),
				expect: append(f.ready(version, 3), gone(secretKind, "elsewhere")),
			},
			{
				name: "somebody changes the Secret",
				act: func(w *world) error {
					return w.set(secretKind, f.name+"-connection", "data.kubeconfig", "bm9uZQ==")
				},
				expect: f.ready(version, 3),
			},
			f.deleted(),
		},
	}
}

// withoutLocalAccounts turns the platform team's class and Compositions into ones of other names, for clusters that only
// take tokens of Entra, which end soon.
func withoutLocalAccounts(w *world) error {
	w.noted["rewrite"] = strings.NewReplacer("name: aks\n", "name: aks-entra\n", "name: eu-production", "name: entra", "                dnsPrefix:", `
                disableLocalAccounts: true
                aadProfile:
                  managed: true
                  enableAzureRBAC: true
                operatorSpec:
                  secrets:
                    userCredentials:
                      name: {{ printf "%s-user-kubeconfig" .builtin.cluster.name | quote }}
                      key: value
                dnsPrefix:`)
	return nil
}

// renewal is a cluster whose kubeconfig ends soon: the team's copy is renewed with it.
func (f form) renewal() *scenario {
	composition := strings.Replace(f.fixed, "eu-production", "entra", 1)
	return &scenario{
		name: "renewal-" + f.lower(), calmOnly: true,
		steps: []step{
			{name: "offer", act: all(withoutLocalAccounts, offer)},
			{
				name: "create",
				act: applies(f.file, twoPools, with(f.compositionRef, composition), with("spec.version", nil), with("spec.location", nil),
					with("spec.network", nil)),
				expect: f.ready(version, 3),
				lasts:  20 * time.Second,
			},
			{
				name:     "the token ends",
				act:      note("kubeconfig", func(w *world) (any, error) { return w.connection(f.name + "-connection") }),
				expect:   append(f.ready(version, 3), oldKubeconfigRefused),
				stays:    []expectation{reached(f.name+"-connection", 3)},
				staysFor: tokenLifetime,
			},
			f.deleted(),
		},
	}
}

func strangersSecret(name string) func(*world) error {
	return func(w *world) error {
		s := object(secretKind, w.namespace, name)
		s.Object["stringData"] = map[string]any{"whose": "somebody else's"}
		return w.apply(s)
	}
}

func strangersSecretKept(name string) expectation {
	return on(secretKind, name, func(u *unstructured.Unstructured) []string {
		data, _, _ := unstructured.NestedMap(u.Object, "data")
		if len(data) != 1 || data["whose"] == nil || len(u.GetOwnerReferences()) > 0 {
			return []string{fmt.Sprintf("Secret %s of somebody else's has been changed", name)}
		}
		return nil
	})
}

func removeStranger(name string) func(*world) error {
	return func(w *world) error { return w.remove(secretKind, name) }
}

// sameName has a claim of the name of an AKSCluster that is there already.
var sameName = &scenario{
	name: "same-name", calmOnly: true,
	steps: []step{
		{name: "offer", act: offer},
		{
			name: "create", act: applies("akscluster.yaml", twoPools),
			expect: forms[0].ready(version, 3), lasts: 20 * time.Second,
		},
		{
			name: "claim the same name",
			act:  applies("claim.yaml", twoPools, with("metadata.name", "shop")),
			expect: []expectation{
				condition(teamClaimKind, "shop", "Accepted", "False", `metadata.name is "shop", but must be another because Cluster`),
				condition(teamClaimKind, "shop", "Accepted", "False", "belongs to AKSCluster shop; it is left as it is"),
				row("aksclusterclaim", "shop", map[string]string{"READY": "False"}),
			},
		},
		{
			name:   "give the claim up",
			act:    asks("delete", "aksclusterclaim", "shop", "--wait=false", "--ignore-not-found"),
			expect: append(forms[0].ready(version, 3), gone(teamClaimKind, "shop")),
		},
		forms[0].deletedWithNamespace(),
	},
}
