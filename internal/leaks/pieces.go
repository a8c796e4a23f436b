package leaks

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

// shortest is how long a value has to be to be looked for. A shorter one is in any text by chance.
const shortest = 8

// A piece is something that one can sign in with, or a part of it.
type piece struct {
	what  string
	value string
}

// publicKeys are keys of a credential Secret of Azure Service Operator, and of others, that say who signs in where. What they
// have stands in specs too.
var publicKeys = map[string]bool{
	"AZURE_SUBSCRIPTION_ID": true, "AZURE_TENANT_ID": true, "AZURE_CLIENT_ID": true, "AZURE_ADDITIONAL_TENANTS": true, "AUTH_MODE": true,
	"USE_WORKLOAD_IDENTITY_AUTH": true, "AZURE_AUTHORITY_HOST": true, "AZURE_RESOURCE_MANAGER_ENDPOINT": true,
	"AZURE_RESOURCE_MANAGER_AUDIENCE": true, "AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS": true, "POD_NAMESPACE": true,
	"namespace": true, "endpoint": true, "ca.crt": true,
}

// piecesOf returns what is secret in the value of a Secret's key; none when nothing is.
func piecesOf(key string, value []byte) []piece {
	if publicKeys[key] || len(value) == 0 {
		return nil
	}
	for _, known := range []func(string, []byte) ([]piece, bool){piecesOfAzureJSON, piecesOfBootstrapData} {
		if found, ok := known(key, value); ok {
			return found
		}
	}
	if bytes.Contains(value, []byte("-----BEGIN ")) && !bytes.Contains(value, []byte("apiVersion:")) {
		return piecesOfPEM(key, value)
	}
	if !utf8.Valid(value) {
		if _, err := x509.ParseCertificates(value); err == nil {
			return nil
		}
		return []piece{{key, string(value)}}
	}
	if found, ok := piecesOfKubeconfig(key, value); ok {
		return found
	}
	if structured := map[string]any{}; bytes.ContainsAny(value, ":") && yaml.Unmarshal(value, &structured) == nil {
		return piecesOfTree(key, structured)
	}
	return piecesOfText(key, string(value))
}

// piecesOfKubeconfig takes the credentials of its users, and no server or certificate.
func piecesOfKubeconfig(key string, value []byte) ([]piece, bool) {
	config, err := clientcmd.Load(value)
	if err != nil || len(config.AuthInfos) == 0 {
		return nil, false
	}
	var found []piece
	for _, name := range slices.Sorted(maps.Keys(config.AuthInfos)) {
		user := config.AuthInfos[name]
		what := key + ", user " + name + ", "
		found = append(found, piecesOfText(what+"token", user.Token)...)
		found = append(found, piecesOfText(what+"password", user.Password)...)
		if len(user.ClientKeyData) > 0 {
			found = append(found, piecesOf(what+"client key", user.ClientKeyData)...)
			// As it stands in the file, which may be encoded once more.
			found = append(found, piece{what + "client key", base64.StdEncoding.EncodeToString(user.ClientKeyData)})
		}
		if user.AuthProvider != nil {
			for _, setting := range slices.Sorted(maps.Keys(user.AuthProvider.Config)) {
				found = append(found, piecesOfText(what+setting, user.AuthProvider.Config[setting])...)
			}
		}
		if user.Exec != nil {
			for _, variable := range user.Exec.Env {
				found = append(found, piecesOfText(what+variable.Name, variable.Value)...)
			}
		}
	}
	return found, true
}

// piecesOfTree takes the texts of JSON or YAML.
func piecesOfTree(what string, tree any) []piece {
	var found []piece
	switch tree := tree.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			found = append(found, piecesOfTree(what+", "+key, tree[key])...)
		}
	case []any:
		for i, item := range tree {
			found = append(found, piecesOfTree(what+", "+strconv.Itoa(i), item)...)
		}
	case string:
		if strings.Contains(tree, "-----BEGIN ") {
			return piecesOfPEM(what, []byte(tree))
		}
		return piecesOfText(what, tree)
	}
	return found
}

// piecesOfPEM takes private keys, and what it does not know. Text around the blocks counts, too.
func piecesOfPEM(what string, value []byte) []piece {
	var found []piece
	for {
		block, rest := pem.Decode(value)
		if block == nil {
			return append(found, piecesOfText(what, string(value))...)
		}
		if at := bytes.Index(value, []byte("-----BEGIN ")); at > 0 {
			found = append(found, piecesOfText(what, string(value[:at]))...)
		}
		if block.Type != "CERTIFICATE" && !strings.HasSuffix(block.Type, "PUBLIC KEY") {
			for i, line := range secretLines(block.Bytes) {
				found = append(found, piece{fmt.Sprintf("%s, %s, part %d", what, block.Type, i+1), line})
			}
		}
		value = rest
	}
}

// piecesOfText takes each line, as a log may have one alone.
func piecesOfText(what, text string) []piece {
	var found []piece
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if token := jsonWebToken.FindStringSubmatch(line); token != nil && token[0] == line {
			// Who it is for is no secret, its signature is.
			found = append(found, piece{what + ", signature", token[1]})
			continue
		}
		if !public(line) {
			found = append(found, piece{what, line})
		}
	}
	return found
}

var (
	hostName = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(:[0-9]+)?$`)
	words    = regexp.MustCompile(`^[A-Za-z]+([-_. :,']+[A-Za-z]+)*$`)
	// numbers are dates and times, too.
	numbers = regexp.MustCompile(`^[0-9TZ:.+-]+$`)
)

// How long a text of words, and of digits, may be that is no secret.
const (
	longestWords  = 20
	longestNumber = 30
)

// public reports whether a value cannot be a secret, or could be in any text by chance.
func public(value string) bool {
	if len(value) < shortest || hostName.MatchString(value) || len(value) <= longestWords && words.MatchString(value) ||
		len(value) <= longestNumber && numbers.MatchString(value) {
		return true
	}
	if _, err := uuid.Parse(value); err == nil {
		return true
	}
	at, err := url.Parse(value)
	return err == nil && at.Scheme != "" && at.Host != "" && at.User == nil && at.RawQuery == ""
}
