package e2e

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// notedMigration is when the migration begins, notedUIDs what is to stay through it.
const (
	notedMigration = "migration"
	notedUIDs      = "migration/uids"
)

// createTyped makes the cluster that is migrated.
var createTyped = step{
	name: "create", act: applyTyped("aks"), lasts: 15 * time.Second,
	expect: []expectation{available, signedIn, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2)},
}

// migratedScenario brings a running cluster from AzureManaged* to AzureASOManaged*. Azure is not changed by that.
var migratedScenario = &scenario{
	name: "migrated", family: typedFamily, calmOnly: true,
	steps: []step{
		createTyped,
		{
			name: "migrate it, ended twice in the middle", lasts: 40 * time.Second,
			act:    all(noteMigration, endedMigration(700*time.Millisecond), endedMigration(4*time.Second), migrateTo(asoFamily)),
			expect: append(migratedTo(asoFamily), noneOf(typedFamily)),
			never:  []expectation{nothingChangedSince(notedMigration)},
			stays:  []expectation{nothingChangedSince(notedMigration)}, staysFor: 5 * time.Second,
		},
		{name: "scale it", act: scaleTo(userPool, 3), expect: []expectation{replicas(userPool, 3), available}},
		downTyped,
	},
}

// migratedBack migrates a cluster, returns it, and migrates it again for good.
var migratedBack = &scenario{
	name: "migrated-back", family: typedFamily, calmOnly: true,
	steps: []step{
		createTyped,
		{
			name: "what would be changed", act: all(noteMigration, migrationPlanned),
			expect: append(migratedTo(typedFamily), noneOf(asoFamily)), never: []expectation{nothingSentSince(notedMigration)},
		},
		{
			name: "migrate it, and keep the way back", lasts: 30 * time.Second,
			act: migrateTo(asoFamily, "--keep"), expect: migratedTo(asoFamily), never: []expectation{nothingChangedSince(notedMigration)},
		},
		{
			name: "go back", lasts: 30 * time.Second,
			act:    migrateTo(typedFamily, "--back"),
			expect: append(migratedTo(typedFamily), noneOf(asoFamily)),
			never:  []expectation{nothingChangedSince(notedMigration)},
		},
		{
			name: "migrate it for good", lasts: 40 * time.Second,
			act:    migrateTo(asoFamily, "--keep"),
			expect: migratedTo(asoFamily),
			never:  []expectation{nothingChangedSince(notedMigration)},
		},
		{
			name: "remove what it came from", lasts: 10 * time.Second,
			act:    migrateTo(asoFamily),
			expect: append(migratedTo(asoFamily), noneOf(typedFamily)),
			never:  []expectation{nothingChangedSince(notedMigration)},
		},
		{name: "scale it", act: scaleTo(userPool, 3), expect: []expectation{replicas(userPool, 3), available}},
		downTyped,
	},
}

// migrationPlanned has kubectl capz migrate say what it would do.
func migrationPlanned(w *world) error {
	out, something, err := w.kubectlCapz(nil, "migrate", "cluster/"+clusterName, "--dry-run")
	if err != nil {
		return err
	}
	w.logf("kubectl capz migrate --dry-run:\n%s", out)
	if !something || !strings.Contains(string(out), "hand over: ManagedCluster") {
		return fmt.Errorf("the dry run has no changes: %s", out)
	}
	return nil
}

// migrateTo runs kubectl capz migrate for the cluster until its end; the cluster is of the family then.
func migrateTo(f *family, args ...string) func(*world) error {
	return func(w *world) error {
		began := time.Now()
		told := &timed{since: began}
		out, _, err := w.kubectlCapzTelling(w.ctx, nil, told, "migrate", append([]string{"cluster/" + clusterName, "--timeout", "4m"}, args...)...)
		if err != nil {
			return err
		}
		w.logf("kubectl capz migrate %s took %s:\n%s%s", strings.Join(args, " "), time.Since(began).Round(time.Second), told.text.String(), out)
		w.family = f
		return nil
	}
}

// A timed has what is written with the seconds since the begin.
type timed struct {
	since time.Time
	text  strings.Builder
}

// Write implements io.Writer.
func (t *timed) Write(line []byte) (int, error) {
	_, _ = fmt.Fprintf(&t.text, "%5.1fs %s", time.Since(t.since).Seconds(), line)
	return len(line), nil
}

// endedMigration kills kubectl capz migrate after a while.
func endedMigration(after time.Duration) func(*world) error {
	return func(w *world) error {
		ctx, cancel := context.WithTimeout(w.ctx, after)
		defer cancel()
		if _, _, err := w.kubectlCapzTelling(ctx, nil, io.Discard, "migrate", "cluster/"+clusterName, "--keep"); err == nil {
			w.logf("kubectl capz migrate came to its end within %s", after)
		}
		return w.ctx.Err()
	}
}

// noteMigration notes when the migration begins, and what is to stay.
func noteMigration(w *world) error {
	if _, noted := w.noted[notedMigration]; noted {
		return nil
	}
	w.noted[notedMigration] = time.Now()
	uids, err := w.lasting()
	w.noted[notedUIDs] = uids
	return err
}

// lasting returns the UIDs of what a migration leaves.
func (w *world) lasting() (map[string]types.UID, error) {
	uids := map[string]types.UID{}
	objects, err := w.asoObjects()
	if err != nil {
		return nil, err
	}
	for key, o := range objects {
		uids[key.String()] = o.UID
	}
	for name, gvk := range map[string]*schema.GroupVersionKind{
		clusterName: &clusterKind, systemPool: &poolKind, userPool: &poolKind, clusterName + "-kubeconfig": &secretKind, asoSecret: &secretKind,
	} {
		o, err := w.get(*gvk, name)
		if err != nil {
			return nil, err
		}
		uids[gvk.Kind+"/"+name] = o.GetUID()
	}
	return uids, nil
}

// migratedTo expects the cluster to be of a family, and everything else to be what it was.
func migratedTo(f *family) []expectation {
	return []expectation{
		available, contractKept, signedIn, kubeconfigWorks, replicas(systemPool, 2), replicas(userPool, 2), lasted,
		field(clusterKind, clusterName, "spec.controlPlaneRef.kind", f.controlPlane.Kind), field(clusterKind, clusterName, "spec.infrastructureRef.kind", f.cluster.Kind),
		field(poolKind, userPool, "spec.template.spec.infrastructureRef.kind", f.pool.Kind), managed("ManagedCluster"), managed("ManagedClustersAgentPool"),
	}
}

// lasted expects the objects that were there before the migration, and no others in their place.
func lasted(w *world) []string {
	now, err := w.lasting()
	if err != nil {
		return []string{err.Error()}
	}
	before, _ := w.noted[notedUIDs].(map[string]types.UID)
	var missing []string
	if len(now) != len(before) {
		missing = append(missing, fmt.Sprintf("there are %d objects, before there were %d", len(now), len(before)))
	}
	for name, uid := range before {
		if now[name] != uid {
			missing = append(missing, fmt.Sprintf("%s has UID %q, before %q", name, now[name], uid))
		}
	}
	return missing
}

// noneOf expects that there is no object of a family any more.
func noneOf(f *family) expectation {
	return func(w *world) []string {
		var left []string
		for _, gvk := range f.kinds() {
			items, err := w.list(gvk)
			if err != nil {
				return []string{err.Error()}
			}
			for i := range items {
				left = append(left, fmt.Sprintf("%s %s is still there%s", gvk.Kind, items[i].GetName(), finalizers(&items[i])))
			}
		}
		return left
	}
}
