package arm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// Detailed has an error write an empty list of details, as the network provider does.
func Detailed(e *Error) *Error {
	e.Details = []Detail{}
	return e
}

// Error is an answer other than success, with the status code and the error code that Azure gives it.
type Error struct {
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
	// RetryAfter is the value of that header in seconds; 0 sends none.
	RetryAfter int `json:"retryAfter,omitempty"`
	// Target is the field that the error is about, which some providers tell.
	Target string `json:"target,omitempty"`
	// Details are inner errors; an empty list is written, nil is not.
	Details []Detail `json:"details,omitzero"`
	// Subcode is set by Azure Kubernetes Service, whose error answers have no outer "error" field.
	Subcode string `json:"subcode,omitempty"`
	// AdditionalInfo writes an empty list of that name, as Kubernetes configuration does.
	AdditionalInfo bool `json:"additionalInfo,omitempty"`
}

// Detail is an inner error.
type Detail struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *Error) Error() string {
	return e.Code + ": " + e.Message
}

// inner is the error without what is around it.
func (e *Error) inner() map[string]any {
	inner := map[string]any{"code": e.Code, "message": e.Message}
	if e.Target != "" {
		inner["target"] = e.Target
	}
	if e.Details != nil {
		inner["details"] = e.Details
	}
	if e.AdditionalInfo {
		inner["additionalInfo"] = []any{}
	}
	return inner
}

func (e *Error) body() map[string]any {
	inner := e.inner()
	if e.Subcode != "" {
		inner["subcode"] = e.Subcode
		return inner
	}
	return map[string]any{"error": inner}
}

// WriteError answers with e.
func WriteError(w http.ResponseWriter, e *Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	WriteJSON(w, e.Status, e.body())
}

// WriteJSON answers a request with the body as JSON.
func WriteJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that went away needs no answer
}

// BadRequest returns the error 400 with a code and a message.
func BadRequest(code, format string, args ...any) *Error {
	return &Error{Status: http.StatusBadRequest, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Conflict returns the error 409 with a code and a message.
func Conflict(code, format string, args ...any) *Error {
	return &Error{Status: http.StatusConflict, Code: code, Message: fmt.Sprintf(format, args...)}
}

// NotFound returns the error 404 with a code and a message.
func NotFound(code, format string, args ...any) *Error {
	return &Error{Status: http.StatusNotFound, Code: code, Message: fmt.Sprintf(format, args...)}
}

func resourceGroupNotFound(name string) *Error {
	return NotFound("ResourceGroupNotFound", "Resource group '%s' could not be found.", name)
}

// ResourceNotFound returns the error that Azure answers with for a resource that does not exist.
func ResourceNotFound(id ID) *Error {
	return NotFound("ResourceNotFound",
		"The Resource '%s' under resource group '%s' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix",
		id.TypedName(), id.ResourceGroup)
}

// InternalError returns the error 500 for what went wrong in the simulator.
func InternalError(err error) *Error {
	return &Error{Status: http.StatusInternalServerError, Code: "InternalServerError", Message: err.Error()}
}
