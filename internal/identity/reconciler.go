package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/cluster-api/util/annotations"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
	"github.com/crossplane-capz/crossplane-capz/internal/contract"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/credential"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry/objects"
)

// madeFrom on a credential Secret names the AzureClusterIdentity that it is made from.
const madeFrom = "infrastructure.cluster.x-k8s.io/made-from-identity"

// rereadInterval is how often that is read again which is not watched.
const rereadInterval = 10 * time.Minute

// A Reconciler keeps the credential Secrets of the composite resources of one kind as their AzureClusterIdentities ask for.
type Reconciler struct {
	// Client reads composite resources and Clusters from the cache, and writes.
	client.Client

	// kind carries the credential of its Clusters.
	kind composite.Kind
	// live reads AzureClusterIdentities, which may be in a namespace that is not cached, and Secrets.
	live   client.Reader
	events *access.Reporter
	// recorder is for what is no problem.
	recorder events.EventRecorder
	// secrets takes the finalizer of the Secret away, which the contract controller keeps beside.
	secrets *credential.Keeper
	// operators are the ASOs that act on what the Clusters are made of.
	operators azure.Operators
	// watchFilter is the value of label cluster.x-k8s.io/watch-filter of the objects to act on; empty means all.
	watchFilter string
	// keeper knows who uses an AzureClusterIdentity.
	keeper *keeper
	// told is what is told in metrics.
	told *objects.Objects
}

// Reconcile makes the Secret of the composite resource that req names. A mistake is reported to users and not tried again: what
// corrects it leads here.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	xr := newObject(r.kind.GroupVersionKind)
	if err := r.Get(ctx, req.NamespacedName, xr); err != nil {
		xr.SetNamespace(req.Namespace)
		xr.SetName(req.Name)
		r.events.Forget(xr)
		r.told.NoCredential(r.kind.Kind, req.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !contract.Watched(xr, r.watchFilter) {
		return ctrl.Result{}, nil
	}
	err := r.reconcile(ctx, xr)
	var found *mistake
	switch {
	case !errors.As(err, &found):
	case found.reason == v1beta1.CredentialFailed && access.Terminating(r.secrets.Metadata, xr.GetNamespace()):
		err = nil // What it is made from has gone with the namespace, and the Secret is good enough to the end.
	default:
		r.events.Warn(xr, credentialFailed, "WriteCredential", found.message)
		err = r.annotate(ctx, xr, func(annotations map[string]string) {
			annotations[v1beta1.AnnotationCredentialFailed] = v1beta1.CredentialFailure(found.reason, found.message)
		})
	}
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	}
	if err == nil && r.unwatched(ctx, xr) {
		return ctrl.Result{RequeueAfter: rereadInterval}, nil
	}
	return ctrl.Result{}, err
}

// unwatched reports whether the credential depends on something that is not watched: a file, or an object in a namespace
// that is not cached.
func (r *Reconciler) unwatched(ctx context.Context, xr *unstructured.Unstructured) bool {
	carrier := &carrier{}
	if !read(xr, carrier) || carrier.Spec.IdentityRef == nil {
		return false
	}
	if r.keeper.namespace != "" {
		return true
	}
	key, err := identityKeyOf(carrier)
	if err != nil {
		return false
	}
	cached, identity := newObject(identityKind), &v1beta1.AzureClusterIdentity{}
	if err := r.Get(ctx, key, cached); err != nil {
		return false // What is not there yet comes with an event.
	}
	return read(cached, identity) && identity.Spec.CertPath != ""
}

// A carrier is what the credential depends on of a composite resource that carries it, whatever its kind.
type carrier struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		IdentityRef      *corev1.ObjectReference `json:"identityRef"`
		SubscriptionID   string                  `json:"subscriptionID"`
		AzureEnvironment string                  `json:"azureEnvironment"`
	} `json:"spec"`
}

