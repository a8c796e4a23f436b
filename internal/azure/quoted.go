package azure

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// quotedText is what a message has between quotation marks, but the addresses that requests went to.
var quotedText = regexp.MustCompile(`"(?:[^"h]|h[^"t])[^"]*"`)

// unquoted returns the message of the authentication library without what it quotes of an answer. It gives the whole of one that
// it cannot decode, which may have a token, after the first line of its message, and a part of it in quotation marks in that line.
// Only that a request has failed is said in the second line.
func unquoted(message string) string {
	const failed = "server response error:\n"
	before, after, found := strings.Cut(message, failed)
	if found {
		message = before + strings.TrimSpace(failed) + " " + strings.TrimSpace(after)
	}
	line, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	line = quotedText.ReplaceAllString(line, `"…"`)
	if strings.TrimSpace(rest) != "" {
		line += " (what was answered is left out)"
	}
	return line
}

// withoutValues returns why a credential cannot be made without what stands in its Secret: somebody may have put a secret under
// another key than the one it belongs to.
func withoutValues(err error) error {
	if address := (*url.Error)(nil); errors.As(err, &address) {
		return fmt.Errorf("its %s is no URL", keyAuthorityHost)
	}
	return err
}
