package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls the administration API of a simulator. Every method returns the error of the transport, or what the
// simulator says is wrong with the request.
type Client struct {
	// URL is the base of the API, such as http://127.0.0.1:8081.
	URL string
	// HTTP is the client to use; nil means http.DefaultClient.
	HTTP *http.Client
}

// Healthz returns nil once the simulator answers.
func (c *Client) Healthz(ctx context.Context) error {
	return c.do(ctx, http.MethodGet, "/healthz", nil, nil, nil)
}

// SetLatency sets how long operations on a resource type take; "default" is for all types without one of their own, and
// "<type>:create", ":update" or ":delete" for one kind of change.
func (c *Client) SetLatency(ctx context.Context, resourceType string, latency time.Duration) error {
	return c.do(ctx, http.MethodPut, "/latency", nil, LatencyChange{Type: resourceType, Latency: latency}, nil)
}

// Inject adds a fault and returns its name. Faults are tried in the order in which they were injected.
func (c *Client) Inject(ctx context.Context, fault Fault) (string, error) {
	var named Name
	err := c.do(ctx, http.MethodPost, "/faults", nil, fault, &named)
	return named.Name, err
}

// ClearFault removes the fault with that name.
func (c *Client) ClearFault(ctx context.Context, name string) error {
	return c.do(ctx, http.MethodDelete, "/faults", url.Values{"name": {name}}, nil, nil)
}

// ClearFaults removes every fault.
func (c *Client) ClearFaults(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "/faults", nil, nil, nil)
}

// Requests returns the requests that the filter selects, oldest first.
func (c *Client) Requests(ctx context.Context, filter RequestFilter) ([]Request, error) {
	query := url.Values{"method": {filter.Method}, "host": {filter.Host}, "path": {filter.Path}}
	if !filter.Since.IsZero() {
		query.Set("since", filter.Since.Format(time.RFC3339Nano))
	}
	var requests []Request
	err := c.do(ctx, http.MethodGet, "/requests", query, nil, &requests)
	return requests, err
}

// ClearRequests forgets the requests seen so far.
func (c *Client) ClearRequests(ctx context.Context) error {
	return c.do(ctx, http.MethodDelete, "/requests", nil, nil, nil)
}

// Resources returns the resources whose identifier begins with prefix, without regard to case, oldest first.
func (c *Client) Resources(ctx context.Context, prefix string) ([]Resource, error) {
	var resources []Resource
	err := c.do(ctx, http.MethodGet, "/resources", url.Values{"prefix": {prefix}}, nil, &resources)
	return resources, err
}

// DeleteResource removes a resource and all below it at once, as if somebody had deleted it behind the client's back.
func (c *Client) DeleteResource(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, "/resources", url.Values{"id": {id}}, nil, nil)
}

// SetAutoscale sets the node count of an agent pool as the cluster autoscaler would; the pool must be autoscaled and the
// count within its bounds.
func (c *Client) SetAutoscale(ctx context.Context, poolID string, count int) error {
	return c.do(ctx, http.MethodPut, "/autoscale", nil, AutoscaleChange{ID: poolID, Count: count}, nil)
}

// AutoUpgrade brings a managed cluster and its pools to a version as the cluster's upgrade channel would.
func (c *Client) AutoUpgrade(ctx context.Context, clusterID, version string) error {
	return c.do(ctx, http.MethodPut, "/auto-upgrade", nil, UpgradeChange{ID: clusterID, Version: version}, nil)
}

// SetTokenLifetime sets how long Entra tokens issued from now on are valid.
func (c *Client) SetTokenLifetime(ctx context.Context, lifetime time.Duration) error {
	return c.do(ctx, http.MethodPut, "/token-lifetime", nil, DurationChange{Duration: lifetime}, nil)
}

// SetClientSecret registers the only secret that an application may use; before, any that is not empty is accepted.
func (c *Client) SetClientSecret(ctx context.Context, clientID, secret string) error {
	return c.do(ctx, http.MethodPut, "/client-secret", nil, ClientSecretChange{ClientID: clientID, Secret: secret}, nil)
}

// RegisterSubscription says to which tenant and cloud a subscription belongs, and has it reached by registered applications only.
func (c *Client) RegisterSubscription(ctx context.Context, subscription Subscription) error {
	return c.do(ctx, http.MethodPut, "/subscription", nil, subscription, nil)
}

// RegisterApplication says with what an application signs in, and what it has rights on.
func (c *Client) RegisterApplication(ctx context.Context, application Application) error {
	return c.do(ctx, http.MethodPut, "/application", nil, application, nil)
}

// SetClockOffset puts the simulator's clock that far ahead of the real one.
func (c *Client) SetClockOffset(ctx context.Context, offset time.Duration) error {
	return c.do(ctx, http.MethodPut, "/clock-offset", nil, DurationChange{Duration: offset}, nil)
}

// SetProviderRegistered makes changes of a namespace's resources fail with MissingSubscriptionRegistration until a client
// registers the namespace, or work again.
func (c *Client) SetProviderRegistered(ctx context.Context, namespace string, registered bool) error {
	return c.do(ctx, http.MethodPut, "/provider", nil, ProviderChange{Namespace: namespace, Registered: registered}, nil)
}

// SetSizeRestriction restricts a size of virtual machines, or lifts that.
func (c *Client) SetSizeRestriction(ctx context.Context, restriction SizeRestriction) error {
	return c.do(ctx, http.MethodPut, "/size-restriction", nil, restriction, nil)
}

// SetQuota limits the CPUs of virtual machines, or lifts that.
func (c *Client) SetQuota(ctx context.Context, quota Quota) error {
	return c.do(ctx, http.MethodPut, "/quota", nil, quota, nil)
}

// SetImage says whether images exist.
func (c *Client) SetImage(ctx context.Context, change ImageChange) error {
	return c.do(ctx, http.MethodPut, "/image", nil, change, nil)
}

// SetHealth says what Azure Resource Health says of a resource.
func (c *Client) SetHealth(ctx context.Context, health Health) error {
	return c.do(ctx, http.MethodPut, "/health", nil, health, nil)
}

// Evict has Azure evict a spot machine.
func (c *Client) Evict(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodPut, "/eviction", nil, Eviction{ID: id}, nil)
}

func (c *Client) do(ctx context.Context, method, path string, query url.Values, body, into any) error {
	var payload bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&payload).Encode(body); err != nil {
			return fmt.Errorf("encode %s %s: %w", method, path, err)
		}
	}
	target := strings.TrimSuffix(c.URL, "/") + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, target, &payload)
	if err != nil {
		return fmt.Errorf("simulator %s %s: %w", method, path, err)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("simulator %s %s: %w", method, path, err)
	}
	defer response.Body.Close()
	return decodeAnswer(response, method+" "+path, into)
}

func decodeAnswer(response *http.Response, what string, into any) error {
	if response.StatusCode != http.StatusOK {
		var answer ErrorAnswer
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return fmt.Errorf("simulator %s: status %s", what, response.Status)
		}
		return fmt.Errorf("simulator %s: %s", what, answer.Error)
	}
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		return fmt.Errorf("simulator %s: decode answer: %w", what, err)
	}
	return nil
}
