package compute

import (
	"context"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/labels/format"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/azuremachine"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
	"github.com/crossplane-capz/crossplane-capz/internal/machines"
	"github.com/crossplane-capz/crossplane-capz/internal/rollout"
)

// PoolMachineKind is the kind of the objects that instances of scale sets have.
var PoolMachineKind = schema.GroupVersionKind{Group: v1beta1.GroupVersion.Group, Version: v1beta1.GroupVersion.Version, Kind: v1beta1.AzureMachinePoolMachineKind}

// writesAtOnce is how many objects of instances are written at the same time. Each of a thousand takes longer than all of them may.
const writesAtOnce = 10

// A member is an instance of a scale set with its object and its Machine.
type member struct {
	rollout.Instance

	// found is the instance in Azure. Its object is nil while Azure is about to finish it.
	found  machines.Instance
	object *unstructured.Unstructured
	// current reports that the instance is of the model that Azure has.
	current bool
	// machine is nil while Cluster API has made none.
	machine *clusterv1.Machine
}

// instancesOf returns the instances; by the model that Azure has, where that is to change.
func instancesOf(members []member, changing bool) []rollout.Instance {
	var all []rollout.Instance
	for _, m := range members {
		if changing {
			m.Latest = m.current
		}
		all = append(all, m.Instance)
	}
	return all
}

// keepMachines has each instance have an AzureMachinePoolMachine that says how it is, and returns all. One whose instance is gone has its Machine
// deleted, with which it goes. The model is the one that instances are to have.
func (s *scaleSet) keepMachines(ctx context.Context, model machines.Model) ([]member, error) {
	objects, err := s.poolMachines(ctx)
	if err != nil {
		return nil, err
	}
	machinesOf, err := s.capiMachines(ctx)
	if err != nil {
		return nil, err
	}
	instances := slices.DeleteFunc(slices.Clone(s.instances), func(i machines.Instance) bool {
		return objects[s.nameOf(i)] == nil && (i.State() == v1beta1.Deleting || leaves(s.XR))
	})
	members := make([]member, len(instances))
	var ids []string
	var writes errgroup.Group
	writes.SetLimit(writesAtOnce)
	for at, i := range instances {
		name := s.nameOf(i)
		object := objects[name]
		delete(objects, name)
		ids = append(ids, s.providerID(i))
		writes.Go(func() (err error) {
			members[at], err = s.keepMachine(ctx, i, object, machinesOf[name], model)
			return err
		})
	}
	if err := writes.Wait(); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		if err := s.removeMember(ctx, member{object: objects[name], machine: machinesOf[name]}); err != nil {
			return nil, err
		}
	}
	return members, s.list(ctx, ids)
}

// longestCreation is how long an instance may be in creation before it has an object all the same: if it hangs, people see it, and can have it go.
const longestCreation = 5 * time.Minute

// unfinished reports whether Azure is about to finish an instance. Cluster API could do nothing with its Machine yet, and of a thousand it would look at
// each twice.
func unfinished(i machines.Instance) bool {
	return i.State() == v1beta1.Creating && time.Since(i.Properties.TimeCreated) < longestCreation
}

// keepMachine has an instance have an AzureMachinePoolMachine that says how it is, once Azure has made it; object is nil if there is none yet, machine if
// Cluster API has made none.
func (s *scaleSet) keepMachine(ctx context.Context, i machines.Instance, object *unstructured.Unstructured, machine *clusterv1.Machine, model machines.Model) (member, error) {
	m := member{found: i, machine: machine, current: s.found.Model().Has(i)}
	m.Instance = rollout.Instance{Name: s.nameOf(i), Created: i.Properties.TimeCreated, State: i.State(), Latest: m.current && model.Has(i)}
	if object == nil && unfinished(i) {
		return m, nil
	}
	if object == nil {
		made, err := s.makeMachine(ctx, m.Name, i)
		if err != nil {
			return m, err
		}
		object = made
	}
	m.object, m.Created, m.Ready, m.Leaving = object, madeAt(object, i), nodeReady(machine), leaves(object) || machine != nil && leaves(machine)
	_, m.Chosen = object.GetAnnotations()[clusterv1.DeleteMachineAnnotation]
	if machine != nil && !m.Chosen {
		_, m.Chosen = machine.Annotations[clusterv1.DeleteMachineAnnotation]
	}
	return m, s.report(ctx, m, i)
}

