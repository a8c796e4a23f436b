package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// moveLabel has clusterctl move an object that belongs to no Cluster.
const moveLabel = "clusterctl.cluster.x-k8s.io/move"

// secondManagementCluster brings another management cluster up, which uses the first one's simulated Azure, until the
// test ends.
func secondManagementCluster(t *testing.T) *environment {
	dir := filepath.Join(suite.root, ".local", "e2e-second")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	// What an earlier run may have left.
	if _, err := stack.Down(suite.root, dir); err != nil {
		t.Fatal(err)
	}
	if err := startGuard(suite.root, dir); err != nil {
		t.Fatal(err)
	}
	s, err := stack.Up(suite.ctx, stack.Options{
		Root: suite.root, StateDir: dir, Log: os.Stdout, Azure: suite.stack.Dir(), CAPISyncPeriod: stack.PatientCAPISync, Observed: true, SelfManaged: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Down(); err != nil {
			t.Error(err)
		}
	})
	watcher, err := watchSecrets(s)
	if err != nil {
		t.Fatal(err)
	}
	// What it finds is said at the end of the run.
	t.Cleanup(func() {
		if err := watcher.end(); err != nil {
			t.Error(err)
		}
	})
	second, err := newEnvironment(suite.ctx, suite.root, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		second.close()
		if err := second.crashes(); err != nil {
			t.Error(err)
		}
	})
	return second
}

// A relocation is a Cluster that is moved from one management cluster to another.
type relocation struct {
	name string
	// family is what the Cluster is written by, asoFamily if nil.
	family *family
	// create is how it comes to be on the first one.
	create step
	// prepare is what a person does before the move.
	prepare func(from, to *world) error
	// move carries the move out.
	move func(from, to *world) error
	// arrived is what has to be true on the second one.
	arrived []expectation
	// scale changes how many nodes there are, and scaled is what comes of it.
	scale  func(*world) error
	scaled []expectation
	// pool is the end of the ID of what is scaled, which has to change once and alone. Machines are made anew instead.
	pool string
	// end are the last steps.
	end []step
}

var relocations = []relocation{
	{
		name:   "move",
		create: up("aks-aso-vnets"),
		// The other management cluster has a credential of its own.
		prepare: func(_, to *world) error { return to.enter() },
		move:    clusterctlMove,
		arrived: []expectation{available, contractKept, kubeconfigWorks, labelled},
		scale:   scaleTo(userPool, 3),
		scaled:  []expectation{replicas(userPool, 3), available, kubeconfigWorks},
		pool:    scaledPool,
		end:     []step{down},
	},
	{
		name:   "move-topology",
		create: upTopology(ourTopology, size("pool0", 2), size("pool1", 2)),
		// The credential moves along.
		prepare: func(from, _ *world) error {
			secret := &corev1.Secret{}
			if err := from.client.Get(from.ctx, client.ObjectKey{Namespace: from.namespace, Name: credentialSecret}, secret); err != nil {
				return err
			}
			secret.Labels = map[string]string{moveLabel: ""}
			return from.client.Update(from.ctx, secret)
		},
		move:    moveWithoutProvider,
		arrived: []expectation{available, kubeconfigWorks, labelled, size("pool0", 2), size("pool1", 2)},
		scale:   sizePool("pool1", 3),
		scaled:  []expectation{size("pool1", 3), available, kubeconfigWorks},
		pool:    scaledPool,
		end:     downTopology,
	},
	{
		name:    "move-typed",
		family:  typedFamily,
		create:  upTyped("aks", movable),
		prepare: movesWithIdentity,
		move:    clusterctlMove,
		arrived: []expectation{available, contractKept, kubeconfigWorks, labelled},
		scale:   scaleTo(userPool, 3),
		scaled:  []expectation{replicas(userPool, 3), available, kubeconfigWorks},
		pool:    scaledPool,
		end:     []step{downTyped},
	},
	{
		name:    "move-machines",
		family:  machineFamily,
		create:  upMachines(movable),
		prepare: movesWithIdentity,
		move:    clusterctlMove,
		arrived: []expectation{machinesUp(1, 1), machinesKept, labelled},
		scale:   scaleWorkers(2),
		scaled:  []expectation{machinesUp(1, 2), machinesKept},
		end:     []step{downMachines},
	},
	{
		name:    "move-machine-pool",
		family:  machineFamily,
		create:  upMachinePool(movable),
		prepare: movesWithIdentity,
		move:    clusterctlMove,
		arrived: []expectation{poolUp(1), machinesKept, labelled},
		scale:   scalePool(2),
		scaled:  []expectation{poolUp(2), machinesKept},
		end:     []step{downMachines},
	},
}

