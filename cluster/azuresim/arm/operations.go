package arm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm/fields"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const operationPrefix = "arm/operations/"

// keepFinished is how long a finished operation can still be polled.
const keepFinished = 24 * time.Hour

// Statuses of an operation and provisioning states of a resource.
const (
	statusRunning   = "InProgress"
	StatusSucceeded = "Succeeded"
	StatusFailed    = "Failed"

	StateCreating = "Creating"
	StateUpdating = "Updating"
	StateDeleting = "Deleting"
)

// Operation is a long-running operation.
type Operation struct {
	ID           string    `json:"id"`
	ResourceID   string    `json:"resourceID"`
	ResourceType string    `json:"resourceType"`
	Change       Change    `json:"change"`
	APIVersion   string    `json:"apiVersion"`
	Location     string    `json:"location"`
	Started      time.Time `json:"started"`
	Due          time.Time `json:"due"`
	Status       string    `json:"status"`
	Polls        int       `json:"polls"`
	// Statuses are shown one after the other while the operation runs.
	Statuses []string `json:"statuses,omitempty"`
	// Fail is what the operation will end with, or ended with.
	Fail *Error `json:"fail,omitempty"`
	// Lost has polls not find it.
	Lost bool `json:"lost,omitempty"`
}

func (o *Operation) running() bool {
	return o.Status == statusRunning
}

// statusAt is the string that a poll answers at that time.
func (o *Operation) statusAt(now time.Time) string {
	total := o.Due.Sub(o.Started)
	if !o.running() || len(o.Statuses) == 0 || total <= 0 {
		return o.Status
	}
	i := int(float64(len(o.Statuses)) * float64(now.Sub(o.Started)) / float64(total))
	return o.Statuses[min(max(i, 0), len(o.Statuses)-1)]
}

// operations keeps the operations by identifier.
type operations struct {
	journal *state.Journal
	byID    map[string]*Operation
}

func loadOperations(journal *state.Journal) (*operations, error) {
	o := &operations{journal: journal, byID: map[string]*Operation{}}
	return o, journal.Each(operationPrefix, func(key string, raw json.RawMessage) error {
		op := &Operation{}
		if err := json.Unmarshal(raw, op); err != nil {
			return fmt.Errorf("decode %s: %w", key, err)
		}
		o.byID[op.ID] = op
		return nil
	})
}

func (o *operations) put(op *Operation) error {
	o.byID[op.ID] = op
	return o.journal.Put(operationPrefix+op.ID, op)
}

// due returns the running operations whose time has come, in that order.
func (o *operations) due(now time.Time) []*Operation {
	var due []*Operation
	for _, op := range o.byID {
		if op.running() && !op.Due.After(now) {
			due = append(due, op)
		}
	}
	sort.Slice(due, func(i, j int) bool {
		if !due[i].Due.Equal(due[j].Due) {
			return due[i].Due.Before(due[j].Due)
		}
		return due[i].Started.Before(due[j].Started)
	})
	return due
}

// RunningOn returns a running operation on the resource or on one below it, or nil.
func (o *operations) RunningOn(path string, below bool) *Operation {
	key := strings.ToLower(path)
	var found *Operation
	for _, op := range o.byID {
		if !op.running() || found != nil && !op.Started.Before(found.Started) {
			continue
		}
		if target := strings.ToLower(op.ResourceID); target == key || below && strings.HasPrefix(target, key+"/") {
			found = op
		}
	}
	return found
}

// LastFailure is what the operation on the resource that began last has failed with, or nil.
func (o *operations) LastFailure(path string) *Error {
	var last *Operation
	for _, op := range o.byID {
		if strings.EqualFold(op.ResourceID, path) && (last == nil || op.Started.After(last.Started)) {
			last = op
		}
	}
	if last == nil || last.running() {
		return nil
	}
	return last.Fail
}

// RemovedSince tells whether an operation that ended after that time has deleted the resource.
func (o *operations) RemovedSince(path string, after time.Time) bool {
	for _, op := range o.byID {
		if op.Change == Remove && op.Status == StatusSucceeded && strings.EqualFold(op.ResourceID, path) && op.Due.After(after) {
			return true
		}
	}
	return false
}

