package contract

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/cluster-api/util/kubeconfig"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
			cluster := []client.Object{myCluster(), with(parse(t, controlPlaneYAML), ofCluster)}
			written := asoSecret("my-cluster-kubeconfig", "value", bad)
			for _, m := range []*management{
				newManagement(t, append(cluster, asoSecret("aso", "value", bad), managedClusterWith(t, destination("adminCredentials", "aso", "value"), false))...),
				// ASO's Secret is the contract's.
				newManagement(t, append(cluster, written, managedClusterWith(t, destination("adminCredentials", written.Name, "value"), false))...),
				// Somebody was there before ASO.
				newManagement(t, append(cluster, written, managedClusterWith(t, destination("adminCredentials", "aso", "value"), false))...),
			} {
				_, err := m.controlPlane(&entra{now: start}).Reconcile(t.Context(), ctrl.Request{NamespacedName: key})
				told := strings.Join(m.takeEvents(), "\n")
				if err == nil || !strings.Contains(told, tc.field+", but must have only data") {
					t.Errorf("Reconcile: %v; event %q, want one with %q", err, told, tc.field)
				}
				if writes := m.takeWrites(); len(writes) > 0 {
					t.Errorf("writes: %v", writes)
				}
			}
			m := newManagement(t, written)
			if _, err := kubeconfig.FromSecret(t.Context(), m.Client, key); err != nil {
				t.Fatalf("without protection: %v", err)
			}
			if _, err := kubeconfig.FromSecret(t.Context(), dataOnlyKubeconfigs{m.Client}, key); err == nil || !strings.Contains(err.Error(), tc.field) {
				t.Errorf("read for the cache of the Cluster: %v, want an error with %q", err, tc.field)
			}
		})
	}
}

func TestHarmlessKubeconfigsAreRead(t *testing.T) {
	for name, text := range map[string]string{
		"token": adminKubeconfig, "certificate": kubeconfigWith("certificate-authority-data: eA==", "client-certificate-data: eA=="),
		"proxy": kubeconfigWith("proxy-url: https://proxy", "username: u"), "unreadable, which others tell": "x",
	} {
		t.Run(name, func(t *testing.T) {
			m := newManagement(t, asoSecret("my-cluster-kubeconfig", "value", text))
			got, err := kubeconfig.FromSecret(t.Context(), dataOnlyKubeconfigs{m.Client}, client.ObjectKey{Namespace: "default", Name: "my-cluster"})
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
			secret := asoSecret("other", "password", adminKubeconfig)
			change(secret)
			m := newManagement(t, myCluster(), with(parse(t, controlPlaneYAML), ofCluster), secret,
				managedClusterWith(t, destination("adminCredentials", "other", "password"), false))
			_, err := m.controlPlane(&entra{now: start}).Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "default", Name: "my-cluster"}})
			told := strings.Join(m.takeEvents(), "\n")
			if err == nil || !strings.Contains(told, "Secret other has no owner reference to ManagedCluster my-cluster") {
				t.Errorf("Reconcile: %v; event %q", err, told)
			}
			if writes := m.takeWrites(); len(writes) > 0 {
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
			text := strings.Replace(userKubeconfig, `server: "https://api"`, cluster, 1)
			if got, err := insertToken([]byte(text), "secret-token"); err == nil || strings.Contains(err.Error(), "secret-token") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
