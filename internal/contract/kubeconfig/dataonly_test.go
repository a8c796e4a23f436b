package kubeconfig

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/cluster-api/util/kubeconfig"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/contract/fixture"
)

// hostile are kubeconfigs that have whoever uses them do more than talk to a host with what is in them, and the field that does.
var hostile = map[string]struct{ cluster, user, field string }{
	"program":             {user: "exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}", field: "users[].user.exec"},
	"plugin":              {user: "auth-provider: {name: gcp}", field: "users[].user.auth-provider"},
	"file with token":     {user: "tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token", field: "users[].user.tokenFile"},
	"file with a key":     {user: "client-key: /etc/key", field: "users[].user.client-key"},
	"file with a client":  {user: "client-certificate: /etc/crt", field: "users[].user.client-certificate"},
	"someone else":        {user: "as: admin", field: "users[].user.as"},
	"someone else's UID":  {user: "as-uid: x", field: "users[].user.as"},
	"other groups":        {user: "as-groups: [system:masters]", field: "users[].user.as"},
	"file with authority": {cluster: "certificate-authority: /etc/ca", field: "clusters[].cluster.certificate-authority"},
}

func kubeconfigWith(cluster, user string) string {
	return `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://api", ` + cluster + `}}]
users: [{name: a, user: {token: good}}, {name: u, user: {` + user + `}}]
contexts: [{name: x, context: {cluster: c, user: a}}]
current-context: x
`
}

func TestHostileKubeconfigs(t *testing.T) {
	key := client.ObjectKey{Namespace: "default", Name: "my-cluster"}
	for name, tc := range hostile {
		t.Run(name, func(t *testing.T) {
			bad := kubeconfigWith(tc.cluster, tc.user)
			cluster := []client.Object{fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster)}
			written := fixture.ASOSecret("my-cluster-kubeconfig", "value", bad)
			for _, m := range []*fixture.Management{
				fixture.New(t, append(cluster, fixture.ASOSecret("aso", "value", bad), fixture.ManagedClusterWith(t, fixture.Destination("adminCredentials", "aso", "value"), false))...),
				// ASO's Secret is the contract's.
				fixture.New(t, append(cluster, written, fixture.ManagedClusterWith(t, fixture.Destination("adminCredentials", written.Name, "value"), false))...),
				// Somebody was there before ASO.
				fixture.New(t, append(cluster, written, fixture.ManagedClusterWith(t, fixture.Destination("adminCredentials", "aso", "value"), false))...),
			} {
				_, err := controlPlane(m, &entra{now: start}).Reconcile(t.Context(), fixture.Request("my-cluster"))
				events := strings.Join(m.TakeEvents(), "\n")
				if err == nil || !strings.Contains(events, tc.field+", but must have only data") {
					t.Errorf("Reconcile: %v; event %q, want one with %q", err, events, tc.field)
				}
				if writes := m.TakeWrites(); len(writes) > 0 {
					t.Errorf("writes: %v", writes)
				}
			}
			m := fixture.New(t, written)
			if _, err := kubeconfig.FromSecret(t.Context(), m.Client, key); err != nil {
				t.Fatalf("without protection: %v", err)
			}
			if _, err := kubeconfig.FromSecret(t.Context(), DataOnlyReader{m.Client}, key); err == nil || !strings.Contains(err.Error(), tc.field) {
				t.Errorf("read for the cache of the Cluster: %v, want an error with %q", err, tc.field)
			}
		})
	}
}

func TestHarmlessKubeconfigsAreRead(t *testing.T) {
	for name, text := range map[string]string{
		"token": fixture.AdminKubeconfig, "certificate": kubeconfigWith("certificate-authority-data: eA==", "client-certificate-data: eA=="),
		"proxy": kubeconfigWith("proxy-url: https://proxy", "username: u"), "unreadable, which is reported elsewhere": "x",
	} {
		t.Run(name, func(t *testing.T) {
			m := fixture.New(t, fixture.ASOSecret("my-cluster-kubeconfig", "value", text))
			got, err := kubeconfig.FromSecret(t.Context(), DataOnlyReader{m.Client}, client.ObjectKey{Namespace: "default", Name: "my-cluster"})
			if err != nil || string(got) != text {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// TestOtherSecretsAreNotCopied has the user name, as the place where ASO writes, a Secret of the namespace that is not ASO's.
func TestOtherSecretsAreNotCopied(t *testing.T) {
	strangers := map[string]func(*corev1.Secret){
		"nobody's":                    func(s *corev1.Secret) { s.OwnerReferences = nil },
		"another ManagedCluster's":    func(s *corev1.Secret) { s.OwnerReferences[0].UID = "another" },
		"somebody else's of the name": func(s *corev1.Secret) { s.OwnerReferences[0].Kind, s.OwnerReferences[0].UID = "Deployment", "x" },
	}
	for name, change := range strangers {
		t.Run(name, func(t *testing.T) {
			secret := fixture.ASOSecret("other", "password", fixture.AdminKubeconfig)
			change(secret)
			m := fixture.New(t, fixture.Cluster(), fixture.With(fixture.Parse(t, fixture.ControlPlaneYAML), fixture.OfCluster), secret,
				fixture.ManagedClusterWith(t, fixture.Destination("adminCredentials", "other", "password"), false))
			_, err := controlPlane(m, &entra{now: start}).Reconcile(t.Context(), fixture.Request("my-cluster"))
			events := strings.Join(m.TakeEvents(), "\n")
			if err == nil || !strings.Contains(events, "Secret other has no owner reference to ManagedCluster my-cluster") {
				t.Errorf("Reconcile: %v; event %q", err, events)
			}
			if writes := m.TakeWrites(); len(writes) > 0 {
				t.Errorf("writes: %v", writes)
			}
		})
	}
}

func TestATokenIsSentToNobodyInBetween(t *testing.T) {
	for name, cluster := range map[string]string{
		"plain":        `server: "http://api"`,
		"not verified": `server: "https://api", insecure-skip-tls-verify: true`,
		"by a file":    `server: "https://api", certificate-authority: /etc/ca`,
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(fixture.UserKubeconfig, `server: "https://api"`, cluster, 1)
			if got, err := insertToken([]byte(text), "secret-token"); err == nil || strings.Contains(err.Error(), "secret-token") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
