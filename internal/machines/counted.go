package machines

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
)

// counted is the policy that counts requests to Azure, those of pollers among them.
type counted struct{}

// Do implements policy.Policy.
func (counted) Do(req *policy.Request) (*http.Response, error) {
	raw, began := req.Raw(), time.Now()
	resp, err := req.Next()
	telemetry.AzureSeconds.Observe(time.Since(began).Seconds(), raw.Method)
	of := telemetry.ResourceType(raw.URL.Path)
	telemetry.AzureRequests.Inc(raw.Method, of, statusOf(resp))
	if code := failureOf(raw.Method, resp, err); code != "" {
		telemetry.AzureErrors.Inc(of, code)
	}
	return resp, err
}

func statusCode(resp *http.Response) int {
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}

// statusOf returns the class of an answer, as the metric has it.
func statusOf(resp *http.Response) string {
	switch code := statusCode(resp); code {
	case 0:
		return "none"
	case http.StatusTooManyRequests:
		return "429"
	default:
		return fmt.Sprintf("%dxx", code/100)
	}
}

// failureOf returns what codeOf does, but nothing for what was read and is not there: that is an answer.
func failureOf(method string, resp *http.Response, err error) string {
	code := codeOf(resp, err)
	if code != "" && method == http.MethodGet && NotFound(&Answer{Status: statusCode(resp), Code: code}) {
		return ""
	}
	return code
}

// codeOf returns Azure's error code, or what there is instead of an answer; empty for one that is no failure.
func codeOf(resp *http.Response, err error) string {
	var signIn *azidentity.AuthenticationFailedError
	switch {
	case errors.As(err, &signIn):
		return telemetry.CodeSignIn
	case err != nil || resp == nil:
		return telemetry.CodeUnreachable
	case resp.StatusCode < http.StatusBadRequest:
		return ""
	}
	var failed *azcore.ResponseError
	if errors.As(runtime.NewResponseError(resp), &failed) && failed.ErrorCode != "" { // The body can be read again.
		return failed.ErrorCode
	}
	return telemetry.Other
}

// countFailure counts an operation that Azure has accepted and that has failed afterwards: its last answer was no error.
func countFailure(err error) {
	var a *Answer
	if errors.As(err, &a) && a.Status < http.StatusBadRequest {
		telemetry.AzureErrors.Inc(telemetry.TypeOperation, a.Code)
	}
}
