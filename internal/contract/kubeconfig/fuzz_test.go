package kubeconfig

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/cluster-api/util/secret"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
	"github.com/crossplane-capz/crossplane-capz/internal/contract/names"
)

const planted = "planted-4711-secret"

// FuzzKubeconfig takes anything as the kubeconfig that ASO has written: a token is put in, and is then all that signs in
// with it, or it is refused in words that repeat nothing of it.
func FuzzKubeconfig(f *testing.F) {
	for _, s := range []string{
		"", "{}", "x", "[", "apiVersion: v1\nkind: Config\nusers: [{name: a, user: {token: x}}]", "apiVersion: v1\nkind: Config\nusers: [{name: a, user: {exec: {command: sh, apiVersion: client.authentication.k8s.io/v1}}}]",
		"apiVersion: v1\nkind: Config\nusers: [{name: a, user: {tokenFile: /etc/passwd, client-key: /x, auth-provider: {name: oidc}, as: admin}}]", "users: 1", "kind: Secret", "a: &a [*a]",
		"apiVersion: v1\nkind: Config\nclusters: [{name: a, cluster: {server: 'http://x', proxy-url: 'http://y', certificate-authority: /etc/passwd}}]", "\x00", "apiVersion: v1\nkind: Config\nusers: [{name: '', user: {}}]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := insertToken([]byte(strings.ReplaceAll(string(raw), "x", planted)), "the-token")
		if err != nil {
			if strings.Contains(err.Error(), planted) {
				t.Errorf("the error repeats the kubeconfig: %v", err)
			}
			return
		}
		config, err := clientcmd.Load(out)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		for name, user := range config.AuthInfos {
			token := user.Token
			user.Token, user.LocationOfOrigin, user.Extensions = "", "", nil
			if token != "the-token" || user.Exec != nil || user.AuthProvider != nil || user.TokenFile != "" || user.ClientKey != "" || user.Impersonate != "" || user.Password != "" {
				t.Errorf("user %q signs in with more than the token: %+v", name, user)
			}
		}
	})
}

// FuzzManagedCluster changes what is read of control planes and ManagedClusters. What can be found in it must be found.
func FuzzManagedCluster(f *testing.F) {
	fixture.Odd(f, []string{fixture.ControlPlaneYAML, fixture.ManagedClusterYAML}, func(t *testing.T, obj *unstructured.Unstructured) {
		if destination, err := credentialsDestination(obj); err == nil && (destination.name == "" || destination.key == "") {
			t.Errorf("destination %+v", destination)
		}
		_ = localAccountsDisabled(obj)
		_ = Pending(obj)
	})
}

// FuzzHeldToken changes the Secret of a kubeconfig that was written before.
func FuzzHeldToken(f *testing.F) {
	for _, s := range []string{"", "2026-01-01T00:00:00Z", "9999999-01-01", "\x00", fixture.AdminKubeconfig} {
		f.Add(s, "2026-01-01T00:00:00Z")
		f.Add(fixture.AdminKubeconfig, s)
	}
	f.Fuzz(func(t *testing.T, kubeconfig, at string) {
		current := &corev1.Secret{Data: map[string][]byte{secret.KubeconfigDataName: []byte(kubeconfig)}}
		current.Annotations = map[string]string{names.TokenExpiresAtAnnotation: at, tokenRenewAtAnnotation: at, digestAnnotation: digest([]byte(kubeconfig))}
		now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
		if _, held, ok := heldToken(current, now); ok && !now.Before(held.renew) {
			t.Errorf("the token was to be renewed at %s", held.renew)
		}
	})
}
