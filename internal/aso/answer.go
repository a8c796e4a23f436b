package aso

import (
	"encoding/json"
	"regexp"
	"strings"
)

// reasonFailed is ASO's reason for an error that it does not classify, such as Azure's answer when it only reads.
const reasonFailed = "Failed"

// answerCode finds Azure's error code in an error of Azure's Go SDK (module azcore, ResponseError.Error), answerBody what Azure sent.
var (
	answerCode = regexp.MustCompile(`ERROR CODE: (\w+)`)
	answerBody = regexp.MustCompile(`(?s)\n-{10,}\n(\{.*?\n\})\n`)
)

// answerIn returns the error code and the text of Azure's answer where ASO reports no reason of its own and quotes the whole answer, as it does
// when it has only read; else what it is given.
func answerIn(reason, message string) (string, string) {
	code := answerCode.FindStringSubmatch(message)
	if reason != reasonFailed || code == nil {
		return reason, message
	}
	body := answerBody.FindStringSubmatch(message)
	if body == nil {
		return code[1], message
	}
	type text struct {
		Message string `json:"message"`
	}
	answer := struct {
		text

		Error text `json:"error"`
	}{}
	if json.Unmarshal([]byte(body[1]), &answer) != nil {
		return code[1], message
	}
	for _, found := range []string{answer.Error.Message, answer.Message} {
		if strings.TrimSpace(found) != "" {
			return code[1], found
		}
	}
	return code[1], message
}
