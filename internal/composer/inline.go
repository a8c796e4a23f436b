package composer

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// AnnotationReconcilePolicy tells ASO whether to touch Azure (ASO documentation, "Annotations understood by the operator").
	AnnotationReconcilePolicy = "serviceoperator.azure.com/reconcile-policy"
	// ReconcilePolicySkip makes ASO leave Azure as it is, on update and on deletion.
	ReconcilePolicySkip = "skip"
	// AnnotationSkippedByPause marks an object whose policy skip comes from a pause and not from a user, so that its end
	// can be told from the user's own wish to leave the resource in Azure.
	AnnotationSkippedByPause = "infrastructure.cluster.x-k8s.io/skipped-by-pause"
	// LabelClusterName names the Cluster that an object belongs to (CAPI contract, "Labels").
	LabelClusterName = "cluster.x-k8s.io/cluster-name"
)

// An Inline is one ASO object that the spec asks for: word for word in spec.resources, or by a field that stands for it.
type Inline struct {
	// Path is the field, such as spec.resources[0] or spec.virtualNetwork.
	Path string
	// Object is a copy that composers may change. Its group, version, kind and name are set unless Problem is.
	Object *unstructured.Unstructured
	// Problem says why the object cannot be composed as it is; nil if it can.
	Problem *Problem
	// Waits says, in words, what must be before the resource is first created, besides what it refers to. The object may be
	// held in Kubernetes meanwhile.
	Waits []string
	// Needs says, in words, what must be besides before there is an object at all, as without it the object cannot be written
	// rightly, or nobody can tell whose its resource is.
	Needs []string
	// Later says, in words, what of the spec is not in Object yet; empty if nothing.
	Later string
	// Probe is set when Azure may have the resource already.
	Probe *Probe
	// Instead names an object of the user's own that is to stand behind the spec, if he has said so.
	Instead Instead
	// Used is such an object, named or of the same name. It takes the place of Object, which is not composed then.
	Used *unstructured.Unstructured

	// ownership is what is known of whose the resource is, for status.resources; empty where nobody asks.
	ownership string
	// managedWhen is what a resource that Azure does not have waits for.
	managedWhen []string
	// waitsFor is what an object waits for that is not in Kubernetes yet, or held there.
	waitsFor []string
	// held says that the object waits in Kubernetes, with the policy skip.
	held bool
	// isNew says that Azure did not have the resource when asked, and that it is made now: nothing can lie in it.
	isNew bool
	// usersPolicy says that the user has chosen a reconcile policy.
	usersPolicy bool
	// unsure says that it is not known yet whether there is anything to look for in Azure.
	unsure bool
}

// A Problem is a mistake in the spec, to be shown to the person who made it.
type Problem struct {
	// Reason is the CamelCase reason of the condition and of status.resources.
	Reason string
	// Message names the field, the value found, the value required and why.
	Message string
}

// Reasons of problems.
const (
	ReasonInvalidResource    = "InvalidResource"
	ReasonDuplicateResource  = "DuplicateResource"
	ReasonIncompatibleValue  = "IncompatibleValue"
	ReasonImmutableField     = "ImmutableField"
	ReasonKindNotInstalled   = "KindNotInstalled"
	ReasonReplicasManagedBy  = "ReplicasManagedByOther"
	ReasonWaitingForResource = "WaitingForResource"
	ReasonPaused             = "Paused"
	ReasonDeleting           = "Deleting"
	ReasonGone               = "Gone"
	ReasonControlledByOther  = "ControlledByOther"
	reasonLooking            = "LookingInAzure"
)

// Name returns the composition resource name: it stays the same as long as kind and name do, whatever the version.
func (i *Inline) Name() string { return resourceName(i.Object) }

func resourceName(obj *unstructured.Unstructured) string {
	return obj.GroupVersionKind().GroupKind().String() + "/" + obj.GetName()
}

// Is reports whether the object is of the given group and kind, in any version.
func (i *Inline) Is(kind schema.GroupKind) bool {
	return i.Object.GroupVersionKind().GroupKind() == kind
}

// First returns the first of the objects that is of the given kind, nil if there is none.
func First(inlines []*Inline, kind schema.GroupKind) *Inline {
	for _, i := range inlines {
		if i.Is(kind) {
			return i
		}
	}
	return nil
}

