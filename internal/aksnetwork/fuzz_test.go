package aksnetwork

import "testing"

// FuzzRanges shows that what is given stays, that what is filled in is there, and that it comes out the same when asked again.
func FuzzRanges(f *testing.F) {
	for _, s := range []string{"", "x", "10.0.0.0/8", "10.240.0.0/16", "10.0.0.0/33", "::/0", "10.1.0.0/16,10.2.0.0/16", "10.0.0.1/8", "::ffff:10.0.0.0/104", "10.0.0.0/08"} {
		f.Add(true, s, "")
		f.Add(false, "", s)
		f.Add(false, s, s)
	}
	f.Fuzz(func(t *testing.T, isOverlay bool, network, subnet string) {
		n, s := Ranges(isOverlay, network, subnet)
		if n == "" || s == "" || network != "" && n != network || subnet != "" && s != subnet {
			t.Errorf("Ranges(%v, %q, %q) = %q, %q", isOverlay, network, subnet, n, s)
		}
		if again, subAgain := Ranges(isOverlay, n, s); again != n || subAgain != s {
			t.Errorf("%q, %q become %q, %q", n, s, again, subAgain)
		}
		if network == "" && subnet == "" && !contains(n, s) {
			t.Errorf("%q is not in %q", s, n)
		}
	})
}
