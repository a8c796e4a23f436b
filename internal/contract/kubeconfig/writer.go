package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cluster-api/util/secret"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// failedReason is the reason of Events about a kubeconfig that cannot be written.
const failedReason = "KubeconfigFailed"

// A Writer makes the kubeconfig Secrets of a control plane from those that ASO writes.
type Writer struct {
	access.API

	// Tokens returns the credential that ASO uses for an object.
	Tokens TokenSource
	Now    func() time.Time
}

// A userError is a mistake that only a change of the manifest, a Secret or Azure corrects.
type userError struct{ message string }

func (e *userError) Error() string { return e.message }

func mistake(format string, args ...any) error { return &userError{fmt.Sprintf(format, args...)} }

func asUserError(err error) (*userError, bool) {
	found := &userError{}
	return found, errors.As(err, &found)
}

// Reconcile keeps <cluster>-kubeconfig equal to what ASO writes for the ManagedCluster, with a fresh token in it where the cluster has
// no local accounts.
//
// Cluster API contract, "ControlPlane: Cluster kubeconfig management".
func (w *Writer) Reconcile(ctx context.Context, s *access.Scope, managedCluster *unstructured.Unstructured) (ctrl.Result, error) {
	if err := w.copyForUsers(ctx, s, managedCluster); err != nil {
		return w.failed(s, err)
	}
	after, err := w.copyForClusterAPI(ctx, s, managedCluster)
	if err != nil {
		return w.failed(s, err)
	}
	w.Events.Clear(s.XR, failedReason)
	return ctrl.Result{RequeueAfter: after}, nil
}

// Pending reports whether the ManagedCluster that the control plane has composed is not there for the first time yet: ASO writes it
// many times until then, and has no kubeconfig. A user who has named a Secret for its credentials may have made a mistake in that,
// which is reported at once.
func Pending(controlPlane *unstructured.Unstructured) bool {
	kind := aso.ManagedCluster.GroupKind()
	if access.StatusInitialized.Value(controlPlane) || !access.Composes(controlPlane, kind) {
		return false
	}
	if inSpec := access.FirstResource(controlPlane, kind); inSpec != nil && (len(adminCredentials.Value(inSpec)) > 0 || len(userCredentials.Value(inSpec)) > 0) {
		return false
	}
	return slices.ContainsFunc(field.Maps(access.StatusResources.Value(controlPlane)), func(status map[string]any) bool {
		resource, _ := status["resource"].(map[string]any)
		return resource["group"] == kind.Group && resource["kind"] == kind.Kind && status["ready"] == false
	})
}

// copyForClusterAPI keeps <cluster>-kubeconfig current. It returns after what time the token needs to be renewed; zero means never.
func (w *Writer) copyForClusterAPI(ctx context.Context, s *access.Scope, managedCluster *unstructured.Unstructured) (time.Duration, error) {
	destination, err := credentialsDestination(managedCluster)
	if err != nil {
		return 0, err
	}
	withToken := localAccountsDisabled(managedCluster)
	if withToken && destination.name == secretName(s) {
		return 0, mistake("the ManagedCluster has no local accounts, so ASO must not write its credentials to Secret %s: "+
			"a token is put in there; name another Secret in spec.operatorSpec.secrets of the ManagedCluster", destination.name)
	}
	source, err := w.sourceOf(ctx, s, destination.name, managedCluster)
	if err != nil {
		return 0, err
	}
	if source == nil {
		return 0, w.checkWritten(ctx, s) // When ASO writes it, that leads here.
	}
	if destination.name == secretName(s) {
		return 0, w.adoptASOSecret(ctx, s, destination, source)
	}
	kubeconfig, err := kubeconfigIn(source, destination)
	if err != nil {
		return 0, err
	}
	if !withToken {
		if err := dataOnly(destination.name, kubeconfig); err != nil {
			return 0, err
		}
		return 0, w.writeKubeconfig(ctx, s, secretName(s), kubeconfig, nil)
	}
	return w.copyWithToken(ctx, s, managedCluster, kubeconfig)
}

// sourceOf returns the Secret of the name that ASO writes for the ManagedCluster; nil when there is none yet. The name is the
// user's to choose, who may not be one to read the other Secrets of the namespace.
func (w *Writer) sourceOf(ctx context.Context, s *access.Scope, name string, managedCluster *unstructured.Unstructured) (*corev1.Secret, error) {
	source, err := w.secret(ctx, s, name)
	if err != nil || source == nil {
		return nil, err
	}
	ofASO := slices.ContainsFunc(source.OwnerReferences, func(o metav1.OwnerReference) bool { return o.UID == managedCluster.GetUID() })
	if !ofASO {
		return nil, mistake("Secret %s has no owner reference to ManagedCluster %s, so it is not the one that ASO writes, and ASO leaves it as it is; "+
			"delete it, or name another Secret in spec.operatorSpec.secrets of the ManagedCluster", name, managedCluster.GetName())
	}
	return source, nil
}

// checkWritten returns what is wrong with a kubeconfig Secret that somebody has written before ASO: it is not used.
func (w *Writer) checkWritten(ctx context.Context, s *access.Scope) error {
	current, err := w.secret(ctx, s, secretName(s))
	if err != nil || current == nil {
		return err
	}
	return dataOnly(current.Name, current.Data[secret.KubeconfigDataName])
}

// failed reports to the user what is wrong. A mistake is not tried again before something changes.
func (w *Writer) failed(s *access.Scope, err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return ctrl.Result{RequeueAfter: access.ConflictDelay}, nil
	}
	if wrong, ok := asUserError(err); ok {
		w.Events.Warn(s.XR, failedReason, "MirrorKubeconfig", wrong.message)
		return ctrl.Result{}, reconcile.TerminalError(err)
	}
	if failure, ok := asTokenError(err); ok {
		w.Events.Warn(s.XR, failedReason, "GetToken", failure.message)
	}
	return ctrl.Result{}, err
}

// A secretKey is where ASO writes one thing.
type secretKey struct{ name, key string }

// credentialsDestination returns where ASO writes the kubeconfig: the admin's, else the user's.
func credentialsDestination(managedCluster *unstructured.Unstructured) (secretKey, error) {
	for _, f := range []field.Path[map[string]any]{adminCredentials, userCredentials} {
		if destination, ok := destinationAt(managedCluster, f); ok {
			return destination, nil
		}
	}
	return secretKey{}, mistake("ManagedCluster %s has neither %v nor %v, so ASO writes no kubeconfig; set one of them",
		managedCluster.GetName(), adminCredentials, userCredentials)
}

// destinationAt returns the destination that a field names; not ok when it names none.
func destinationAt(managedCluster *unstructured.Unstructured, f field.Path[map[string]any]) (destination secretKey, ok bool) {
	value := f.Value(managedCluster)
	destination = secretKey{field.Text(value["name"]), field.Text(value["key"])}
	return destination, destination.name != "" && destination.key != ""
}

func kubeconfigIn(source *corev1.Secret, destination secretKey) ([]byte, error) {
	if kubeconfig := source.Data[destination.key]; len(kubeconfig) > 0 {
		return kubeconfig, nil
	}
	return nil, mistake("Secret %s has no key %s, where ASO is to write the kubeconfig", destination.name, destination.key)
}

func secretName(s *access.Scope) string { return secret.Name(s.Cluster.Name, secret.Kubeconfig) }
