package leaks

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"regexp"
	"strings"
)

// A look is what something secret looks like. Other than a form it may be wrong: what looks like one goes from a text that others get, but is no
// finding of a search.
type look struct {
	name    string
	pattern *regexp.Regexp
	// group is the part of the pattern that is secret.
	group int
	// unless says of what matches that it is something else.
	unless func(match, after string) bool
}

// secretWords are what files, flags and fields call a secret.
const secretWords = `(?:password|passwd|passphrase|token|secret|private[_-]?key|client[_-]?key(?:-data)?|access[_-]?key|account[_-]?key|shared[_-]?key|` +
	`connection[_-]?string|custom[_-]?data|user[_-]?data|certificate[_-]?key|credentials?|kubeconfig|signature)`

var looks = []look{
	{"a signed token", regexp.MustCompile(`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?`), 0, nil},
	{"a bootstrap token", bootstrapToken, 0, isName},
	// Microsoft Entra ID marks the secrets that it makes for applications.
	{"a client secret", regexp.MustCompile(`[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}`), 0, nil},
	{"what follows Bearer or Basic", regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{16,})`), 1, nil},
	{"a signature in a URL", regexp.MustCompile(`[?&](?:sig|code)=([^&\s"'\\]{8,})`), 1, nil},
	{"a password in a URL", regexp.MustCompile(`\b[a-z][a-z0-9+.-]*://[^/\s:@"'\\]*:([^/\s@"'\\]+)@`), 1, nil},
	{"what is called a secret", regexp.MustCompile(`(?i)` + secretWords + `["'\\]*\s*[:=]\s*["'\\]*([^\s"'\\,;&}\]]{8,})`), 1, notSecret},
	{"what is called a secret", regexp.MustCompile(`(?i)--[a-z-]*` + secretWords + `[ =]["'\\]*([^\s"'\\,]{8,})`), 1, notSecret},
}

var (
	digit      = regexp.MustCompile(`[0-9]`)
	domain     = regexp.MustCompile(`^\.[a-z]{2,}`)
	objectName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9.-]*$`)
	filePath   = regexp.MustCompile(`^(?:/[a-z0-9._-]+){2,}$`)
)

// isName tells a host name or a group from a bootstrap token.
func isName(match, after string) bool { return !digit.MatchString(match) && domain.MatchString(after) }

// notSecret tells the name of an object, and what is public, from a secret.
func notSecret(match, _ string) bool {
	return objectName.MatchString(match) || filePath.MatchString(match) || public(match) || strings.HasPrefix(match, "{")
}

// looksSecret returns the parts of a text that look like secrets.
func looksSecret(text []byte) []span {
	var all []span
	for _, l := range looks {
		for _, m := range l.pattern.FindAllSubmatchIndex(text, -1) {
			from, to := m[2*l.group], m[2*l.group+1]
			match, after := string(text[from:to]), string(text[to:min(len(text), to+20)])
			if !strings.Contains(match, "redacted:") && (l.unless == nil || !l.unless(match, after)) { // What was redacted stays as it is.
				all = append(all, span{from, to, finding{what: l.name}})
			}
		}
	}
	all = append(all, pemIn(text)...)
	return append(all, base64In(text)...)
}

var (
	pemBegin = regexp.MustCompile(`-----BEGIN ([A-Z0-9 ]+)-----`)
	pemEnd   = regexp.MustCompile(`-----END [A-Z0-9 ]+-----`)
	// pemRest is what there is of PEM that was cut.
	pemRest = regexp.MustCompile(`^(?:\s|\\+[nrt])*[A-Za-z0-9+/=]{20}(?:\s|\\+[nrt]|[A-Za-z0-9+/=])*`)
)

// pemIn returns the keys and certificates in a text.
func pemIn(text []byte) []span {
	var all []span
	for _, m := range pemBegin.FindAllSubmatchIndex(text, -1) {
		rest := text[m[1]:min(len(text), m[1]+longestForm)]
		cut := pemRest.FindIndex(rest)
		if cut == nil && !bytes.Contains(text[m[2]:m[3]], []byte("ENCRYPTED")) && !bytes.Contains(rest[:min(len(rest), 80)], []byte("ENCRYPTED")) {
			continue // Words about PEM.
		}
		to := m[1]
		if cut != nil {
			to += cut[1]
		}
		if end := pemEnd.FindIndex(rest); end != nil {
			to = m[1] + end[1]
		}
		all = append(all, span{m[0], to, finding{what: "PEM, " + strings.ToLower(string(text[m[2]:m[3]]))}})
	}
	return all
}

// longText is what base64 of a text that has a secret is at least.
var longText = regexp.MustCompile(`[A-Za-z0-9+/_-]{40,}={0,2}`)

// base64In returns the parts of a text that are base64 of something that has a secret.
func base64In(text []byte) []span {
	var all []span
	for _, m := range longText.FindAllIndex(text, -1) {
		encoded := strings.TrimRight(string(text[m[0]:m[1]]), "=")
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if decoded, err := encoding.DecodeString(encoded); err == nil && hasSecret(decoded) {
				all = append(all, span{m[0], m[1], finding{what: "base64 of a text with a secret"}})
				break
			}
		}
	}
	return all
}

// most is how much of compressed bootstrap data is looked at.
const most = 4 << 20

// hasSecret reports whether a text, which may be compressed, is bootstrap data or has what looks like a secret.
func hasSecret(content []byte) bool {
	if bytes.HasPrefix(content, []byte("\x1f\x8b")) {
		reader, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return false
		}
		if content, err = io.ReadAll(io.LimitReader(reader, most)); err != nil {
			return true // It is cut, and may have been anything.
		}
	}
	return isBootstrapData(string(content)) || len(looksSecret(content)) > 0
}

// isBootstrapData reports whether a text is what a machine does at its first start, for cloud-init or Ignition.
func isBootstrapData(text string) bool {
	return strings.Contains(text, "#cloud-config") || strings.Contains(text, "## template: jinja") || strings.Contains(text, `"ignition":`)
}