// reconcile goes on while the composite resource is being deleted: ASO needs the credential for that.
func (r *Reconciler) reconcile(ctx context.Context, xr *unstructured.Unstructured) error {
	carrier := &carrier{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(xr.Object, carrier); err != nil {
		return fmt.Errorf("cannot read the %s: %w", r.kind.Kind, err)
	}
	if r.kind.Inline && carrier.Spec.IdentityRef == nil {
		r.told.NoCredential(r.kind.Kind, client.ObjectKeyFromObject(xr))
		return nil // ASO finds its credential by itself.
	}
	cluster, err := access.ClusterOf(ctx, r.Client, xr)
	if err != nil {
		return fmt.Errorf("cannot read the Cluster: %w", err)
	}
	if cluster == nil {
		return nil
	}
	current, err := r.current(ctx, carrier, cluster.Name)
	idle := unmanaged(cluster, xr)
	if err != nil {
		return unless(idle, err)
	}
	switch {
	case current == nil || metav1.IsControlledBy(current, carrier):
		err = r.follow(ctx, xr, carrier, cluster, current, idle)
	case !current.DeletionTimestamp.IsZero() && !idle: // A person's own that is to be made from the identity from now on.
		if _, _, err = r.credential(ctx, carrier); err == nil {
			_, err = r.renew(ctx, xr, cluster, current)
		}
	}
	if err != nil || idle {
		return err
	}
	return r.noteSecret(ctx, xr, v1beta1.CredentialSecret(cluster.Name), current)
}

// follow has the Secret be what the identity asks for, or go if the composite resource has no right to that.
func (r *Reconciler) follow(ctx context.Context, xr *unstructured.Unstructured, carrier *carrier, cluster *clusterv1.Cluster, current *corev1.Secret, idle bool) error {
	data, identity, err := r.credential(ctx, carrier)
	if err != nil && current != nil && !isNotAllowed(err) {
		err = cmp.Or(r.lapsed(ctx, carrier, current), err)
	}
	switch {
	case isNotAllowed(err) && current != nil:
		return errors.Join(r.revoke(ctx, current), err)
	case err != nil && current == nil:
		return unless(idle, missing(err))
	case err != nil:
		return unless(idle, err)
	case idle:
		return nil
	}
	if err := r.keep(ctx, xr, identity, current != nil); err != nil {
		if current == nil {
			return missing(err)
		}
		return err
	}
	if current != nil && !current.DeletionTimestamp.IsZero() {
		if renewed, err := r.renew(ctx, xr, cluster, current); renewed || err != nil {
			return err
		}
	}
	return r.write(ctx, carrier, cluster, identity, current, data)
}

// unmanaged reports whether a composite resource is somebody else's to act on, or paused. A credential to which it has no right is
// revoked all the same: whoever has lost it could pause.
func unmanaged(cluster *clusterv1.Cluster, xr *unstructured.Unstructured) bool {
	return annotations.IsExternallyManaged(xr) || access.PausedOrMoving(xr) || annotations.IsPaused(cluster, xr)
}

// unless drops a mistake of a composite resource that is idle: it is not reported now.
func unless(idle bool, err error) error {
	var m *mistake
	if idle && errors.As(err, &m) {
		return nil
	}
	return err
}

// current returns the Secret as it is; nil when there is none. It is an error when it belongs to another composite resource.
func (r *Reconciler) current(ctx context.Context, carrier *carrier, cluster string) (*corev1.Secret, error) {
	current := &corev1.Secret{}
	err := r.live.Get(ctx, client.ObjectKey{Namespace: carrier.Namespace, Name: v1beta1.CredentialSecret(cluster)}, current)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", v1beta1.CredentialSecret(cluster), err)
	}
	owner := metav1.GetControllerOf(current)
	if owner != nil && owner.UID != carrier.UID && strings.HasPrefix(owner.APIVersion, r.kind.Group+"/") {
		return nil, wrong("Secret %s belongs to another %s, %s, so the credential cannot be written to it; it goes with that one",
			current.Name, owner.Kind, owner.Name)
	}
	return current, nil
}

