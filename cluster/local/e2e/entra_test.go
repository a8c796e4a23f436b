package e2e

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const tokenExpiry = "infrastructure.cluster.x-k8s.io/token-expires-at"

// kubeconfig returns the kubeconfig Secret of the contract.
func (w *world) kubeconfig() (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	return secret, w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: kubeconfigSecret}, secret)
}

// holdsToken expects a kubeconfig without plugins, with a token that is good for a while.
func holdsToken(w *world) []string {
	secret, err := w.kubeconfig()
	if err != nil {
		return []string{err.Error()}
	}
	config, err := clientcmd.Load(secret.Data["value"])
	if err != nil {
		return []string{err.Error()}
	}
	for name, user := range config.AuthInfos {
		if user.Exec != nil || user.Token == "" || len(user.ClientCertificateData) > 0 {
			return []string{fmt.Sprintf("user %s of the kubeconfig has exec=%v, a token of %d bytes and a certificate of %d",
				name, user.Exec != nil, len(user.Token), len(user.ClientCertificateData))}
		}
	}
	expires, err := time.Parse(time.RFC3339, secret.Annotations[tokenExpiry])
	if err != nil {
		return []string{err.Error()}
	}
	if left := time.Until(expires); left <= 0 {
		return []string{fmt.Sprintf("the token of the kubeconfig ended %s ago", -left)}
	}
	return nil
}

// oldKubeconfigRefused expects that the noted kubeconfig is good for nothing any more.
func oldKubeconfigRefused(w *world) []string {
	nodes, err := w.nodes(w.noted["kubeconfig"].([]byte))
	if !apierrors.IsUnauthorized(err) {
		return []string{fmt.Sprintf("the old kubeconfig lists %d nodes (%v), but its token should have ended", len(nodes), err)}
	}
	return nil
}

// tokenEnded finds, while nothing is killed, a kubeconfig whose token has ended.
func tokenEnded(w *world) []string {
	if len(w.killed) > 0 {
		return nil // A token may end while nobody is there to renew it.
	}
	return holdsToken(w)
}

// connected expects that Cluster API has a connection with the kubeconfig.
var connected = condition(clusterKind, clusterName, "RemoteConnectionProbe", "True", "")

// entra is a cluster without local accounts: whoever signs in has a token of Entra, which ends soon.
var entra = &scenario{
	name: "entra",
	steps: []step{
		{
			name:   "create",
			act:    applyExample("aks-aso-local-accounts-disabled"),
			expect: []expectation{available, contractKept, holdsToken, kubeconfigWorks, connected},
			lasts:  15 * time.Second,
		},
		{
			name: "the token ends",
			act: note("kubeconfig", func(w *world) (any, error) {
				secret, err := w.kubeconfig()
				return secret.Data["value"], err
			}),
			expect: []expectation{oldKubeconfigRefused, holdsToken, kubeconfigWorks, connected, available},
			never:  []expectation{tokenEnded},
			lasts:  tokenLifetime,
		},
		{
			name: "name the contract's Secret as the source",
			act: func(w *world) error {
				return w.setResource(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", "spec.operatorSpec.secrets.userCredentials.name", kubeconfigSecret)
			},
			expect: []expectation{warned(controlPlaneKind, clusterName, "ASO must not write its credentials to Secret "+kubeconfigSecret)},
		},
		{
			name: "take it back",
			act: func(w *world) error {
				return w.setResource(controlPlaneKind, clusterName, "ManagedCluster/my-cluster", "spec.operatorSpec.secrets.userCredentials.name", "my-cluster-user-kubeconfig")
			},
			expect: []expectation{available, contractKept, holdsToken, kubeconfigWorks, connected},
		},
		down,
	},
}
