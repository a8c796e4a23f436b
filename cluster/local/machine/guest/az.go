package guest

import (
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// blobs are what the storage account of CAPZ's tests has for its machines, by the last part of the URL: the credential provider of Azure's
// container registries, which here knows no credentials, and the kubelet's configuration for it.
var blobs = map[string]string{ //nolint:gosec // No credentials are in it.
	"azure-acr-credential-provider": `#!/bin/sh
echo '{"kind":"CredentialProviderResponse","apiVersion":"credentialprovider.kubelet.k8s.io/v1","cacheKeyType":"Registry","auth":{}}'
`,
	"credential-provider-config.yaml": `apiVersion: kubelet.config.k8s.io/v1
kind: CredentialProviderConfig
providers:
- name: acr-credential-provider
  apiVersion: credentialprovider.kubelet.k8s.io/v1
  defaultCacheDuration: 10m
  matchImages: ["*.azurecr.io"]
`,
}

// az is Azure's command line, as far as the scripts of CAPZ's tests use it: `az login --identity`, which the identity of a machine always
// may, and `az storage blob download`.
func az(args []string, errs io.Writer) int {
	switch {
	case slices.Equal(args, []string{"login", "--identity"}):
		return 0
	case len(args) > 3 && slices.Equal(args[:3], []string{"storage", "blob", "download"}):
		if err := download(option(args, "--blob-url"), option(args, "-f")); err != nil {
			fmt.Fprintf(errs, "az: %v\n", err)
			return 3
		}
		return 0
	}
	fmt.Fprintf(errs, "az: a simulated machine's does not know %s\n", strings.Join(args, " "))
	return 2
}

// option returns the argument that follows a name; empty if there is none.
func option(args []string, name string) string {
	if i := slices.Index(args, name); i >= 0 && i+1 < len(args) {
		return args[i+1]
	}
	return ""
}

// download writes a blob to a file.
func download(url, file string) error {
	content, found := blobs[path.Base(url)]
	if !found {
		return fmt.Errorf("the simulated storage account has no %s", path.Base(url))
	}
	return os.WriteFile(file, []byte(content), 0o644) // The script makes it executable.
}
