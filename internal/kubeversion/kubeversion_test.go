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
