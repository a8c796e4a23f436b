package machines

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	armruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"k8s.io/apimachinery/pkg/util/cache"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/journal"
	"github.com/crossplane-capz/crossplane-capz/internal/telemetry"
	"github.com/crossplane-capz/crossplane-capz/internal/traces"
	"github.com/crossplane-capz/crossplane-capz/internal/version"
)

const (
	// callTimeout is for how long one request may last: a page of the sizes of a large location is several megabytes.
	callTimeout = time.Minute
	// pipelineValid is for how long the connection of an account is kept, with its token. A credential that is in a file is read anew then.
	pipelineValid = 10 * time.Minute
)

// A Client sends requests to Azure Resource Manager. It repeats none: who calls it decides that.
type Client struct {
	// Transport is what requests go through; nil for azcore's own.
	Transport policy.Transporter

	pipelines *cache.Expiring
}

// NewClient returns a Client with a transport, which may be nil.
func NewClient(transport policy.Transporter) *Client {
	return &Client{Transport: transport, pipelines: cache.NewExpiring()}
}

// pipeline returns what an account's requests go through, which keeps its token.
func (c *Client) pipeline(as azure.Account) (runtime.Pipeline, error) {
	if found, ok := c.pipelines.Get(as.Fingerprint); ok {
		if p, ok := found.(runtime.Pipeline); ok {
			return p, nil
		}
	}
	p, err := armruntime.NewPipeline("provider-capz", version.Version, as.Credential, runtime.PipelineOptions{}, &arm.ClientOptions{
		ClientOptions: policy.ClientOptions{
			Cloud: as.Cloud, Transport: c.Transport,
			Retry:     policy.RetryOptions{MaxRetries: -1},
			Telemetry: policy.TelemetryOptions{ApplicationID: "provider-capz"},

			PerCallPolicies:  []policy.Policy{counted{}, traces.Azure{Type: telemetry.ResourceType, Code: failureOf}},
			PerRetryPolicies: []policy.Policy{journal.Azure{}},
		},
		DisableRPRegistration: true,
	})
	if err != nil {
		return runtime.Pipeline{}, fmt.Errorf("cannot set up requests to Azure: %w", err)
	}
	c.pipelines.Set(as.Fingerprint, p, pipelineValid)
	return p, nil
}

// A call is one request.
type call struct {
	method string
	// path is the ID of a resource, or the address of a list. A whole URL is one that Azure has answered with.
	path    string
	version string
	query   url.Values
	body    []byte
	// etag is the state of the resource for which the request holds; empty for any.
	etag string
	// secrets are what an answer may quote of the body.
	secrets []string
	// expected are the status codes of success; 200 when there are none.
	expected []int
}

// do sends a request. An answer that is not expected is an *Answer.
func (c *Client) do(ctx context.Context, as azure.Account, call call) (*http.Response, error) {
	p, err := c.pipeline(as)
	if err != nil {
		return nil, err
	}
	address, err := addressOf(as, call)
	if err != nil {
		return nil, err
	}
	req, err := runtime.NewRequest(ctx, call.method, address)
	if err != nil {
		return nil, fmt.Errorf("cannot ask Azure for %s: %w", call.path, err)
	}
	req.Raw().Header.Set("Accept", "application/json")
	if call.etag != "" {
		req.Raw().Header.Set("If-Match", call.etag)
	}
	if call.body != nil {
		if err := req.SetBody(streaming.NopCloser(bytes.NewReader(call.body)), "application/json"); err != nil {
			return nil, fmt.Errorf("cannot send %s to Azure: %w", call.path, err)
		}
	}
	resp, err := p.Do(req)
	if err != nil {
		return nil, unreached(err)
	}
	expected := call.expected
	if len(expected) == 0 {
		expected = []int{http.StatusOK}
	}
	if !runtime.HasStatusCode(resp, expected...) {
		return nil, answerOf(runtime.NewResponseError(resp), call.secrets)
	}
	return resp, nil
}

// get reads an answer into a value, and reports whether there is one: Azure may not have the resource, or the resource group that it is in.
func (c *Client) get(ctx context.Context, as azure.Account, call call, into any) (found bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	call.method = http.MethodGet
	resp, err := c.do(ctx, as, call) //nolint:bodyclose // To read it closes it.
	if NotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := runtime.UnmarshalAsJSON(resp, into); err != nil {
		return false, fmt.Errorf("the answer of Azure about %s is not JSON of the expected shape", call.path) // Nothing of it is quoted.
	}
	return true, nil
}

// addressOf returns the URL of a request. One that Azure has answered with must be of the same host: the token is sent there.
func addressOf(as azure.Account, call call) (string, error) {
	endpoint := strings.TrimRight(as.Cloud.Services[cloud.ResourceManager].Endpoint, "/")
	if endpoint == "" {
		return "", errors.New("the cloud of the credential has no address of Azure Resource Manager")
	}
	if strings.HasPrefix(call.path, "http") {
		home, err := url.Parse(endpoint)
		next, nextErr := url.Parse(call.path)
		if err != nil || nextErr != nil || !strings.EqualFold(home.Host, next.Host) || home.Scheme != next.Scheme {
			return "", fmt.Errorf("the answer of Azure has an address that is not of %s", endpoint)
		}
		return call.path, nil
	}
	query := url.Values{"api-version": {call.version}}
	for key, values := range call.query {
		query[key] = values
	}
	return endpoint + (&url.URL{Path: call.path}).EscapedPath() + "?" + query.Encode(), nil
}

// A page is one of a list.
type page[T any] struct {
	Value    []T    `json:"value"`
	NextLink string `json:"nextLink"`
}

// mostPages is how many pages of a list are read: one that does not end is not a list.
const mostPages = 1000

// list calls use for each page of a list; it reports whether there is such a list.
func list[T any](ctx context.Context, c *Client, as azure.Account, call call, use func([]T)) (found bool, err error) {
	for range mostPages {
		p := page[T]{}
		if found, err := c.get(ctx, as, call, &p); err != nil || !found {
			return false, err
		}
		use(p.Value)
		if p.NextLink == "" {
			return true, nil
		}
		call.path = p.NextLink
	}
	return false, fmt.Errorf("the list %s of Azure does not end", call.path)
}

// fingerprint is what accounts are told from each other by.
type fingerprint = [sha256.Size]byte
