package leaks

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

const planted = `Pl4nted~7f"3a&9/c+0e%2`

func texts(s *Search) []string {
	var all []string
	for _, f := range s.Findings() {
		all = append(all, f.String())
	}
	return all
}

// TestEncodings plants a value in each form in which it could be written.
func TestEncodings(t *testing.T) {
	quoted, err := json.Marshal(planted)
	if err != nil {
		t.Fatal(err)
	}
	object, err := json.Marshal(map[string]string{"message": `{"detail":` + string(quoted) + `}`})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		text string
		want string
	}{
		"AsItIs":              {"the secret is " + planted + ".", "as it is"},
		"InJSON":              {`{"detail":` + string(quoted) + `}`, "in JSON"},
		"InJSONWithinJSON":    {string(object), "in JSON within JSON"},
		"QuotedByGo":          {fmt.Sprintf("%q", planted), "quoted by Go"},
		"InAQuery":            {"https://host/?" + url.Values{"secret": {planted}}.Encode(), "in the query of a URL"},
		"InAPath":             {"https://host/" + url.PathEscape(planted), "in the path of a URL"},
		"InBase64":            {base64.StdEncoding.EncodeToString([]byte(planted)), "in base64"},
		"InBase64AfterOne":    {base64.StdEncoding.EncodeToString([]byte("x" + planted + "yz")), "in base64 of a text"},
		"InBase64AfterTwo":    {base64.StdEncoding.EncodeToString([]byte("xy" + planted)), "in base64 of a text"},
		"InBase64AfterThree":  {base64.RawStdEncoding.EncodeToString([]byte("xyz" + planted + "z")), "in base64"},
		"InHexadecimal":       {fmt.Sprintf("%x", planted), "in hexadecimal"},
		"PrintedAsBytes":      {fmt.Sprint(map[string][]byte{"clientSecret": []byte(planted)}), "as a list of bytes"},
		"PrintedAsAnObject":   {fmt.Sprintf("%+v", corev1.Secret{StringData: map[string]string{"a": planted}}), "as it is"},
		"PrintedAsAnGoSyntax": {fmt.Sprintf("%#v", map[string]string{"a": planted}), "quoted by Go"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			haul := &Haul{}
			haul.AddSecret("Secret a/b", map[string][]byte{"clientSecret": []byte(planted)})
			s := NewSearch(haul.Values())
			text := strings.Repeat("line\n", 41) + c.text + "\n"
			if err := s.Stream("log", strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
			all := strings.Join(texts(s), "\n")
			if want := "log, line 42: clientSecret of Secret a/b, " + c.want; !strings.Contains(all, want) {
				t.Errorf("found\n%s\nwant\n%s", all, want)
			}
			if strings.Contains(all, planted) {
				t.Error("a finding has the value")
			}
		})
	}
}

