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

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/state"
)

const operationPrefix = "arm/operations/"

// keepFinished is how long a finished operation can still be polled.
const keepFinished = 24 * time.Hour

// Statuses of an operation and provisioning states of a resource.
const (
	statusRunning   = "InProgress"
	statusSucceeded = "Succeeded"
	statusFailed    = "Failed"

	stateCreating = "Creating"
	stateUpdating = "Updating"
	stateDeleting = "Deleting"
)

// Operation is a long-running operation.
type Operation struct {
	ID           string    `json:"id"`
	ResourceID   string    `json:"resourceID"`
	ResourceType string    `json:"resourceType"`
	Change       change    `json:"change"`
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

// runningOn returns a running operation on the resource or on one below it, or nil.
func (o *operations) runningOn(path string, below bool) *Operation {
	key := strings.ToLower(path)
	var found *Operation
	for _, op := range o.byID {
		target := strings.ToLower(op.ResourceID)
		if op.running() && (target == key || below && strings.HasPrefix(target, key+"/")) && (found == nil || op.Started.Before(found.Started)) {
			found = op
		}
	}
	return found
}

// lastFailure is what the operation on the resource that began last has failed with, or nil.
func (o *operations) lastFailure(path string) *Error {
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

// removedSince tells whether an operation that ended after that time has deleted the resource.
func (o *operations) removedSince(path string, after time.Time) bool {
	for _, op := range o.byID {
		if op.Change == remove && op.Status == statusSucceeded && strings.EqualFold(op.ResourceID, path) && op.Due.After(after) {
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

// begin starts an operation on a resource.
func (s *Service) begin(r *Resource, kind change, apiVersion string, fail *Error) (*Operation, error) {
	now := s.clock.Now()
	op := &Operation{
		ID:           uuid.NewString(),
		ResourceID:   r.ID,
		ResourceType: r.Type,
		Change:       kind,
		APIVersion:   apiVersion,
		Location:     s.locationOf(r),
		Started:      now,
		Due:          now.Add(s.latency(r.Type, string(kind))),
		Status:       statusRunning,
		Statuses:     s.types.lookup(r.Type).protocol.statuses[kind],
		Fail:         fail,
	}
	return op, s.operations.put(op)
}

// locationOf is the location of the resource or of the nearest one above it that has any.
func (s *Service) locationOf(r *Resource) string {
	for r != nil {
		if location := r.location(); location != "" {
			return strings.ToLower(strings.ReplaceAll(location, " ", ""))
		}
		id := r.id()
		if id.Parent == "" {
			break
		}
		r = s.store.get(id.Parent)
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
	now := s.clock.Now()
	for _, op := range s.operations.due(now) {
		if !s.canFinish(op) {
			continue
		}
		if err := s.finish(op); err != nil {
			return err
		}
	}
	return s.operations.forget(now)
}

// canFinish asks the type of the resource whether the operation can end, and notes with which error.
func (s *Service) canFinish(op *Operation) bool {
	r, ready := s.store.get(op.ResourceID), s.types.lookup(op.ResourceType).ready
	if r == nil || ready == nil || op.Fail != nil {
		return true
	}
	done, fail := ready(s, op, r)
	if done {
		op.Fail, op.Due = fail, s.clock.Now()
	}
	return done
}

// finish ends an operation and does what it was started for. That it has ended is written down last: a simulator that is killed on the
// way finishes it once more.
func (s *Service) finish(op *Operation) error {
	op.Status = statusSucceeded
	if op.Fail != nil {
		op.Status = statusFailed
	}
	if r := s.store.get(op.ResourceID); r != nil {
		if err := s.finishOn(op, r); err != nil {
			return err
		}
	}
	return s.operations.put(op)
}

// finishOn does on the resource what the operation was started for. To do it once more changes nothing.
func (s *Service) finishOn(op *Operation, r *Resource) error {
	switch {
	case op.Fail != nil:
		return s.setState(r, statusFailed)
	case op.Change == remove:
		return s.erase(r)
	}
	if err := s.setState(r, statusSucceeded); err != nil {
		return err
	}
	if settle := s.types.lookup(r.Type).settle; settle != nil {
		return settle(s, r)
	}
	return nil
}

func (s *Service) setState(r *Resource, provisioningState string) error {
	r.properties()["provisioningState"] = provisioningState
	refreshETag(r)
	return s.store.put(r)
}

// erase removes a resource and everything below it.
func (s *Service) erase(r *Resource) error {
	for _, below := range s.store.under(r.ID) {
		if err := s.eraseOne(below); err != nil {
			return err
		}
	}
	return s.eraseOne(r)
}

// eraseOne removes a resource, which is written down once all that goes with it is gone.
func (s *Service) eraseOne(r *Resource) error {
	s.store.forget(r.ID)
	if removed := s.types.lookup(r.Type).removed; removed != nil {
		if err := removed(s, r); err != nil {
			return err
		}
	}
	return s.store.remove(r.ID)
}

// operationURL is where an operation is polled; segment tells the two kinds of poll apart.
func (s *Service) operationURL(op *Operation, segment string) string {
	t := s.types.lookup(op.ResourceType)
	id, err := ParseID(op.ResourceID)
	if err != nil {
		return "" // it was parsed when the operation began
	}
	version := t.protocol.operationsVersion
	if version == "" {
		version = op.APIVersion
	}
	path := fmt.Sprintf("/subscriptions/%s/providers/%s/locations/%s/%s", id.Subscription, id.Namespace, op.Location, segment)
	switch {
	case id.isResourceGroup():
		path = fmt.Sprintf("/subscriptions/%s/%s", id.Subscription, segment)
	case t.protocol.inGroup:
		path = fmt.Sprintf("%s/providers/%s/%s", id.groupPath(), id.Namespace, segment)
	case t.protocol.below:
		path = op.ResourceID + "/" + segment
	}
	return fmt.Sprintf("%s%s/%s?api-version=%s", s.endpointOf(id.Subscription), path, op.ID, version)
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "" // it was made from parts that are in an URL already
	}
	return u.Path
}

func (s *Service) setOperationHeaders(h http.Header, op *Operation, a answer) {
	p := s.types.lookup(op.ResourceType).protocol
	if a.asyncOperation {
		h.Set("Azure-AsyncOperation", s.operationURL(op, p.operations))
	}
	if a.location {
		segment := p.results
		if segment == "" {
			segment = p.operations
		}
		h.Set("Location", s.operationURL(op, segment))
	}
	s.setRetryAfter(h, a.retryAfter)
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
func (p protocol) retryAfterOf(kind change, number int) int {
	polls := p.polls[kind]
	if len(polls) == 0 {
		return p.pollRetryAfter
	}
	return polls[min(max(number-1, 0), len(polls)-1)]
}

// poll answers a GET on one of an operation's URLs.
func (s *Service) poll(w http.ResponseWriter, op *Operation, segment string) error {
	t := s.types.lookup(op.ResourceType)
	if op.running() {
		op.Polls++
		if err := s.operations.put(op); err != nil {
			return err
		}
		s.setRetryAfter(w.Header(), t.protocol.retryAfterOf(op.Change, op.Polls))
	}
	if segment == t.protocol.operations {
		code := http.StatusOK
		if op.running() && t.protocol.pollAccepted {
			code = http.StatusAccepted
			s.setOperationHeaders(w.Header(), op, t.protocol.create)
		}
		writeJSON(w, code, s.status(op, t))
		return nil
	}
	s.pollResult(w, op, t, segment)
	return nil
}

// status is the body of an Azure-AsyncOperation poll.
func (s *Service) status(op *Operation, t *resourceType) map[string]any {
	now := s.clock.Now()
	body := map[string]any{fieldStatus: op.statusAt(now)}
	if op.Fail != nil && !op.running() {
		body["error"] = op.Fail.inner()
	}
	if r := s.store.get(op.ResourceID); t.protocol.pollOutput && r != nil && !op.running() && op.Fail == nil && op.Change != remove {
		body["properties"] = map[string]any{"output": s.show(r, t, op.APIVersion)}
	}
	switch t.protocol.poll {
	case pollDetailed, pollComplete:
		if t.protocol.poll == pollComplete {
			body["id"] = pathOf(s.operationURL(op, t.protocol.operations))
		}
		body["name"] = op.ID
		body["startTime"] = op.Started.UTC().Format(time.RFC3339Nano)
		if !op.running() {
			body["endTime"] = op.Due.UTC().Format(time.RFC3339Nano)
		}
	case pollIdentified:
		body["id"] = pathOf(s.operationURL(op, t.protocol.operations))
		body["name"] = op.ID
	case pollStatusOnly:
	}
	return body
}

// pollResult answers a poll of the Location header: 202 until the operation has ended, then its result.
func (s *Service) pollResult(w http.ResponseWriter, op *Operation, t *resourceType, segment string) {
	switch {
	case op.running():
		w.Header().Set("Location", s.operationURL(op, segment))
		w.WriteHeader(http.StatusAccepted)
	case op.Fail != nil:
		WriteError(w, &Error{Status: max(op.Fail.Status, http.StatusBadRequest), Code: op.Fail.Code, Message: op.Fail.Message})
	case op.Change == remove:
		w.WriteHeader(http.StatusOK)
	default:
		r := s.store.get(op.ResourceID)
		if r == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		writeJSON(w, http.StatusOK, s.show(r, t, op.APIVersion))
	}
}
