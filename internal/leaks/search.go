package leaks

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

const (
	// part is how much is searched at once.
	part = 1 << 20
	// overlap of two parts, for what lies across their border.
	overlap = 2 * longestForm
)

// A Search looks for values and collects where they are.
type Search struct {
	// Bytes is how much has been searched.
	Bytes    int64
	index    *index
	findings map[finding]*occurrence
	// noted is how often something was found.
	noted int
}

// finding is one value in one place. The field is that of an object which is redacted.
type finding struct {
	where, source, what, how, field string
}

// occurrence says where in the place the value is first, and how often it is there.
type occurrence struct {
	place string
	count int
}

// NewSearch returns a search for the values.
func NewSearch(values []Value) *Search {
	return &Search{index: newIndex(values), findings: map[finding]*occurrence{}}
}

// Text searches a text. place says in words where in it a byte is.
func (s *Search) Text(where string, text []byte, place func(at int) string) {
	s.text(where, text, len(text), place)
}

// text notes what begins before until.
func (s *Search) text(where string, text []byte, until int, place func(at int) string) {
	s.Bytes += int64(until)
	s.index.search(text, func(at int, h hit) {
		if at >= until {
			return
		}
		v := s.index.values[h.value]
		s.note(finding{where: where, source: v.Source, what: v.piece.what, how: encodings[h.encoding].name}, func() string { return place(at) })
	})
	searchForms(text, func(at int, f form) {
		if at < until {
			s.note(finding{where: where, what: f.name}, func() string { return place(at) })
		}
	})
}

func (s *Search) note(f finding, place func() string) {
	if s.findings[f] == nil {
		s.findings[f] = &occurrence{place: place()}
	}
	s.findings[f].count++
	s.noted++
}

// Stream searches what a reader gives, line by line or not, in little memory.
func (s *Search) Stream(where string, from io.Reader) error {
	buffer, kept, line := make([]byte, part+overlap), 0, 1
	for {
		n, err := io.ReadFull(from, buffer[kept:])
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return fmt.Errorf("%s: %w", where, err)
		}
		text := buffer[:kept+n]
		until := len(text)
		if !last {
			until -= overlap
		}
		s.text(where, text, until, func(at int) string { return fmt.Sprintf("line %d", line+bytes.Count(text[:at], []byte("\n"))) })
		if last {
			return nil
		}
		line += bytes.Count(text[:until], []byte("\n"))
		kept = copy(buffer, text[until:])
	}
}

// A Finding is a value in a place.
type Finding struct {
	// Where is the file or object, and Source whose value it is; empty when that is told by the form only.
	Where, Source string
	// What it is of the source.
	What string
	// Count is how often it is there.
	Count int
	text  string
}

// String says what was found where, without the value.
func (f Finding) String() string { return f.text }

// Findings returns what was found; nothing when nothing was.
func (s *Search) Findings() []Finding {
	keys := slices.SortedFunc(maps.Keys(s.findings), func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.where, b.where), cmp.Compare(a.source, b.source), cmp.Compare(a.what, b.what), cmp.Compare(a.how, b.how), cmp.Compare(a.field, b.field))
	})
	var all []Finding
	for _, f := range keys {
		o := s.findings[f]
		text := fmt.Sprintf("%s, %s: %s", f.where, o.place, f.what)
		if f.source != "" {
			text = fmt.Sprintf("%s, %s: %s of %s, %s", f.where, o.place, f.what, f.source, f.how)
		}
		if o.count > 1 {
			text += fmt.Sprintf(" (%d times)", o.count)
		}
		all = append(all, Finding{f.where, f.source, f.what, o.count, text})
	}
	return all
}
