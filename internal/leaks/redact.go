package leaks

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// A span is a part of a text that has to go.
type span struct {
	from, to int
	found    finding
}

// Redact returns a text without what the search finds in it. In its place stands what it was, and each is a finding. More goes than is found:
// all of a value of which a part is there, and what only looks like a secret, as nobody reads the text again before it is sent to others.
// place says in words where in the text a byte is.
func (s *Search) Redact(where string, text []byte, place func(at int) string) []byte {
	return s.redact(finding{where: where}, text, place)
}

// redact is Redact, with where the text is.
func (s *Search) redact(in finding, text []byte, place func(at int) string) []byte {
	s.Bytes += int64(len(text))
	spans := s.spans(text)
	if len(spans) == 0 {
		return text
	}
	var out bytes.Buffer
	done := 0
	for _, p := range spans {
		p.found.where, p.found.field = in.where, in.field
		s.note(p.found, func() string { return place(p.from) })
		out.Write(text[done:p.from])
		out.WriteString(mark(p.found))
		done = p.to
	}
	out.Write(text[done:])
	return out.Bytes()
}

// mark is what stands in the place of a secret.
func mark(f finding) string {
	if f.source == "" {
		return "<redacted: " + f.what + ">"
	}
	return "<redacted: " + f.what + " of " + f.source + ">"
}

// spans returns what has to go, in order and apart from each other.
func (s *Search) spans(text []byte) []span {
	var all []span
	s.index.search(text, func(at int, h hit) {
		v := s.index.values[h.value]
		from, to := grown(text, at, h.text, encodings[h.encoding].write(v.piece.value))
		all = append(all, span{from, to, finding{source: v.Source, what: v.piece.what, how: encodings[h.encoding].name}})
	})
	all = append(all, looksSecret(text)...)
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	var apart []span
	for _, p := range all {
		if n := len(apart); n > 0 && p.from < apart[n-1].to {
			apart[n-1].to = max(apart[n-1].to, p.to)
			continue
		}
		apart = append(apart, p)
	}
	return apart
}

// grown returns how far a value reaches in a text, of which a block is found at a byte: the text may have only a part of it.
func grown(text []byte, at int, block, value string) (from, to int) {
	inValue := strings.Index(value, block)
	from, to = at, at+len(block)
	for i := inValue - 1; i >= 0 && from > 0 && text[from-1] == value[i]; i-- {
		from--
	}
	for i := inValue + len(block); i < len(value) && to < len(text) && text[to] == value[i]; i++ {
		to++
	}
	return from, to
}