// nameOf returns the name of the object of an instance.
func (s *scaleSet) nameOf(i machines.Instance) string {
	return azuremachine.InstanceObject(s.pool.Name, path.Base(i.ID))
}

// madeAt returns when an instance was made.
func madeAt(object *unstructured.Unstructured, i machines.Instance) time.Time {
	if !i.Properties.TimeCreated.IsZero() {
		return i.Properties.TimeCreated
	}
	return object.GetCreationTimestamp().Time
}

// specProviderIDList is where Cluster API reads which Nodes are of the pool.
var specProviderIDList = field.At[[]string]("spec", "providerIDList")

// list has the pool say which instances there are.
func (s *scaleSet) list(ctx context.Context, ids []string) error {
	slices.Sort(ids)
	s.facts.Pool.Listed = true
	if slices.Equal(specProviderIDList.Value(s.XR), ids) {
		return nil
	}
	if err := access.SetField(ctx, s.Client, s.XR, specProviderIDList, ids); err != nil {
		return err
	}
	// What is noted next is based on the object as it is now.
	return s.Live.Get(ctx, client.ObjectKeyFromObject(s.XR), s.XR)
}

// providerID returns by what the Node of an instance is known. One of a Flexible scale set is a virtual machine that stands by itself.
func (s *scaleSet) providerID(i machines.Instance) string {
	set := aso.ParseID(s.id)
	if set == nil {
		return azuremachine.ProviderIDPrefix + i.ID
	}
	if s.pool.Spec.OrchestrationMode == v1beta1.OrchestrationFlexible {
		return azuremachine.ProviderIDIn(set.SubscriptionID, set.ResourceGroupName, "virtualMachines", path.Base(i.ID))
	}
	return azuremachine.ProviderIDIn(set.SubscriptionID, set.ResourceGroupName, "virtualMachineScaleSets", set.Name, "virtualMachines", path.Base(i.ID))
}

// poolMachines returns the objects of the instances of the pool, by name.
func (s *scaleSet) poolMachines(ctx context.Context) (map[string]*unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(PoolMachineKind)
	if err := s.List(ctx, list, client.InNamespace(s.XR.GetNamespace()), client.MatchingLabels{v1beta1.LabelMachinePool: s.XR.GetName()}); err != nil {
		return nil, fmt.Errorf("cannot list the AzureMachinePoolMachines: %w", err)
	}
	all := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		all[list.Items[i].GetName()] = &list.Items[i]
	}
	return all, nil
}

// capiMachines returns the Machines of the pool, by the names of their AzureMachinePoolMachines.
func (s *scaleSet) capiMachines(ctx context.Context) (map[string]*clusterv1.Machine, error) {
	list := &clusterv1.MachineList{}
	err := s.List(ctx, list, client.InNamespace(s.owner.Namespace), client.MatchingLabels{
		clusterv1.ClusterNameLabel: s.Cluster.Name, clusterv1.MachinePoolNameLabel: format.MustFormatValue(s.owner.Name)})
	if err != nil {
		return nil, fmt.Errorf("cannot list the Machines of MachinePool %s: %w", s.owner.Name, err)
	}
	all := map[string]*clusterv1.Machine{}
	for i := range list.Items {
		all[list.Items[i].Spec.InfrastructureRef.Name] = &list.Items[i]
	}
	return all, nil
}