// credential returns the data of the Secret, and the identity that they are from. It is an error, and the Secret stays as it is, while the
// composite resource may not have them.
func (r *Reconciler) credential(ctx context.Context, carrier *carrier) (map[string][]byte, *v1beta1.AzureClusterIdentity, error) {
	key, err := identityKeyOf(carrier)
	if err != nil {
		return nil, nil, err
	}
	identity, err := r.identity(ctx, key, carrier.Namespace)
	if err != nil {
		return nil, nil, err
	}
	if identity == nil {
		return nil, nil, wrong("AzureClusterIdentity %s, to which spec.identityRef refers, does not exist", key)
	}
	if carrier.Spec.SubscriptionID == "" {
		return nil, nil, wrong("spec.subscriptionID is empty, and provider-capz has no AZURE_SUBSCRIPTION_ID to take for new control planes; make this one anew with a subscription")
	}
	data, err := source{secrets: r.live, operators: r.operators, identity: identity}.data(ctx, carrier)
	if err == nil {
		r.told.Credential(r.kind.Kind, client.ObjectKey{Namespace: carrier.Namespace, Name: carrier.Name}, objects.Credential{Identity: key, Type: string(identity.Spec.Type), End: certificateEnd(data)})
	}
	return data, identity, err
}

// keep makes the identity stay for as long as the composite resource, unless another one claims in Azure what this one does:
// that is not held against one that has its Secret and its finalizer, whoever claims the same later. The Secret alone anybody in
// the namespace could have made.
func (r *Reconciler) keep(ctx context.Context, xr *unstructured.Unstructured, identity *v1beta1.AzureClusterIdentity, runs bool) error {
	kind, key := r.kind.GroupKind(), client.ObjectKeyFromObject(xr)
	if runs && slices.Contains(identity.Finalizers, finalizerOf(kind, key)) {
		return nil
	}
	if err := r.keeper.claimedByOther(ctx, xr); err != nil {
		return err
	}
	return r.keeper.hold(ctx, identity, kind, key)
}

// identity returns an AzureClusterIdentity, nil when it does not exist. It is an error when it is not for the namespace.
func (r *Reconciler) identity(ctx context.Context, key client.ObjectKey, namespace string) (*v1beta1.AzureClusterIdentity, error) {
	identity := &v1beta1.AzureClusterIdentity{}
	err := r.live.Get(ctx, key, identity)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read AzureClusterIdentity %s: %w", key, err)
	}
	allowed, err := allows(ctx, r.Client, identity, namespace)
	if err == nil && !allowed {
		err = notAllowed("spec.allowedNamespaces of AzureClusterIdentity %s does not have namespace %s, so it gives no credential to clusters there", key, namespace)
	}
	return identity, err
}

// lapsed returns an error when the identity that the Secret was made from is not for the namespace any more. Else to refer to one
// that does not exist would be a way to keep the credential.
func (r *Reconciler) lapsed(ctx context.Context, carrier *carrier, current *corev1.Secret) error {
	namespace, name, found := strings.Cut(current.Annotations[madeFrom], "/")
	if !found {
		return nil
	}
	_, err := r.identity(ctx, client.ObjectKey{Namespace: namespace, Name: name}, carrier.Namespace)
	if !isNotAllowed(err) {
		return nil // It stays while that is not certain.
	}
	return err
}

// identityKeyOf returns the key of the AzureClusterIdentity of a composite resource.
func identityKeyOf(carrier *carrier) (client.ObjectKey, error) {
	ref := carrier.Spec.IdentityRef
	switch {
	case ref == nil || ref.Name == "":
		return client.ObjectKey{}, wrong("spec.identityRef.name is empty; it must name an AzureClusterIdentity")
	case ref.Kind != "" && ref.Kind != identityKind.Kind:
		return client.ObjectKey{}, wrong("spec.identityRef.kind is %s; it must be %s", ref.Kind, identityKind.Kind)
	}
	key := client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}
	if key.Namespace == "" {
		key.Namespace = carrier.Namespace
	}
	return key, nil
}