// scaledPool is how the pool that is scaled ends in Azure.
const scaledPool = "/agentPools/pool1"

// movesWithIdentity has the credential for CAPZ's identity move along.
func movesWithIdentity(from, to *world) error {
	if err := to.enter(); err != nil {
		return err
	}
	return from.label(secretKind, typedIdentity, moveLabel)
}

// upTyped is the step that brings an example of the typed kinds up.
func upTyped(example string, changes ...change) step {
	return step{
		name: "create " + example, act: applyTyped(example, changes...), expect: []expectation{available, contractKept}, lasts: 15 * time.Second,
	}
}

// upMachinePool is the step that brings a control plane up and an instance of a scale set.
func upMachinePool(changes ...change) step {
	control, pool := append(slices.Clone(changes), withSpec(deploymentKind, "replicas: 0")), withSpec(poolKind, "replicas: 1")
	return step{
		name: "create", act: all(applyTyped("self-managed", control...), applyExample("self-managed-machinepool", pool)), lasts: booting,
		expect: []expectation{poolUp(1), machinesKept},
	}
}

// movable has an AzureClusterIdentity move with the Clusters.
var movable = each(func(u *unstructured.Unstructured) error {
	if u.GetKind() == identityKind.Kind {
		u.SetLabels(map[string]string{clusterctlv1.ClusterctlMoveHierarchyLabel: "true"})
	}
	return nil
})

// label puts a label without a value on an object.
func (w *world) label(gvk schema.GroupVersionKind, name, label string) error {
	return w.edit(gvk, name, func(u *unstructured.Unstructured) error {
		labels := u.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[label] = ""
		u.SetLabels(labels)
		return nil
	})
}

// TestMove moves Clusters from one management cluster to another with the real clusterctl, which Azure must not notice.
func TestMove(t *testing.T) {
	takeTurn(t)
	second := secondManagementCluster(t)
	for _, r := range relocations {
		if waiting()[r.name] {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			from, to := newWorldOn(suite, t, r.name), newWorldOn(second, t, r.name)
			if r.family != nil {
				from.family, to.family = r.family, r.family
			}
			defer from.tidy()
			defer to.tidy()
			if err := from.enter(); err != nil {
				t.Fatal(err)
			}
			r.run(from, to)
		})
	}
	t.Run("move-typed-deleted", func(t *testing.T) {
		t.Parallel()
		deleteOnArrival(t, second)
	})
}

// deleteOnArrival deletes a typed cluster while it is not known on its new management cluster whose the resource group is:
// nothing of it is left in Azure.
func deleteOnArrival(t *testing.T, second *environment) {
	from, to := newWorldOn(suite, t, "move-typed-deleted"), newWorldOn(second, t, "move-typed-deleted")
	from.family, to.family = typedFamily, typedFamily
	defer from.tidy()
	defer to.tidy()
	if err := from.enter(); err != nil {
		t.Fatal(err)
	}
	from.take(upTyped("aks", onePool, movable))
	if err := errors.Join(to.enter(), from.label(secretKind, typedIdentity, moveLabel), to.fault("group", admin.Fault{
		Method: http.MethodGet, Path: "/resourceGroups/my-cluster", Status: http.StatusServiceUnavailable, Code: "ServerTimeout", Message: "Azure does not answer.",
	}), clusterctlMove(from, to)); err != nil {
		t.Fatal(err)
	}
	undecided := annotated(resourceGroupKind, clusterName, ownership, pointer("undecided"))
	to.take(step{name: "nobody knows whose it is", expect: []expectation{undecided}})
	to.take(step{
		name: "delete it", act: downTyped.act, expect: []expectation{exists(typedControlPlaneKind, clusterName)},
		stays: []expectation{undecided, inAzure("/managedClusters/my-cluster", "properties.provisioningState", "Succeeded")}, staysFor: 8 * time.Second,
		deletes: true,
	})
	to.take(step{name: "Azure answers", act: fix("group"), expect: downTyped.expect, deletes: true})
}

