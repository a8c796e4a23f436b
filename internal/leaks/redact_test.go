package leaks

import (
	"bytes"
	"compress/gzip"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func here(int) string { return "here" }

func compressed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRedact has each secret in a text, and what must be left of it.
func TestRedact(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, certificate := keyPEM(t, ec), certificatePEM(t, ec.Public(), ec)
	const cloudInit = "#cloud-config\nwrite_files:\n- content: kubeadm join --token abcdef.0123456789abcdef\n"
	const long = "0123456789-a-value-of-which-a-log-has-only-a-part-abcdefghijklmnopqrstuvwxyz"
	cases := map[string]struct {
		text, want string
	}{
		"nothing":                   {"the ManagedCluster my-cluster is ready", "the ManagedCluster my-cluster is ready"},
		"a value":                   {"it said " + planted + ".", "it said <redacted: clientSecret of Secret a/b>."},
		"a value in JSON":           {`{"detail":` + quotedJSON(t, planted) + `}`, `{"detail":"<redacted: clientSecret of Secret a/b>"}`},
		"a value in base64":         {"x " + base64.StdEncoding.EncodeToString([]byte(planted)) + " y", "x <redacted: clientSecret of Secret a/b>g== y"},
		"two values":                {planted + " " + planted, "<redacted: clientSecret of Secret a/b> <redacted: clientSecret of Secret a/b>"},
		"a long value":              {"x" + long + "y", "x<redacted: long of Secret a/b>y"},
		"the end of a value":        {"..." + long[10:] + " y", "...<redacted: long of Secret a/b> y"},
		"the beginning of a value":  {"x " + long[:60] + "...", "x <redacted: long of Secret a/b>..."},
		"a signed token":            {"Authorization: Bearer " + signed + "\nnext", "Authorization: Bearer <redacted: a signed token>\nnext"},
		"a token that is cut":       {"token " + strings.TrimSuffix(signed, signature[3:]) + " next", "token <redacted: a signed token> next"},
		"another token":             {"Authorization: Bearer abcDEF0123456789abc", "Authorization: Bearer <redacted: what follows Bearer or Basic>"},
		"a private key":             {"a\n" + key + "b", "a\n<redacted: PEM, private key>\nb"},
		"a private key in JSON":     {fmt.Sprintf("%q, b", key), `"<redacted: PEM, private key>\n", b`},
		"a private key that is cut": {key[:120] + "... b", "<redacted: PEM, private key>... b"},
		"a private key in base64":   {"k: " + base64.StdEncoding.EncodeToString([]byte(key)) + " b", "k: <redacted: base64 of a text with a secret> b"},
		"a certificate":             {certificate, "<redacted: PEM, certificate>\n"},
		"words about a key":         {"has no -----BEGIN PRIVATE KEY----- in it", "has no -----BEGIN PRIVATE KEY----- in it"},
		"an encrypted key": {
			"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nQUJD\n-----END RSA PRIVATE KEY-----", "<redacted: PEM, rsa private key>",
		},
		"a bootstrap token":        {"joined with abcdef.0123456789abcdef.", "joined with <redacted: a bootstrap token>."},
		"a group of that form":     {"fleets.containerservice.azure.com", "fleets.containerservice.azure.com"},
		"bootstrap data in base64": {base64.StdEncoding.EncodeToString([]byte(cloudInit)), "<redacted: base64 of a text with a secret>"},
		"compressed data":          {base64.StdEncoding.EncodeToString([]byte(compressed(t, cloudInit))), "<redacted: base64 of a text with a secret>"},
		"a client secret":          {"AADSTS with abc8Q~0123456789_abcdefghijklmnopqrst-uv", "AADSTS with <redacted: a client secret>"},
		"a flag":                   {"kubeadm join --certificate-key 0a11b22c33445566778899", "kubeadm join --certificate-key <redacted: what is called a secret>"},
		"a setting":                {`password="hunter2-and-more"`, `password="<redacted: what is called a secret>"`},
		"a setting in JSON":        {`{\"aadClientSecret\":\"hunter2-and-more\"}`, `{\"aadClientSecret\":\"<redacted: what is called a secret>\"}`},
		"the name of a Secret":     {`"secret": "default/my-cluster-kubeconfig"`, `"secret": "default/my-cluster-kubeconfig"`},
		"a file":                   {"--kubeconfig=/etc/kubernetes/admin.conf", "--kubeconfig=/etc/kubernetes/admin.conf"},
		"a URL with a signature":   {"https://x.blob.core.windows.net/c?sv=2024&sig=abc%2Bdefgh&se=x", "https://x.blob.core.windows.net/c?sv=2024&sig=<redacted: a signature in a URL>&se=x"},
		"a URL with a password":    {"https://user:hunter2@host/", "https://user:<redacted: a password in a URL>@host/"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			haul := &Haul{}
			haul.AddSecret("Secret a/b", map[string][]byte{"clientSecret": []byte(planted), "long": []byte(long)})
			s := NewSearch(haul.Values())
			got := string(s.Redact("log", []byte(c.text), here))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if again := string(s.Redact("log", []byte(got), here)); again != got {
				t.Errorf("redacted again it is %q", again)
			}
			if found := len(s.Findings()) > 0; found != (c.text != c.want) {
				t.Errorf("findings: %v", texts(s))
			}
			rest := NewSearch(haul.Values())
			if rest.Text("log", []byte(got), here); len(rest.Findings()) > 0 {
				t.Errorf("there is still %v", texts(rest))
			}
		})
	}
}

