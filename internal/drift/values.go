package drift

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// textOf returns a text, number or truth value as a text: Azure has numbers in some places as texts.
func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

// sameText reports whether two texts are one value in another spelling: Azure changes the case of names, SKUs, enumerations and IDs, takes the
// blanks out of locations and lists, and writes addresses and times in its own way.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	a, b = plain(a), plain(b)
	return a == b || sameAddress(a, b) || sameTime(a, b)
}

// plain returns a text without what Azure does not keep.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	return strings.TrimRight(text, "/.")
}

// sameAddress reports whether two texts are one address, or one range of addresses.
func sameAddress(a, b string) bool {
	first, ok := prefix(a)
	second, ok2 := prefix(b)
	return ok && ok2 && first == second
}

func prefix(text string) (netip.Prefix, bool) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err == nil
}

// sameTime reports whether two texts are one duration, or one time.
func sameTime(a, b string) bool {
	if first, err := time.ParseDuration(a); err == nil {
		second, err := time.ParseDuration(b)
		return err == nil && first == second
	}
	first, ok := moment(a)
	second, ok2 := moment(b)
	return ok && ok2 && first.Equal(second)
}

func moment(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, strings.ToUpper(text)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// satisfies reports whether a version is one that another asks for: 1.33 asks for any 1.33, and whatever is newer has come by an upgrade that
// Azure was told to do, as it never goes back.
func satisfies(reported, wanted string) bool {
	have, want := numbers(reported), numbers(wanted)
	if have == nil || want == nil {
		return sameText(reported, wanted)
	}
	for i := range min(len(have), len(want)) {
		if have[i] != want[i] {
			return have[i] > want[i]
		}
	}
	return true
}

// numbers returns the parts of a version; nil for what is none.
func numbers(version string) []int {
	var all []int
	for _, part := range strings.Split(strings.TrimPrefix(plain(version), "v"), ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		all = append(all, n)
	}
	return all
}
