// Package topology makes of Clusters with a topology what Cluster API makes of them: Cluster API's own generator of the desired state runs here,
// without a cluster.
package topology

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/core/webhooks/admission"
	"sigs.k8s.io/cluster-api/exp/topology/desiredstate"
	"sigs.k8s.io/cluster-api/exp/topology/scope"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/crossplane-capz/crossplane-capz/internal/preview"
)

// mostRounds ends what never settles: in each round Cluster API takes one step of an upgrade.
const mostRounds = 100

var (
	clusterKind           = clusterv1.GroupVersion.WithKind("Cluster")
	classKind             = clusterv1.GroupVersion.WithKind("ClusterClass")
	machineDeploymentKind = clusterv1.GroupVersion.WithKind("MachineDeployment")
	machinePoolKind       = clusterv1.GroupVersion.WithKind("MachinePool")
)

// A Reader returns an object that is not among those that are expanded; nil when there is none.
type Reader func(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error)

// An Expansion is what Cluster API makes of objects.
type Expansion struct {
	// Objects are all of them, with what is made and without what Cluster API deletes.
	Objects []*unstructured.Unstructured
	// Unknown says of which Clusters it is not known what is made, and why.
	Unknown []string
	// Notes say what is taken for granted.
	Notes []string
	// Used are those that were looked at for Clusters, such as ClusterClasses and templates.
	Used []*unstructured.Unstructured
	// Mistakes are for what a user has to correct something.
	Mistakes []Mistake
}

// A Mistake is what Cluster API refuses in an object.
type Mistake struct {
	Of      *unstructured.Unstructured
	Message string
}

// Has reports whether an object is a Cluster with a topology.
func Has(o *unstructured.Unstructured) bool {
	_, topology, _ := unstructured.NestedMap(o.Object, "spec", "topology")
	return o.GroupVersionKind().GroupKind() == clusterKind.GroupKind() && topology
}

// Expand returns the objects with what Cluster API makes in the end of the Clusters among them that have a topology. The error is that of the
// reader.
func Expand(ctx context.Context, read Reader, objects []*unstructured.Unstructured) (*Expansion, error) {
	ctx = log.IntoContext(ctx, logr.Discard())
	e := &expander{read: read, seen: map[string]*unstructured.Unstructured{}}
	for _, o := range objects {
		current, err := preview.Current(o.DeepCopy())
		if err != nil {
			return nil, err
		}
		e.out.Objects = append(e.out.Objects, current)
	}
	for _, o := range slices.Clone(e.out.Objects) {
		if !Has(o) {
			continue
		}
		if err := e.expand(ctx, o); err != nil {
			return nil, err
		}
	}
	if e.chance {
		e.out.Notes = append(e.out.Notes, "the "+chance+" in names stand for letters that Cluster API chooses by chance")
	}
	return &e.out, nil
}

type expander struct {
	read Reader
	// seen are the objects that were read.
	seen map[string]*unstructured.Unstructured
	// chance is true once something is made whose name Cluster API chooses by chance.
	chance bool
	out    Expansion
}

// get returns an object, of those that are expanded if it is among them.
func (e *expander) get(ctx context.Context, kind schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	if i := e.index(kind.GroupKind(), namespace, name); i >= 0 {
		e.out.Used = append(e.out.Used, e.out.Objects[i])
		return e.out.Objects[i], nil
	}
	key := kind.String() + "/" + namespace + "/" + name
	if o, ok := e.seen[key]; ok || e.read == nil {
		return o, nil
	}
	o, err := e.read(ctx, kind, namespace, name)
	if err == nil && o != nil {
		o, err = preview.Current(o)
	}
	if err == nil {
		e.seen[key] = o
	}
	return o, err
}

func (e *expander) index(kind schema.GroupKind, namespace, name string) int {
	return slices.IndexFunc(e.out.Objects, func(o *unstructured.Unstructured) bool {
		return o.GroupVersionKind().GroupKind() == kind && o.GetNamespace() == namespace && o.GetName() == name
	})
}

// expand does for one Cluster what Cluster API does step by step, until there is nothing more to do.
func (e *expander) expand(ctx context.Context, o *unstructured.Unstructured) error {
	cluster := &clusterv1.Cluster{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, cluster); err != nil {
		e.mistake(o, err.Error())
		return nil
	}
	if annotations.IsPaused(cluster, cluster) {
		e.out.Notes = append(e.out.Notes, "Cluster "+o.GetName()+" is paused: Cluster API makes nothing of its topology before the pause ends")
		return nil
	}
	class, err := e.classOf(ctx, cluster)
	if err != nil || class == nil {
		return err
	}
	if !e.admitted(ctx, o, cluster, class) {
		return nil
	}
	blueprint, missing, err := e.blueprint(ctx, cluster, class)
	if err != nil {
		return err
	}
	if missing != "" {
		e.unknown(o, missing)
		return nil
	}
	generator, err := desiredstate.NewGenerator(newKinds(), noClusters{}, nil, nil, nil)
	if err != nil {
		return err
	}
	for range mostRounds {
		changed, err := e.round(ctx, generator, cluster, blueprint)
		switch {
		case errors.As(err, &readError{}):
			return err
		case err != nil:
			e.mistake(o, "Cluster API makes nothing of spec.topology: "+err.Error())
			return nil //nolint:nilerr // The mistake has it.
		case !changed:
			return nil
		}
	}
	e.unknown(o, fmt.Sprintf("it does not settle within %d rounds", mostRounds))
	return nil
}

