package contract

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/secret"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kubeconfigFailed is the reason of Events about a kubeconfig that cannot be made.
const kubeconfigFailed = "KubeconfigFailed"

// controlPlaneMirror makes the kubeconfig Secret of the contract from the Secret that ASO writes, and hands on what
// Cluster API decides of a ManagedCluster that the user has written.
type controlPlaneMirror struct {
	api

	tokens tokenSource
	now    func() time.Time
}

// A userError is a mistake that only a change of the manifest, a Secret or Azure corrects.
type userError struct{ message string }

func (e *userError) Error() string { return e.message }

func mistake(format string, args ...any) error { return &userError{fmt.Sprintf(format, args...)} }

// reconcile keeps <cluster>-kubeconfig equal to what ASO writes, with a fresh token in it where the cluster has no
// local accounts.
//
// Cluster API contract, "ControlPlane: Cluster kubeconfig management".
func (m *controlPlaneMirror) reconcile(ctx context.Context, s *scope) (ctrl.Result, error) {
	if typed(s.xr) {
		if err := m.mirrorEndpoint(ctx, s.xr, s.xr); err != nil {
			return ctrl.Result{}, err
		}
	}
	if comesUp(s.xr) {
		return ctrl.Result{}, nil // That it has an endpoint leads here.
	}
	managedCluster, err := m.managedClusterOf(ctx, s.xr)
	if err != nil || managedCluster == nil {
		return ctrl.Result{}, err // The function says so on the control plane.
	}
	if err := m.manageCluster(ctx, s, managedCluster); err != nil {
		return ctrl.Result{}, err
	}
	if err := m.mirrorUserKubeconfig(ctx, s, managedCluster); err != nil {
		return m.failed(s, err)
	}
	after, err := m.mirrorKubeconfig(ctx, s, managedCluster)
	if err != nil {
		return m.failed(s, err)
	}
	m.events.clear(s.xr, kubeconfigFailed)
	return ctrl.Result{RequeueAfter: after}, nil
}

// comesUp reports whether the ManagedCluster that the control plane has composed is not there for the first time yet: ASO writes it
// many times until then, and has nothing to hand on. A user who has named a Secret for its credentials may have made a mistake in that,
// which is told at once.
func comesUp(controlPlane *unstructured.Unstructured) bool {
	if statusInitialized.value(controlPlane) || !composes(controlPlane, managedClusterKind) {
		return false
	}
	if inSpec := firstResource(controlPlane, managedClusterKind); inSpec != nil && (len(adminCredentials.value(inSpec)) > 0 || len(userCredentials.value(inSpec)) > 0) {
		return false
	}
	return slices.ContainsFunc(statusResources.value(controlPlane), func(item any) bool {
		status, _ := item.(map[string]any)
		resource, _ := status["resource"].(map[string]any)
		return resource["group"] == managedClusterKind.Group && resource["kind"] == managedClusterKind.Kind && status["ready"] == false
	})
}

// mirrorKubeconfig returns after what time the token needs to be renewed; zero means never.
func (m *controlPlaneMirror) mirrorKubeconfig(ctx context.Context, s *scope, managedCluster *unstructured.Unstructured) (time.Duration, error) {
	destination, err := credentialsDestination(managedCluster)
	if err != nil {
		return 0, err
	}
	withToken := localAccountsDisabled(managedCluster)
	if withToken && destination.name == kubeconfigName(s) {
		return 0, mistake("the ManagedCluster has no local accounts, so ASO must not write its credentials to Secret %s: "+
			"a token is put in there; name another Secret in spec.operatorSpec.secrets of the ManagedCluster", destination.name)
	}
	source, err := m.sourceOf(ctx, s, destination.name, managedCluster)
	if err != nil {
		return 0, err
	}
	if source == nil {
		return 0, m.checkWritten(ctx, s) // ASO has yet to write it, which leads here.
	}
	if destination.name == kubeconfigName(s) {
		return 0, m.adoptASOSecret(ctx, s, destination, source)
	}
	kubeconfig, err := kubeconfigIn(source, destination)
	if err != nil {
		return 0, err
	}
	if !withToken {
		if err := dataOnly(destination.name, kubeconfig); err != nil {
			return 0, err
		}
		return 0, m.writeKubeconfig(ctx, s, kubeconfigName(s), kubeconfig, nil)
	}
	return m.mirrorWithToken(ctx, s, managedCluster, kubeconfig)
}