func keyPEM(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func certificatePEM(t *testing.T, public, private any) string {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "application"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

const (
	token     = "a2f9c8e1d0b3a4f5c6e7"
	signature = "c2lnbmF0dXJlLXRoYXQtbm9ib2R5LWhhcy1tYWRl"
	signed    = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJ0ZXN0IiwiZXhwIjoxfQ." + signature
)

// TestPieces shows what of a Secret is looked for, and what is not.
func TestPieces(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, rsaPEM := certificatePEM(t, ec.Public(), ec), keyPEM(t, ec), keyPEM(t, rsaKey)
	kubeconfig := strings.Join([]string{
		"apiVersion: v1", "kind: Config", "clusters: [{name: c, cluster: {server: https://my-cluster.hcp.westeurope.azmk8s.io}}]", "users:",
		"- {name: one, user: {token: " + token + "}}",
		"- {name: two, user: {token: " + signed + "}}",
		"- {name: three, user: {client-key-data: " + base64.StdEncoding.EncodeToString([]byte(key)) + "}}",
	}, "\n")
	const azureJSON = `{"subscriptionId": "s", "tenantId": "t", "routeTableName": "node-routetable", "aadClientSecret": "hidden-with-care"}`
	const cloudInit = "## template: jinja\n#cloud-config\nwrite_files:\n- path: /etc/kubernetes/pki/sa.key\n  content: |\n    dataDir: /var/lib/etcddisk/etcd\n" +
		"- content: |\n    discovery:\n      bootstrapToken:\n        token: abcdef.0123456789abcdef\n- content: |\n"
	indented := func(text string) string {
		return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
	}
	cases := map[string]struct {
		key, value string
		// text has something of the value; found says that it is a finding.
		text  string
		found bool
	}{
		"Password":              {"password", "correct-horse-1", "with correct-horse-1 it opens", true},
		"Words":                 {"password", "simulated", "the simulated Azure", false},
		"Time":                  {"expires", "2026-11-22T00:00:00Z", "at 2026-11-22T00:00:00Z", false},
		"Sentence":              {"whose", "somebody else's", "it is somebody else's", false},
		"Short":                 {"password", "abc12", "abc12", false},
		"SubscriptionID":        {"AZURE_SUBSCRIPTION_ID", "not-an-id-0001", "not-an-id-0001", false},
		"UUID":                  {"id", "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001", false},
		"HostName":              {"fqdn", "my-cluster-1.hcp.westeurope.azmk8s.io", "my-cluster-1.hcp.westeurope.azmk8s.io", false},
		"URL":                   {"issuer", "https://westeurope.oic.prod-aks.azure.com/1/", "https://westeurope.oic.prod-aks.azure.com/1/", false},
		"URLWithPassword":       {"url", "https://user:pa55word@host/", "https://user:pa55word@host/", true},
		"Certificate":           {"tls.crt", certificate, certificate, false},
		"CertificateOfAKey":     {"certificate", certificate + key, certificate, false},
		"KeyBesideACertificate": {"certificate", certificate + key, key, true},
		"KeyInJSON":             {"tls.key", key, fmt.Sprintf("%q", key), true},
		"RSAKey":                {"tls.key", rsaPEM, rsaPEM, true},
		"PublicHalfOfRSA":       {"tls.key", rsaPEM, certificatePEM(t, rsaKey.Public(), rsaKey), false},
		"TextBesidePEM":         {"certificate", "Bag Attributes 7781x\n" + certificate, "Bag Attributes 7781x", true},
		"Kubeconfig":            {"value", kubeconfig, kubeconfig, true},
		"KubeconfigInBase64":    {"value", kubeconfig, base64.StdEncoding.EncodeToString([]byte("a" + kubeconfig)), true},
		"TokenOfKubeconfig":     {"value", kubeconfig, "Bearer " + token, true},
		"KeyOfKubeconfig":       {"value", kubeconfig, base64.StdEncoding.EncodeToString([]byte(key)), true},
		"ServerOfKubeconfig":    {"value", kubeconfig, "https://my-cluster.hcp.westeurope.azmk8s.io", false},
		"SignatureOfToken":      {"value", kubeconfig, "..." + signature, true},
		"ClaimsOfToken":         {"value", kubeconfig, strings.TrimSuffix(signed, "."+signature), false},
		"CutToken":              {"token", strings.Repeat(token, 3) + "0123456789", strings.Repeat(token, 2), true},
		"JSON":                  {"credentials", `{"client_id": "x", "client_secret": "` + token + `"}`, token, true},
		"CloudInit":             {"value", "#cloud-config\nwrite_files:\n- content: |\n    kubeadm join --token " + token + "\n", "kubeadm join --token " + token, true},
		"JoinToken":             {"value", cloudInit, "joined with abcdef.0123456789abcdef", true},
		"JoinTokenInIgnition":   {"value", `{"ignition":{"version":"2.3.0"},"storage":{"files":[{"contents":{"source":"data:,token%3A%20abcdef.0123456789abcdef"}}]}}`, "0123456789abcdef", true},
		"PathInCloudInit":       {"value", cloudInit, "/etc/kubernetes/pki/sa.key", false},
		"SettingInCloudInit":    {"value", cloudInit, "dataDir: /var/lib/etcddisk/etcd", false},
		"KeyInCloudInit":        {"value", cloudInit + indented(key), key, true},
		"AzureJSONInCloudInit":  {"value", cloudInit + indented(azureJSON), "hidden-with-care", true},
		"AzureJSON":             {"azure.json", azureJSON, "hidden-with-care", true},
		"SettingInAzureJSON":    {"azure.json", azureJSON, "the route table node-routetable", false},
		"Binary":                {"certificate", "\x30\x82\xff\xfe" + token, base64.StdEncoding.EncodeToString([]byte("\x30\x82\xff\xfe" + token)), true},
		"SomethingElse":         {"password", "correct-horse-1", "correct-horse-2", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			haul := &Haul{}
			haul.AddSecret("Secret a/b", map[string][]byte{c.key: []byte(c.value)})
			s := NewSearch(haul.Values())
			s.Text("log", []byte(c.text), func(int) string { return "here" })
			all := strings.Join(texts(s), "\n")
			if got := strings.Contains(all, "Secret a/b"); got != c.found {
				t.Errorf("found %v, want %v; findings: %s", got, c.found, all)
			}
		})
	}
}

// TestForms finds what no Secret has, by its form.
func TestForms(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private := keyPEM(t, key)
	cases := map[string]struct {
		text string
		want []string
	}{
		"Token":             {"Authorization: Bearer " + signed, []string{"log, here: a signed token"}},
		"TokenWithoutASign": {strings.TrimSuffix(signed, "."+signature), nil},
		"Key":               {private, []string{"log, here: a private key"}},
		"KeyInJSON":         {fmt.Sprintf("%q", private), []string{"log, here: a private key"}},
		"KeyInBase64":       {base64.StdEncoding.EncodeToString([]byte("x: " + private)), []string{"log, here: a private key in base64 (2 times)"}},
		"WordsAboutAKey":    {"is no PEM with a PRIVATE KEY-----, but -----BEGIN PRIVATE KEY----- is wanted", nil},
		"Certificate":       {certificatePEM(t, key.Public(), key), nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := NewSearch(nil)
			s.Text("log", []byte(c.text), func(int) string { return "here" })
			if diff := cmp.Diff(c.want, texts(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestStream finds each value once, wherever the parts are split in which a long text is read.
func TestStream(t *testing.T) {
	haul := &Haul{}
	haul.Add("Secret a/b", "password", []byte(planted))
	for _, at := range []int{0, part - 5, part + overlap - 5, part + overlap, 2*part + overlap - 1} {
		s := NewSearch(haul.Values())
		text := bytes.Repeat([]byte("\n"), 4*part)
		copy(text[at:], planted)
		if err := s.Stream("log", bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		want := []string{fmt.Sprintf("log, line %d: password of Secret a/b, as it is", at+1)}
		if diff := cmp.Diff(want, texts(s)); diff != "" {
			t.Errorf("at %d: %s", at, diff)
		}
		if s.Bytes != int64(len(text)) {
			t.Errorf("searched %d bytes of %d", s.Bytes, len(text))
		}
	}
}

// TestHaul counts what it has, a copy once.
func TestHaul(t *testing.T) {
	haul := &Haul{}
	for range 2 {
		haul.AddSecret("Secret a/b", map[string][]byte{"clientSecret": []byte("correct-horse-1"), "AZURE_TENANT_ID": []byte("a-tenant-01")})
		haul.AddSecret("Secret a/c", map[string][]byte{"AZURE_CLIENT_SECRET": []byte("correct-horse-1")})
		haul.AddSecret("Secret a/b", map[string][]byte{"clientSecret": []byte("correct-horse-2")})
	}
	if all, ofB, ofC := len(haul.Values()), haul.Count("a/b", "clientSecret"), haul.Count("a/c", ""); all != 2 || ofB != 2 || ofC != 0 {
		t.Errorf("%d values, of a/b %d, of a/c %d", all, ofB, ofC)
	}
}
