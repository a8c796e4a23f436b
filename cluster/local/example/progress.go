package example

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// sayInterval is how often what is missing is printed though it does not change.
const sayInterval = 5 * time.Second

// progress prints what is missing: what is new at once, and all of it again after a while of silence.
type progress struct {
	out   io.Writer
	begun time.Time
	said  []string
	at    time.Time
}

func (p *progress) say(missing []string, now time.Time) {
	fresh := slices.DeleteFunc(slices.Clone(missing), func(line string) bool { return slices.Contains(p.said, line) })
	if len(fresh) == 0 && now.Sub(p.at) < sayInterval {
		return
	}
	word := "waiting"
	if len(fresh) == 0 {
		fresh, word = missing, "still waiting"
	}
	for _, line := range fresh {
		fmt.Fprintf(p.out, "%5.1fs  %s: %s\n", now.Sub(p.begun).Seconds(), word, line)
	}
	p.said, p.at = missing, now
}
