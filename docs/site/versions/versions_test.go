package versions

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// TestBuild has a checkout with one tag, after which a page has changed.
func TestBuild(t *testing.T) {
	failed := errors.New("failed")
	page := func(version string) string { return "docs of " + version }
	cases := map[string]struct {
		url  string
		tags []string
		hugo error
		// want is what each version is built from and to, and the versions that its menu names.
		want    []built
		wantErr string
	}{
		"CheckoutOnly": {url: "http://a", want: []built{{address: "http://a/", page: page("the checkout"), to: "public"}}},
		"Tag": {url: "http://a/b/", tags: []string{"v0.1.0"}, want: []built{
			{address: "http://a/b/", page: page("the checkout"), to: "public", menu: []string{"Versions", "main http://a/b/", "v0.1.0 http://a/b/v0.1.0/"}},
			{address: "http://a/b/v0.1.0/", page: page("v0.1.0"), to: "public/v0.1.0", menu: []string{"Versions", "main http://a/b/", "v0.1.0 http://a/b/v0.1.0/"}},
		}},
		"NoSuchTag": {url: "http://a", tags: []string{"v9"}, wantErr: "version v9: git archive: exit status 128: fatal: not a valid object name: v9",
			want: []built{{address: "http://a/", page: page("the checkout"), to: "public", menu: []string{"Versions", "main http://a/", "v9 http://a/v9/"}}}},
		"Flag": {url: "http://a", tags: []string{"--remote=x"}, wantErr: `version --remote=x: "--remote=x" is no tag`,
			want: []built{{address: "http://a/", page: page("the checkout"), to: "public", menu: []string{"Versions", "main http://a/", "--remote=x http://a/--remote=x/"}}}},
		"HugoFails": {url: "http://a", tags: []string{"v0.1.0"}, hugo: failed, wantErr: "version main: failed",
			want: []built{{address: "http://a/", page: page("the checkout"), to: "public", menu: []string{"Versions", "main http://a/", "v0.1.0 http://a/v0.1.0/"}}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			root, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
			git(t, root, "init", "--quiet")
			commit(t, root, page("v0.1.0"))
			git(t, root, "tag", "v0.1.0")
			commit(t, root, page("the checkout"))
			var got []built
			s := Site{Root: root, Out: out, URL: tc.url, Tags: tc.tags, Hugo: func(arguments []string) error {
				got = append(got, look(t, out, arguments))
				return tc.hugo
			}}
			err := s.Build(t.Context())
			if said := ""; err != nil || tc.wantErr != "" {
				if err != nil {
					said = err.Error()
				}
				if said != tc.wantErr {
					t.Errorf("got error %q, want %q", said, tc.wantErr)
				}
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(built{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestBuildEmpties has a page of an earlier build that is no page any more.
func TestBuildEmpties(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	old := filepath.Join(out, "public", "old.html")
	if err := errors.Join(os.MkdirAll(filepath.Dir(old), 0o755), os.WriteFile(old, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	s := Site{Root: t.TempDir(), Out: out, Hugo: func([]string) error { return nil }}
	if err := s.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", old, err)
	}
}

type built struct {
	address, page, to string
	menu              []string
}

// look returns what Hugo is asked to build.
func look(t *testing.T, out string, arguments []string) built {
	t.Helper()
	var b built
	for i := 0; i+1 < len(arguments); i++ {
		switch arguments[i] {
		case "--destination":
			to, err := filepath.Rel(out, arguments[i+1])
			if err != nil {
				t.Fatal(err)
			}
			b.to = to
		case "--config":
			s := readSettings(t, strings.Split(arguments[i+1], ",")[1])
			b.address = s.BaseURL
			for _, item := range s.Menus["sidebar"] {
				b.menu = append(b.menu, strings.TrimSpace(item.Name+" "+item.URL))
			}
			for _, m := range s.Module.Mounts {
				if m.Target == "assets/docs" {
					content, err := os.ReadFile(filepath.Join(m.Source, "page.md"))
					if err != nil {
						t.Fatal(err)
					}
					b.page = string(content)
				}
			}
		}
	}
	return b
}

func commit(t *testing.T, root, page string) {
	t.Helper()
	docs := filepath.Join(root, "docs")
	if err := errors.Join(os.MkdirAll(docs, 0o755), os.WriteFile(filepath.Join(docs, "page.md"), []byte(page), 0o644)); err != nil {
		t.Fatal(err)
	}
	git(t, root, "add", "docs")
	git(t, root, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", page)
}

func git(t *testing.T, root string, arguments ...string) {
	t.Helper()
	if said, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, arguments...)...).CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", arguments, err, said)
	}
}

func readSettings(t *testing.T, file string) settings {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s settings
	if err := yaml.Unmarshal(content, &s); err != nil {
		t.Fatal(err)
	}
	return s
}
