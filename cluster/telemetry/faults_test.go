package telemetry

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/common/model"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/cloudwriter"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
)

const (
	infrastructure = "infrastructure.cluster.x-k8s.io/v1beta1"
	clusterAPI     = "cluster.x-k8s.io/v1beta2"
	// patience is how long an alert may take to fire, on a machine that does other work as well.
	patience = 5 * time.Minute
	// longPatience is the same where two minutes, five minutes for Azure, or the end of a token are waited for.
	longPatience = 12 * time.Minute
)

func labelName(name string) model.LabelName { return model.LabelName(name) }

// A fault is something that goes wrong, and the alerts that tell of it.
type fault struct {
	// what is done, in words.
	what   string
	begin  func() error
	fires  []expected
	within time.Duration
	// end takes it back; nil for nothing.
	end func() error
}

// run has something go wrong until all of its alerts fire.
func (w *world) run(f fault) {
	begun := time.Now()
	w.say("begin: %s", f.what)
	if err := f.begin(); err != nil {
		w.t.Errorf("%s: %v", f.what, err)
		return
	}
	var waiting sync.WaitGroup
	for _, e := range f.fires {
		waiting.Go(func() {
			fires := func() (string, error) { return w.prometheus.lacks(w.t.Context(), e) }
			if await(w.t, max(f.within, patience), e[0], fires) {
				w.row("%s | %s | %s", e[0], f.what, time.Since(begun).Round(time.Second))
			}
		})
	}
	waiting.Wait()
	if f.end != nil {
		if err := f.end(); err != nil {
			w.t.Errorf("the end of: %s: %v", f.what, err)
		}
	}
}

// breakThings has one thing after the other go wrong until each alert has fired: first what does not touch each other, at once, then each
// component by itself.
func (w *world) breakThings() {
	w.say("things go wrong")
	drift := w.drift()
	if err := drift.begin(); err != nil { // Azure Service Operator is restarted, for which Entra has to be there.
		w.t.Errorf("%s: %v", drift.what, err)
	}
	drift.begin = func() error { return nil }
	var chains sync.WaitGroup
	for _, chain := range [][]fault{
		{drift},
		{w.slowly()},
		{w.refused()},
		{w.noCapacity()},
		{w.throttled(), w.unreachable(), w.noTokens()},
		{w.certificateEnds("a certificate ends in 7 days", 7*24*time.Hour, "CapzCredentialEndsSoon"), w.certificateEnds("it ends in 12 hours", 12*time.Hour, "CapzCredentialEnded"), w.stuck()},
		{w.stranger()},
		{w.notAdmitted()},
	} {
		chains.Go(func() {
			for _, f := range chain {
				w.run(f)
			}
		})
	}
	chains.Wait()
	for _, f := range w.ofComponents() {
		w.run(f)
	}
}

// inject has Azure or Entra answer otherwise.
func (w *world) inject(f admin.Fault) error {
	_, err := w.azure.Inject(w.t.Context(), f)
	return err
}

// clear returns what ends that.
func (w *world) clear(name string) func() error {
	return func() error { return w.azure.ClearFault(w.t.Context(), name) }
}

// in is the beginning of the paths of a cluster's resources.
func in(group string) string { return "/resourceGroups/" + group + "/.*" }

// drift has somebody change a network interface of a worker in Azure, which Azure Service Operator reads when it starts.
func (w *world) drift() fault {
	return fault{
		what:  "somebody changes a network interface in Azure",
		fires: []expected{{"CapzDrifted", "kind", "AzureMachine"}},
		begin: func() error {
			ctx := w.t.Context()
			all, err := w.azure.Resources(ctx, "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/"+machines+"/")
			if err != nil {
				return err
			}
			c, token, err := w.stack.SignIn(ctx)
			if err != nil {
				return err
			}
			writer := cloudwriter.Writer{HTTP: c, Token: token}
			for _, r := range all {
				if !strings.EqualFold(r.Type, aso.NetworkInterface.ARM()) || !strings.HasPrefix(path.Base(r.ID), machines+"-md-0-") {
					continue
				}
				err := writer.Change(ctx, r.ID, aso.NetworkInterface.APIVersion(), func(body map[string]any) {
					properties, _ := body["properties"].(map[string]any)
					properties["enableAcceleratedNetworking"] = false
				})
				if err == nil {
					err = w.stack.Kill(stack.ASO)
				}
				if err != nil {
					return err
				}
				return w.stack.Start(ctx, stack.ASO)
			}
			return fmt.Errorf("Azure has no network interface of a worker among %d resources", len(all))
		},
	}
}

