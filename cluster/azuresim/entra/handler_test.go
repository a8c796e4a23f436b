package entra

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/clouds"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/tenants"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newDirectory(journal *state.Journal, c clock.PassiveClock) (*Directory, error) {
	registry, err := tenants.Load(journal, "tenant")
	if err != nil {
		return nil, err
	}
	return NewDirectory(journal, c, registry)
}

func assertion(t *testing.T, expires time.Time) string {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{ExpiresAt: jwt.NewNumericDate(expires)}).SignedString([]byte("any"))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestToken checks every credential, right and wrong.
func TestToken(t *testing.T) {
	arm := "https://management.core.windows.net//.default"
	secret := func(clientID, secret string) url.Values {
		return url.Values{"grant_type": {"client_credentials"}, "client_id": {clientID}, "client_secret": {secret}, "scope": {arm}}
	}
	asserted := func(token string) url.Values {
		return url.Values{"grant_type": {"client_credentials"}, "client_id": {"any"}, "client_assertion": {token}, "client_assertion_type": {assertionType}, "scope": {arm}}
	}
	with := func(form url.Values, name, value string) url.Values {
		form.Set(name, value)
		return form
	}
	cases := map[string]struct {
		form   url.Values
		status int
		code   string
	}{
		"any secret of an unregistered application": {secret("any", "guess"), 200, ""},
		"registered secret":                         {secret("registered", "right"), 200, ""},
		"wrong secret":                              {secret("registered", "wrong"), 401, "AADSTS7000215"},
		"empty secret":                              {secret("any", ""), 401, "AADSTS7000215"},
		"no credential":                             {url.Values{"grant_type": {"client_credentials"}, "client_id": {"any"}, "scope": {arm}}, 401, "AADSTS7000216"},
		"no client":                                 {with(secret("any", "x"), "client_id", ""), 400, "AADSTS900144"},
		"another grant":                             {with(secret("any", "x"), "grant_type", "password"), 400, "AADSTS70003"},
		"no scope":                                  {with(secret("any", "x"), "scope", "openid"), 400, "AADSTS70011"},
		"assertion":                                 {asserted(assertion(t, now.Add(time.Minute))), 200, ""},
		"expired assertion":                         {asserted(assertion(t, now.Add(-time.Minute))), 401, "AADSTS700024"},
		"malformed assertion":                       {asserted("x"), 401, "AADSTS50027"},
		"assertion of another type":                 {with(asserted(assertion(t, now.Add(time.Minute))), "client_assertion_type", "x"), 400, "AADSTS50027"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d, err := newDirectory(state.InMemory(), clocktesting.NewFakePassiveClock(now))
			if err != nil {
				t.Fatal(err)
			}
			if err := d.SetClientSecret("registered", "right"); err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodPost, "https://login.microsoftonline.com/tenant/oauth2/v2.0/token", strings.NewReader(c.form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			d.Handler().ServeHTTP(w, r)
			var body struct {
				AccessToken string `json:"access_token"`
				ExpiresIn   int    `json:"expires_in"`
				Description string `json:"error_description"`
			}
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}
			if w.Code != c.status || !strings.HasPrefix(body.Description, c.code) {
				t.Fatalf("%d %s, want %d %s", w.Code, body.Description, c.status, c.code)
			}
			if secret := c.form.Get("client_secret"); secret != "" && strings.Contains(w.Body.String(), `"`+secret+`"`) {
				t.Error("the answer has the secret in it")
			}
			if c.status != http.StatusOK {
				return
			}
			if body.ExpiresIn != 3600 {
				t.Errorf("expires_in %d, want 3600", body.ExpiresIn)
			}
			if _, err := d.Verify(clouds.Public, body.AccessToken, "https://management.core.windows.net/"); err != nil {
				t.Errorf("Verify: %v", err)
			}
		})
	}
}

// TestLifetime checks that a token ends when it should, also in a directory that was restored in between.
func TestLifetime(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(now)
	journal := state.InMemory()
	d, err := newDirectory(journal, clock)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.SetTokenLifetime(0); err == nil {
		t.Error("a lifetime of 0 was accepted")
	}
	if err := d.SetTokenLifetime(20 * time.Second); err != nil {
		t.Fatal(err)
	}
	token, expires, err := d.Issue(clouds.Public, "tenant", "client", "audience")
	if err != nil || !expires.Equal(now.Add(20*time.Second)) {
		t.Fatalf("Issue: %v, expires %s", err, expires)
	}
	restored, err := newDirectory(journal, clock)
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]bool{0: true, 19 * time.Second: true, 21 * time.Second: false} {
		clock.SetTime(now.Add(after))
		if _, err := restored.Verify(clouds.Public, token, "audience"); (err == nil) != want {
			t.Errorf("after %s: %v, want valid %t", after, err, want)
		}
	}
	clock.SetTime(now)
	if _, err := restored.Verify(clouds.Public, token, "other"); err != ErrAudience { //nolint:errorlint // returned as it is
		t.Errorf("Verify for another audience: %v, want %v", err, ErrAudience)
	}
}

// TestMetadata checks the answers of the Instance Metadata Service.
func TestMetadata(t *testing.T) {
	d, err := newDirectory(state.InMemory(), clocktesting.NewFakePassiveClock(now))
	if err != nil {
		t.Fatal(err)
	}
	const token = "/metadata/identity/oauth2/token?api-version=2018-02-01"
	cases := map[string]struct {
		path, header string
		status       int
	}{
		"token":                 {token + "&resource=https://management.azure.com/&client_id=app", "true", 200},
		"no header":             {token + "&resource=https://management.azure.com/", "", 400},
		"no resource":           {token, "true", 400},
		"no version":            {"/metadata/identity/oauth2/token?resource=https://management.azure.com/", "true", 400},
		"another thing of IMDS": {"/metadata/instance?api-version=2018-02-01", "true", 404},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			r.Header.Set("Metadata", c.header)
			w := httptest.NewRecorder()
			d.MetadataHandler().ServeHTTP(w, r)
			if w.Code != c.status {
				t.Errorf("%d %s, want %d", w.Code, w.Body, c.status)
			}
		})
	}
}
