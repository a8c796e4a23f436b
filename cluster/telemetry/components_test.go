package telemetry

import (
	"fmt"
	"syscall"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

func jsonPatch(patch string) client.Patch { return client.RawPatch(types.JSONPatchType, []byte(patch)) }

// stranger has a Composition of somebody's own kind call function-capz, which composes CAPZ's kinds only.
func (w *world) stranger() fault {
	return fault{
		what:  "a Composition has function-capz compose a kind that it does not know",
		fires: []expected{{"CapzFunctionFatal", "kind", "other"}},
		begin: func() error {
			if err := w.applyText(strangers); err != nil {
				return err
			}
			stranger := object("telemetry.example.org/v1", "Stranger", plain, "stranger")
			stranger.Object["spec"] = map[string]any{"note": "who am I"}
			var problem error
			for begun := time.Now(); time.Since(begun) < patience; time.Sleep(lookInterval) { // Crossplane serves the kind first.
				if problem = w.apply(stranger); problem == nil {
					return nil
				}
			}
			return problem
		},
		end: func() error { return w.remove(object("telemetry.example.org/v1", "Stranger", plain, "stranger")) },
	}
}

const strangers = `
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata:
  name: strangers.telemetry.example.org
spec:
  scope: Namespaced
  group: telemetry.example.org
  names: {kind: Stranger, plural: strangers}
  versions:
  - name: v1
    served: true
    referenceable: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {note: {type: string}}}
---
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata:
  name: strangers
spec:
  compositeTypeRef: {apiVersion: telemetry.example.org/v1, kind: Stranger}
  mode: Pipeline
  pipeline:
  - step: compose
    functionRef: {name: crossplane-capz-function-capz}
`

// notAdmitted has a policy of the management cluster refuse a kubeconfig that provider-capz has to write.
func (w *world) notAdmitted() fault {
	const group, name = "admissionregistration.k8s.io/v1", "no-kubeconfigs"
	policy, binding := object(group, "ValidatingAdmissionPolicy", "", name), object(group, "ValidatingAdmissionPolicyBinding", "", name)
	return fault{
		what:  "an admission policy refuses what provider-capz writes",
		fires: []expected{{"CapzReconcileErrors"}},
		begin: func() error {
			if err := w.applyText(noKubeconfigs); err != nil {
				return err
			}
			time.Sleep(10 * time.Second) // It takes the API server a while to know of a policy.
			return w.remove(object("v1", "Secret", plain, plain+"-kubeconfig"))
		},
		end: func() error {
			if err := w.remove(binding); err != nil {
				return err
			}
			return w.remove(policy)
		},
	}
}

const noKubeconfigs = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: no-kubeconfigs
spec:
  failurePolicy: Fail
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [secrets], operations: [CREATE]}
  validations:
  - expression: "object.metadata.name != 'plain-kubeconfig'"
    message: Kubeconfigs are kept elsewhere.
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: no-kubeconfigs
spec:
  policyName: no-kubeconfigs
  validationActions: [Deny]
`

// ofComponents are faults of components, each by itself.
func (w *world) ofComponents() []fault {
	nobody := object(infrastructure, "AzureASOManagedCluster", plain, "nobody")
	nobody.Object["spec"] = map[string]any{"resources": []any{}}
	start := func(component string) func() error {
		return func() error { return w.stack.Start(w.t.Context(), component) }
	}
	var feed func()
	var release func() error
	return []fault{
		{
			what: "Crossplane is killed before it has composed an object", fires: []expected{{"CapzNotComposed", "kind", "AzureASOManagedCluster"}},
			begin: func() error {
				if err := w.stack.Kill(stack.Crossplane); err != nil {
					return err
				}
				return w.apply(nobody)
			},
			end: func() error {
				if err := start(stack.Crossplane)(); err != nil {
					return err
				}
				return w.remove(nobody)
			},
		},
		{
			what: "function-capz has a fiftieth of a processor", fires: []expected{{"CapzFunctionSlow"}},
			begin: func() error {
				feed = w.starve(stack.Function)
				return nil
			},
			end: func() error {
				feed()
				return nil
			},
		},
		{
			what: "function-capz is killed", fires: []expected{{"CapzFunctionDown"}},
			begin: func() error { return w.stack.Kill(stack.Function) }, end: start(stack.Function),
		},
		{
			what: "provider-capz is killed", fires: []expected{{"CapzProviderDown"}},
			begin: func() error { return w.stack.Kill(stack.Provider) },
		},
		{
			what: "provider-capz starts, but somebody else keeps the Lease", fires: []expected{{"CapzProviderIdle"}},
			begin: func() (err error) {
				if release, err = w.holdLease(); err != nil {
					return err
				}
				return start(stack.Provider)()
			},
			end: func() error { return release() },
		},
	}
}

// starve stops a component for most of the time, as a limit of its CPU does, and has Crossplane ask it meanwhile. It goes on until what is
// returned is called.
func (w *world) starve(component string) (feed func()) {
	// A call takes less than a millisecond and its time begins when it is taken up, so it has to run so little that calls are cut off.
	const runs, stopped = 5 * time.Millisecond, 280 * time.Millisecond
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		last := time.Time{}
		for count := 0; ; count++ {
			select {
			case <-done:
				return
			case <-time.After(runs):
			}
			if err := w.stack.Signal(component, syscall.SIGSTOP); err != nil {
				w.t.Error(err)
			}
			time.Sleep(stopped)
			if err := w.stack.Signal(component, syscall.SIGCONT); err != nil {
				w.t.Error(err)
			}
			if time.Since(last) > lookInterval {
				last = time.Now()
				for _, kind := range []string{"AzureASOManagedCluster", "AzureASOManagedControlPlane"} {
					if err := w.merge(object(infrastructure, kind, plain, plain), `{"metadata":{"annotations":{"telemetry.example.org/count":"%d"}}}`, count); err != nil {
						w.t.Error(err)
					}
				}
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// holdLease takes the Lease by which one replica of provider-capz works, and keeps it until what is returned is called.
func (w *world) holdLease() (release func() error, err error) {
	const name = "provider-capz-leader"
	lease := &coordinationv1.Lease{}
	key := client.ObjectKey{Namespace: packages, Name: name}
	hold := func() error {
		if err := w.client.Get(w.t.Context(), key, lease); err != nil {
			return err
		}
		lease.Spec.HolderIdentity, lease.Spec.RenewTime = ptr.To("somebody-else"), ptr.To(metav1.NowMicro())
		return w.client.Update(w.t.Context(), lease)
	}
	if err := hold(); err != nil {
		return nil, err
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Second):
			}
			if err := hold(); err != nil {
				w.t.Error(fmt.Errorf("hold the Lease: %w", err))
			}
		}
	}()
	return func() error {
		close(done)
		<-ended
		return client.IgnoreNotFound(w.client.Delete(w.t.Context(), lease))
	}, nil
}
