package machines

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// How long to wait between tries of what Azure refuses in passing.
const (
	firstDelay   = 10 * time.Second
	longestDelay = 5 * time.Minute
)

// passing are the codes of refusals after which the same request may be taken although nothing about it has changed (Azure documentation,
// "Resolve errors", and "Allocation failed").
var passing = []string{
	"AnotherOperationInProgress", "Conflict", "RetryableError", "ReferencedResourceNotProvisioned", "ResourceNotProvisioned", "OperationPreempted",
	"AllocationFailed", "ZonalAllocationFailed", "OverconstrainedAllocationRequest", "OverconstrainedZonalAllocationRequest",
	"InternalServerError", "InternalExecutionError", "NetworkingInternalOperationError", "TooManyRequests", "SubscriptionRequestsThrottled",
	"ScopeLocked",
}

// Passes reports whether the refusal of a request may pass, so that it is sent again.
//
// Codes of a quota, a size or an image stay: somebody has to change what is asked for, or what the subscription may have, and Cluster API
// makes another machine then. Without the rights, or a credential that is taken, Azure has not looked at the request at all.
func (a *Answer) Passes() bool {
	switch a.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return a.Code != "RequestDisallowedByPolicy"
	}
	return a.Status >= http.StatusInternalServerError || slices.ContainsFunc(passing, func(code string) bool { return strings.EqualFold(code, a.Code) })
}

// failedForGood returns Azure's answer of an operation that has failed; nil when the error is none.
func failedForGood(err error) *Answer {
	var a *Answer
	if errors.As(err, &a) && a.Status == http.StatusOK {
		return a
	}
	return nil
}

// delay returns how long to wait after so many refusals.
func delay(count int) time.Duration {
	wait := firstDelay
	for range count {
		wait = min(2*wait, longestDelay)
	}
	return wait
}
