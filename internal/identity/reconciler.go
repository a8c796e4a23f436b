package identity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	clusterctlv1 "sigs.k8s.io/cluster-api/cmd/clusterctl/api/v1alpha3"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/annotations"
	"sigs.k8s.io/cluster-api/util/labels"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
)

// maxNote is the API's limit for the note of an Event.
const maxNote = 1024

// A Reconciler keeps the credential Secrets of AzureManagedControlPlanes as their AzureClusterIdentities say.
type Reconciler struct {
	// Client reads control planes and Clusters from the cache, and writes.
	client.Client

	// live reads AzureClusterIdentities, which may be in a namespace that is not cached, and Secrets.
	live   client.Reader
	events events.EventRecorder
	// watchFilter is the value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all.
	watchFilter string
}

// Reconcile makes the Secret of the control plane that req names. A mistake is told to people and not tried again: what
// corrects it leads here.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	xr := newObject(controlPlaneKind)
	if err := r.Get(ctx, req.NamespacedName, xr); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if r.watchFilter != "" && !labels.HasWatchLabel(xr, r.watchFilter) || untouchable(xr) {
		return ctrl.Result{}, nil
	}
	err := r.reconcile(ctx, xr)
	var told *mistake
	switch {
	case errors.As(err, &told):
		r.events.Eventf(xr, nil, corev1.EventTypeWarning, credentialFailed, "WriteCredential", "%s", short(told.message))
		return ctrl.Result{}, nil
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err):
		return ctrl.Result{RequeueAfter: contract.ConflictDelay}, nil
	}
	return ctrl.Result{}, err
}

// untouchable says whether a control plane is someone else's to act on.
func untouchable(xr *unstructured.Unstructured) bool {
	has := xr.GetAnnotations()
	if _, moving := has[clusterctlv1.DeleteForMoveAnnotation]; moving || annotations.IsExternallyManaged(xr) {
		return true
	}
	return has[contract.CrossplanePausedAnnotation] == "true" && has[contract.PausedByAnnotation] != contract.FieldOwner
}

func short(note string) string {
	if len(note) <= maxNote {
		return note
	}
	return strings.ToValidUTF8(note[:maxNote-len("…")], "") + "…"
}

// reconcile goes on while the control plane is being deleted: ASO needs the credential for that.
func (r *Reconciler) reconcile(ctx context.Context, xr *unstructured.Unstructured) error {
	controlPlane := &v1beta1.AzureManagedControlPlane{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(xr.Object, controlPlane); err != nil {
		return fmt.Errorf("cannot read the control plane: %w", err)
	}
	cluster, err := util.GetOwnerCluster(ctx, r.Client, controlPlane.ObjectMeta)
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("cannot read the Cluster: %w", err)
	}
	if cluster == nil || annotations.IsPaused(cluster, controlPlane) {
		return nil
	}
	current, err := r.current(ctx, controlPlane, cluster.Name)
	if err != nil {
		return err
	}
	if current == nil || metav1.IsControlledBy(current, controlPlane) {
		data, err := r.credential(ctx, controlPlane)
		if err != nil {
			return err
		}
		if err := r.write(ctx, controlPlane, cluster.Name, current, data); err != nil {
			return err
		}
	}
	return r.tell(ctx, xr, SecretName(cluster.Name), current)
}

// current returns the Secret as it is; nil when there is none. It is an error when it belongs to another composite resource.
func (r *Reconciler) current(ctx context.Context, controlPlane *v1beta1.AzureManagedControlPlane, cluster string) (*corev1.Secret, error) {
	current := &corev1.Secret{}
	err := r.live.Get(ctx, client.ObjectKey{Namespace: controlPlane.Namespace, Name: SecretName(cluster)}, current)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", SecretName(cluster), err)
	}
	owner := metav1.GetControllerOf(current)
	if owner != nil && owner.UID != controlPlane.UID && strings.HasPrefix(owner.APIVersion, controlPlaneKind.Group+"/") {
		return nil, wrong("Secret %s belongs to another %s, %s, so the credential cannot be written to it; it goes with that one",
			current.Name, owner.Kind, owner.Name)
	}
	return current, nil
}

