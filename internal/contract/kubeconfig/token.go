package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/access"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

const (
	// renewMargin is how long before its end a token is replaced, so that Cluster API never meets an expired one.
	renewMargin = 5 * time.Minute
	// tokenTimeout bounds one exchange with Entra, which would otherwise be retried for minutes.
	tokenTimeout = 30 * time.Second
)

// A TokenSource returns the credential that ASO uses for an object.
type TokenSource func(ctx context.Context, obj client.Object) (azcore.TokenCredential, error)

// A tokenError is a failure to get a token, put so that it can be shown.
type tokenError struct {
	message string
	cause   error
}

func (e *tokenError) Error() string { return e.message }

// Unwrap returns the reason.
func (e *tokenError) Unwrap() error { return e.cause }

func asTokenError(err error) (*tokenError, bool) {
	found := &tokenError{}
	return found, errors.As(err, &found)
}

// A lease is how long a token is good for and when the next one is fetched.
type lease struct{ expires, renew time.Time }

// newLease returns the lease of a token fetched now: it is renewed renewMargin before its end, or half-way through a
// life too short for that.
func newLease(now, expires time.Time) lease {
	life := expires.Sub(now)
	if life < 2*renewMargin {
		return lease{expires: expires, renew: now.Add(life / 2)}
	}
	return lease{expires: expires, renew: expires.Add(-renewMargin)}
}

// copyWithToken writes the kubeconfig with a token in place of its exec plugins, which Cluster API does not run, and
// returns when to come back. A token that was written before is kept until it must be renewed.
func (w *Writer) copyWithToken(ctx context.Context, s *access.Scope, managedCluster *unstructured.Unstructured, kubeconfig []byte) (time.Duration, error) {
	current, err := w.secret(ctx, s, secretName(s))
	if err != nil {
		return 0, err
	}
	token, held, ok := heldToken(current, w.Now())
	if !ok {
		if token, held, err = w.fetchToken(ctx, managedCluster); err != nil {
			telemetry.TokenRequests.Inc(telemetry.ResultFailed)
			return 0, err
		}
		telemetry.TokenRequests.Inc(telemetry.ResultSucceeded)
	}
	withToken, err := insertToken(kubeconfig, token)
	if err != nil {
		return 0, err
	}
	err = w.writeKubeconfig(ctx, s, secretName(s), withToken, map[string]string{
		names.TokenExpiresAtAnnotation: held.expires.UTC().Format(time.RFC3339),
		tokenRenewAtAnnotation:         held.renew.UTC().Format(time.RFC3339),
		digestAnnotation:               digest(withToken),
	})
	return max(held.renew.Sub(w.Now()), time.Second), err
}

// fetchToken gets a token for AKS with the credential that ASO uses for the cluster.
func (w *Writer) fetchToken(ctx context.Context, managedCluster *unstructured.Unstructured) (string, lease, error) {
	credential, err := w.Tokens(ctx, managedCluster)
	if err != nil {
		return "", lease{}, &tokenError{"cannot get a token for the cluster: " + azure.Explain(err), err}
	}
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	token, err := credential.GetToken(ctx, policy.TokenRequestOptions{Scopes: []string{azure.KubernetesScope}})
	if err != nil {
		return "", lease{}, &tokenError{"cannot get a token for the cluster: " + azure.Explain(err), err}
	}
	if !token.ExpiresOn.After(w.Now()) {
		message := fmt.Sprintf("Entra gave a token for the cluster that ended at %s", token.ExpiresOn.UTC().Format(time.RFC3339))
		return "", lease{}, &tokenError{message: message}
	}
	return token.Token, newLease(w.Now(), token.ExpiresOn), nil
}

// heldToken returns the token of a kubeconfig Secret that was written before; not ok when there is none, it is due for
// renewal, or the Secret was altered.
func heldToken(current *corev1.Secret, now time.Time) (token string, held lease, ok bool) {
	if current == nil || digest(current.Data[secret.KubeconfigDataName]) != current.Annotations[digestAnnotation] {
		return "", lease{}, false
	}
	expires, expiresErr := time.Parse(time.RFC3339, current.Annotations[names.TokenExpiresAtAnnotation])
	renew, renewErr := time.Parse(time.RFC3339, current.Annotations[tokenRenewAtAnnotation])
	if expiresErr != nil || renewErr != nil || !now.Before(renew) || !now.Before(expires) {
		return "", lease{}, false
	}
	config, err := clientcmd.Load(current.Data[secret.KubeconfigDataName])
	if err != nil {
		return "", lease{}, false
	}
	for _, user := range config.AuthInfos {
		if user.Token != "" {
			return user.Token, lease{expires: expires, renew: renew}, true
		}
	}
	return "", lease{}, false
}

// insertToken returns the kubeconfig with the token as the only credential of every user.
func insertToken(kubeconfig []byte, token string) ([]byte, error) {
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		// The parser's message may quote the kubeconfig.
		return nil, mistake("the kubeconfig that ASO wrote cannot be read")
	}
	for name := range config.AuthInfos {
		config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: token}
	}
	for _, cluster := range config.Clusters {
		// Whoever is in between would see the token.
		if !strings.HasPrefix(cluster.Server, "https://") || cluster.InsecureSkipTLSVerify || cluster.CertificateAuthority != "" {
			return nil, mistake("clusters[].cluster of the kubeconfig that ASO wrote must have a server that begins with https://, and certificate-authority-data, " +
				"but neither insecure-skip-tls-verify nor certificate-authority, because a token for the cluster is put in")
		}
	}
	return clientcmd.Write(*config)
}