// makeMachine makes the object of an instance, of which Cluster API makes a Machine.
func (s *scaleSet) makeMachine(ctx context.Context, name string, i machines.Instance) (*unstructured.Unstructured, error) {
	made := &v1beta1.AzureMachinePoolMachine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.XR.GetNamespace(), Name: name, Finalizers: []string{names.Finalizer},
			Labels: map[string]string{
				clusterv1.ClusterNameLabel: s.Cluster.Name, v1beta1.LabelMachinePool: s.XR.GetName(),
				clusterv1.MachinePoolNameLabel: format.MustFormatValue(s.owner.Name), s.Cluster.Name: lifecycleOwned,
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: s.XR.GetAPIVersion(), Kind: s.XR.GetKind(), Name: s.XR.GetName(), UID: s.XR.GetUID(), BlockOwnerDeletion: ptr.To(true),
			}},
		},
		Spec: v1beta1.AzureMachinePoolMachineSpec{ProviderID: s.providerID(i), InstanceID: path.Base(i.ID)},
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(made)
	if err != nil {
		return nil, fmt.Errorf("cannot write AzureMachinePoolMachine %s: %w", name, err)
	}
	delete(content, "status")
	obj := &unstructured.Unstructured{Object: content}
	obj.SetGroupVersionKind(PoolMachineKind)
	switch err := s.Create(ctx, obj); {
	case apierrors.IsAlreadyExists(err):
		return obj, s.Get(ctx, client.ObjectKeyFromObject(obj), obj) // It is in the cache soon, if not yet.
	case err != nil:
		return nil, fmt.Errorf("cannot make AzureMachinePoolMachine %s: %w", name, err)
	}
	return obj, nil
}

// nodeReady reports whether the Node of a Machine is ready.
func nodeReady(machine *clusterv1.Machine) bool {
	return machine != nil && meta.IsStatusConditionTrue(machine.Status.Conditions, clusterv1.MachineNodeReadyCondition)
}

// report writes how an instance is. It is provisioned once Azure has made it; before that Cluster API looks for no Node.
func (s *scaleSet) report(ctx context.Context, m member, i machines.Instance) error {
	known, ok := read[v1beta1.AzureMachinePoolMachine](m.object)
	if !ok {
		return nil
	}
	before := known.Status.DeepCopy()
	status := &known.Status
	status.InstanceName, status.ProvisioningState, status.LatestModelApplied, status.Ready = i.Name, ptr.To(m.State), m.Latest, m.Ready
	provisioned := status.Initialization != nil && ptr.Deref(status.Initialization.Provisioned, false)
	status.Initialization = &v1beta1.InfrastructureInitialization{Provisioned: ptr.To(provisioned || m.State == v1beta1.Succeeded)}
	if m.machine != nil && m.machine.Status.NodeRef.Name != "" {
		status.NodeRef = &corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: m.machine.Status.NodeRef.Name}
		status.Version = m.machine.Spec.Version
	}
	if reflect.DeepEqual(before, status) {
		return nil
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(status)
	if err != nil {
		return fmt.Errorf("cannot write the status of AzureMachinePoolMachine %s: %w", m.Name, err)
	}
	changed := m.object.DeepCopy()
	changed.Object["status"] = content
	if err := s.Status().Patch(ctx, changed, client.MergeFrom(m.object)); err != nil {
		return client.IgnoreNotFound(err)
	}
	return nil
}

// remove has the members of the names go.
func (s *scaleSet) remove(ctx context.Context, members []member, going []string) error {
	for _, name := range going {
		m := members[slices.IndexFunc(members, func(m member) bool { return m.Name == name })]
		if m.object == nil { // It goes with its object, whatever Azure is about to do.
			if _, err := s.makeMachine(ctx, name, m.found); err != nil {
				return err
			}
		}
		if err := s.removeMember(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// removeMember deletes the Machine of an instance: Cluster API drains its Node and deletes the object then, with which the instance goes. Where
// there is no Machine yet, Cluster API is about to make it, for each object.
func (s *scaleSet) removeMember(ctx context.Context, m member) error {
	if m.machine == nil {
		s.again(movingInterval)
		return nil
	}
	if leaves(m.machine) {
		return nil
	}
	err := s.Delete(ctx, m.machine, client.Preconditions{UID: ptr.To(m.machine.UID)})
	if client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
		return fmt.Errorf("cannot delete Machine %s: %w", m.machine.Name, err)
	}
	return nil
}
