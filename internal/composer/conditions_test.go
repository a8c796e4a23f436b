package composer

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestValidReason(t *testing.T) {
	for reason, want := range map[string]string{
		"Succeeded":               "Succeeded",
		"Quota Exceeded!":         "QuotaExceeded",
		"404NotFound":             "NotFound",
		"_x_1":                    "x_1",
		"Größe":                   "Gre",
		"":                        "Unknown",
		"?!":                      "Unknown",
		"123":                     "Unknown",
		strings.Repeat("a", 2000): strings.Repeat("a", 1024),
	} {
		if got := ValidReason(reason); got != want {
			t.Errorf("ValidReason(%q): want %q, got %q", reason, want, got)
		}
	}
}

func TestCut(t *testing.T) {
	long := strings.Repeat("é", 20000)
	got := cut(long)
	if len(got) > LongestMessage || !utf8.ValidString(got) || !strings.HasSuffix(got, "é…") || len(got) < LongestMessage-4 {
		t.Errorf("a long message: got %d bytes, valid %v, ending in %q", len(got), utf8.ValidString(got), got[len(got)-5:])
	}
	if short := "short"; cut(short) != short {
		t.Errorf("a short message: got %q", cut(short))
	}
}
