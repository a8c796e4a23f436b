package replay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/requestlog"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

// step is the simulator's time from one interaction to the next.
const step = time.Minute

// epoch is when every replay starts.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Result is the comparison of one interaction.
type Result struct {
	Recording string
	Index     int
	Method    string
	Path      string
	// Family is what the interaction is about, or what the operation that it polls is about.
	Family Family
	// Poll tells that the interaction polls a long-running operation.
	Poll bool
	// Differences are what the simulator answered otherwise; none is a match.
	Differences []string
}

// session is the replay of one recording.
type session struct {
	recording *Recording
	simulator *azuresim.Simulator
	clock     *clocktesting.FakePassiveClock
	token     string
	// urls maps the paths of recorded operation URLs to those that the simulator gave for the same request.
	urls map[string]operationURL
}

type operationURL struct {
	simulated string
	family    Family
}

// Replay sends a recording to a new simulator, request by request.
func Replay(recording *Recording) ([]Result, error) {
	s, err := newSession(recording)
	if err != nil {
		return nil, err
	}
	if err := s.seed(); err != nil {
		return nil, err
	}
	var results []Result
	for i := range recording.Interactions {
		interaction := &recording.Interactions[i]
		if u, err := url.Parse(interaction.Request.URL); err != nil || u.Host != "management.azure.com" {
			continue
		}
		result, err := s.interact(i, interaction)
		if err != nil {
			return nil, fmt.Errorf("%s interaction %d: %w", recording.Name, i, err)
		}
		results = append(results, result)
	}
	return results, nil
}

func newSession(recording *Recording) (*session, error) {
	clock := clocktesting.NewFakePassiveClock(epoch.Add(-2 * time.Hour))
	simulator, err := azuresim.New(azuresim.Options{
		Journal:  state.InMemory(),
		Clock:    clock,
		TenantID: "00000000-0000-0000-0000-000000000000",
		Log:      &requestlog.Log{},
		Report:   func(error) {},
	})
	if err != nil {
		return nil, err
	}
	if err := simulator.Directory.SetTokenLifetime(10000 * time.Hour); err != nil {
		return nil, err
	}
	token, _, err := simulator.Directory.Issue(clouds.Public, "00000000-0000-0000-0000-000000000000", "replay", "https://management.azure.com")
	if err != nil {
		return nil, err
	}
	return &session{recording: recording, simulator: simulator, clock: clock, token: token, urls: map[string]operationURL{}}, nil
}

// Family is a group of resource types.
type Family string

// The families that are counted, and all the rest.
const (
	ResourceGroups    Family = "resource groups"
	KubernetesService Family = "Azure Kubernetes Service"
	VirtualNetworks   Family = "virtual networks"
	Network           Family = "other network resources"
	Compute           Family = "compute"
	Other             Family = "other"
)

// Families are those that are counted.
var Families = []Family{ResourceGroups, KubernetesService, VirtualNetworks, Network, Compute}

// ManagedFamilies are those that clusters of AKS need.
var ManagedFamilies = []Family{ResourceGroups, KubernetesService, VirtualNetworks}

var resourceGroupPath = regexp.MustCompile(`^/subscriptions/[^/]+/resourcegroups/[^/]+$`)

// familyOf is the family of the resource type at a path in lower case.
func familyOf(at string) Family {
	_, provider, _ := strings.Cut(at, "/providers/")
	switch {
	case resourceGroupPath.MatchString(at):
		return ResourceGroups
	case strings.Contains(provider, "/providers/"):
		return Other // an extension, such as a role assignment on a virtual network
	case strings.HasPrefix(provider, "microsoft.containerservice/"):
		return KubernetesService
	case strings.HasPrefix(provider+"/", "microsoft.network/virtualnetworks/"):
		return VirtualNetworks
	case strings.HasPrefix(provider, "microsoft.network/"):
		return Network
	case strings.HasPrefix(provider, "microsoft.compute/"):
		return Compute
	}
	return Other
}

func (s *session) interact(i int, recorded *Interaction) (Result, error) {
	s.clock.SetTime(epoch.Add(time.Duration(i) * step))
	if recorded.writes() {
		if err := s.simulator.SetLatency(azuresim.DefaultLatency, s.duration(i, recorded)); err != nil {
			return Result{}, err
		}
	}
	at := recorded.path()
	target, poll := s.urls[at]
	result := Result{Recording: s.recording.Name, Index: i, Method: recorded.Request.Method, Path: at, Poll: poll}
	result.Family = familyOf(at)
	address := recorded.Request.URL
	if poll {
		result.Family = target.family
		address = target.simulated
	}
	answer := s.send(recorded, address)
	s.remember(recorded, answer, result.Family)
	result.Differences = compare(recorded, answer)
	return result, nil
}