// forget drops operations that ended long ago.
func (o *operations) forget(now time.Time) error {
	for id, op := range o.byID {
		if !op.running() && now.Sub(op.Due) > keepFinished {
			delete(o.byID, id)
			if err := o.journal.Delete(operationPrefix + id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Begin starts an operation on a resource, which goes as course says.
func (s *Service) Begin(r *Resource, kind Change, apiVersion string, course Course) (*Operation, error) {
	now := s.Clock.Now()
	op := &Operation{
		ID:           uuid.NewString(),
		ResourceID:   r.ID,
		ResourceType: r.Type,
		Change:       kind,
		APIVersion:   apiVersion,
		Location:     s.LocationOf(r),
		Started:      now,
		Due:          now.Add(s.latency(r.Type, string(kind)) + course.Longer),
		Status:       statusRunning,
		Statuses:     s.Types.Lookup(r.Type).Protocol.Statuses[kind],
		Fail:         course.Fail,
		Lost:         course.Lost,
	}
	return op, s.Operations.put(op)
}

// LocationOf is the location of the resource or of the nearest one above it that has any.
func (s *Service) LocationOf(r *Resource) string {
	for r != nil {
		if location := r.Location(); location != "" {
			return strings.ToLower(strings.ReplaceAll(location, " ", ""))
		}
		id := r.Identity()
		if id.Parent == "" {
			break
		}
		r = s.Store.Get(id.Parent)
	}
	return "global"
}

// Advance ends every operation whose time has come.
func (s *Service) Advance() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.advance()
}

func (s *Service) advance() error {
	now := s.Clock.Now()
	for _, op := range s.Operations.due(now) {
		if !s.canFinish(op) {
			continue
		}
		if err := s.finish(op); err != nil {
			return err
		}
	}
	return s.Operations.forget(now)
}

// canFinish asks the type of the resource whether the operation can end, and notes with which error.
func (s *Service) canFinish(op *Operation) bool {
	r, ready := s.Store.Get(op.ResourceID), s.Types.Lookup(op.ResourceType).Ready
	if r == nil || ready == nil || op.Fail != nil {
		return true
	}
	done, fail := ready(s, op, r)
	if done {
		op.Fail, op.Due = fail, s.Clock.Now()
	}
	return done
}

// finish ends an operation and does what it was started for. That it has ended is written down last: a simulator that is killed on the
// way finishes it once more.
func (s *Service) finish(op *Operation) error {
	op.Status = StatusSucceeded
	if op.Fail != nil {
		op.Status = StatusFailed
	}
	if r := s.Store.Get(op.ResourceID); r != nil {
		if err := s.finishOn(op, r); err != nil {
			return err
		}
	}
	return s.Operations.put(op)
}

// finishOn does on the resource what the operation was started for. To do it once more changes nothing.
func (s *Service) finishOn(op *Operation, r *Resource) error {
	switch {
	case op.Fail != nil:
		return s.SetState(r, StatusFailed)
	case op.Change == Remove:
		return s.Remove(r)
	}
	if err := s.SetState(r, StatusSucceeded); err != nil {
		return err
	}
	if settle := s.Types.Lookup(r.Type).Settle; settle != nil {
		return settle(s, r)
	}
	return nil
}

// SetState stores a resource with another provisioning state.
func (s *Service) SetState(r *Resource, provisioningState string) error {
	r.Properties()["provisioningState"] = provisioningState
	RefreshETag(r)
	return s.Store.Put(r)
}

// Remove removes a resource and everything below it.
func (s *Service) Remove(r *Resource) error {
	for _, below := range s.Store.Under(r.ID) {
		if err := s.RemoveOne(below); err != nil {
			return err
		}
	}
	return s.RemoveOne(r)
}

// RemoveOne removes a resource, which is written down once all that goes with it is gone.
func (s *Service) RemoveOne(r *Resource) error {
	s.Store.forget(r.ID)
	if removed := s.Types.Lookup(r.Type).Removed; removed != nil {
		if err := removed(s, r); err != nil {
			return err
		}
	}
	return s.Store.remove(r.ID)
}

// OperationURL is where an operation is polled; segment tells the two kinds of poll apart.
func (s *Service) OperationURL(op *Operation, segment string) string {
	t := s.Types.Lookup(op.ResourceType)
	id, err := ParseID(op.ResourceID)
	if err != nil {
		return "" // it was parsed when the operation began
	}
	version := t.Protocol.OperationsVersion
	if version == "" {
		version = op.APIVersion
	}
	path := fmt.Sprintf("/subscriptions/%s/providers/%s/locations/%s/%s", id.Subscription, id.Namespace, op.Location, segment)
	switch {
	case id.isResourceGroup():
		path = fmt.Sprintf("/subscriptions/%s/%s", id.Subscription, segment)
	case t.Protocol.InGroup:
		path = fmt.Sprintf("%s/providers/%s/%s", id.GroupPath(), id.Namespace, segment)
	case t.Protocol.Below:
		path = op.ResourceID + "/" + segment
	}
	return fmt.Sprintf("%s%s/%s?api-version=%s", s.EndpointOf(id.Subscription), path, op.ID, version)
}

// PathOf returns the path of a URL.
func PathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "" // it was made from parts that are in an URL already
	}
	return u.Path
}

func (s *Service) setOperationHeaders(h http.Header, op *Operation, a Answer) {
	p := s.Types.Lookup(op.ResourceType).Protocol
	if a.AsyncOperation {
		h.Set("Azure-AsyncOperation", s.OperationURL(op, p.Operations))
	}
	if a.Location {
		segment := p.Results
		if segment == "" {
			segment = p.Operations
		}
		h.Set("Location", s.OperationURL(op, segment))
	}
	s.setRetryAfter(h, a.RetryAfter)
}

func (s *Service) setRetryAfter(h http.Header, seconds int) {
	if s.maxRetryAfter > 0 {
		seconds = min(seconds, s.maxRetryAfter)
	}
	if seconds > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds))
	}
}

