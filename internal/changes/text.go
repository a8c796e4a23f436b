package changes

import (
	"fmt"
	"io"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// signs stand before each item, so that deletions stand out without colour, too.
var signs = map[Action]string{
	Create: "  +   create ", Change: "  ~   change ", Replace: "! -/+ REPLACE", Delete: "! -   DELETE ", Leave: "  =   leave  ", Hold: "  .   hold   ",
}

// Colours of terminals (ECMA-48).
const (
	red, green, yellow, grey, plain = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[90m", "\x1b[0m"
)

var colours = map[Action]string{Create: green, Change: yellow, Replace: red, Delete: red, Leave: grey, Hold: grey}

// indent stands before what is said of an item.
const indent = "        "

// Text writes a plan for people.
func Text(w io.Writer, p *Plan, coloured bool) error {
	t := &text{coloured: coloured}
	for _, item := range p.Changes {
		t.item(item)
	}
	if len(p.Changes) > 0 {
		t.line("", "")
	}
	for _, note := range p.Notes {
		t.line("", "Note: "+note+".")
	}
	for _, m := range p.Mistakes {
		t.line(red, fmt.Sprintf("Mistake in %s: %s", m.Of, m.Message))
	}
	if len(p.Mistakes) > 0 && len(p.Changes) == 0 {
		_, err := io.WriteString(w, t.String())
		return err
	}
	if p.Against == Nothing {
		t.line("", "All is taken to be new: nothing was compared with a cluster.")
	}
	s := p.Summary
	if s.Delete+s.Replace > 0 {
		t.line(red, "! Azure loses "+counted(s.Delete+s.Replace)+".")
	}
	t.line("", fmt.Sprintf("%d to create, %d to change, %d to replace, %d to delete, %d left alone, %d held, %d unchanged", s.Create, s.Change, s.Replace, s.Delete, s.Leave, s.Hold, s.Unchanged))
	_, err := io.WriteString(w, t.String())
	return err
}

type text struct {
	strings.Builder
	coloured bool
}

func (t *text) line(colour, words string) {
	if t.coloured && colour != "" {
		words = colour + words + plain
	}
	_, _ = t.WriteString(words + "\n")
}

func (t *text) item(i Item) {
	words := signs[i.Action] + " " + i.Resource.String()
	if name := i.Resource.AzureName; name != "" && name != i.Resource.Name {
		words += ", in Azure " + name
	}
	if i.Count > 1 {
		words += fmt.Sprintf(", %d times", i.Count)
	}
	t.line(colours[i.Action], words)
	if i.Of != i.Resource.Reference {
		t.line("", indent+"of "+i.Of.String()+in(i.Source))
	}
	for _, f := range i.Fields {
		t.line("", indent+f.words())
	}
	for n, f := range i.Because {
		because := "because of "
		if n > 0 {
			because = "       and "
		}
		t.line("", indent+because+f.words())
	}
	if i.Reason != "" {
		t.line("", indent+i.Reason)
	}
}

func counted(n int64) string {
	if n == 1 {
		return "1 resource"
	}
	return fmt.Sprintf("%d resources", n)
}

func in(source string) string {
	if source == "" {
		return ""
	}
	return ", " + source
}

// words says what a field was and is, or that an object is new.
func (f FieldChange) words() string {
	of := ""
	if f.Object != nil {
		of = f.Object.String()
	}
	switch {
	case f.Path == "":
		return of + ", which is new"
	case of != "":
		of += ", "
	}
	return fmt.Sprintf("%s%s: %s -> %s", of, f.Path, shown(f.Old), shown(f.New))
}

func shown(value any) string {
	if value == nil {
		return "(none)"
	}
	return field.Show(value)
}