func (s *session) send(recorded *Interaction, address string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(recorded.Request.Method, address, strings.NewReader(recorded.Request.Body))
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.simulator.ServeHTTP(w, r)
	return w
}

// remember maps the recorded operation URLs of an answer to the simulated ones.
func (s *session) remember(recorded *Interaction, answer *httptest.ResponseRecorder, family Family) {
	for _, name := range []string{"Azure-AsyncOperation", "Location"} {
		was, is := header(recorded, name), answer.Header().Get(name)
		if was == "" || pathOf(was) == recorded.path() && is == "" {
			continue
		}
		if is == "" {
			// The simulator lacks a header that Azure sends: polls of it will differ, and are still polls.
			is = "https://management.azure.com/subscriptions/none/operations/none?api-version=2020-01-01"
		}
		s.urls[pathOf(was)] = operationURL{simulated: is, family: family}
	}
}

func header(recorded *Interaction, name string) string {
	for key, values := range recorded.Response.Headers {
		if strings.EqualFold(key, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// duration tells how long the operation that interaction i starts is to take, so that it ends when it ended in the recording:
// just before the first poll that finds it ended, or else the first request that sees its outcome.
func (s *session) duration(i int, recorded *Interaction) time.Duration {
	operation, result := pathOf(header(recorded, "Azure-AsyncOperation")), pathOf(header(recorded, "Location"))
	polls := func(later *Interaction) bool {
		at := later.path()
		return operation != "" && at == operation || result != "" && at == result
	}
	last := i
	for j := i + 1; j < len(s.recording.Interactions); j++ {
		if later := &s.recording.Interactions[j]; polls(later) && !ended(later) {
			last = j
		}
	}
	for j := i + 1; j < len(s.recording.Interactions); j++ {
		later := &s.recording.Interactions[j]
		switch {
		case polls(later):
			if ended(later) {
				return time.Duration(j-i)*step - step/2
			}
		case later.path() == recorded.path() && !later.writes() && settled(later), gone(later, recorded), j > last && builtUpon(later, recorded):
			return time.Duration(j-i)*step - step/2
		}
	}
	return time.Duration(last-i)*step + step/2
}

// ended tells whether a poll's answer says that the operation has ended.
func ended(poll *Interaction) bool {
	if poll.Code() == http.StatusAccepted {
		return false
	}
	var body struct {
		Status string `json:"status"`
	}
	if err := json.Unmarshal([]byte(poll.Response.Body), &body); err != nil || body.Status == "" {
		return poll.Code() < 400
	}
	switch body.Status {
	case "Succeeded", "Failed", "Canceled", "Cancelled":
		return true
	}
	return false
}

// settled tells whether the answer to a GET of a resource shows no change under way.
func settled(get *Interaction) bool {
	var body struct {
		Properties struct {
			ProvisioningState string `json:"provisioningState"`
		} `json:"properties"`
	}
	if get.Code() != http.StatusOK || json.Unmarshal([]byte(get.Response.Body), &body) != nil {
		return get.Code() == http.StatusNotFound
	}
	switch body.Properties.ProvisioningState {
	case "Succeeded", "Failed", "Canceled":
		return true
	}
	return false
}

// builtUpon tells whether a later write could be accepted only since the change of a resource had ended: it names the resource, or it is about
// something else below the same resource.
func builtUpon(later, recorded *Interaction) bool {
	if !later.writes() || later.Code() >= 300 || recorded.Request.Method != http.MethodPut || later.path() == recorded.path() {
		return false
	}
	parent := recorded.path()
	if family := familyOf(parent); family == ResourceGroups || family == KubernetesService {
		return false // There a change is accepted while another one runs, or its end is told by polls.
	}
	if nested := strings.Count(parent[strings.LastIndex(parent, "/providers/")+1:], "/") > 3; nested {
		parent = path.Dir(path.Dir(parent))
	}
	return strings.HasPrefix(later.path(), parent+"/") || strings.Contains(strings.ToLower(later.Request.Body), `"`+recorded.path()+`"`)
}

// gone tells whether a later answer shows that the resource group that is being deleted no longer exists.
func gone(later, recorded *Interaction) bool {
	return recorded.Request.Method == http.MethodDelete && later.Code() == http.StatusNotFound &&
		strings.HasPrefix(later.path(), recorded.path()+"/") &&
		strings.Contains(later.Response.Body, "NotFound")
}