// retryAfterOf is the Retry-After of the poll of that number that finds the operation running.
func (p Protocol) retryAfterOf(kind Change, number int) int {
	polls := p.Polls[kind]
	if len(polls) == 0 {
		return p.PollRetryAfter
	}
	return polls[min(max(number-1, 0), len(polls)-1)]
}

// poll answers a GET on one of an operation's URLs.
func (s *Service) poll(w http.ResponseWriter, op *Operation, segment string) error {
	t := s.Types.Lookup(op.ResourceType)
	if op.running() {
		op.Polls++
		if err := s.Operations.put(op); err != nil {
			return err
		}
		s.setRetryAfter(w.Header(), t.Protocol.retryAfterOf(op.Change, op.Polls))
	}
	if segment == t.Protocol.Operations {
		code := http.StatusOK
		if op.running() && t.Protocol.PollAccepted {
			code = http.StatusAccepted
			s.setOperationHeaders(w.Header(), op, t.Protocol.Create)
		}
		WriteJSON(w, code, s.status(op, t))
		return nil
	}
	s.pollResult(w, op, t, segment)
	return nil
}

// status is the body of an Azure-AsyncOperation poll.
func (s *Service) status(op *Operation, t *ResourceType) map[string]any {
	now := s.Clock.Now()
	body := map[string]any{fields.Status: op.statusAt(now)}
	if op.Fail != nil && !op.running() {
		body["error"] = op.Fail.inner()
	}
	if r := s.Store.Get(op.ResourceID); t.Protocol.PollOutput && r != nil && !op.running() && op.Fail == nil && op.Change != Remove {
		body["properties"] = map[string]any{"output": s.Show(r, t, op.APIVersion)}
	}
	switch t.Protocol.Poll {
	case pollDetailed, PollComplete:
		if t.Protocol.Poll == PollComplete {
			body["id"] = PathOf(s.OperationURL(op, t.Protocol.Operations))
		}
		body["name"] = op.ID
		body["startTime"] = op.Started.UTC().Format(time.RFC3339Nano)
		if !op.running() {
			body["endTime"] = op.Due.UTC().Format(time.RFC3339Nano)
		}
	case PollIdentified:
		body["id"] = PathOf(s.OperationURL(op, t.Protocol.Operations))
		body["name"] = op.ID
	case PollStatusOnly:
	}
	return body
}

// pollResult answers a poll of the Location header: 202 until the operation has ended, then its result.
func (s *Service) pollResult(w http.ResponseWriter, op *Operation, t *ResourceType, segment string) {
	switch {
	case op.running():
		w.Header().Set("Location", s.OperationURL(op, segment))
		w.WriteHeader(http.StatusAccepted)
	case op.Fail != nil:
		WriteError(w, &Error{Status: max(op.Fail.Status, http.StatusBadRequest), Code: op.Fail.Code, Message: op.Fail.Message})
	case op.Change == Remove:
		w.WriteHeader(http.StatusOK)
	default:
		r := s.Store.Get(op.ResourceID)
		if r == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		WriteJSON(w, http.StatusOK, s.Show(r, t, op.APIVersion))
	}
}