// sourceOf returns the Secret of the name that ASO writes for the ManagedCluster; nil when there is none yet. The name is the
// user's to choose, who may not be one to read the other Secrets of the namespace.
func (m *controlPlaneMirror) sourceOf(ctx context.Context, s *scope, name string, managedCluster *unstructured.Unstructured) (*corev1.Secret, error) {
	source, err := m.secret(ctx, s, name)
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

// checkWritten says what is wrong with a kubeconfig Secret that somebody has written before ASO has: it is not used.
func (m *controlPlaneMirror) checkWritten(ctx context.Context, s *scope) error {
	current, err := m.secret(ctx, s, kubeconfigName(s))
	if err != nil || current == nil {
		return err
	}
	return dataOnly(current.Name, current.Data[secret.KubeconfigDataName])
}

// failed shows a person what is wrong; a mistake is not tried again before something changes.
func (m *controlPlaneMirror) failed(s *scope, err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return ctrl.Result{RequeueAfter: ConflictDelay}, nil
	}
	if wrong, ok := asUserError(err); ok {
		m.events.warn(s.xr, kubeconfigFailed, "MirrorKubeconfig", wrong.message)
		return ctrl.Result{}, terminal(err)
	}
	if failure, ok := asTokenError(err); ok {
		m.events.warn(s.xr, kubeconfigFailed, "GetToken", failure.message)
	}
	return ctrl.Result{}, err
}

// A secretKey is where ASO writes one thing.
type secretKey struct{ name, key string }

// credentialsDestination returns where ASO writes the kubeconfig: the admin's, else the user's.
func credentialsDestination(managedCluster *unstructured.Unstructured) (secretKey, error) {
	for _, f := range []field[map[string]any]{adminCredentials, userCredentials} {
		if destination, ok := destinationAt(managedCluster, f); ok {
			return destination, nil
		}
	}
	return secretKey{}, mistake("ManagedCluster %s has neither %v nor %v, so ASO writes no kubeconfig; set one of them",
		managedCluster.GetName(), adminCredentials, userCredentials)
}

// destinationAt returns the destination that a field names; not ok when it names none.
func destinationAt(managedCluster *unstructured.Unstructured, f field[map[string]any]) (destination secretKey, ok bool) {
	value := f.value(managedCluster)
	name, _ := value["name"].(string)
	key, _ := value["key"].(string)
	return secretKey{name, key}, name != "" && key != ""
}

func kubeconfigIn(source *corev1.Secret, destination secretKey) ([]byte, error) {
	if kubeconfig := source.Data[destination.key]; len(kubeconfig) > 0 {
		return kubeconfig, nil
	}
	return nil, mistake("Secret %s has no key %s, where ASO is to write the kubeconfig", destination.name, destination.key)
}

func kubeconfigName(s *scope) string { return secret.Name(s.cluster.Name, secret.Kubeconfig) }

// adoptASOSecret makes a Secret that ASO writes itself under the contract's name readable by Cluster API. ASO writes all
// of it anew each time and its type cannot change, so only a missing label is added; nothing is contended.
func (m *controlPlaneMirror) adoptASOSecret(ctx context.Context, s *scope, destination secretKey, source *corev1.Secret) error {
	if destination.key != secret.KubeconfigDataName {
		return mistake("Cluster API reads key %s of Secret %s, but ASO is to write %s; change the key in "+
			"spec.operatorSpec.secrets of the ManagedCluster", secret.KubeconfigDataName, destination.name, destination.key)
	}
	if err := dataOnly(destination.name, source.Data[destination.key]); err != nil || source.Labels[clusterv1.ClusterNameLabel] == s.cluster.Name {
		return err
	}
	labelled := source.DeepCopy()
	metav1.SetMetaDataLabel(&labelled.ObjectMeta, clusterv1.ClusterNameLabel, s.cluster.Name)
	return m.Patch(ctx, labelled, client.MergeFrom(source))
}

