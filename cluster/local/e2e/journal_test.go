package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/rights"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// logDelay is how far apart an answer and the line about it are at most, on a busy machine.
const logDelay = 10 * time.Second

// unlogged are the resources that provider-capz writes without a line: Events have lines of their own, and the others, of which TestIdentities
// makes one in its name, are no decisions.
var unlogged = []string{"events", "leases", "subjectaccessreviews", "selfsubjectaccessreviews", "selfsubjectreviews", "tokenreviews"}

// A journal is what the log of provider-capz says it has done, and when.
type journal struct {
	// lines have the times by verb and object, and by method and resource.
	lines map[string][]time.Time
	// ends are the times of the day at which processes ended. What they did last may not be logged any more.
	ends []string
}

var (
	logLine     = regexp.MustCompile(`^time=(\S+) level=\S+ msg=("[^"]*"|\S+)`)
	aboutLine   = regexp.MustCompile(` object=(\S+)`)
	azureLine   = regexp.MustCompile(` method=(\S+) resource=(\S+)`)
	endLine     = regexp.MustCompile(`^=== pid \d+ ended at (\S+):`)
	verbsLogged = map[string]string{"Created": "create", "Updated": "update", "Deleted": "delete", "Patched": "patch", "Applied": "patch"}
)

// readJournal reads the log of provider-capz, and from that of the API server when it ended: an answer may have been lost then.
func readJournal(s *stack.Stack) (*journal, error) {
	j := &journal{lines: map[string][]time.Time{}}
	if err := eachLine(s.LogFile(stack.APIServer), j.readEnd); err != nil {
		return nil, err
	}
	return j, eachLine(s.LogFile(stack.Provider), j.read)
}

// readEnd notes that a process ended.
func (j *journal) readEnd(line string) error {
	if end := endLine.FindStringSubmatch(line); end != nil {
		j.ends = append(j.ends, end[1])
	}
	return nil
}

func (j *journal) read(line string) error {
	if err := j.readEnd(line); err != nil {
		return err
	}
	found := logLine.FindStringSubmatch(line)
	if found == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, found[1])
	if err != nil {
		return err
	}
	what := strings.Trim(found[2], `"`)
	word, _, _ := strings.Cut(strings.ReplaceAll(what, ",", ""), " ") // Or "Patched, or not: there was no answer".
	if about := aboutLine.FindStringSubmatch(line); about != nil && verbsLogged[word] != "" {
		what = verbsLogged[word] + " " + about[1]
	} else if sent := azureLine.FindStringSubmatch(line); sent != nil {
		what = sent[1] + " " + strings.ToLower(sent[2])
	}
	j.lines[what] = append(j.lines[what], at)
	return nil
}

// has reports whether something that was done at a time is in the log, or may be missing because a process ended just then.
func (j *journal) has(what string, at time.Time) bool {
	if slices.ContainsFunc(j.lines[what], func(logged time.Time) bool { return logged.Sub(at).Abs() < logDelay }) {
		return true
	}
	return slices.ContainsFunc(j.ends, func(end string) bool {
		local := at.Local()
		ended, err := time.ParseInLocation(time.DateTime, local.Format(time.DateOnly)+" "+end, time.Local)
		return err == nil && ended.Sub(local).Abs() < logDelay
	})
}

// checkJournal fails if a provider-capz has written an object, or changed something in Azure, without a line in its log. All management clusters of
// this run share the simulated Azure: what one sends to it must be in the log of one of them.
func checkJournal(ctx context.Context, azure *admin.Client) error {
	var (
		journals []*journal
		missing  []string
		written  int
	)
	for _, s := range managementClusters() {
		j, err := readJournal(s)
		if err != nil {
			return err
		}
		n, lost, err := j.compareWrites(s.AuditLog())
		if err != nil {
			return err
		}
		journals, written, missing = append(journals, j), written+n, append(missing, lost...)
	}
	requests, err := azure.Requests(ctx, admin.RequestFilter{})
	if err != nil {
		return err
	}
	sent := 0
	for _, r := range requests {
		if r.Method == http.MethodGet || !strings.Contains(r.UserAgent, stack.Provider) || !strings.HasPrefix(r.Path, "/subscriptions/") {
			continue
		}
		sent++
		what := r.Method + " " + strings.ToLower(r.Path)
		if !slices.ContainsFunc(journals, func(j *journal) bool { return j.has(what, r.Time) }) {
			missing = append(missing, fmt.Sprintf("%s at %s", what, r.Time.Format(time.TimeOnly)))
		}
	}
	if len(missing) > 0 {
		return errors.New("provider-capz has done what its log does not have:\n" + strings.Join(missing[:min(len(missing), 20)], "\n"))
	}
	say("the log of provider-capz has all of its %d writes and %d requests that change Azure", written, sent)
	return nil
}

// compareWrites returns how many objects provider-capz has written by the audit log, and which of that the log does not have.
func (j *journal) compareWrites(auditLog string) (written int, missing []string, err error) {
	log, err := os.Open(auditLog)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = log.Close() }()
	err = rights.EachEvent(log, func(event *auditv1.Event) {
		if !isWrite(event) {
			return
		}
		written++
		what, at := event.Verb+" "+event.ObjectRef.Namespace+"/"+event.ObjectRef.Name, event.StageTimestamp.Time
		if !j.has(what, at) {
			missing = append(missing, fmt.Sprintf("%s of %s/%s at %s", what, event.ObjectRef.Resource, event.ObjectRef.Subresource, at.Format(time.TimeOnly)))
		}
	})
	return written, missing, err
}

// isWrite reports whether an event is of provider-capz writing an object.
func isWrite(event *auditv1.Event) bool {
	ref, status := event.ObjectRef, event.ResponseStatus
	return event.User.Username == rights.Provider && ref != nil && status != nil && status.Code < http.StatusMultipleChoices &&
		slices.Contains([]string{"create", "update", "patch", "delete"}, event.Verb) && !slices.Contains(unlogged, ref.Resource)
}