// slowly has Azure take longer for an AKS cluster than it may.
func (w *world) slowly() fault {
	return fault{
		what:  "Azure takes 6 minutes for an AKS cluster",
		fires: []expected{{"CapzWaitsLong"}, {"CapzSlowToReady", "family", "AzureASOManaged"}}, within: longPatience,
		begin: func() error {
			takesLong := admin.Fault{Name: slow, Method: http.MethodPut, Path: in(slow) + "/managedClusters/[^/]+$", ProlongOperation: 6 * time.Minute, Times: 1}
			if err := w.inject(takesLong); err != nil {
				return err
			}
			if err := w.enter(slow); err != nil {
				return err
			}
			ex, err := w.named("aks-aso", slow, nil)
			if err != nil {
				return err
			}
			return ex.Apply(w.t.Context(), w.client)
		},
	}
}

// refused has Azure refuse a network, for which a subnet waits.
func (w *world) refused() fault {
	const entry = `{"apiVersion": "network.azure.com/v20250301", "kind": %q, "metadata": {"name": %q}, "spec": {%s}}`
	network := fmt.Sprintf(entry, "VirtualNetwork", "extra", `"location": "westeurope", "owner": {"name": "plain"}, "addressSpace": {"addressPrefixes": ["10.99.0.0/16"]}`)
	subnet := fmt.Sprintf(entry, "VirtualNetworksSubnet", "extra-nodes", `"azureName": "nodes", "owner": {"name": "extra"}, "addressPrefix": "10.99.1.0/24"`)
	return fault{
		what: "Azure forbids a virtual network",
		fires: []expected{
			{"CapzAzureForbids", "kind", "VirtualNetwork", "reason", "AuthorizationFailed"}, {"CapzResourceFailed", "kind", "AzureASOManagedCluster"},
			{"CapzHeldLong", "kind", "VirtualNetworksSubnet"},
		},
		begin: func() error {
			if err := w.inject(admin.Fault{
				Name: "refused", Method: http.MethodPut, Path: in(plain) + "/virtualNetworks/extra",
				Status: http.StatusForbidden, Code: "AuthorizationFailed", Message: "The client may not write this network.",
			}); err != nil {
				return err
			}
			return w.addResources("AzureASOManagedCluster", network, subnet)
		},
		end: w.clear("refused"),
	}
}

// addResources adds to what the user of the plain cluster asks for.
func (w *world) addResources(kind string, entries ...string) error {
	u := object(infrastructure, kind, plain, plain)
	for _, e := range entries {
		patch := fmt.Sprintf(`[{"op": "add", "path": "/spec/resources/-", "value": %s}]`, e)
		if err := w.client.Patch(w.t.Context(), u, jsonPatch(patch)); err != nil {
			return err
		}
	}
	return nil
}

// noCapacity has Azure have no machines of a size.
func (w *world) noCapacity() fault {
	return fault{
		what:  "Azure has no machine of a size for a pool that is scaled up",
		fires: []expected{{"CapzAzureNoCapacity", "kind", "ManagedClustersAgentPool", "reason", "SkuNotAvailable"}},
		begin: func() error {
			if err := w.inject(admin.Fault{
				Name: "full", Method: http.MethodPut, Path: in(plain) + "/agentPools/pool1",
				Status: http.StatusConflict, Code: "SkuNotAvailable", Message: "The requested size is currently not available in the location.",
			}); err != nil {
				return err
			}
			return w.merge(object(clusterAPI, "MachinePool", plain, plain+"-pool1"), `{"spec":{"replicas":3}}`)
		},
		end: w.clear("full"),
	}
}