func (e *expander) mistake(o *unstructured.Unstructured, message string) {
	if slices.ContainsFunc(e.out.Mistakes, func(m Mistake) bool { return m.Of == o && m.Message == message }) {
		return
	}
	e.out.Mistakes = append(e.out.Mistakes, Mistake{Of: o, Message: message})
}

func (e *expander) unknown(o *unstructured.Unstructured, why string) {
	e.out.Unknown = append(e.out.Unknown, fmt.Sprintf("Cluster %s: what Cluster API makes of its topology is not planned: %s", o.GetName(), why))
}

// classOf returns the ClusterClass of a Cluster; nil where nothing is to be made of it, and that is said.
func (e *expander) classOf(ctx context.Context, cluster *clusterv1.Cluster) (*clusterv1.ClusterClass, error) {
	key := cluster.GetClassKey()
	o, err := e.get(ctx, classKind, key.Namespace, key.Name)
	if err != nil {
		return nil, err
	}
	of := &unstructured.Unstructured{}
	of.SetName(cluster.Name)
	if o == nil {
		where := "neither among the manifests nor in the cluster"
		if e.read == nil {
			where = "not among the manifests"
		}
		e.unknown(of, fmt.Sprintf("its ClusterClass %s is %s", key, where))
		return nil, nil
	}
	class := &clusterv1.ClusterClass{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, class); err != nil {
		e.mistake(o, err.Error())
		return nil, nil
	}
	if why := byExtension(class); why != "" {
		e.unknown(of, fmt.Sprintf("its ClusterClass %s %s, which is a runtime extension that only Cluster API calls", key, why))
		return nil, nil
	}
	declare(class)
	return class, nil
}

// byExtension says for what a ClusterClass needs a runtime extension; empty for nothing.
func byExtension(class *clusterv1.ClusterClass) string {
	for _, patch := range class.Spec.Patches {
		if patch.External != nil {
			return fmt.Sprintf("has patch %q by %s", patch.Name, cmp.Or(patch.External.GeneratePatchesExtension, patch.External.ValidateTopologyExtension,
				patch.External.DiscoverVariablesExtension, "nobody"))
		}
	}
	if name := class.Spec.Upgrade.External.GenerateUpgradePlanExtension; name != "" {
		return "has its upgrades planned by " + name
	}
	return ""
}

// declare has the status of a ClusterClass say which variables there are, as its controller does for those that it declares itself.
func declare(class *clusterv1.ClusterClass) {
	class.Status.Variables = nil
	for _, v := range class.Spec.Variables {
		required := v.Required != nil && *v.Required
		class.Status.Variables = append(class.Status.Variables, clusterv1.ClusterClassStatusVariable{Name: v.Name,
			Definitions: []clusterv1.ClusterClassStatusVariableDefinition{{
				From: clusterv1.VariableDefinitionFromInline, Required: &required, Schema: v.Schema, DeprecatedV1Beta1Metadata: v.DeprecatedV1Beta1Metadata, //nolint:staticcheck // Cluster API still reads it.
			}}})
	}
}

// admitted sets what Cluster API's webhook sets, and reports whether that would take the Cluster.
func (e *expander) admitted(ctx context.Context, o *unstructured.Unstructured, cluster *clusterv1.Cluster, class *clusterv1.ClusterClass) bool {
	if version := cluster.Spec.Topology.Version; !strings.HasPrefix(version, "v") {
		cluster.Spec.Topology.Version = "v" + version
	}
	wrong := (&admission.Cluster{}).DefaultAndValidateVariables(ctx, cluster, nil, class)
	wrong = append(wrong, admission.ValidateClusterForClusterClass(cluster, class)...)
	for _, err := range wrong {
		e.mistake(o, err.Error())
	}
	return len(wrong) == 0
}

// round has Cluster API look at the Cluster once, and does what it would; it reports whether that is anything.
func (e *expander) round(ctx context.Context, generator desiredstate.Generator, cluster *clusterv1.Cluster, blueprint *scope.ClusterBlueprint) (bool, error) {
	s := scope.New(cluster)
	s.Blueprint = blueprint
	if err := e.current(ctx, s); err != nil {
		return false, err
	}
	desired, err := generator.Generate(ctx, s)
	if err != nil {
		return false, err
	}
	wanted, err := wantedBy(s, desired)
	if err != nil {
		return false, err
	}
	changed := e.apply(s, wanted)
	*cluster = *desired.Cluster
	cluster.Spec.InfrastructureRef.Name, cluster.Spec.ControlPlaneRef.Name = wanted.infrastructure.GetName(), wanted.controlPlane.GetName()
	return changed, nil
}