// writeKubeconfig makes the Secret of the name have the kubeconfig and the annotations, if it does not.
func (m *controlPlaneMirror) writeKubeconfig(ctx context.Context, s *scope, name string, kubeconfig []byte, annotations map[string]string) error {
	current, err := m.secret(ctx, s, name)
	if err != nil {
		return err
	}
	if current != nil {
		if owner := metav1.GetControllerOf(current); owner != nil && owner.UID != s.xr.GetUID() {
			return mistake("Secret %s belongs to %s %s, so the kubeconfig cannot be written to it; delete it or rename its owner's",
				current.Name, owner.Kind, owner.Name)
		}
		if current.Type != clusterv1.ClusterSecretType {
			return m.replace(ctx, s, current)
		}
	}
	wanted := m.wantedSecret(s, name, current, kubeconfig, annotations)
	switch {
	case current == nil:
		return m.Create(ctx, wanted)
	case equality.Semantic.DeepEqual(wanted, current):
		return nil
	}
	return m.Patch(ctx, wanted, client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{}))
}

// replace deletes a Secret whose type is another than the contract's, as a type cannot change. Its end leads here.
func (m *controlPlaneMirror) replace(ctx context.Context, s *scope, current *corev1.Secret) error {
	ours := metav1.IsControlledBy(current, s.xr) || ownedByManagedCluster(current)
	if !ours {
		return mistake("Secret %s has type %s, but Cluster API's contract asks for %s; delete it, and it is written anew",
			current.Name, current.Type, clusterv1.ClusterSecretType)
	}
	uid := current.UID
	return client.IgnoreNotFound(m.Delete(ctx, current, client.Preconditions{UID: &uid}))
}

func ownedByManagedCluster(obj client.Object) bool { return len(managedClusterOwners(obj)) > 0 }

// wantedSecret returns current, or a new Secret, as the contract has it; labels, annotations and keys of others stay.
func (m *controlPlaneMirror) wantedSecret(s *scope, name string, current *corev1.Secret, kubeconfig []byte, annotations map[string]string) *corev1.Secret {
	wanted := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.xr.GetNamespace(), Name: name},
		Type:       clusterv1.ClusterSecretType,
	}
	if current != nil {
		wanted = current.DeepCopy()
	}
	metav1.SetMetaDataLabel(&wanted.ObjectMeta, clusterv1.ClusterNameLabel, s.cluster.Name)
	if !metav1.IsControlledBy(wanted, s.xr) {
		wanted.OwnerReferences = append(wanted.OwnerReferences, *metav1.NewControllerRef(s.xr, s.xr.GroupVersionKind()))
	}
	for _, name := range []string{TokenExpiresAtAnnotation, TokenRenewAtAnnotation, KubeconfigDigestAnnotation} {
		delete(wanted.Annotations, name)
	}
	if len(annotations) > 0 {
		if wanted.Annotations == nil {
			wanted.Annotations = map[string]string{}
		}
		maps.Copy(wanted.Annotations, annotations)
	}
	if wanted.Data == nil {
		wanted.Data = map[string][]byte{}
	}
	wanted.Data[secret.KubeconfigDataName] = kubeconfig
	return wanted
}

// secret reads a Secret of the namespace; nil when it does not exist.
func (m *controlPlaneMirror) secret(ctx context.Context, s *scope, name string) (*corev1.Secret, error) {
	found := &corev1.Secret{}
	err := m.live.Get(ctx, client.ObjectKey{Namespace: s.xr.GetNamespace(), Name: name}, found)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read Secret %s: %w", name, err)
	}
	return found, nil
}

// digest is how an alteration of a written kubeconfig is noticed.
func digest(kubeconfig []byte) string {
	sum := sha256.Sum256(kubeconfig)
	return hex.EncodeToString(sum[:])
}
