package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// telling says on a terminal what is being done.
type telling struct {
	to io.Writer
	// shown is true while progress stands on the terminal.
	shown bool
}

func (t *telling) progress(words string) {
	if file, ok := t.to.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		_, _ = fmt.Fprintf(t.to, "\r\x1b[K%s", words)
		t.shown = true
	}
}

// done clears what progress has said.
func (t *telling) done() {
	if t.shown {
		_, _ = fmt.Fprint(t.to, "\r\x1b[K")
		t.shown = false
	}
}
