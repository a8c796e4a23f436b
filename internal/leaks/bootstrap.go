package leaks

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// azureSecrets are the fields of azure.json that are secret, see https://cloud-provider-azure.sigs.k8s.io/install/configs/. All others are
// in specs too.
var azureSecrets = []string{"aadClientSecret", "aadClientCertPassword"}

// piecesOfAzureJSON takes of an azure.json what a cloud controller signs in with.
func piecesOfAzureJSON(what string, value []byte) ([]piece, bool) {
	var fields map[string]any
	if json.Unmarshal(value, &fields) != nil || fields["subscriptionId"] == nil || fields["tenantId"] == nil {
		return nil, false
	}
	var found []piece
	for _, name := range azureSecrets {
		if text, ok := fields[name].(string); ok && len(text) >= shortest {
			found = append(found, piece{what + ", " + name, text})
		}
	}
	return found, true
}

var (
	// bootstrapToken is what a machine joins a cluster with, see
	// https://kubernetes.io/docs/reference/access-authn-authz/bootstrap-tokens/. What comes before the point is its name.
	bootstrapToken = regexp.MustCompile(`\b[a-z0-9]{6}\.([a-z0-9]{16})\b`)
	// named is what a file or a command calls a secret.
	named = regexp.MustCompile(`(?i)(?:token|password|secret)["']?\s*[:= ]\s*["']?([^\s"']{8,})`)
)

// BootstrapToken is what the token is called that a machine joins a cluster with.
const BootstrapToken = "bootstrap token"

// piecesOfBootstrapData takes of what a machine does at its first start, by cloud-init or Ignition, the keys, tokens and passwords that it
// writes down. All else in it, commands, paths and settings, stands in specs too.
func piecesOfBootstrapData(what string, value []byte) ([]piece, bool) {
	tree := map[string]any{}
	if yaml.Unmarshal(value, &tree) != nil || !bytes.Contains(value, []byte("#cloud-config")) && tree["ignition"] == nil {
		return nil, false
	}
	return piecesOfFiles(what, tree), true
}

// piecesOfFiles takes the texts that files consist of.
func piecesOfFiles(what string, tree any) []piece {
	var found []piece
	switch tree := tree.(type) {
	case map[string]any:
		for key, field := range tree {
			found = append(found, piecesOfFiles(what+", "+key, field)...)
		}
	case []any:
		for i, item := range tree {
			found = append(found, piecesOfFiles(what+", "+strconv.Itoa(i), item)...)
		}
	case string:
		found = piecesOfFile(what, tree)
	}
	return found
}

func piecesOfFile(what, text string) []piece {
	if encoded, ok := strings.CutPrefix(text, "data:,"); ok {
		if decoded, err := url.PathUnescape(encoded); err == nil {
			text = decoded
		}
	}
	if strings.Contains(text, "PRIVATE KEY-----") {
		return piecesOfPEM(what, []byte(text))
	}
	if found, ok := piecesOfAzureJSON(what, []byte(text)); ok {
		return found
	}
	var found []piece
	for _, token := range bootstrapToken.FindAllStringSubmatch(text, -1) {
		found = append(found, piece{what + ", " + BootstrapToken, token[1]})
	}
	for _, secret := range named.FindAllStringSubmatch(text, -1) {
		if !public(secret[1]) && !bootstrapToken.MatchString(secret[1]) {
			found = append(found, piece{what, secret[1]})
		}
	}
	return found
}

// OfClusterAPI reports whether a finding is what Cluster API itself writes outside of Secrets: the token that a machine joins with stands in its
// KubeadmConfig.
func (f Finding) OfClusterAPI() bool {
	return strings.HasPrefix(f.Where, "bootstrap.cluster.x-k8s.io/kubeadmconfigs/") && strings.HasSuffix(f.What, BootstrapToken)
}
