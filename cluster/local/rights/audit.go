package rights

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// decision is the annotation by which an event says what the authorizer answered. A webhook's refusal has the same status
// code as the authorizer's.
const decision = "authorization.k8s.io/decision"

// Usage is what an audit log says of rights.
type Usage struct {
	// used are the rights that were used, without the Name where the right is for all objects.
	used map[Right]bool
	// Refused are the rights that were missing, with when that was.
	Refused map[Right]time.Time
}

// ReadUsage reads an audit log, one event in JSON a line. Of what was refused, it takes in only what was refused while the
// rights were granted: roles take a moment to be taken in when a management cluster comes up, and who had rights may go on
// watching when they are taken away.
func ReadUsage(log io.Reader, granted Span) (*Usage, error) {
	usage := &Usage{used: map[Right]bool{}, Refused: map[Right]time.Time{}}
	return usage, EachEvent(log, func(event *auditv1.Event) { usage.add(event, granted) })
}

// A Span of time has no end if Until is zero.
type Span struct{ Since, Until time.Time }

func (s Span) has(t time.Time) bool {
	return t.After(s.Since) && (s.Until.IsZero() || t.Before(s.Until))
}

// EachEvent calls do for every event of an audit log, one event in JSON a line.
func EachEvent(log io.Reader, do func(*auditv1.Event)) error {
	reader := bufio.NewReader(log)
	for {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF {
			// The last line may still be on its way to the file.
			return nil
		}
		if err != nil {
			return err
		}
		event := &auditv1.Event{}
		if err := json.Unmarshal(line, event); err != nil {
			return fmt.Errorf("audit log: %w", err)
		}
		do(event)
	}
}

func (u *Usage) add(event *auditv1.Event, granted Span) {
	ref := event.ObjectRef
	if ref == nil {
		return // No resource: discovery, for instance.
	}
	right := Right{User: event.User.Username, Group: ref.APIGroup, Resource: ref.Resource, Subresource: ref.Subresource, Verb: event.Verb, Name: ref.Name}
	if event.Annotations[decision] == "forbid" {
		if granted.has(event.StageTimestamp.Time) {
			u.Refused[right] = event.StageTimestamp.Time
		}
		return
	}
	u.use(right)
	// Applying an object that is not there needs both.
	if event.ResponseStatus != nil && event.ResponseStatus.Code == 201 && event.Verb == "patch" {
		right.Verb = "create"
		u.use(right)
	}
	// The client of an API server that sends no objects within a watch would list them.
	if event.Verb == "watch" && strings.Contains(event.RequestURI, "sendInitialEvents=true") {
		right.Verb = "list"
		u.use(right)
	}
}

func (u *Usage) use(right Right) {
	u.used[right] = true
	right.Name = ""
	u.used[right] = true
}

// Unused returns the granted rights that nobody used. Two are left out, since a log cannot tell whether they are needed:
//
//   - To update finalizers: who makes an object block the deletion of its owner must have that right of the owner, and it is
//     admission plugin OwnerReferencesPermissionEnforcement that looks. The log shows only when it was missing, as a write that
//     was refused; the API server of package stack has the plugin.
//   - To get what Crossplane composes: Crossplane reads it from a cache, and asks the API server if the cache does not have it
//     yet, which is a matter of moments. Who has created such an object may need to get it.
func (u *Usage) Unused(granted []Right) []Right {
	return slices.DeleteFunc(slices.Clone(granted), func(r Right) bool {
		return u.used[r] || r.Subresource == "finalizers" && r.Verb == "update" || u.composed(r)
	})
}

// composed reports whether a right is Crossplane's to get objects of a kind of which it has created one.
func (u *Usage) composed(r Right) bool {
	created := r
	created.Verb = "create"
	return r.User == Crossplane && r.Verb == "get" && u.used[created]
}
