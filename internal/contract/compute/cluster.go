package compute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/mirror"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
)

// addingInterval is how often it is looked whether a load balancer has its new addresses, or what they refer to is there.
const addingInterval = 5 * time.Second

// A Cluster does provider-capz's part of the contract for an AzureCluster.
type Cluster struct {
	access.API

	Azure *Azure
}

// Reconcile sets spec.controlPlaneEndpoint once the function has found it, and has the load balancers that ASO may only read have the tags of
// the spec, and addresses that it has more.
func (c *Cluster) Reconcile(ctx context.Context, s *access.Scope) (ctrl.Result, error) {
	if err := mirror.Endpoint(ctx, c.API, s.XR, s.XR); err != nil {
		return ctrl.Result{}, err
	}
	balancers, err := onlyRead(ctx, c.API, s.XR, aso.LoadBalancer)
	if err != nil || len(balancers) == 0 {
		return ctrl.Result{}, err
	}
	applied, tagsErr := c.Azure.applyTags(ctx, s.XR, balancers)
	added, done, frontendsErr := c.addFrontends(ctx, s.XR, balancers)
	problem := errors.Join(tagsErr, frontendsErr)
	tell(c.API, s.XR, problem)
	if err := c.Annotate(ctx, s.XR, func(annotations map[string]string) {
		applied.note(annotations)
		if text, err := added.Encode(); err == nil && len(added) > 0 {
			annotations[v1alpha1.AnnotationAddedFrontends] = text
		}
	}); err != nil {
		return ctrl.Result{}, err
	}
	result := ctrl.Result{}
	if !done {
		result.RequeueAfter = addingInterval
	}
	return result, problem
}

var (
	specFrontends   = field.At[[]any]("spec", "frontendIPConfigurations")
	statusFrontends = field.At[[]any]("status", "frontendIPConfigurations")
	specRules       = field.At[[]any]("spec", "outboundRules")
	specAddress     = field.At[string]("publicIPAddress", "reference", "armId")
)

// addFrontends adds to load balancers the addresses that the spec has more than they have. It returns what to note of that, and whether all of
// them have theirs.
func (c *Cluster) addFrontends(ctx context.Context, xr *unstructured.Unstructured, balancers []*unstructured.Unstructured) (added v1alpha1.AddedFrontends, done bool, err error) {
	added, done = v1alpha1.ReadAddedFrontends(xr.GetAnnotations()), true
	for _, balancer := range balancers {
		wanted := namesIn(specFrontends.Value(balancer))
		if contained(wanted, slices.Concat(namesIn(statusFrontends.Value(balancer)), added[balancer.GetName()])) {
			continue
		}
		has, err := c.addTo(ctx, balancer)
		if err != nil {
			return added, true, err
		}
		if has {
			added[balancer.GetName()] = wanted
		}
		done = done && has
	}
	return added, done, nil
}

func (c *Cluster) addTo(ctx context.Context, balancer *unstructured.Unstructured) (done bool, err error) {
	account, err := c.Azure.Credentials.Account(ctx, balancer)
	if err != nil {
		return false, fmt.Errorf("cannot use the credential of %s: %w", resourceName(balancer), err)
	}
	addition := machines.Addition{
		ID: balancer.GetAnnotations()[aso.AnnotationResourceID], Version: aso.LoadBalancer.APIVersion(), Cluster: balancer.GetLabels()[clusterv1.ClusterNameLabel], As: account,
	}
	for _, frontend := range field.Maps(specFrontends.Value(balancer)) {
		addition.Frontends = append(addition.Frontends, machines.Frontend{Name: field.Text(frontend["name"]), PublicIP: specAddress.ValueIn(frontend)})
	}
	if rules := namesIn(specRules.Value(balancer)); len(rules) > 0 {
		addition.Rule = rules[0]
	}
	unlock := c.Azure.lock(addition.ID)
	defer unlock()
	done, err = c.Azure.frontends.Add(ctx, addition)
	if _, refused := machines.Refused(err); refused {
		return false, nil // The address may not be there yet, or somebody else has written.
	}
	return done, err
}

func namesIn(list []any) []string {
	var names []string
	for _, one := range field.Maps(list) {
		names = append(names, field.Text(one["name"]))
	}
	return names
}

func contained(names, in []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(in, name) })
}