func quotedJSON(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestRedactObject takes secrets out of fields by their names and by what they have.
func TestRedactObject(t *testing.T) {
	haul := &Haul{}
	haul.AddSecret("Secret a/b", map[string][]byte{"clientSecret": []byte(planted)})
	s := NewSearch(haul.Values())
	object := map[string]any{
		"metadata": map[string]any{
			"name": "my-cluster",
			"annotations": map[string]any{
				"last-applied": `{"spec":{"password":"hunter2","replicas":3}}`,
				"other":        `{"spec": {"replicas": 3}}`,
			},
		},
		"spec": map[string]any{
			"adminPassword":    map[string]any{"name": "secret", "key": "password"},
			"dataSecretName":   "my-cluster-md-0",
			"customData":       "aGVsbG8=",
			"token":            "",
			"bootstrapToken":   map[string]any{"token": "abcdef.0123456789abcdef"},
			"env":              []any{map[string]any{"name": "AZURE_CLIENT_SECRET", "value": "x"}, map[string]any{"name": "AZURE_TENANT_ID", "value": "y"}},
			"files":            []any{map[string]any{"path": "/etc/x", "content": "a: b"}},
			"value":            "#cloud-config\nruncmd: []",
			"replicas":         int64(3),
			"sshPublicKey":     "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7J0mW8u7k0y5d1u4bXk3m user@host",
			"certificateKey":   "00112233",
			"subnets":          []any{"a", "b"},
			"automountToken":   false,
			planted:            "x",
			"virtualNetworkId": "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/vnet",
		},
		"status": map[string]any{"message": "it said " + planted},
	}
	want := map[string]any{
		"metadata": map[string]any{
			"name": "my-cluster",
			"annotations": map[string]any{
				"last-applied": `{"spec":{"password":"\u003credacted: the text of a field that is secret\u003e","replicas":3}}`,
				"other":        `{"spec": {"replicas": 3}}`,
			},
		},
		"spec": map[string]any{
			"adminPassword":                          map[string]any{"name": "secret", "key": "password"},
			"dataSecretName":                         "my-cluster-md-0",
			"customData":                             "<redacted: the text of a field that is secret>",
			"token":                                  "",
			"bootstrapToken":                         map[string]any{"token": "<redacted: the text of a field that is secret>"},
			"env":                                    []any{map[string]any{"name": "AZURE_CLIENT_SECRET", "value": "<redacted: the text of a field that is secret>"}, map[string]any{"name": "AZURE_TENANT_ID", "value": "y"}},
			"files":                                  []any{map[string]any{"path": "/etc/x", "content": "<redacted: the text of a field that is secret>"}},
			"value":                                  "<redacted: bootstrap data>",
			"replicas":                               int64(3),
			"sshPublicKey":                           "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7J0mW8u7k0y5d1u4bXk3m user@host",
			"certificateKey":                         "<redacted: the text of a field that is secret>",
			"subnets":                                []any{"a", "b"},
			"automountToken":                         false,
			"<redacted: clientSecret of Secret a/b>": "x",
			"virtualNetworkId":                       "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/vnet",
		},
		"status": map[string]any{"message": "it said <redacted: clientSecret of Secret a/b>"},
	}
	s.RedactObject("object", object)
	if diff := cmp.Diff(want, object); diff != "" {
		t.Error(diff)
	}
	const byName = ": the text of a field that is secret"
	wantFindings := []string{
		"object, field spec.value: bootstrap data",
		"object, field metadata.annotations.last-applied.spec.password" + byName,
		"object, field spec.bootstrapToken.token" + byName,
		"object, field spec.certificateKey" + byName,
		"object, field spec.customData" + byName,
		"object, field spec.env.0.value" + byName,
		"object, field spec.files.0.content" + byName,
		"object, field spec: clientSecret of Secret a/b, as it is",
		"object, field status.message: clientSecret of Secret a/b, as it is",
	}
	if diff := cmp.Diff(wantFindings, texts(s)); diff != "" {
		t.Error(diff)
	}
}
