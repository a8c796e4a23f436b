package replay

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// minimum is the share of interactions that the simulator has to answer as Azure did.
const minimum = 90

// minimumManaged is that share of the interactions that clusters of AKS need.
const minimumManaged = 96

// allRecordings returns all that are selected. They are read once: they are more than 100 MB.
var allRecordings = sync.OnceValues(func() ([]*Recording, error) {
	dir, err := ModuleDir("../../local/parts/aso")
	if err != nil {
		return nil, err
	}
	return Select(dir, "")
})

// TestFidelity replays every selected recording.
func TestFidelity(t *testing.T) {
	recordings, err := allRecordings()
	if err != nil {
		t.Fatal(err)
	}
	// The module at v2.20.0 has 150; far fewer would mean that the selection has gone wrong.
	if len(recordings) < 140 {
		t.Fatalf("selected %d recordings, want at least 140", len(recordings))
	}
	var results []Result
	for _, recording := range recordings {
		more, err := Replay(recording)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, more...)
	}
	s := Summarize(results)
	t.Logf("%s; without polls: %s", s.All, s.WithoutPolls)
	if s.All.Percent() < minimum || s.WithoutPolls.Percent() < minimum {
		t.Errorf("fidelity %.1f%%, without polls %.1f%%: want at least %d%%", s.All.Percent(), s.WithoutPolls.Percent(), minimum)
	}
	if s.Managed.Percent() < minimumManaged {
		t.Errorf("fidelity of what clusters of AKS need %.1f%%: want at least %d%%", s.Managed.Percent(), minimumManaged)
	}
	for _, family := range Families {
		if c := s.FamiliesWithoutPolls[family]; c.Percent() < minimum {
			t.Errorf("%s without polls: %s, want at least %d%%", family, c, minimum)
		}
	}
}

func TestCompare(t *testing.T) {
	recorded := func(code int, headers http.Header, body string) *Interaction {
		i := &Interaction{}
		i.Response.Code, i.Response.Headers, i.Response.Body = code, headers, body
		return i
	}
	answer := func(code int, headers http.Header, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		for name := range headers {
			w.Header().Set(name, headers.Get(name))
		}
		w.WriteHeader(code)
		_, _ = w.WriteString(body) // a recorder never fails
		return w
	}
	cases := map[string]struct {
		recorded *Interaction
		answer   *httptest.ResponseRecorder
		want     []string
	}{
		"same": {
			recorded: recorded(200, http.Header{"Retry-After": {"10"}}, `{"a":{"b":[{"c":1}]}}`),
			answer:   answer(200, http.Header{"Retry-After": {"15"}}, `{"a":{"b":[{"c":2},{"c":3}]}}`),
		},
		"status": {
			recorded: recorded(409, nil, `{"error":{"code":"Conflict"}}`),
			answer:   answer(201, nil, `{}`),
			want:     []string{"status 201, recorded 409 Conflict"},
		},
		"headers": {
			recorded: recorded(201, http.Header{"Azure-Asyncoperation": {"https://x/1"}, "Retry-After": {"60"}}, ""),
			answer:   answer(201, http.Header{"Location": {"https://x/2"}, "Retry-After": {"1"}}, ""),
			want: []string{
				"header Azure-AsyncOperation present false, recorded true",
				"header Location present true, recorded false",
				"header Retry-After up to 5 s, recorded over 30 s",
			},
		},
		"paths": {
			recorded: recorded(200, nil, `{"a":1,"tags":{}}`),
			answer:   answer(200, nil, `{"a":1,"b":[{"c":1}]}`),
			want:     []string{"adds b", "adds b[].c", "lacks tags"},
		},
		"no body": {
			recorded: recorded(202, nil, ""),
			answer:   answer(202, nil, `{"a":1}`),
			want:     []string{"JSON body true, recorded false"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, compare(c.recorded, c.answer)); diff != "" {
				t.Errorf("compare: -want +got\n%s", diff)
			}
		})
	}
}

func TestFamilyOf(t *testing.T) {
	group := "/subscriptions/s/resourcegroups/g"
	cases := map[string]Family{
		group: ResourceGroups,
		group + "/providers/microsoft.containerservice/managedclusters/c":                                          KubernetesService,
		group + "/providers/microsoft.containerservice/fleets/f/members/m":                                         KubernetesService,
		group + "/providers/microsoft.network/virtualnetworks/v":                                                   VirtualNetworks,
		group + "/providers/microsoft.network/virtualnetworks/v/subnets/s":                                         VirtualNetworks,
		group + "/providers/microsoft.network/virtualnetworkgateways/v":                                            Network,
		group + "/providers/microsoft.compute/virtualmachines/v/extensions/e":                                      Compute,
		group + "/providers/microsoft.network/virtualnetworks/v/providers/microsoft.authorization/roleassignments": Other,
		"/subscriptions/s": Other,
	}
	for path, want := range cases {
		if got := familyOf(path); got != want {
			t.Errorf("familyOf(%s) = %s, want %s", path, got, want)
		}
	}
}

func TestSelected(t *testing.T) {
	recording := func(requests ...string) *Recording {
		r := &Recording{}
		for i := 0; i < len(requests); i += 2 {
			interaction := Interaction{}
			interaction.Request.Method, interaction.Request.URL = requests[i], "https://management.azure.com/subscriptions/s"+requests[i+1]
			r.Interactions = append(r.Interactions, interaction)
		}
		return r
	}
	cases := map[string]struct {
		recording *Recording
		want      bool
	}{
		"resource groups only":        {recording("PUT", "/resourceGroups/g", "DELETE", "/resourceGroups/g"), true},
		"a managed cluster":           {recording("PUT", "/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c"), true},
		"a subnet":                    {recording("DELETE", "/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/s"), true},
		"a cluster that is only read": {recording("PUT", "/resourceGroups/g/providers/Microsoft.Web/sites/w", "GET", "/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c"), false},
		"no write":                    {recording("GET", "/resourceGroups/g"), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := c.recording.selected(); got != c.want {
				t.Errorf("selected() = %t, want %t", got, c.want)
			}
		})
	}
}