// computed is the path of the machines that provider-capz asks Azure for.
var computed = "/resourceGroups/" + machines + `/providers/Microsoft\.Compute/virtualMachines`

// moreWorkers has Cluster API have so many workers, which provider-capz makes in Azure.
func (w *world) moreWorkers(count int) error {
	return w.merge(object(clusterAPI, "MachineDeployment", machines, machines+"-md-0"), `{"spec":{"replicas":%d}}`, count)
}

// throttled has Azure answer 429 to what provider-capz asks for a new machine. What Azure answers otherwise to that is taken back by noTokens,
// so that no machine is made meanwhile.
func (w *world) throttled() fault {
	return fault{
		what:  "Azure answers 429 about a machine that is to be made",
		fires: []expected{{"CapzAzureThrottled"}},
		begin: func() error {
			if err := w.inject(admin.Fault{
				Name: "machines", Path: computed,
				Status: http.StatusTooManyRequests, Code: "TooManyRequests", Message: "The request is being throttled.", RetryAfter: 5,
			}); err != nil {
				return err
			}
			return w.moreWorkers(2)
		},
	}
}

// unreachable has Azure not answer about another one.
func (w *world) unreachable() fault {
	return fault{
		what:  "Azure does not answer about a machine that is to be made",
		fires: []expected{{"CapzAzureUnreachable"}},
		begin: func() error {
			if err := w.inject(admin.Fault{Name: "machines", Path: computed, Drop: true}); err != nil { // In place of the other.
				return err
			}
			return w.moreWorkers(3)
		},
	}
}

// noTokens has Entra refuse whoever asks for a token: provider-capz asks with the new secret of an identity, for one more machine, and when those in
// kubeconfigs are to be replaced.
func (w *world) noTokens() fault {
	return fault{
		what:  "Entra refuses tokens",
		fires: []expected{{"CapzAzureSignIn"}, {"CapzTokenRequestsFail"}, {"CapzTokenNotRenewed"}}, within: longPatience,
		begin: func() error {
			if err := w.inject(admin.Fault{
				Name: "entra", Host: `^login\.`, Path: "/token$",
				Status: http.StatusUnauthorized, Code: "invalid_client", Message: "Invalid client secret provided.",
			}); err != nil {
				return err
			}
			if err := w.merge(object("v1", "Secret", machines, machines+"-identity"), `{"stringData":{"clientSecret":"another"}}`); err != nil {
				return err
			}
			if err := w.clear("machines")(); err != nil {
				return err
			}
			return w.moreWorkers(4)
		},
		end: func() error {
			if err := w.moreWorkers(1); err != nil {
				return err
			}
			return w.clear("entra")()
		},
	}
}

// certificateEnds gives the typed cluster's identity a certificate that ends soon.
func (w *world) certificateEnds(what string, after time.Duration, alert string) fault {
	return fault{
		what:  what,
		fires: []expected{{alert, "identity_namespace", typed, "identity", certificateSecret}},
		begin: func() error { return w.setCertificate(after) },
	}
}

// stuck has Azure refuse to delete what a lock is on.
func (w *world) stuck() fault {
	return fault{
		what:  "a lock in Azure keeps a deleted cluster there",
		fires: []expected{{"CapzDeletionStuck"}}, within: longPatience,
		begin: func() error {
			if err := w.inject(admin.Fault{
				Name: "locked", Method: http.MethodDelete, Path: "/resourceGroups/" + typed,
				Status: http.StatusConflict, Code: "ScopeLocked", Message: "The scope cannot perform delete operation because it is locked.",
			}); err != nil {
				return err
			}
			return w.remove(object(clusterAPI, "Cluster", typed, typed))
		},
		end: w.clear("locked"),
	}
}
