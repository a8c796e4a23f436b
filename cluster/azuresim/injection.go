package azuresim

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/arm"
)

// injectFault does what the fault says that the request meets. It tells whether the request is answered with that, and
// returns the request to go on with otherwise.
func (s *Simulator) injectFault(w *recorder, r *http.Request, kind hostKind) (*http.Request, bool) {
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
	case fault.LoseAnswer || fault.Truncate:
		s.cutAnswer(w, r, kind, fault)
	case fault.Drop:
		cut()
	case fault.Malformed:
		writeMalformed(w, fault)
		return r, true
	}
	if course, other := courseOf(fault); other {
		return r.WithContext(arm.WithCourse(r.Context(), course)), false
	}
	if fault.Status != 0 {
		s.writeFault(w, r, kind, fault)
		return r, true
	}
	return r, false
}

// courseOf returns how the operation goes that a request with the fault starts, and whether that is other than usual.
func courseOf(fault *admin.Fault) (arm.Course, bool) {
	course := arm.Course{Longer: fault.ProlongOperation, Lost: fault.LoseOperation}
	if fault.FailOperation {
		course.Fail = &arm.Error{Status: fault.Status, Code: fault.Code, Message: fault.Message}
	}
	return course, course != arm.Course{}
}

// writeFault answers with an error in the form of the service that is asked.
func (s *Simulator) writeFault(w http.ResponseWriter, r *http.Request, kind hostKind, fault *admin.Fault) {
	if kind == entraHost {
		setRetryAfter(w, fault)
		s.Directory.Refuse(w, r, fault.Status, fault.Code, fault.Message)
		return
	}
	arm.WriteError(w, &arm.Error{Status: fault.Status, Code: fault.Code, Message: fault.Message, RetryAfter: fault.RetryAfter})
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

// cut closes the connection, which is how net/http has a handler do it. It does not return.
func cut() { panic(http.ErrAbortHandler) }

// cutAnswer does what is asked, and closes the connection before the answer, or in the middle of it. An API server's answers may have
// no end, so that nothing of those is sent, or done.
func (s *Simulator) cutAnswer(w *recorder, r *http.Request, kind hostKind, fault *admin.Fault) {
	if kind == workloadHost {
		cut()
	}
	answer := &withheld{header: http.Header{}, status: http.StatusOK}
	s.serve(answer, r, kind)
	w.entry.Status = answer.status
	if fault.Truncate && answer.body.Len() > 0 {
		maps.Copy(w.Header(), answer.header)
		w.Header().Set("Content-Length", strconv.Itoa(answer.body.Len()))
		w.WriteHeader(answer.status)
		_, _ = w.Write(answer.body.Bytes()[:answer.body.Len()/2]) // a client that went away needs no answer
		_ = http.NewResponseController(w).Flush()
	}
	cut()
}

// withheld is an answer that is not sent yet.
type withheld struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *withheld) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *withheld) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *withheld) Write(b []byte) (int, error) { return w.body.Write(b) }

func setRetryAfter(w http.ResponseWriter, fault *admin.Fault) {
	if fault.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter))
	}
}

func writeMalformed(w http.ResponseWriter, fault *admin.Fault) {
	setRetryAfter(w, fault)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	status := fault.Status
	if status == 0 {
		status = http.StatusOK
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"id": "/subscriptions/`) // a client that went away needs no answer
}
