package azuresim

import (
	"bytes"
	"io"
	"net/http"
	"strings"

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
