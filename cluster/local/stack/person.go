package stack

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"
)

// PersonAgent is the user agent of those who write to the simulated Azure without this product.
const PersonAgent = "person"

// personInterval is how often it is looked whether what a person has put into Azure is there.
const personInterval = 100 * time.Millisecond

// PutInAzure puts a resource, given by its ID, into the simulated Azure as another tool does, and waits until it is there.
func (s *Stack) PutInAzure(ctx context.Context, id, apiVersion, body string) error {
	c, token, err := s.SignIn(ctx)
	if err != nil {
		return err
	}
	answer, err := askAzure(ctx, c, token, http.MethodPut, id, apiVersion, body)
	for err == nil && !provisioned(answer) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(personInterval):
		}
		answer, err = askAzure(ctx, c, token, http.MethodGet, id, apiVersion, "")
	}
	return err
}

// SignIn signs in to the simulated Azure without this product. It returns the client that reaches Azure, and the token for it to send.
func (s *Stack) SignIn(ctx context.Context) (c *http.Client, token string, err error) {
	if c, err = s.personsClient(); err != nil {
		return nil, "", err
	}
	if token, err = personsToken(ctx, c); err != nil {
		return nil, "", fmt.Errorf("sign in to Azure: %w", err)
	}
	return c, token, nil
}

// provisioned reports whether an answer is a resource that is there. Not every type says how far it is.
func provisioned(answer []byte) bool {
	resource := struct {
		Properties struct {
			State string `json:"provisioningState"`
		} `json:"properties"`
	}{}
	err := json.Unmarshal(answer, &resource)
	return err == nil && (resource.Properties.State == "" || resource.Properties.State == "Succeeded")
}

// personsClient reaches the simulated Azure as all do: through its proxy, trusting its certificate authority.
func (s *Stack) personsClient() (*http.Client, error) {
	ca, err := os.ReadFile(s.AzureCA())
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	proxy, err := url.Parse(s.ProxyURL())
	if err != nil {
		return nil, err
	}
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}}, nil
}

func personsToken(ctx context.Context, c *http.Client) (string, error) {
	form := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {PersonAgent}, "client_secret": {"simulated"}, "scope": {"https://management.azure.com/.default"},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://login.microsoftonline.com/tenant/oauth2/v2.0/token",
		bytes.NewBufferString(form.Encode()))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := c.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	token := struct {
		Token string `json:"access_token"`
	}{}
	return token.Token, json.NewDecoder(response.Body).Decode(&token)
}

// askAzure sends a request to the resource manager and returns the body of its answer.
func askAzure(ctx context.Context, c *http.Client, token, method, id, apiVersion, body string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, "https://management.azure.com"+id+"?api-version="+apiVersion, bytes.NewBufferString(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", PersonAgent)
	response, err := c.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s %s: %s: %s", method, id, response.Status, answer)
	}
	return answer, err
}
