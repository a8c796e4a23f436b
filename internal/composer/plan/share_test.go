package plan

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

func TestOwnName(t *testing.T) {
	long := strings.Repeat("a", 52) + "-b"
	cases := map[string]struct{ usual, composite, want string }{
		"short":          {"rg", "cp", "rg.cp"},
		"as long as can": {strings.Repeat("a", 60), "cp", strings.Repeat("a", 60) + ".cp"},
		"longer":         {strings.Repeat("a", 61), "cp", ""},
		"cut at a dash":  {strings.Repeat("a", 51) + "-b" + strings.Repeat("c", 20), "cp", ""},
		"long, and long": {long, strings.Repeat("c", 63), ""},
	}
	seen := map[string]string{}
	for title, c := range cases {
		got := OwnName(c.usual, c.composite)
		if c.want != "" && got != c.want {
			t.Errorf("%s: want %s, got %s", title, c.want, got)
		}
		// ASO writes the name of an owner into a label as it is, when that is not too long.
		if problems := append(validation.IsDNS1123Subdomain(got), validation.IsValidLabelValue(got)...); len(problems) > 0 || got == c.usual {
			t.Errorf("%s: %s: %v", title, got, problems)
		}
		if other := seen[got]; other != "" {
			t.Errorf("%s and %s are called the same", title, other)
		}
		seen[got] = title
	}
}
