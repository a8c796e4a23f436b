package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/cluster-api/util/secret"

	odd "github.com/crossplane-capz/crossplane-capz/internal/hostile"
)

const planted = "planted-4711-secret"

// FuzzKubeconfig hands anything on as the kubeconfig that ASO has written: a token is put in, and is then all that signs in
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

// FuzzObjects changes what the mirrors read of composite resources and ASO objects. They must find in it what they can.
func FuzzObjects(f *testing.F) {
	for what := range 256 {
		f.Add([]byte{byte(what), byte(what / 3), byte(what), byte(what)})
	}
	bases := []string{controlPlaneYAML, infrastructureYAML, poolYAML, vnetYAML}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		obj := &unstructured.Unstructured{Object: odd.Object(parse(t, bases[int(data[0])%len(bases)]).Object, data[1:])}
		refs, err := composedRefs(obj)
		if err != nil && !strings.Contains(err.Error(), "spec") {
			t.Errorf("%v names no field", err)
		}
		for _, ref := range refs {
			if ref.name == "" || ref.Kind == "" {
				t.Errorf("reference %v", ref)
			}
		}
		if ref, ok := behind(obj, managedClusterKind); ok && ref.name == "" && obj.GetName() != "" {
			t.Errorf("nothing's name stands behind %v", obj)
		}
		if destination, err := credentialsDestination(obj); err == nil && (destination.name == "" || destination.key == "") {
			t.Errorf("destination %+v", destination)
		}
		_ = hasNodes(obj, "label")
		_ = localAccountsDisabled(obj)
		_ = managedClusterOwners(obj)
		_ = indexBehind(agentPoolKind)(obj)
		_ = composedByAny(obj)
	})
}

// FuzzTexts holds what is made of texts against what the API server takes.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{"", "v1.33.6", "1.33", "v", "1.999999999999999999999", strings.Repeat("é", 600), strings.Repeat("👩‍👩‍👧", 300), "2026-01-01T00:00:00Z", "9999999-01-01", "\x00"} {
		f.Add(s, "v1.33.7", "2026-01-01T00:00:00Z")
		f.Add("1.33.0-alpha", s, s)
	}
	f.Fuzz(func(t *testing.T, a, b, at string) {
		if newest(a, b) != newest(b, a) && plainVersion(a) != plainVersion(b) {
			t.Errorf("newest(%q, %q) depends on the order", a, b)
		}
		if utf8.ValidString(a) {
			if note := EventNote(a); len(note) > maxNote || !utf8.ValidString(note) {
				t.Errorf("note %q", note)
			}
			if label := labelValue(a); len(label) > validation.LabelValueMaxLength || !utf8.ValidString(label) {
				t.Errorf("label %q", label)
			}
		}
		current := &corev1.Secret{Data: map[string][]byte{secret.KubeconfigDataName: []byte(a)}}
		current.Annotations = map[string]string{TokenExpiresAtAnnotation: at, TokenRenewAtAnnotation: at, KubeconfigDigestAnnotation: digest([]byte(a))}
		now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
		if _, held, ok := heldToken(current, now); ok && !now.Before(held.renew) {
			t.Errorf("the token was to be renewed at %s", held.renew)
		}
	})
}

// plainVersion is a version as numbers: some are written in several ways, and what comes before a release counts as that.
func plainVersion(v string) string {
	parsed, err := version.ParseGeneric(v)
	if err != nil {
		return ""
	}
	return fmt.Sprint(parsed.Major(), parsed.Minor(), parsed.Patch())
}
