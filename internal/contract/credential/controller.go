package credential

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
)

const (
	// inUse is the reason of Events on a Secret that is being deleted and stays.
	inUse = "InUse"
	// Lost is the reason of Events on what has lost its Secret.
	Lost = "CredentialLost"
	// lookInterval is how often it is looked whether a Secret that is being deleted is still used: what it waits for has its own events,
	// but none of them leads here.
	lookInterval = time.Minute
)

// Reconcile has the Secret that req names have its finalizer while it is used, and only then. It reports who uses one that is being
// deleted, and on those who did that one is gone.
func (k *Keeper) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	secret, err := k.secret(ctx, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if secret == nil {
		return ctrl.Result{}, k.reportGone(ctx, req.NamespacedName)
	}
	user, err := k.user(ctx, secret, "")
	if err != nil {
		return ctrl.Result{}, err
	}
	if user == "" {
		err = k.LetGo(ctx, secret)
	} else {
		err = k.hold(ctx, secret)
	}
	switch {
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	case err != nil || user == "" || secret.DeletionTimestamp.IsZero():
		return ctrl.Result{}, err
	}
	if !access.Terminating(k.Metadata, secret.Namespace) {
		k.Events.Warn(secret, inUse, "WaitForDeletion", fmt.Sprintf(
			"is being deleted and stays until Azure Service Operator no longer signs in with it: %s; that cannot be taken back, but what is in it can still be changed", user))
	}
	return ctrl.Result{RequeueAfter: lookInterval}, nil
}

// mostTold is on how many composite resources the loss of one Secret is reported: the same is to be done for all of them.
const mostTold = 20

// reportGone reports on those who still need a Secret that it is gone: somebody has taken its finalizer away. One of ours is made anew.
func (k *Keeper) reportGone(ctx context.Context, key client.ObjectKey) error {
	secret := access.Metadata(secretKind)
	secret.SetNamespace(key.Namespace)
	secret.SetName(key.Name)
	k.Events.Forget(secret)
	users, err := k.users(ctx, secret, "", mostTold)
	if err != nil {
		return err
	}
	for _, user := range users {
		if name, named := azure.SecretOf(user.object); named && name == key.Name {
			k.Events.Warn(user.xr, Lost, "SignIn", Loss(k.Metadata, key.Namespace, key.Name))
		}
	}
	return nil
}

// Loss returns, in words, what it means for the objects that name a Secret of a namespace that it is gone, and what to do.
func Loss(namespaces client.Reader, namespace, secret string) string {
	lost := fmt.Sprintf("Secret %s is gone, with which Azure Service Operator signs in, so that nothing is changed or deleted in Azure", secret)
	switch {
	case access.Terminating(namespaces, namespace):
	case strings.HasSuffix(secret, v1beta1.CredentialSecretSuffix): // It is made from an AzureClusterIdentity, unless that gives it no longer.
		return lost + "; Event CredentialFailed of the control plane says what has to be corrected before it is made again"
	default:
		return lost + "; make it again"
	}
	return fmt.Sprintf("%s, and namespace %s, which is being deleted, takes no new one; name another Secret of this namespace in annotation %s of the objects that are left, or delete their resources in Azure yourself and then set annotation serviceoperator.azure.com/reconcile-policy: skip on the objects",
		lost, namespace, azure.CredentialFromAnnotation)
}

// Setup adds the controller that looks after the Secrets to mgr.
func Setup(mgr ctrl.Manager, api access.API, options controller.Options) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("credential-secret").
		For(&corev1.Secret{}, builder.OnlyMetadata, builder.WithPredicates(concerned())).
		WithOptions(options).
		Complete(traces.Reconciler("credential-secret", "Secret", &Keeper{API: api}))
}

// concerned passes what matters of the Secrets that have the finalizer, or are a credential by their name, and the end of those that
// belong to nobody, any of which may have been one.
func concerned() predicate.Predicate {
	is := func(secret client.Object) bool {
		name := secret.GetName()
		return held(secret) || name == azure.NamespaceSecret || strings.HasSuffix(name, v1beta1.CredentialSecretSuffix)
	}
	return predicate.Funcs{
		CreateFunc:  func(e event.CreateEvent) bool { return is(e.Object) },
		DeleteFunc:  func(e event.DeleteEvent) bool { return metav1.GetControllerOf(e.Object) == nil },
		GenericFunc: func(event.GenericEvent) bool { return false },
		UpdateFunc: func(e event.UpdateEvent) bool {
			if !is(e.ObjectNew) && !is(e.ObjectOld) {
				return false
			}
			return e.ObjectOld.GetResourceVersion() == e.ObjectNew.GetResourceVersion() || !slices.Equal(e.ObjectOld.GetFinalizers(), e.ObjectNew.GetFinalizers()) ||
				e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero()
		},
	}
}
