package requestlog

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

func TestRedact(t *testing.T) {
	cases := map[string]struct{ body, want string }{
		"empty":         {"", ""},
		"nothing to do": {`{"a":{"b":[1,"c"]}}`, `{"a":{"b":[1,"c"]}}`},
		"password":      {`{"properties":{"windowsProfile":{"adminPassword":"p"}}}`, `{"properties":{"windowsProfile":{"adminPassword":"(redacted)"}}}`},
		"in a list":     {`{"items":[{"clientSecret":"s","name":"n"}]}`, `{"items":[{"clientSecret":"(redacted)","name":"n"}]}`},
		"an object":     {`{"tokenRef":{"name":"n"}}`, `{"tokenRef":{"name":"n"}}`},
		"no object":     {`grant_type=x&client_secret=s`, "(no JSON object)"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Redact([]byte(c.body)); got != c.want {
				t.Errorf("Redact(%s) = %s, want %s", c.body, got, c.want)
			}
		})
	}
}

// TestLog checks the filter, and that the requests survive a crash that cut the last line short.
func TestLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "requests.jsonl")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, r := range []admin.Request{
		{Method: "PUT", Host: "management.azure.com", Path: "/subscriptions/s/resourceGroups/a", Status: 201},
		{Method: "GET", Host: "management.azure.com", Path: "/subscriptions/s/resourcegroups/a", Status: 200},
		{Method: "POST", Host: "login.microsoftonline.com", Path: "/t/oauth2/v2.0/token", Status: 200},
	} {
		r.Time = start.Add(time.Duration(i) * time.Minute)
		if err := l.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"method":"PU`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	restored, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		filter admin.RequestFilter
		want   []string
	}{
		"all":    {admin.RequestFilter{}, []string{"PUT", "GET", "POST"}},
		"method": {admin.RequestFilter{Method: "put"}, []string{"PUT"}},
		"host":   {admin.RequestFilter{Host: "login.microsoftonline.com"}, []string{"POST"}},
		"path":   {admin.RequestFilter{Path: "/RESOURCEGROUPS/a$"}, []string{"PUT", "GET"}},
		"since":  {admin.RequestFilter{Since: start.Add(time.Minute)}, []string{"GET", "POST"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			found, err := restored.Select(c.filter)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range found {
				got = append(got, r.Method)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	if _, err := restored.Select(admin.RequestFilter{Path: "("}); err == nil {
		t.Error("a path that is no regular expression was accepted")
	}
}
