package leaks

import (
	"bytes"
	"encoding/base64"
	"regexp"
)

// A form is what a secret can be told by though nobody has named it: tokens that Entra and the API server issue are in no Secret.
type form struct {
	name string
	// mark is in all of that form, and quickly found; pattern is looked for from before bytes in front of it on.
	mark    string
	before  int
	pattern *regexp.Regexp
}

// longestForm bounds where a pattern is looked for.
const longestForm = 8 << 10

// jsonWebToken is a signed token as a whole: a part of it signs nobody in.
var jsonWebToken = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.([A-Za-z0-9_-]{20,})`)

var forms = []form{
	{"a signed token", ".eyJ", 2 << 10, jsonWebToken},
	{"a private key", "PRIVATE KEY-----", 40, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----(\s|\\n|\\r|\\)*[A-Za-z0-9+/]{20}`)},
	keyInBase64(0), keyInBase64(1), keyInBase64(2),
}

func keyInBase64(at int) form {
	return form{"a private key in base64", inBase64(base64.StdEncoding, "PRIVATE KEY-----", at), 0, nil}
}

// searchForms calls report for everything of a form in the text.
func searchForms(text []byte, report func(at int, f form)) {
	for _, f := range forms {
		for from := 0; ; {
			at := bytes.Index(text[from:], []byte(f.mark))
			if at < 0 {
				break
			}
			at += from
			from = at + len(f.mark)
			begin := max(0, at-f.before)
			if f.pattern == nil || f.pattern.Match(text[begin:min(len(text), at+longestForm)]) {
				report(at, f)
			}
		}
	}
}
