package composer

import (
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/response"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// The most that the schema of a metav1.Condition admits.
const (
	// LongestMessage is in bytes.
	LongestMessage = 32768
	longestReason  = 1024
)

// fatal stops everything. Crossplane writes the message into a condition and an Event.
func fatal(rsp *fnv1.RunFunctionResponse, err error) {
	response.Fatal(rsp, errors.New(cut(err.Error())))
}

func cut(message string) string { return field.Cut(message, LongestMessage) }
