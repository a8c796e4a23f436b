package machines

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// longestMessage is how many bytes of a text of Azure's are told.
const longestMessage = 2048

// An Answer is one of Azure's that is no success. It has code and text of the error, and nothing else of what was answered or sent: an error of
// azcore's has the whole body, which may quote the request.
type Answer struct {
	Status  int
	Code    string
	Message string
	// RetryAfter is when Azure asks to be asked again; zero where it does not say.
	RetryAfter time.Duration
}

func (a *Answer) Error() string { return a.Code + ": " + a.Message }

// NotFound reports whether an error is Azure's answer that it has no such resource, or not the resource group that it would be in. That a
// subscription is not found is about the credential.
func NotFound(err error) bool {
	var a *Answer
	return errors.As(err, &a) && a.Status == http.StatusNotFound && slices.Contains([]string{"ResourceNotFound", "ResourceGroupNotFound", "NotFound"}, a.Code)
}

// answerOf returns what an error of azcore says of Azure's answer. Of the secrets it has nothing.
func answerOf(err error, secrets []string) error {
	var failed *azcore.ResponseError
	if !errors.As(err, &failed) {
		return unreached(err)
	}
	a := &Answer{Status: failed.StatusCode, Code: failed.ErrorCode}
	if failed.RawResponse != nil {
		a.RetryAfter = retryAfter(failed.RawResponse)
		a.Message = messageIn(failed.RawResponse)
	}
	if a.Code == "" { // It is not Azure that has answered, but something on the way there.
		a.Code = fmt.Sprintf("HTTP%d", a.Status)
	}
	if a.Message == "" {
		a.Message = fmt.Sprintf("Azure answered %d and no more", a.Status)
	}
	a.Message = told(a.Message, secrets)
	return a
}

// An azureError is how Azure Resource Manager says what is wrong. Where there are details, the first is the cause.
type azureError struct {
	Code    string       `json:"code"`
	Message string       `json:"message"`
	Details []azureError `json:"details"`
}

// messageIn returns the text of the error in an answer; empty if there is none.
func messageIn(resp *http.Response) string {
	body, err := runtime.Payload(resp)
	if err != nil {
		return ""
	}
	answer := struct {
		azureError

		Error azureError `json:"error"`
	}{}
	if json.Unmarshal(body, &answer) != nil {
		return ""
	}
	if answer.Error.Message != "" {
		return answer.Error.text()
	}
	return answer.text()
}

func (e azureError) text() string {
	for _, detail := range e.Details {
		if detail.Message != "" && !strings.Contains(e.Message, detail.Message) {
			return strings.TrimSpace(e.Message) + " (" + detail.Code + ": " + detail.Message + ")"
		}
	}
	return e.Message
}

// retryAfter returns when Azure asks to be asked again; zero where it does not say so in seconds.
func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// ErrSignIn is why a request was not sent: Entra has given no token for it.
var ErrSignIn = errors.New("cannot sign in to Azure")

// unreached returns why a request has not been answered, without what Entra or a proxy has quoted.
func unreached(err error) error {
	var signIn *azidentity.AuthenticationFailedError
	if errors.As(err, &signIn) {
		return fmt.Errorf("%w: %s", ErrSignIn, azure.Explain(err))
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer of Azure in time: %w", context.DeadlineExceeded)
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		return fmt.Errorf("cannot reach Azure: %w", failed.Err)
	}
	return fmt.Errorf("cannot reach Azure: %w", err)
}

// shortestSecret is how long a piece of a text must be to be taken for one of a secret.
const shortestSecret = 12

// told returns a text of Azure's as it may be told: of a bearable length, and without what it quotes of the secrets. A piece of one that is
// shorter than shortestSecret is none that anybody could use.
func told(text string, secrets []string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`,;:=()<>[]{}", r) })
	for _, word := range words {
		trimmed := strings.Trim(word, ".…")
		if len(trimmed) < shortestSecret {
			continue
		}
		if slices.ContainsFunc(secrets, func(secret string) bool { return strings.Contains(secret, trimmed) }) {
			text = strings.ReplaceAll(text, trimmed, "…")
		}
	}
	return field.Cut(strings.TrimSpace(text), longestMessage)
}
