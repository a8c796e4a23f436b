// Package migrate brings manifests of older API versions up to date. It is pure: text in, text out.
package migrate

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// A Change is one place where an API version is another afterwards.
type Change struct {
	// Line is that of the version in the text, counted from 1.
	Line int `json:"line"`
	// Kind is what the version is that of: an object's own, or that which a reference is to.
	Kind string `json:"kind"`
	From string `json:"from"`
	To   string `json:"to"`
}

// Kinds returns the kinds that have an older version, which differs from v1beta1 in nothing but its name.
func Kinds() []schema.GroupKind {
	var kinds []schema.GroupKind
	for _, k := range composite.Select(composite.Of(composite.ASOManaged)) {
		kinds = append(kinds, k.GroupKind())
	}
	return kinds
}

// Manifests returns manifests in YAML or JSON in which every object of Kinds, and every reference to one, is of v1beta1, and the places that changed.
// All else, comments and order too, stays byte by byte. The error says where the text is not YAML, such as a template.
func Manifests(raw []byte) ([]byte, []Change, error) {
	m := &manifests{lines: bytes.SplitAfter(raw, []byte("\n"))}
	decoder := yaml.NewDecoder(bytes.NewReader(raw))
	for {
		document := &yaml.Node{}
		err := decoder.Decode(document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if err := m.walk(document); err != nil {
			return nil, nil, err
		}
	}
	return m.apply(), m.changes, nil
}

type manifests struct {
	lines   [][]byte
	changes []Change
	edits   []edit
}

// An edit writes a text in place of another in a line.
type edit struct {
	line, at int
	from, to string
}

func (m *manifests) walk(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		if err := m.mapping(n); err != nil {
			return err
		}
	}
	for _, inner := range n.Content { // An alias has none: what it stands for is walked where it is written.
		if err := m.walk(inner); err != nil {
			return err
		}
	}
	return nil
}

// mapping changes the version of an object, of a reference, or of what a patch of Kustomize selects.
func (m *manifests) mapping(n *yaml.Node) error {
	kind := valueOf(n, "kind")
	if kind == nil || !migrated(kind.Value) {
		return nil
	}
	old, current := v1alpha1.GroupVersion, v1beta1.GroupVersion
	if v := valueOf(n, "apiVersion"); v != nil && v.Value == old.String() {
		return m.replace(v, kind.Value, old.String(), current.String())
	}
	group, version := valueOf(n, "group"), valueOf(n, "version")
	if group != nil && group.Value == old.Group && version != nil && version.Value == old.Version {
		return m.replace(version, kind.Value, old.Version, current.Version)
	}
	return nil
}

func migrated(kind string) bool {
	return slices.ContainsFunc(Kinds(), func(k schema.GroupKind) bool { return k.Kind == kind })
}

func valueOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if value := n.Content[i+1]; n.Content[i].Value == key && value.Kind == yaml.ScalarNode {
			return value
		}
	}
	return nil
}

// replace notes that a version is to be written where a value stands. A value that is not written there as it is, such as one over two lines, is
// an error, not a guess.
func (m *manifests) replace(value *yaml.Node, kind, from, to string) error {
	if value.Line < 1 || value.Line > len(m.lines) {
		return fmt.Errorf("line %d has no version of %s", value.Line, kind)
	}
	line := m.lines[value.Line-1]
	start := len(string(firstRunes(line, value.Column-1)))
	if start < len(line) && (line[start] == '"' || line[start] == '\'') {
		start++
	}
	if !bytes.HasPrefix(line[start:], []byte(from)) {
		return fmt.Errorf("line %d: the version of %s is %q, but is not written there as it is; write it plainly", value.Line, kind, from)
	}
	m.edits = append(m.edits, edit{line: value.Line - 1, at: start, from: from, to: to})
	m.changes = append(m.changes, Change{Line: value.Line, Kind: kind, From: from, To: to})
	return nil
}

// apply writes what was noted, from the end to the start, so that places stay where they are until their turn.
func (m *manifests) apply() []byte {
	slices.SortFunc(m.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(b.line, a.line), cmp.Compare(b.at, a.at)) })
	for _, e := range m.edits {
		line := m.lines[e.line]
		m.lines[e.line] = slices.Concat(line[:e.at], []byte(e.to), line[e.at+len(e.from):])
	}
	return bytes.Join(m.lines, nil)
}

// firstRunes returns the first n characters of a line: YAML counts columns in characters.
func firstRunes(line []byte, n int) []rune {
	runes := []rune(string(line))
	return runes[:min(max(n, 0), len(runes))]
}
