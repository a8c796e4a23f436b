package kubeversion

import "testing"

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		a, b, higher string
		want         int
	}{
		{"v1.33.6", "1.33.6", "v1.33.6", 0}, {"1.9.0", "v1.10.0", "v1.10.0", -1}, {"v1.34.0", "1.33.9", "v1.34.0", 1},
		{"", "1.33.6", "1.33.6", -1}, {"1.33.6", "", "1.33.6", 1}, {"", "", "", 0},
	} {
		if got := Compare(c.a, c.b); got != c.want {
			t.Errorf("Compare(%q, %q): want %d, got %d", c.a, c.b, c.want, got)
		}
		if got := Higher(c.a, c.b); got != c.higher {
			t.Errorf("Higher(%q, %q): want %q, got %q", c.a, c.b, c.higher, got)
		}
	}
}

func TestNotBelow(t *testing.T) {
	for _, c := range []struct{ asked, runs, want string }{
		{"v1.33.4", "1.33.6", "1.33.6"}, {"v1.34.0", "1.33.6", "1.34.0"}, {"1.33.6", "v1.33.6", "1.33.6"}, {"v1.33.6", "", "1.33.6"}, {"", "1.33.6", ""},
		{"1.33", "1.33.6", "1.33"}, {"1.33", "1.34.2", "1.34.2"}, {"1.3", "1.33.6", "1.33.6"}, {"latest", "1.33.6", "latest"}, {"1.33.4", "latest", "1.33.4"},
	} {
		if got := NotBelow(c.asked, c.runs); got != c.want {
			t.Errorf("NotBelow(%q, %q): want %q, got %q", c.asked, c.runs, c.want, got)
		}
	}
}