// take takes a step, or ends the test.
func (w *world) take(s step) {
	w.t.Helper()
	begun := time.Now()
	if err := w.run(s); err != nil {
		w.fail(fmt.Errorf("step %q: %w", s.name, err))
	}
	w.logf("%s: done (%s)", s.name, time.Since(begun).Round(100*time.Millisecond))
}

func (r *relocation) run(from, to *world) {
	t := from.t
	from.take(r.create)
	before, err := from.identity()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.prepare(from, to); err != nil {
		t.Fatal(err)
	}
	left := time.Now()
	if err := r.move(from, to); err != nil {
		t.Logf("the second management cluster:\n%s", to.diagnosis())
		from.fail(err)
	}
	from.logf("moved (%s)", time.Since(left).Round(100*time.Millisecond))
	// Its objects leave the first one, and nothing of that reaches Azure.
	from.take(step{name: "nothing is left where it was", expect: []expectation{nothingLeft}, deletes: true})
	to.take(step{name: "it is complete where it is now", expect: append(r.arrived, everythingReady)})
	to.take(step{name: "Azure has not noticed", stays: []expectation{untouchedSince(left, "")}, staysFor: 5 * time.Second})
	after, err := to.identity()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("what tells the cluster from others (-before the move +after):\n%s", diff)
	}
	scaled := r.scaled
	if r.pool != "" {
		scaled = append(scaled, untouchedSince(left, r.pool), changedOnceSince(left, r.pool))
	}
	to.take(step{name: "scale it there", act: r.scale, expect: scaled})
	for _, s := range r.end {
		to.take(s)
	}
}

// identity returns what must be the same after a move: the nodes of the pools, or the machines, by their names in Azure, and the
// kubeconfig.
func (w *world) identity() (map[string]string, error) {
	same := map[string]string{}
	pools, err := w.list(w.family.pool)
	if err != nil {
		return nil, err
	}
	if w.family == machineFamily {
		scaleSets, err := w.list(azurePoolKind)
		if err != nil {
			return nil, err
		}
		pools = append(pools, scaleSets...)
	}
	for i := range pools {
		ids, _, err := unstructured.NestedStringSlice(pools[i].Object, "spec", "providerIDList")
		if id, _, _ := unstructured.NestedString(pools[i].Object, "spec", "providerID"); w.family == machineFamily && id != "" {
			ids = append(ids, id)
		}
		if err != nil || len(ids) == 0 {
			return nil, fmt.Errorf("%s has provider IDs %v: %w", pools[i].GetName(), ids, err)
		}
		same[pools[i].GetName()] = strings.Join(ids, " ")
	}
	secret := &corev1.Secret{}
	if err := w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: kubeconfigSecret}, secret); err != nil {
		return nil, err
	}
	same[kubeconfigSecret] = string(secret.Data["value"])
	return same, nil
}

// everythingReady expects every ASO object to be Ready.
func everythingReady(w *world) []string {
	var missing []string
	seen := 0
	for _, gvk := range w.kinds.aso {
		items, err := w.list(gvk)
		if err != nil {
			return []string{err.Error()}
		}
		for i := range items {
			seen++
			missing = append(missing, condition(gvk, items[i].GetName(), "Ready", "True", "")(w)...)
		}
	}
	if seen == 0 {
		missing = append(missing, "there is no ASO object")
	}
	return missing
}

