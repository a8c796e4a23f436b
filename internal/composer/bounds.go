package composer

import (
	"strings"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
)

const (
	// mostLevels is far more than any ASO kind has. The API server takes 10000, of which protobuf carries a third.
	mostLevels = 100
	// longestName is that of an object in Kubernetes; what is called more is no name, but is to be shown.
	longestName = 253
	// allMessages is how long the messages of status.resources may be together. The whole object must fit into etcd.
	allMessages = 256 << 10
	// shortestMessage is kept of each message, however many there are.
	shortestMessage = 512
)

// deeper reports whether a value has more levels of fields within fields.
func deeper(value any, levels int) bool {
	if levels < 0 {
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			if deeper(inner, levels-1) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if deeper(inner, levels-1) {
				return true
			}
		}
	}
	return false
}

// cutTo returns a text of so many bytes at most, and of whole characters: protobuf carries no others.
func cutTo(text string, most int) string {
	if len(text) > most {
		text = text[:most-len("…")] + "…"
	}
	return strings.ToValidUTF8(text, "")
}

// fatal stops everything. Crossplane writes the message into a condition and an Event.
func fatal(rsp *fnv1.RunFunctionResponse, err error) {
	response.Fatal(rsp, errors.New(cut(err.Error())))
}
