package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/arm"
	armruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/arm/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
	"github.com/crossplane-capz/crossplane-capz/internal/version"
)

// An azureReader reads from Azure Resource Manager with GETs alone.
type azureReader struct {
	pipeline runtime.Pipeline
	endpoint string
	progress func(string)
}

// cloudNamed returns the cloud of a name, whose endpoint, if it is not empty, is another.
func cloudNamed(name, endpoint string) (cloud.Configuration, error) {
	var names []string
	for _, c := range azure.Clouds() {
		if strings.EqualFold(c.Name, name) {
			return c.At(endpoint), nil
		}
		names = append(names, c.Name)
	}
	return cloud.Configuration{}, fmt.Errorf("--cloud is %q, but must be one of %s", name, strings.Join(names, ", "))
}

// newAzureReader returns what reads as whoever the environment is signed in as: its variables, a workload or managed identity, az, azd or
// Azure PowerShell.
func newAzureReader(in cloud.Configuration, tenant string, progress func(string)) (*azureReader, error) {
	options := azcore.ClientOptions{Cloud: in}
	credential, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{ClientOptions: options, TenantID: tenant})
	if err != nil {
		return nil, errors.New("nobody is signed in to Azure: " + azure.Explain(err))
	}
	return azureReaderAs(credential, options, progress)
}

func azureReaderAs(credential azcore.TokenCredential, options azcore.ClientOptions, progress func(string)) (*azureReader, error) {
	options.Telemetry = policy.TelemetryOptions{ApplicationID: "kubectl-capz"}
	p, err := armruntime.NewPipeline("kubectl-capz", version.Version, credential, runtime.PipelineOptions{},
		&arm.ClientOptions{ClientOptions: options, DisableRPRegistration: true})
	if err != nil {
		return nil, err
	}
	return &azureReader{pipeline: p, endpoint: strings.TrimRight(options.Cloud.Services[cloud.ResourceManager].Endpoint, "/"), progress: progress}, nil
}

// Get implements adopt.Reader.
func (r *azureReader) Get(ctx context.Context, id, apiVersion string) (json.RawMessage, error) {
	return r.read(ctx, r.address(id, apiVersion), id)
}

// mostPages is how many pages of a list are read: one that does not end is not a list.
const mostPages = 1000

// List implements adopt.Reader.
func (r *azureReader) List(ctx context.Context, path, apiVersion string) ([]json.RawMessage, error) {
	var all []json.RawMessage
	address := r.address(path, apiVersion)
	for range mostPages {
		raw, err := r.read(ctx, address, path)
		if raw == nil || err != nil {
			return all, err
		}
		page := struct {
			Value    []json.RawMessage
			NextLink string
		}{}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, fmt.Errorf("the answer of Azure about %s is not a list", path)
		}
		all = append(all, page.Value...)
		if page.NextLink == "" {
			return all, nil
		}
		if !strings.HasPrefix(page.NextLink, r.endpoint+"/") { // The token is sent there.
			return nil, fmt.Errorf("the answer of Azure about %s goes on at an address that is not of %s", path, r.endpoint)
		}
		address = page.NextLink
	}
	return nil, fmt.Errorf("the list %s of Azure does not end", path)
}

func (r *azureReader) address(path, apiVersion string) string {
	return r.endpoint + (&url.URL{Path: path}).EscapedPath() + "?" + url.Values{"api-version": {apiVersion}}.Encode()
}

// absent are the codes of answers of Azure that mean that there is nothing, as nobody in the subscription uses the kind of resource.
var absent = []string{"MissingSubscriptionRegistration", "SubscriptionNotRegistered"}

// read returns the body of an answer; nil where Azure does not have what is asked for.
func (r *azureReader) read(ctx context.Context, address, about string) (json.RawMessage, error) {
	r.progress("reading " + about)
	req, err := runtime.NewRequest(ctx, http.MethodGet, address)
	if err != nil {
		return nil, err
	}
	req.Raw().Header.Set("Accept", "application/json")
	resp, err := r.pipeline.Do(req) //nolint:bodyclose // Payload and NewResponseError close it.
	if err != nil {
		return nil, fmt.Errorf("cannot ask Azure for %s: %s", about, azure.Explain(err))
	}
	switch {
	case resp.StatusCode == http.StatusNotFound:
		_, err := runtime.Payload(resp)
		return nil, err
	case !runtime.HasStatusCode(resp, http.StatusOK):
		answer := &azcore.ResponseError{}
		if err := runtime.NewResponseError(resp); !errors.As(err, &answer) {
			return nil, err
		}
		if slices.Contains(absent, answer.ErrorCode) {
			return nil, nil
		}
		return nil, fmt.Errorf("Azure answers %d %s for %s: %s", answer.StatusCode, answer.ErrorCode, about, messageOf(resp)) //nolint:staticcheck // Azure is a name.
	}
	raw, err := runtime.Payload(resp)
	if err != nil {
		return nil, fmt.Errorf("cannot read the answer of Azure about %s: %w", about, err)
	}
	return raw, nil
}

// messageOf returns the words of an error of Azure.
func messageOf(resp *http.Response) string {
	raw, err := runtime.Payload(resp)
	body := struct{ Error struct{ Message string } }{}
	if err != nil || json.Unmarshal(raw, &body) != nil {
		return "no reason is given"
	}
	return body.Error.Message
}