// write makes the Secret have the data, which are from the identity, if it does not.
func (r *Reconciler) write(ctx context.Context, carrier *carrier, cluster *clusterv1.Cluster, identity *v1beta1.AzureClusterIdentity, current *corev1.Secret, data map[string][]byte) error {
	key := client.ObjectKeyFromObject(identity)
	if current == nil {
		secret := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: carrier.Namespace, Name: v1beta1.CredentialSecret(cluster.Name),
				Labels:          map[string]string{clusterv1.ClusterNameLabel: cluster.Name},
				Annotations:     map[string]string{madeFrom: key.String()},
				OwnerReferences: r.ownersOf(carrier, cluster),
				Finalizers:      []string{names.CredentialFinalizer},
			},
			Data: data,
		}
		err := r.Create(ctx, secret)
		if access.RefusedByNamespace(err) {
			return &mistake{v1beta1.CredentialMissing, credential.Loss(r.secrets.Metadata, secret.Namespace, secret.Name)}
		}
		return err
	}
	wanted := current.DeepCopy()
	metav1.SetMetaDataLabel(&wanted.ObjectMeta, clusterv1.ClusterNameLabel, cluster.Name)
	metav1.SetMetaDataAnnotation(&wanted.ObjectMeta, madeFrom, key.String())
	for _, owner := range r.ownersOf(carrier, cluster) {
		wanted.OwnerReferences = util.EnsureOwnerRef(wanted.OwnerReferences, owner)
	}
	wanted.Data = data
	if equality.Semantic.DeepEqual(wanted, current) {
		return nil
	}
	return r.Patch(ctx, wanted, client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{}))
}

// ownersOf returns what the Secret is deleted with. None of it blocks its owner's deletion: the finalizer alone says until when it has to
// stay. Where the infrastructure composes resources in Azure, those are deleted after the control plane that carries
// the credential, and still need it.
func (r *Reconciler) ownersOf(carrier *carrier, cluster *clusterv1.Cluster) []metav1.OwnerReference {
	ref := metav1.NewControllerRef(carrier, r.kind.GroupVersionKind)
	ref.BlockOwnerDeletion = nil
	owners := []metav1.OwnerReference{*ref}
	infrastructure, _ := r.kind.Sibling(composite.InfrastructureCluster)
	if r.kind.Role == composite.ControlPlane && infrastructure.Inline {
		owners = append(owners, metav1.OwnerReference{
			APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Name: cluster.Name, UID: cluster.UID,
		})
	}
	return owners
}

// noteSecret notes the Secret on the composite resource, which is what the function waits for. One that a person has made is used as it
// is.
func (r *Reconciler) noteSecret(ctx context.Context, xr *unstructured.Unstructured, secret string, current *corev1.Secret) error {
	if xr.GetAnnotations()[v1beta1.AnnotationCredential] != secret && current != nil && !metav1.IsControlledBy(current, xr) {
		r.recorder.Eventf(xr, nil, corev1.EventTypeNormal, credentialFound, "UseCredential",
			"Secret %s was there before and is used as it is; delete it to have it made from the AzureClusterIdentity", secret)
	}
	r.events.Clear(xr, credentialFailed)
	return r.annotate(ctx, xr, func(annotations map[string]string) {
		annotations[v1beta1.AnnotationCredential] = secret
		delete(annotations, v1beta1.AnnotationCredentialFailed)
	})
}

// annotate writes annotations of the composite resource as change leaves them, if it changes any.
func (r *Reconciler) annotate(ctx context.Context, xr *unstructured.Unstructured, change func(map[string]string)) error {
	changed, differs := access.Annotated(xr, change)
	if !differs {
		return nil
	}
	return client.IgnoreNotFound(r.Patch(ctx, changed, client.MergeFrom(xr)))
}
