package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

const (
	// patience is how long one cluster may take.
	patience = 10 * time.Minute
	// azureInterval is how often it is looked whether Azure is empty.
	azureInterval = 20 * time.Millisecond
	clusterName   = "bench"
	// longestLook is how long ASO waits at most before it asks Azure again what became of an operation.
	longestLook = 16 * time.Second
)

// A lifecycle is one cluster by one of CAPZ's own templates, from its first object to its last.
type lifecycle struct {
	// flavor is that of the template.
	flavor string
	// critical is how long Azure takes at the least until such a cluster can be Available, and until its pools can be there; zero where
	// Azure takes no time.
	critical, criticalPools time.Duration
}

func (l lifecycle) run(ctx context.Context, a *arena) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := a.prepare(ctx); err != nil {
		return err
	}
	clusters, err := a.clusters(ctx, l.flavor, clusterName)
	if err != nil {
		return err
	}
	if l.critical > 0 {
		slow := admin.Fault{Method: http.MethodPut, Path: "/resourceGroups/[^/]+$", Delay: groupLatency}
		if _, err := a.azure.Inject(ctx, slow); err != nil {
			return err
		}
	}
	begun := time.Now()
	if err := a.apply(ctx, clusters); err != nil {
		return err
	}
	pools := 0
	for _, u := range clusters[0] {
		if u.GetKind() == "MachinePool" {
			pools++
		}
	}
	at, err := a.timeline.await(ctx, "the Cluster to be Available", available(1))
	if err != nil {
		return err
	}
	nodes, err := a.timeline.await(ctx, "the MachinePools to have their nodes", equipped(pools))
	if err != nil {
		return err
	}
	if err := a.takeObjects(begun); err != nil {
		return err
	}
	a.takeSeconds("available", at.Sub(begun)-l.critical)
	a.takeSeconds("nodes", nodes.Sub(begun)-l.criticalPools)
	return a.delete(ctx, l.critical > 0)
}

// takeObjects notes when the last of the ASO objects came that there are.
func (a *arena) takeObjects(begun time.Time) error {
	var last time.Duration
	a.timeline.look(func(objects map[objectKey]*event, _ time.Time) {
		for _, e := range inOrder(objects) {
			came := e.came.Sub(begun)
			fmt.Fprintf(a.log, "  %6.2fs  %s %s\n", came.Seconds(), e.object.GetKind(), e.object.GetName())
			if strings.HasSuffix(e.object.GroupVersionKind().Group, asoSuffix) && e.gone.IsZero() {
				last = came
			}
		}
	})
	if last == 0 {
		return errors.New("there is no ASO object")
	}
	a.takeSeconds("objects", last)
	return nil
}

// delete deletes the Cluster and notes when nothing is left of it, in Kubernetes and in Azure. It is left alone before, as that it is Available
// does not say that nothing is under way: Azure, where it takes its time, may still work on a change, and refuses a deletion meanwhile.
func (a *arena) delete(ctx context.Context, slow bool) error {
	measurement, still := "deleted", 5*time.Second
	if slow {
		measurement, still = "deleted at rest", longestLook+5*time.Second
		if err := a.azureIdle(ctx); err != nil {
			return err
		}
	}
	if err := a.timeline.quiet(ctx, still, 2*time.Minute); err != nil {
		return err
	}
	cluster := &unstructured.Unstructured{}
	cluster.SetAPIVersion(capiGroup + "/v1beta2")
	cluster.SetKind("Cluster")
	cluster.SetNamespace(namespace)
	cluster.SetName(clusterName)
	begun := time.Now()
	if err := a.client.Delete(ctx, cluster, client.PropagationPolicy("Background")); err != nil {
		return err
	}
	gone, err := a.timeline.await(ctx, "the Cluster to be gone", nothing)
	if err != nil {
		return err
	}
	if gone, err = a.emptied(ctx, gone, a.before); err != nil {
		return err
	}
	a.takeSeconds(measurement, gone.Sub(begun))
	return nil
}

// azureIdle returns when Azure works on nothing.
func (a *arena) azureIdle(ctx context.Context) error {
	for {
		all, err := a.azure.Resources(ctx, "/subscriptions/"+subscription)
		if err != nil {
			return err
		}
		busy := slices.IndexFunc(all, func(r admin.Resource) bool {
			state, _, _ := unstructured.NestedString(r.Body, "properties", "provisioningState")
			return state != "" && state != "Succeeded"
		})
		if busy < 0 {
			return nil
		}
		if err := sleep(ctx, time.Second); err != nil {
			return fmt.Errorf("Azure still works on %s: %w", all[busy].ID, err) //nolint:staticcheck // A name.
		}
	}
}

// emptied returns when Azure has nothing more but what was there before, by identifier in lower case; gone if that is so already.
func (a *arena) emptied(ctx context.Context, gone time.Time, before map[string]bool) (time.Time, error) {
	for {
		all, err := a.inAzure(ctx)
		if err != nil {
			return gone, err
		}
		left := ""
		for id := range all {
			if !before[id] {
				left = id
			}
		}
		if left == "" {
			return gone, nil
		}
		gone = time.Now()
		if err := sleep(ctx, azureInterval); err != nil {
			return gone, fmt.Errorf("Azure still has %s: %w", left, err) //nolint:staticcheck // A name.
		}
	}
}
