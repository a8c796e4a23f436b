package sides

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	jsonpatch "github.com/evanphx/json-patch/v5"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	webhook "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
	"github.com/crossplane-capz/crossplane-capz/functions/managed/aks"
	"github.com/crossplane-capz/crossplane-capz/internal/admission"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/schema"
)

// Ours is the side of this project.
type Ours struct {
	ControlPlane, Pool *schema.Schema
}

// NewOurs reads the schemas from the Configuration package.
func NewOurs(root string) (*Ours, error) {
	xrd := func(plural string) (*schema.Schema, error) {
		return schema.Read(fmt.Sprintf("%s/package/configuration/%s/definition.yaml", root, plural), "v1beta1")
	}
	o := &Ours{}
	var err error
	if o.ControlPlane, err = xrd("azuremanagedcontrolplanes"); err != nil {
		return nil, err
	}
	o.Pool, err = xrd("azuremanagedmachinepools")
	return o, err
}

// Admitted are the objects of a spec as the API server keeps them.
type Admitted struct {
	Cluster      aks.Cluster
	ControlPlane *v1beta1.AzureManagedControlPlane
	Pools        []aks.Pool
	// Objects are the control plane and its pools.
	Objects []*unstructured.Unstructured
}

// Admit applies the spec as a user would: schema, defaults, rules. An error is a refusal. Before is what there is of it.
func (o *Ours) Admit(ctx context.Context, s *specs.Spec, before *Admitted) (*Admitted, error) {
	a := &Admitted{ControlPlane: &v1beta1.AzureManagedControlPlane{}, Cluster: aks.Cluster{
		Namespace: specs.Namespace, Name: s.Cluster, ServiceCIDRs: s.ServiceCIDRs, PodCIDRs: s.PodCIDRs}}
	var err error
	if a.Objects, err = o.admitAll(ctx, s, before); err != nil {
		return nil, err
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(a.Objects[0].Object, a.ControlPlane); err != nil {
		return nil, err
	}
	for i, p := range s.Pools {
		xr := &v1beta1.AzureManagedMachinePool{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(a.Objects[i+1].Object, xr); err != nil {
			return nil, err
		}
		a.Pools = append(a.Pools, aks.Pool{XR: xr, Replicas: p.Replicas, Version: p.Version})
	}
	return a, nil
}

// admitAll returns the control plane and its pools as the API server keeps them.
func (o *Ours) admitAll(ctx context.Context, s *specs.Spec, before *Admitted) ([]*unstructured.Unstructured, error) {
	old := make([]*unstructured.Unstructured, 1+len(s.Pools))
	if before != nil {
		old = before.Objects
	}
	controlPlane, err := admit(ctx, o.ControlPlane, s.ControlPlane, old[0])
	all := []*unstructured.Unstructured{controlPlane}
	for i, p := range s.Pools {
		pool, poolErr := admit(ctx, o.Pool, p.Object, old[i+1])
		err = errors.Join(err, poolErr)
		all = append(all, pool)
	}
	return all, err
}

// admit applies the schema and the webhook to an object that is created or, with the object before, changed.
func admit(ctx context.Context, s *schema.Schema, object map[string]any, before *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	object = runtime.DeepCopyJSON(object)
	s.Default(object)
	if unknown := s.Prune(object); len(unknown) > 0 {
		return nil, fmt.Errorf("unknown fields: %v", unknown)
	}
	filled, err := filled(ctx, &unstructured.Unstructured{Object: object}, before)
	if err != nil {
		return nil, err
	}
	s.Default(filled.Object)
	if before == nil {
		return filled, s.Validate(ctx, filled.Object, nil)
	}
	return filled, s.Validate(ctx, filled.Object, before.Object)
}

// filled returns the object with what the webhook of provider-capz writes into it.
func filled(ctx context.Context, object, before *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	raw, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	gvk := object.GroupVersionKind()
	request := admissionv1.AdmissionRequest{Operation: admissionv1.Create, Kind: metav1.GroupVersionKind(gvk), Object: runtime.RawExtension{Raw: raw}}
	if before != nil {
		request.Operation = admissionv1.Update
		if request.OldObject.Raw, err = before.MarshalJSON(); err != nil {
			return nil, err
		}
	}
	response := (&admission.Defaulter{SubscriptionID: specs.Subscription}).Handle(ctx, webhook.Request{AdmissionRequest: request})
	if !response.Allowed {
		return nil, fmt.Errorf("webhook: %s", response.Result.Message)
	}
	operations, err := json.Marshal(response.Patches)
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(operations)
	if err != nil {
		return nil, err
	}
	if raw, err = patch.Apply(raw); err != nil {
		return nil, err
	}
	into := &unstructured.Unstructured{}
	return into, into.UnmarshalJSON(raw)
}

// Created returns what is made of a cluster that does not exist yet.
func (o *Ours) Created(a *Admitted) *Answer {
	answer := &Answer{Objects: Objects{}, Failures: map[string]string{}}
	for _, object := range aks.ControlPlane(a.ControlPlane, a.Cluster, a.Pools, aks.LiveCluster{}) {
		answer.add(object)
	}
	for _, p := range a.Pools {
		answer.add(aks.MachinePool(p, a.ControlPlane, a.Cluster, aks.LivePool{}))
	}
	return answer
}

// Running returns what is made of a cluster that runs, and whose pools were made before.
func (o *Ours) Running(s *specs.Spec, a *Admitted, before *Answer) *Answer {
	answer := &Answer{Objects: Objects{}, Failures: map[string]string{}}
	live := aks.LiveCluster{Version: s.Version, HasPools: true, Provisioned: true}
	for _, object := range aks.ControlPlane(a.ControlPlane, a.Cluster, nil, live) {
		answer.add(object)
	}
	for _, p := range a.Pools {
		p.AutoUpgradeVersion = s.AutoUpgradeVersion
		made := aks.MachinePool(p, a.ControlPlane, a.Cluster, aks.LivePool{})
		version, _, _ := unstructured.NestedString(before.Objects[name(made.Object)], "spec", "orchestratorVersion")
		answer.add(aks.MachinePool(p, a.ControlPlane, a.Cluster, aks.LivePool{Version: version}))
	}
	return answer
}

func (a *Answer) add(o *plan.Resource) {
	switch {
	case o.Err != nil:
		a.Failures[name(o.Object)] = o.Err.Message
	case len(o.After) > 0:
		a.Failures[name(o.Object)] = "waits until " + o.After[0].Description
	default:
		a.Objects[name(o.Object)] = o.Object.Object
	}
}

func name(o *unstructured.Unstructured) string { return o.GetKind() + "/" + o.GetName() }