// Inlines returns the objects of the composite's spec.resources in their order, each with its problem if it has one.
func Inlines(xr *unstructured.Unstructured) []*Inline {
	list, found, err := unstructured.NestedFieldNoCopy(xr.Object, "spec", "resources")
	items, ok := list.([]any)
	if err != nil || found && !ok {
		return []*Inline{unreadable(list, "spec.resources", "a list of Azure Service Operator objects")}
	}
	inlines := make([]*Inline, 0, len(items))
	first := map[string]string{}
	for n, item := range items {
		i := parse(item, indexed("spec.resources", n), xr.GetNamespace())
		if i.Problem == nil {
			if at, seen := first[i.Name()]; seen {
				i.Problem = &Problem{ReasonDuplicateResource, fmt.Sprintf(
					"%s: %s %q is defined at %s already; give each resource of a kind its own metadata.name", i.Path, i.Object.GetKind(), i.Object.GetName(), at)}
			} else {
				first[i.Name()] = i.Path
			}
		}
		inlines = append(inlines, i)
	}
	return inlines
}

func parse(item any, path, namespace string) *Inline {
	m, ok := item.(map[string]any)
	if !ok {
		return unreadable(item, path, "an Azure Service Operator object with apiVersion, kind and metadata.name")
	}
	if deeper(m, mostLevels) {
		return &Inline{Path: path, Object: &unstructured.Unstructured{Object: map[string]any{}}, Problem: &Problem{ReasonInvalidResource,
			fmt.Sprintf("%s has more than %d levels of fields within fields, but no Azure Service Operator kind has as many", path, mostLevels)}}
	}
	obj := (&unstructured.Unstructured{Object: m}).DeepCopy()
	i := &Inline{Path: path, Object: obj, Problem: malformed(obj, path, namespace)}
	if i.Problem == nil {
		dropServerFields(obj)
		obj.SetNamespace(namespace)
	}
	return i
}

// unreadable stands for what is no object at all.
func unreadable(found any, path, required string) *Inline {
	return &Inline{Path: path, Object: &unstructured.Unstructured{Object: map[string]any{}},
		Problem: &Problem{ReasonInvalidResource, fmt.Sprintf("%s is %T, but must be %s", path, found, required)}}
}

func malformed(obj *unstructured.Unstructured, path, namespace string) *Problem {
	invalid := func(field, found, required string) *Problem {
		return &Problem{ReasonInvalidResource, fmt.Sprintf("%s.%s is %q, but must be %s", path, field, cutTo(found, longestName), required)}
	}
	gv, err := schema.ParseGroupVersion(obj.GetAPIVersion())
	switch {
	case err != nil || !IsASO(gv.Group) || gv.Version == "":
		return invalid("apiVersion", obj.GetAPIVersion(), "group and version of an Azure Service Operator kind, such as resources.azure.com/v1api20200601")
	case obj.GetKind() == "":
		return invalid("kind", "", "the name of a kind, such as ResourceGroup")
	case obj.GetName() == "":
		return invalid("metadata.name", "", "set, because it identifies the resource among those of this object")
	case len(validation.IsDNS1123Subdomain(obj.GetName())) > 0:
		return invalid("metadata.name", obj.GetName(), "a name that Kubernetes takes: at most 253 lower case letters, digits, - and ., with a letter or digit at each end")
	case obj.GetNamespace() != "" && obj.GetNamespace() != namespace:
		return invalid("metadata.namespace", obj.GetNamespace(), fmt.Sprintf("%q or absent, because composed resources live in the namespace of the object that defines them", namespace))
	}
	for _, field := range []string{"labels", "annotations"} {
		value, _, _ := unstructured.NestedFieldNoCopy(obj.Object, "metadata", field)
		if _, _, err := unstructured.NestedStringMap(obj.Object, "metadata", field); err != nil && value != nil {
			return invalid("metadata."+field, fmt.Sprint(value), "a map of strings")
		}
	}
	if spec, found := obj.Object["spec"]; found {
		if _, ok := spec.(map[string]any); !ok {
			return invalid("spec", fmt.Sprint(spec), "an object")
		}
	}
	if sentence := Reserved(obj); sentence != "" {
		return &Problem{ReasonInvalidResource, path + "." + sentence}
	}
	return nil
}

// IsASO reports whether an API group is one of Azure Service Operator's.
func IsASO(group string) bool { return strings.HasSuffix(group, ".azure.com") }

// dropServerFields removes what only the API server and ASO write: in an applied object they would be conflicts.
func dropServerFields(obj *unstructured.Unstructured) {
	delete(obj.Object, "status")
	for _, field := range serverMetadata {
		unstructured.RemoveNestedField(obj.Object, "metadata", field)
	}
}
