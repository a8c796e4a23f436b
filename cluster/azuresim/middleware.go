package azuresim

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/requestlog"
)

// maxLoggedBody is how much of a request's body is kept to be recorded; longer ones are left out.
const maxLoggedBody = 1 << 20

// recorder notes the status of an answer.
type recorder struct {
	http.ResponseWriter
	request *http.Request
	entry   admin.Request
	log     *requestlog.Log
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter {
	return w.ResponseWriter
}

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	if w.entry.Status == 0 {
		w.entry.Status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(b []byte) (int, error) {
	if w.entry.Status == 0 {
		w.entry.Status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

func (s *Simulator) record(w http.ResponseWriter, r *http.Request) *recorder {
	rec := &recorder{ResponseWriter: w, request: r, log: s.log, entry: admin.Request{
		Time:       s.clock.Now(),
		Method:     r.Method,
		Host:       strings.ToLower(strings.TrimSuffix(r.Host, ":443")),
		Path:       r.URL.Path,
		Query:      r.URL.RawQuery,
		APIVersion: r.URL.Query().Get("api-version"),
		UserAgent:  r.UserAgent(),
	}}
	rec.entry.TenantID, rec.entry.ClientID = applicationOf(r)
	if kindOf(r.Host) == armHost && r.ContentLength > 0 && r.ContentLength < maxLoggedBody {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			rec.entry.Body = requestlog.Redact(body)
		}
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), errorReader{err}))
	}
	if r.Method == http.MethodPut || r.Method == http.MethodPatch {
		rec.request = r.WithContext(arm.WithChange(r.Context(), &rec.entry.Changes))
	}
	return rec
}

// errorReader repeats the error that ended a body early.
type errorReader struct {
	err error
}

func (r errorReader) Read([]byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	return 0, io.EOF
}

// finish records the request; one that cannot be written to the file is still in memory.
func (w *recorder) finish(report func(error)) {
	w.entry.Changed = len(w.entry.Changes) > 0
	if err := w.log.Add(w.entry); err != nil {
		report(err)
	}
}

// injectFault does what the fault says that the request meets. It tells whether the request is answered with that, and
// returns the request to go on with otherwise.
func (s *Simulator) injectFault(w *recorder, r *http.Request) (*http.Request, bool) {
	fault, err := s.faults.Take(r)
	if err != nil {
		arm.WriteError(w, &arm.Error{Status: http.StatusInternalServerError, Code: "InternalServerError", Message: err.Error()})
		return r, true
	}
	if fault == nil {
		return r, false
	}
	w.entry.Fault = fault.Name
	if fault.Delay > 0 && !sleep(r, fault.Delay) {
		return r, true
	}
	switch {
	case fault.FailOperation:
		fail := &arm.Error{Status: fault.Status, Code: fault.Code, Message: fault.Message}
		return r.WithContext(arm.WithFailingOperation(r.Context(), fail)), false
	case fault.Drop:
		panic(http.ErrAbortHandler) // how net/http cuts a connection without an answer
	case fault.Malformed:
		writeMalformed(w, fault)
		return r, true
	case fault.Status != 0:
		arm.WriteError(w, &arm.Error{Status: fault.Status, Code: fault.Code, Message: fault.Message, RetryAfter: fault.RetryAfter})
		return r, true
	}
	return r, false
}

func sleep(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

func writeMalformed(w http.ResponseWriter, fault *admin.Fault) {
	if fault.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	status := fault.Status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"id": "/subscriptions/`) // a client that went away needs no answer
}
