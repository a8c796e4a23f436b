package endure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// What follows judges what was observed. Each function returns what is wrong, in words; nothing when all is well.

// A Composed is an ASO object, as it is looked at.
type Composed struct {
	Kind, Name string
	// ID is that of the resource in Azure, empty as long as ASO does not know it.
	ID    string
	Ready bool
}

// Lost says which objects are Ready though Azure does not have what they stand for.
func Lost(composed []Composed, inAzure []string) []string {
	there := map[string]bool{}
	for _, id := range inAzure {
		there[strings.ToLower(id)] = true
	}
	var lost []string
	for _, c := range composed {
		if c.Ready && c.ID != "" && !there[strings.ToLower(c.ID)] {
			lost = append(lost, fmt.Sprintf("lost: Azure has no %s, which %s %s stands for", c.ID, c.Kind, c.Name))
		}
	}
	return lost
}

// Dropped says which objects were there before and are no more, or are others of the same name, by their UIDs. Those whose key matches
// goes may.
func Dropped(before, after map[string]string, goes *regexp.Regexp) []string {
	var dropped []string
	for _, key := range slices.Sorted(maps.Keys(before)) {
		uid, there := after[key]
		switch {
		case goes != nil && goes.MatchString(key):
		case !there:
			dropped = append(dropped, "dropped: "+key)
		case uid != before[key]:
			dropped = append(dropped, "dropped and made anew: "+key)
		}
	}
	return dropped
}

// Orphans says what is left in Azure of a life that is over.
func Orphans(inAzure []string) []string {
	var orphans []string
	for _, id := range inAzure {
		orphans = append(orphans, "orphaned: Azure still has "+id)
	}
	return orphans
}

// A Permission is a time in which a life asks for resources to be deleted, whose IDs match.
type Permission struct {
	From time.Time
	// To is when that ends; never when zero, as what was asked for may be done late.
	To   time.Time
	Path *regexp.Regexp
}

// deletes reports whether a request asks Azure to delete something.
func deletes(r admin.Request) bool {
	return r.Method == http.MethodDelete || r.Method == http.MethodPost && deletesInstances.MatchString(r.Path)
}

// Unasked says which requests deleted something that the life did not ask for. What a DELETE asked for is judged, whatever the answer was.
func Unasked(requests []admin.Request, permitted []Permission) []string {
	var unasked []string
	for _, r := range requests {
		if !deletes(r) {
			continue
		}
		asked := slices.ContainsFunc(permitted, func(p Permission) bool {
			return !r.Time.Before(p.From) && (p.To.IsZero() || !r.Time.After(p.To)) && p.Path.MatchString(r.Path)
		})
		if !asked {
			unasked = append(unasked, fmt.Sprintf("not asked for: %s %s at %s (%d, %s)", r.Method, r.Path, r.Time.Format(time.TimeOnly), r.Status, r.UserAgent))
		}
	}
	return unasked
}

// deletesInstances is the action by which instances of a scale set are deleted.
var deletesInstances = regexp.MustCompile(`(?i)/virtualMachineScaleSets/[^/]+/delete$`)

// A Write is one version of an object that was written, as etcd has it.
type Write struct {
	Key string
	At  time.Time
}

// mostIdleWrites is how many times an hour an object may be written while nothing happens, and fewestIdleWrites how often it has to have
// been written at all to be called flapping.
const (
	mostIdleWrites   = 60
	fewestIdleWrites = 3
)

// Flapping says which objects were written again and again in an idle time, and returns how many writes there were in an hour altogether.
func Flapping(writes []Write, from, to time.Time) (perHour float64, flapping []string) {
	count, total := map[string]int{}, 0
	for _, w := range writes {
		if !w.At.Before(from) && w.At.Before(to) {
			count[w.Key]++
			total++
		}
	}
	hours := to.Sub(from).Hours()
	if hours <= 0 {
		return 0, nil
	}
	for _, key := range slices.Sorted(maps.Keys(count)) {
		if rate := float64(count[key]) / hours; count[key] >= fewestIdleWrites && rate > mostIdleWrites {
			flapping = append(flapping, fmt.Sprintf("flapping: %s was written %d times within %s while nothing happened", key, count[key], to.Sub(from)))
		}
	}
	return float64(total) / hours, flapping
}

// An Ending is an object that is being deleted.
type Ending struct {
	Key        string
	Since      time.Time
	Finalizers []string
}

// Stuck says which objects have been waiting for their finalizers for longer than patience.
func Stuck(ending []Ending, now time.Time, patience time.Duration) []string {
	var stuck []string
	for _, e := range ending {
		if waited := now.Sub(e.Since); waited > patience {
			stuck = append(stuck, fmt.Sprintf("stuck: %s has been deleted for %s (finalizers %s)", e.Key, waited.Round(time.Second), strings.Join(e.Finalizers, ", ")))
		}
	}
	return stuck
}

// Percentile returns the least duration within which that part of all, of 1, lies: the nearest rank. It is 0 for none.
func Percentile(all []time.Duration, part float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.SortedFunc(slices.Values(all), cmp.Compare[time.Duration])
	rank := int(math.Ceil(part * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// faultPrefix is how the names of the faults begin that lives inject.
const faultPrefix = "endure/"

// Met counts, by kind, the requests that an injected fault has answered.
func Met(requests []admin.Request) map[string]int {
	met := map[string]int{}
	for _, r := range requests {
		if rest, ours := strings.CutPrefix(r.Fault, faultPrefix); ours {
			_, kind, _ := strings.Cut(rest, "/")
			kind, _, _ = strings.Cut(kind, "#")
			met[kind]++
		}
	}
	return met
}

// faultName returns the name by which a fault of a life is known, of which Met finds the kind.
func faultName(life string, number int, kind string) string {
	return fmt.Sprintf("%s%s/%s#%d", faultPrefix, life, kind, number)
}