// untouchedSince expects that since then Azure was sent no DELETE, and no PUT or PATCH that changed anything, but for the
// resource whose ID ends as given, for none when that is empty, and for fields of the endings.
func untouchedSince(since time.Time, but string, fields ...string) expectation {
	excepted := func(change string) bool {
		return slices.ContainsFunc(fields, func(ending string) bool { return strings.HasSuffix(change, ending) })
	}
	return func(w *world) []string {
		requests, err := w.requests(since, http.MethodPut, http.MethodPatch, http.MethodDelete)
		if err != nil {
			return []string{err.Error()}
		}
		var touched []string
		for _, r := range requests {
			changed := r.Changed && (len(r.Changes) == 0 || slices.ContainsFunc(r.Changes, func(c string) bool { return !excepted(c) }))
			if (changed || r.Method == http.MethodDelete) && (but == "" || !strings.HasSuffix(r.Path, but)) {
				touched = append(touched, fmt.Sprintf("%s %s at %s changed %q (%d, %s): %s",
					r.Method, r.Path, r.Time.Format(time.TimeOnly), r.Changes, r.Status, r.UserAgent, r.Body))
			}
		}
		return touched
	}
}

// changedOnceSince expects that since then exactly one request has changed the resource whose ID ends as given.
func changedOnceSince(since time.Time, ending string) expectation {
	return func(w *world) []string {
		requests, err := w.requests(since, http.MethodPut, http.MethodPatch)
		if err != nil {
			return []string{err.Error()}
		}
		count := 0
		for _, r := range requests {
			if r.Changed && strings.HasSuffix(r.Path, ending) {
				count++
			}
		}
		if count != 1 {
			return []string{fmt.Sprintf("%d requests have changed %s, want 1", count, ending)}
		}
		return nil
	}
}

// clusterctlMove moves what is in the namespace of a world.
func clusterctlMove(from, to *world) error {
	out, err := from.clusterctl(nil, "move", "--namespace", from.namespace, "--to-kubeconfig", to.stack.Kubeconfig())
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// moveWithoutProvider begins a move while provider-capz is down, so that nobody lets the composite resources go: the move
// has to wait until it is there again and everything stands still.
func moveWithoutProvider(from, to *world) error {
	moved := make(chan error, 1)
	err := from.without(stack.Provider, func() error {
		go func() { moved <- clusterctlMove(from, to) }()
		paused := step{expect: []expectation{field(clusterKind, clusterName, "spec.paused", true)}}
		if err := from.await(paused); err != nil {
			return err
		}
		return from.stays([]expectation{blocked, func(*world) []string {
			select {
			case err := <-moved:
				return []string{fmt.Sprintf("the move has ended: %v", err)}
			default:
				return nil
			}
		}}, 6*time.Second)
	})
	if err != nil {
		return err
	}
	return <-moved
}

// blocked expects every composite resource to keep clusterctl from moving it.
func blocked(w *world) []string {
	var missing []string
	for _, gvk := range w.family.kinds() {
		items, err := w.list(gvk)
		if err != nil {
			return []string{err.Error()}
		}
		if len(items) == 0 {
			missing = append(missing, "there is no "+gvk.Kind)
		}
		for i := range items {
			missing = append(missing, annotated(gvk, items[i].GetName(), blockMove, pointer("true"))(w)...)
		}
	}
	return missing
}

// TestRemade has the API server refuse composite resources that are made by the field manager with which Crossplane only adds
// to existing ones: one that is removed while it is composed stays removed.
func TestRemade(t *testing.T) {
	w := newWorld(t, "remade")
	if err := w.enter(); err != nil {
		t.Fatal(err)
	}
	for _, gvk := range asoFamily.kinds() {
		t.Run(gvk.Kind, func(t *testing.T) {
			u := object(gvk, w.namespace, "removed")
			u.Object["spec"] = map[string]any{"crossplane": map[string]any{"resourceRefs": []any{}}}
			err := w.client.Apply(w.ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("apiextensions.crossplane.io/composite"))
			if err == nil || !strings.Contains(err.Error(), "was removed while Crossplane composed it") {
				t.Errorf("%s is made anew: %v", gvk.Kind, err)
			}
		})
	}
}
