// Package composer holds what all composers share: the request that they read, the result that they give, and the
// rules of composing Azure Service Operator (ASO) objects so that nothing that exists is dropped by accident.
package composer

import (
	"fmt"
	"maps"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
	"github.com/crossplane/function-sdk-go/resource"
	"github.com/crossplane/function-sdk-go/resource/composed"
	"github.com/crossplane/function-sdk-go/response"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// settledTTL is how long a result stands when watches say nothing: a safety net, as Crossplane's circuit
	// breaker may drop events.
	settledTTL = time.Hour
	// unwatchedTTL is used while something is awaited that Crossplane does not watch, such as a missing CRD, and while its
	// circuit breaker drops events: as often as it lets one through.
	unwatchedTTL = 30 * time.Second
)

// A Composer decides which ASO objects a composite resource consists of. It is pure: the same request gives the same
// result, whatever the time and whatever was asked before.
type Composer interface {
	// Compose returns the desired state, or an error when it cannot be known.
	// ErrPending asks to be called again with the objects that were looked up in req and were not there yet.
	// Blocked leaves what exists as it is and shows why; the status of the result is shown with it, if there is one.
	// Any other error stops everything: nothing is applied and nothing is deleted.
	Compose(req *Request) (*Result, error)
}

// A Result is what a composer wants to be true.
type Result struct {
	// Composed are the desired ASO objects by composition resource name.
	Composed map[string]Composed
	// Ready is whether the composite resource as a whole is.
	Ready bool
	// Incomplete is true when an object of the spec is not among Composed.
	Incomplete bool
	// Unwatched is true when something is awaited whose arrival Crossplane does not see.
	Unwatched bool
	// Status is the whole status of the composite resource but for Crossplane's own conditions.
	Status map[string]any
	// Conditions are shown in status.conditions too, where people look first.
	Conditions []Condition
}

// Composed is one desired ASO object.
type Composed struct {
	Object *unstructured.Unstructured
	Ready  bool
	// Source is the field of the composite resource that asks for it, such as spec.resources[0]; empty where no single one does.
	Source string
}

// Run answers req with what c makes of it.
func Run(req *fnv1.RunFunctionRequest, c Composer) *fnv1.RunFunctionResponse {
	rsp := response.To(req, settledTTL)
	rsp.Desired = proto.CloneOf(req.GetDesired())
	in, err := NewRequest(req)
	if err != nil {
		fatal(rsp, err)
		return rsp
	}
	if !in.responsive() {
		rsp.Meta.Ttl = durationpb.New(unwatchedTTL)
	}
	result, err := compose(in, c)
	rsp.Requirements = in.asked
	blocked := &Blocked{}
	switch {
	case errors.Is(err, ErrPending), in.knows.unsure:
		return rsp
	case errors.As(err, &blocked):
		result, err = refuse(in, result, blocked)
	}
	if err != nil {
		stop(rsp, err)
		return rsp
	}
	if err := answer(rsp, in, result); err != nil {
		fatal(rsp, err)
	}
	return rsp
}

// Sources returns which field of the composite resource asks for each composed object that is the answer to req, by composition resource
// name; nothing where there is no answer.
func Sources(req *fnv1.RunFunctionRequest, c Composer) map[string]string {
	in, err := NewRequest(req)
	if err != nil {
		return nil
	}
	result, err := compose(in, c)
	if err != nil || result == nil {
		return nil
	}
	sources := map[string]string{}
	for name, composed := range result.Composed {
		sources[name] = composed.Source
	}
	return sources
}

// compose turns a panic into an error: an input that nobody thought of must not take down every other composite.
func compose(in *Request, c Composer) (result *Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.Errorf("composing %s %s: internal error: %v", in.XR.GetKind(), in.XR.GetName(), r)
		}
	}()
	return c.Compose(in)
}

// refuse answers for a composite that cannot be composed at all. What exists stays as it is: nothing may be dropped because an
// owner or a reference went away.
func refuse(in *Request, result *Result, blocked *Blocked) (*Result, error) {
	conditions := []Condition{
		False(ConditionReady, blocked.Reason, blocked.Message),
		False(ConditionResourcesReady, blocked.Reason, blocked.Message),
	}
	if len(in.Observed) > 0 {
		return nil, &FatalError{Err: blocked, Conditions: conditions[1:]}
	}
	status := map[string]any{}
	if result != nil {
		status = result.Status
	}
	SetConditions(in, status, conditions)
	return &Result{Incomplete: true, Status: status, Conditions: conditions[1:]}, nil
}

func stop(rsp *fnv1.RunFunctionResponse, err error) {
	stopped := &FatalError{}
	if errors.As(err, &stopped) {
		for _, c := range stopped.Conditions {
			c.addTo(rsp)
		}
	}
	fatal(rsp, err)
}

// setStatus adds a status to what earlier functions of the pipeline want of the composite resource.
func setStatus(desired *fnv1.State, xr *unstructured.Unstructured, status map[string]any) error {
	s, err := structpb.NewStruct(status)
	if err != nil {
		return err
	}
	if desired.Composite == nil {
		desired.Composite = &fnv1.Resource{}
	}
	if desired.Composite.Resource == nil {
		desired.Composite.Resource = &structpb.Struct{}
	}
	if desired.Composite.Resource.Fields == nil {
		desired.Composite.Resource.Fields = map[string]*structpb.Value{}
	}
	fields := desired.Composite.Resource.Fields
	fields["apiVersion"], fields["kind"] = structpb.NewStringValue(xr.GetAPIVersion()), structpb.NewStringValue(xr.GetKind())
	if earlier := fields["status"].GetStructValue().GetFields(); len(earlier) > 0 {
		maps.Copy(earlier, s.Fields)
		return nil
	}
	fields["status"] = structpb.NewStructValue(s)
	return nil
}

func answer(rsp *fnv1.RunFunctionResponse, in *Request, result *Result) error {
	desired := map[resource.Name]*resource.DesiredComposed{}
	for name, c := range result.Composed {
		ready := resource.ReadyFalse
		if c.Ready {
			ready = resource.ReadyTrue
		}
		desired[resource.Name(name)] = &resource.DesiredComposed{
			Resource: &composed.Unstructured{Unstructured: *c.Object},
			Ready:    ready,
		}
	}
	if err := response.SetDesiredComposedResources(rsp, desired); err != nil {
		return fmt.Errorf("cannot return the composed resources: %w", err)
	}
	if err := setStatus(rsp.GetDesired(), in.XR, result.Status); err != nil {
		return fmt.Errorf("cannot return the status: %w", err)
	}
	if result.Incomplete || !result.Ready {
		rsp.Desired.Composite.Ready = fnv1.Ready_READY_FALSE
	}
	for _, c := range result.Conditions {
		c.addTo(rsp)
	}
	if result.Unwatched {
		rsp.Meta.Ttl = durationpb.New(unwatchedTTL)
	}
	return nil
}
