package clusters

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeversion"
)

// Fields of specs.
var (
	specVersion         = field.At[string]("spec", "version")
	specIdentityRef     = field.At[map[string]any]("spec", "identityRef")
	specSubscription    = field.At[string]("spec", "subscriptionID")
	specEnvironment     = field.At[string]("spec", "azureEnvironment")
	specEndpoint        = field.At[map[string]any]("spec", "controlPlaneEndpoint")
	specResources       = field.At[[]any]("spec", "resources")
	kubernetesVersion   = field.At[string]("spec", "kubernetesVersion")
	orchestratorVersion = field.At[string]("spec", "orchestratorVersion")
	agentPoolProfiles   = field.At[[]any]("spec", "agentPoolProfiles")
)

// environments are the clouds that an AzureASOManagedControlPlane may name.
var environments = []string{"AzurePublicCloud", "AzureUSGovernmentCloud", "AzureChinaCloud"}

// converted returns the inline object that takes the place of the typed one of a pair. Crossplane leaves it alone until it is composed. The error
// names the ASO object of which it is not known what was applied.
func (p *picture) converted(of *pair) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(of.inlineKind.GroupVersionKind)
	o.SetNamespace(of.typed.GetNamespace())
	o.SetName(of.name)
	o.SetLabels(of.typed.GetLabels())
	var owners []metav1.OwnerReference
	for _, owner := range of.typed.GetOwnerReferences() {
		if strings.HasPrefix(owner.APIVersion, clusterv1.GroupVersion.Group+"/") {
			owners = append(owners, owner) // Cluster API puts the same on whatever it refers to.
		}
	}
	o.SetOwnerReferences(owners)
	resources, generations, err := p.resources(of)
	if err != nil {
		return nil, err
	}
	annotations := map[string]string{}
	maps.Copy(annotations, of.typed.GetAnnotations())
	maps.DeleteFunc(annotations, func(name, _ string) bool { return !isUsers(name) })
	if credential, made := of.typed.GetAnnotations()[v1beta1.AnnotationCredential]; made {
		annotations[v1beta1.AnnotationCredential] = credential
	}
	annotations[fromAnnotation], annotations[generationsAnnotation] = string(of.typed.GetUID()), generations
	annotations[names.CrossplanePausedAnnotation] = "true"
	o.SetAnnotations(annotations)
	if err := specResources.Set(o, resources); err != nil {
		return nil, err
	}
	return o, p.convertSpec(of, o)
}

// isUsers reports whether an annotation of a composite resource is for the user to write, and not about the kind.
func isUsers(annotation string) bool {
	domain, _, _ := strings.Cut(annotation, "/")
	return !slices.ContainsFunc([]string{"crossplane.io", "cluster.x-k8s.io", "kubernetes.io"}, func(of string) bool {
		return domain == of || strings.HasSuffix(domain, "."+of)
	})
}

// convertSpec sets what is not an ASO object.
func (p *picture) convertSpec(of *pair, o *unstructured.Unstructured) error {
	switch of.typedKind.Role {
	case composite.InfrastructureCluster:
		if endpoint := specEndpoint.Value(of.typed); len(endpoint) > 0 {
			return specEndpoint.Set(o, endpoint)
		}
	case composite.InfrastructureMachinePool:
		if ids := specProviderIDList.Value(of.typed); len(ids) > 0 {
			return specProviderIDList.Set(o, ids)
		}
	case composite.ControlPlane:
		return convertControlPlane(of.typed, o)
	}
	return nil
}

func convertControlPlane(typed, o *unstructured.Unstructured) error {
	if version := specVersion.Value(typed); version != "" {
		if err := specVersion.Set(o, kubeversion.WithV(kubeversion.WithoutV(version))); err != nil {
			return err
		}
	}
	identity := specIdentityRef.Value(typed)
	if len(identity) == 0 {
		return nil
	}
	if err := specIdentityRef.Set(o, identity); err != nil {
		return err
	}
	if subscription := specSubscription.Value(typed); subscription != "" {
		if err := specSubscription.Set(o, subscription); err != nil {
			return err
		}
	}
	if environment := specEnvironment.Value(typed); slices.Contains(environments, environment) {
		return specEnvironment.Set(o, environment)
	}
	return nil
}

// resources returns spec.resources of an inline object, and the generations that its ASO objects have now.
func (p *picture) resources(of *pair) ([]any, string, error) {
	resources, generations := []any{}, map[string]int64{}
	for _, c := range p.of(of) {
		o, err := p.inlined(c)
		if err != nil {
			return nil, "", fmt.Errorf("cannot say what Crossplane has applied: %w", err)
		}
		resources = append(resources, o.Object)
		generations[plan.NameOf(c.Unstructured)] = c.GetGeneration()
	}
	raw, err := json.Marshal(generations)
	return resources, string(raw), err
}

// inlined returns an ASO object as a user would write it: what Crossplane has applied, without what it, this project or Cluster API decides.
func (p *picture) inlined(c *child) (*unstructured.Unstructured, error) {
	o, err := plan.AsApplied(c.Unstructured)
	if err != nil {
		return nil, err
	}
	for _, decided := range []string{"namespace", "finalizers"} {
		unstructured.RemoveNestedField(o.Object, "metadata", decided)
	}
	setOrRemove(o, "labels", o.GetLabels(), func(name, _ string) bool {
		return name != clusterv1.ClusterNameLabel && !strings.HasPrefix(name, "crossplane.io/")
	})
	setOrRemove(o, "annotations", o.GetAnnotations(), func(name, value string) bool { return p.keepsAnnotation(c, name, value) })
	agentPoolProfiles.Remove(o)
	if c.inline == p.controlPlane && specVersion.Value(c.inline.typed) != "" {
		kubernetesVersion.Remove(o)
	}
	if c.inline.typedKind.Role == composite.InfrastructureMachinePool {
		aso.SpecCount.Remove(o)
		if poolVersion.Value(c.inline.referrer) != "" {
			orchestratorVersion.Remove(o)
		}
	}
	return o, nil
}

// keepsAnnotation reports whether an annotation of an ASO object is one that a user has to write for it to stay.
func (p *picture) keepsAnnotation(c *child, name, value string) bool {
	switch name {
	case aso.AnnotationReconcilePolicy:
		return c.GetAnnotations()[v1beta1.AnnotationOwnership] == v1beta1.OwnershipExternal || !aso.SkippedByPause(c)
	case aso.AnnotationCredentialFrom:
		return value != v1beta1.CredentialSecret(p.cluster.GetName())
	case aso.AnnotationOperator:
		return false
	}
	domain, _, _ := strings.Cut(name, "/")
	return domain != composite.InfrastructureGroup && domain != "crossplane.io"
}

// setOrRemove has a map of metadata be the entries that stay.
func setOrRemove(o *unstructured.Unstructured, field string, entries map[string]string, stays func(name, value string) bool) {
	left := map[string]any{}
	for name, value := range entries {
		if stays(name, value) {
			left[name] = value
		}
	}
	if len(left) == 0 {
		unstructured.RemoveNestedField(o.Object, "metadata", field)
		return
	}
	_ = unstructured.SetNestedMap(o.Object, left, "metadata", field) // The metadata is a map.
}
