// Package admin holds the types of the simulator's administration API and a client for it.
package admin

import "time"

// Fault makes the simulator answer matching requests otherwise than Azure would.
type Fault struct {
	// Name identifies the fault when it is cleared; the simulator gives one if it is empty.
	Name string `json:"name,omitempty"`
	// Method the request must have; empty matches any.
	Method string `json:"method,omitempty"`
	// Host is a regular expression that the host name must match; empty matches Azure Resource Manager's in any cloud only.
	Host string `json:"host,omitempty"`
	// Path is a regular expression that the URL's path must match, without regard to case; empty matches any.
	Path string `json:"path,omitempty"`
	// Times is how many requests the fault answers; 0 means until it is cleared.
	Times int `json:"times,omitempty"`
	// Every has only each request of that number meet the fault, of those that match: 3 lets two pass, then answers one. 0 is 1.
	Every int `json:"every,omitempty"`
	// Lasts is how long the fault is there, in the simulator's time; 0 means until it is cleared.
	Lasts time.Duration `json:"lasts,omitempty"`

	// Delay is waited before anything else happens; a fault with only a delay then lets the request through.
	Delay time.Duration `json:"delay,omitempty"`
	// Status, Code and Message make an error answer in ARM's form.
	Status  int    `json:"status,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// RetryAfter is the header of that answer, in seconds; 0 sends none.
	RetryAfter int `json:"retryAfter,omitempty"`
	// Malformed answers with a body that is no JSON, with Status or else 200.
	Malformed bool `json:"malformed,omitempty"`
	// Drop closes the connection without an answer.
	Drop bool `json:"drop,omitempty"`
	// LoseAnswer does what is asked, and then closes the connection without an answer.
	LoseAnswer bool `json:"loseAnswer,omitempty"`
	// Truncate does what is asked, and closes the connection in the middle of the answer's body.
	Truncate bool `json:"truncate,omitempty"`
	// FailOperation lets the request through, and ends the long-running operation that it starts as Failed
	// with Code and Message.
	FailOperation bool `json:"failOperation,omitempty"`
	// ProlongOperation lets the request through, and has the long-running operation that it starts take that much longer.
	ProlongOperation time.Duration `json:"prolongOperation,omitempty"`
	// LoseOperation lets the request through, and answers polls of the long-running operation that it starts as if there were none.
	LoseOperation bool `json:"loseOperation,omitempty"`
}

// Request is one request as the simulator saw it.
type Request struct {
	Time      time.Time `json:"time"`
	Method    string    `json:"method"`
	Host      string    `json:"host"`
	Path      string    `json:"path"`
	Query     string    `json:"query,omitempty"`
	Status    int       `json:"status"`
	UserAgent string    `json:"userAgent,omitempty"`
	// TenantID and ClientID are of the application that signs in, or whose token the request has.
	TenantID string `json:"tenantID,omitempty"`
	ClientID string `json:"clientID,omitempty"`
	// APIVersion is the query parameter api-version.
	APIVersion string `json:"apiVersion,omitempty"`
	// Fault names the fault that answered, if one did.
	Fault string `json:"fault,omitempty"`
	// Changed says of a PUT or PATCH whether it changed anything: the resource, what that is part of, or another part of it.
	Changed bool `json:"changed,omitempty"`
	// Changes are the fields that it changed, each with the identifier of the resource before it.
	Changes []string `json:"changes,omitempty"`
	// Body is a JSON request body with the values of secret fields replaced; bodies of token requests are never kept.
	Body string `json:"body,omitempty"`
}

// RequestFilter selects requests; an empty field selects all.
type RequestFilter struct {
	Method string
	Host   string
	// Path is a regular expression, compared without regard to case.
	Path  string
	Since time.Time
}

// Resource is one resource as the simulator stores it.
type Resource struct {
	ID   string         `json:"id"`
	Type string         `json:"type"`
	Body map[string]any `json:"body"`
}

// LatencyChange sets how long operations on a resource type take.
type LatencyChange struct {
	Type    string        `json:"type"`
	Latency time.Duration `json:"latency"`
}

// DurationChange sets one duration.
type DurationChange struct {
	Duration time.Duration `json:"duration"`
}

// ClientSecretChange registers the only secret that an application may use.
type ClientSecretChange struct {
	ClientID string `json:"clientID"`
	Secret   string `json:"secret"`
}

// Subscription says where a subscription belongs. From then on only tokens of that tenant, and of an application that is registered
// for it, reach it, and only in that cloud.
type Subscription struct {
	ID       string `json:"id"`
	TenantID string `json:"tenantID"`
	// Cloud is AzurePublicCloud, which is the default, AzureUSGovernmentCloud or AzureChinaCloud. All subscriptions of a tenant are in
	// the same cloud.
	Cloud string `json:"cloud,omitempty"`
}

// Application is an application of a tenant. From then on it signs in with this secret, with an assertion that the key of this
// certificate has signed, or with a federated token that has this subject, and in this tenant only. With none of them it is a managed
// identity, which has its tokens from the Instance Metadata Service.
type Application struct {
	TenantID         string `json:"tenantID"`
	ClientID         string `json:"clientID"`
	Secret           string `json:"secret,omitempty"`
	CertificatePEM   []byte `json:"certificatePEM,omitempty"`
	FederatedSubject string `json:"federatedSubject,omitempty"`
	// Subscriptions are the ones that it has rights on.
	Subscriptions []string `json:"subscriptions,omitempty"`
	// Actions are what its role allows there, with * for any part; without any it may do everything.
	Actions []string `json:"actions,omitempty"`
}

// AutoscaleChange sets the node count of an autoscaled pool.
type AutoscaleChange struct {
	ID    string `json:"id"`
	Count int    `json:"count"`
}

// UpgradeChange brings a cluster with an upgrade channel to a version.
type UpgradeChange struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// ProviderChange registers a resource provider or takes its registration away.
type ProviderChange struct {
	Namespace  string `json:"namespace"`
	Registered bool   `json:"registered"`
}

// SizeRestriction keeps the subscriptions from having a size of virtual machines in a location: the list of SKUs says so, and a machine is refused
// with SkuNotAvailable.
type SizeRestriction struct {
	// Size is such as Standard_D2s_v3, Location such as eastus.
	Size     string `json:"size"`
	Location string `json:"location"`
	// Zones are where it is not to be had; none means nowhere in the location.
	Zones []string `json:"zones,omitempty"`
	// Lifted takes the restriction away.
	Lifted bool `json:"lifted,omitempty"`
}

// Quota limits how many CPUs the machines of a subscription have together. Without one there is no limit.
type Quota struct {
	Location string `json:"location"`
	// Family is such as standardDSv3Family, or cores for all families together.
	Family string `json:"family"`
	Limit  int    `json:"limit"`
	// Lifted takes the limit away.
	Lifted bool `json:"lifted,omitempty"`
}

// ImageChange says whether images exist.
type ImageChange struct {
	// Pattern is a regular expression that an image's identifier, or publisher:offer:sku:version, matches without regard to case.
	Pattern string `json:"pattern"`
	// Missing has machines with such an image be refused; false takes that back.
	Missing bool `json:"missing"`
}

// Health is what Azure Resource Health says of a resource from now on.
type Health struct {
	// ID is that of the resource.
	ID string `json:"id"`
	// State is Available, Unavailable, Degraded or Unknown; empty says that all is well again.
	State string `json:"state,omitempty"`
	// ReasonType is such as Unplanned, Summary a sentence about it.
	ReasonType string `json:"reasonType,omitempty"`
	Summary    string `json:"summary,omitempty"`
}

// Eviction takes a spot machine's capacity away: it is deallocated or deleted, as its eviction policy says.
type Eviction struct {
	// ID is that of a virtual machine, or of an instance of a scale set.
	ID string `json:"id"`
}

// Name is the name of something new.
type Name struct {
	Name string `json:"name"`
}

// ErrorAnswer is the body of an answer other than 200.
type ErrorAnswer struct {
	Error string `json:"error"`
}
