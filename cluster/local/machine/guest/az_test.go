package guest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAz(t *testing.T) {
	file := filepath.Join(t.TempDir(), "blob")
	const account = "https://capzci.blob.core.windows.net/builds/v1.36.0/"
	for name, c := range map[string]struct {
		args    []string
		code    int
		content string
		errs    string
	}{
		"sign in":         {args: []string{"login", "--identity"}},
		"a configuration": {args: []string{"storage", "blob", "download", "--blob-url", account + "credential-provider-config.yaml", "-f", file, "--auth-mode", "login"}, content: "CredentialProviderConfig"},
		"a program":       {args: []string{"storage", "blob", "download", "--blob-url", account + "azure-acr-credential-provider", "-f", file}, content: "#!/bin/sh"},
		"what is not there": {
			args: []string{"storage", "blob", "download", "--blob-url", account + "bin/kubeadm", "-f", file}, code: 3, errs: "no kubeadm",
		},
		"no URL":      {args: []string{"storage", "blob", "download", "-f", file}, code: 3, errs: "has no"},
		"no file":     {args: []string{"storage", "blob", "download", "--blob-url", account + "azure-acr-credential-provider"}, code: 3, errs: "no such file"},
		"another one": {args: []string{"vm", "list"}, code: 2, errs: "vm list"},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(file) // Of the case before.
			var errs bytes.Buffer
			if code := az(c.args, &errs); code != c.code || !strings.Contains(errs.String(), c.errs) {
				t.Errorf("%d %q", code, errs.String())
			}
			content, err := os.ReadFile(file)
			if (err == nil) != (c.content != "") || !strings.Contains(string(content), c.content) {
				t.Errorf("the file has %q (%v), want one with %q", content, err, c.content)
			}
		})
	}
}
