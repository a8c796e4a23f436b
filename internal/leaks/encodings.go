package leaks

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// An encoding is a way in which a value could be written.
type encoding struct {
	name  string
	write func(string) string
}

var encodings = []encoding{
	{"as it is", func(s string) string { return s }},
	{"in JSON", inJSON},
	{"in JSON within JSON", func(s string) string { return inJSON(inJSON(s)) }},
	{"quoted by Go", func(s string) string { return unquoted(strconv.Quote(s)) }},
	{"in the query of a URL", url.QueryEscape},
	{"in the path of a URL", url.PathEscape},
	{"in base64", func(s string) string { return inBase64(base64.StdEncoding, s, 0) }},
	{"in base64 of a text", func(s string) string { return inBase64(base64.StdEncoding, s, 1) }},
	{"in base64 of a text", func(s string) string { return inBase64(base64.StdEncoding, s, 2) }},
	{"in base64 for URLs", func(s string) string { return inBase64(base64.URLEncoding, s, 0) }},
	{"in base64 for URLs of a text", func(s string) string { return inBase64(base64.URLEncoding, s, 1) }},
	{"in base64 for URLs of a text", func(s string) string { return inBase64(base64.URLEncoding, s, 2) }},
	{"in hexadecimal", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"as a list of bytes", func(s string) string { return strings.Trim(fmt.Sprintf("%d", []byte(s)), "[]") }},
}

func inJSON(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return s
	}
	return unquoted(string(raw))
}

func unquoted(s string) string { return s[1 : len(s)-1] }

// inBase64 returns what the base64 of a text has of a value that begins at a byte of the text which is at in a group of three;
// not the characters at both ends that depend on what is beside the value.
func inBase64(encoding *base64.Encoding, value string, at int) string {
	text := encoding.EncodeToString([]byte(strings.Repeat("\x00", at) + value))
	begin, end := (at*8+5)/6, (at+len(value))*8/6
	return text[begin:end]
}
