package why

import (
	"fmt"
	"io"
	"strings"
)

// longestLine is how much of a message is printed of what is no cause.
const longestLine = 160

// Text prints an answer for people.
func Text(out io.Writer, a *Answer) error {
	b := &strings.Builder{}
	switch {
	case a.Ready:
		fmt.Fprintf(b, "Nothing is wrong with %s.\n", a.Object)
	case a.Waiting:
		fmt.Fprintf(b, "%s is not ready yet. Nothing is wrong with it that is known.\n\n", a.Object)
	default:
		fmt.Fprintf(b, "%s is not ready.\n\n", a.Object)
	}
	a.Chain.print(b, 0)
	for i, c := range a.Causes {
		title := "Cause"
		switch {
		case a.Waiting:
			title = "Waits"
		case len(a.Causes) > 1:
			title = fmt.Sprintf("Cause %d", i+1)
		}
		fmt.Fprintf(b, "\n%s: %s\n  %s\nNext: %s\n", title, c.Object, said(c.Condition, c.Reason, c.Message), c.Next)
	}
	for _, note := range a.Notes {
		fmt.Fprintf(b, "\nNote: %s\n", note)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (l *Link) print(b *strings.Builder, depth int) {
	if l == nil {
		return
	}
	indent := strings.Repeat("  ", depth)
	seen := ""
	if l.Seen {
		seen = ", see above"
	}
	fmt.Fprintf(b, "%s%s%s\n", indent, l.Object, seen)
	for _, s := range l.Says {
		fmt.Fprintf(b, "%s- %s\n", indent, short(said(s.Condition, s.Reason, s.Message)))
	}
	for _, because := range l.Because {
		because.print(b, depth+1)
	}
}

// said returns a saying in a line.
func said(condition, reason, message string) string {
	var words []string
	for _, word := range []string{condition, reason} {
		if word != "" {
			words = append(words, word)
		}
	}
	if message == "" {
		return strings.Join(words, " ")
	}
	return strings.Join(words, " ") + ": " + strings.Join(strings.Fields(message), " ")
}

func short(line string) string {
	if runes := []rune(line); len(runes) > longestLine {
		return string(runes[:longestLine]) + " ..."
	}
	return line
}