// credential returns the data of the Secret. It is an error, and the Secret stays as it is, while the control plane may not
// have it.
func (r *Reconciler) credential(ctx context.Context, controlPlane *v1beta1.AzureManagedControlPlane) (map[string][]byte, error) {
	key, err := identityKeyOf(controlPlane)
	if err != nil {
		return nil, err
	}
	if controlPlane.Spec.SubscriptionID == "" {
		return nil, wrong("spec.subscriptionID is empty, and provider-capz has no AZURE_SUBSCRIPTION_ID to take for new control planes; make this one anew with a subscription")
	}
	identity := &v1beta1.AzureClusterIdentity{}
	err = r.live.Get(ctx, key, identity)
	if apierrors.IsNotFound(err) {
		return nil, wrong("AzureClusterIdentity %s, to which spec.identityRef refers, does not exist", key)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read AzureClusterIdentity %s: %w", key, err)
	}
	allowed, err := allows(ctx, r.Client, identity, controlPlane.Namespace)
	if err != nil {
		return nil, err
	}
	if !allowed {
		return nil, wrong("spec.allowedNamespaces of AzureClusterIdentity %s does not have namespace %s, so it gives no credential to clusters there",
			key, controlPlane.Namespace)
	}
	return source{secrets: r.live, identity: identity}.data(ctx, controlPlane.Spec.SubscriptionID)
}

// identityKeyOf returns the key of the AzureClusterIdentity of a control plane.
func identityKeyOf(controlPlane *v1beta1.AzureManagedControlPlane) (client.ObjectKey, error) {
	ref := controlPlane.Spec.IdentityRef
	switch {
	case ref == nil || ref.Name == "":
		return client.ObjectKey{}, wrong("spec.identityRef.name is empty; it must name an AzureClusterIdentity")
	case ref.Kind != "" && ref.Kind != identityKind.Kind:
		return client.ObjectKey{}, wrong("spec.identityRef.kind is %s; it must be %s", ref.Kind, identityKind.Kind)
	}
	key := client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}
	if key.Namespace == "" {
		key.Namespace = controlPlane.Namespace
	}
	return key, nil
}

// write makes the Secret have the data, if it does not.
func (r *Reconciler) write(ctx context.Context, controlPlane *v1beta1.AzureManagedControlPlane, cluster string, current *corev1.Secret, data map[string][]byte) error {
	if current == nil {
		return r.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: controlPlane.Namespace, Name: SecretName(cluster),
				Labels:          map[string]string{clusterv1.ClusterNameLabel: cluster},
				OwnerReferences: []metav1.OwnerReference{controllerOf(controlPlane)},
			},
			Data: data,
		})
	}
	wanted := current.DeepCopy()
	metav1.SetMetaDataLabel(&wanted.ObjectMeta, clusterv1.ClusterNameLabel, cluster)
	wanted.Data = data
	if equality.Semantic.DeepEqual(wanted, current) {
		return nil
	}
	return r.Patch(ctx, wanted, client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{}))
}

// controllerOf does not block the owner's deletion: with one in the foreground, the credential would go first.
func controllerOf(controlPlane *v1beta1.AzureManagedControlPlane) metav1.OwnerReference {
	ref := metav1.NewControllerRef(controlPlane, controlPlaneKind)
	ref.BlockOwnerDeletion = nil
	return *ref
}

// tell notes the Secret on the control plane, which is what the function waits for. One that a person has made is used as it
// is.
func (r *Reconciler) tell(ctx context.Context, xr *unstructured.Unstructured, secret string, current *corev1.Secret) error {
	if xr.GetAnnotations()[v1beta1.AnnotationCredential] == secret {
		return nil
	}
	if current != nil && !metav1.IsControlledBy(current, xr) {
		r.events.Eventf(xr, nil, corev1.EventTypeNormal, credentialFound, "UseCredential",
			"Secret %s was there before and is used as it is; delete it to have it made from the AzureClusterIdentity", secret)
	}
	changed := xr.DeepCopy()
	told := maps.Clone(changed.GetAnnotations())
	if told == nil {
		told = map[string]string{}
	}
	told[v1beta1.AnnotationCredential] = secret
	changed.SetAnnotations(told)
	return r.Patch(ctx, changed, client.MergeFrom(xr))
}
