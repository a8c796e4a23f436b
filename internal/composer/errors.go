package composer

import (
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
)

// What goes wrong with a composition is one of three: it is pending, blocked, or fatal, as any other error is.

// ErrPending says that the request lacks an object that the composer has just asked for.
var ErrPending = errors.New("a required object has not been read yet")

// A Blocked error is what keeps a composite resource, or one resource of it, from being composed as its spec says. What exists
// stays as it is meanwhile.
type Blocked struct {
	// Reason is the CamelCase reason of the condition and of status.resources.
	Reason string
	// Message names the field, the value found, the value required and why.
	Message string
}

func (b *Blocked) Error() string { return b.Message }

// Blockedf returns a Blocked error with a formatted message.
func Blockedf(reason, format string, args ...any) *Blocked {
	return &Blocked{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// A FatalError stops everything: nothing is applied and nothing is deleted. Its conditions explain why.
type FatalError struct {
	Err        error
	Conditions []Condition
}

func (e *FatalError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *FatalError) Unwrap() error { return e.Err }

// Reasons of Blocked errors, and of waiting.
const (
	ReasonInvalidResource    = v1beta1.ReasonInvalidResource
	ReasonInvalidField       = v1beta1.ReasonInvalidField
	ReasonRefused            = v1beta1.ReasonRefused
	ReasonDuplicateResource  = v1beta1.ReasonDuplicateResource
	ReasonIncompatibleValue  = v1beta1.ReasonIncompatibleValue
	ReasonImmutableField     = v1beta1.ReasonImmutableField
	ReasonKindNotInstalled   = v1beta1.ReasonKindNotInstalled
	ReasonReplicasManagedBy  = v1beta1.ReasonReplicasManagedBy
	ReasonGone               = v1beta1.ReasonGone
	ReasonControlledByOther  = v1beta1.ReasonControlledByOther
	ReasonUnsupportedSize    = v1beta1.ReasonUnsupportedSize
	ReasonWaitingForResource = "WaitingForResource"
	ReasonPaused             = "Paused"
	ReasonDeleting           = "Deleting"
)
