package switching

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/example"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// fleet is how many clusters are taken over at once.
const fleet = 50

// TestFleet says for how long nobody reconciles a fleet, there and back.
func TestFleet(t *testing.T) {
	w := newWorld(t, false)
	var clusters []*example.Example
	for i := range fleet {
		ex := w.copyOf("aks-aso", fmt.Sprintf("c-%02d", i))
		w.must(ex.Apply(w.ctx, w.client))
		clusters = append(clusters, ex)
	}
	for _, ex := range clusters {
		w.must(ex.BringUp(w.ctx, w.stack, io.Discard))
	}
	kinds := aks("AzureASOManagedCluster", "AzureASOManagedControlPlane", "AzureASOManagedMachinePool")
	before := w.uids(kinds)
	w.quiet("the takeover", nil, func() { w.timed("stop CAPZ", "hand over", "takeover", "-f", w.product) })
	w.same(kinds, before)
	w.quiet("the way back", nil, func() { w.timed("hold", "start CAPZ", "takeover", "--back") })
	w.same(kinds, before)
}

// copyOf returns an example under another name.
func (w *world) copyOf(folder, as string) *example.Example {
	w.Helper()
	objects, err := kubeyaml.Read(filepath.Join(checkout(w.T), "examples", folder))
	w.must(err)
	for i, o := range objects {
		raw, err := o.MarshalJSON()
		w.must(err)
		renamed, err := kubeyaml.Parse([]byte(strings.ReplaceAll(string(raw), name, as)))
		w.must(err)
		objects[i] = renamed[0]
	}
	ex, err := example.From(objects)
	w.must(err)
	return ex
}

// timed runs kubectl capz, and says how long it takes, and how long from the first line of one step to the last of another.
func (w *world) timed(from, to string, args ...string) {
	w.Helper()
	cmd := w.command(args...)
	lines, err := cmd.StderrPipe()
	w.must(err)
	cmd.Stdout = os.Stdout
	begun := time.Now()
	w.must(cmd.Start())
	first, last := map[string]time.Time{}, map[string]time.Time{}
	for scanner := bufio.NewScanner(lines); scanner.Scan(); {
		w.Log(scanner.Text())
		step, _, _ := strings.Cut(scanner.Text(), ":")
		if first[step].IsZero() {
			first[step] = time.Now()
		}
		last[step] = time.Now()
	}
	w.must(cmd.Wait())
	if first[from].IsZero() || last[to].IsZero() {
		w.Fatalf("kubectl capz %s has not said that it comes to %q and %q", strings.Join(args, " "), from, to)
	}
	w.Logf("kubectl capz %s: %s for %d clusters, %s of it from the begin of %q to the end of %q", strings.Join(args, " "),
		time.Since(begun).Round(100*time.Millisecond), fleet, last[to].Sub(first[from]).Round(100*time.Millisecond), from, to)
	for _, step := range slices.SortedFunc(maps.Keys(first), func(a, b string) int { return first[a].Compare(first[b]) }) {
		w.Logf("%6.1f s to %6.1f s: %s", first[step].Sub(begun).Seconds(), last[step].Sub(begun).Seconds(), step)
	}
}
