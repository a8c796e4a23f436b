// Package why finds out why an object is not ready: it walks from a Cluster, or from what belongs to one, to the root cause, and knows the
// next step. It only reads, with the rights of whoever asks, and of Secrets nothing but the metadata.
package why

import (
	"context"
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crossplane-capz/crossplane-capz/internal/remedy"
)

// ErrNotServed is the error of a Reader for a kind that the cluster does not serve.
var ErrNotServed = errors.New("the cluster does not serve this kind")

// A Reader reads a management cluster. An empty version stands for the one that the cluster prefers. Errors of rights are those of the API server
// (apierrors.IsForbidden).
type Reader interface {
	// Get returns an object; nil when there is none.
	Get(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error)
	// Metadata returns an object with nothing but its metadata; nil when there is none.
	Metadata(ctx context.Context, gvk schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error)
	// List returns the objects of a kind that have the labels.
	List(ctx context.Context, gvk schema.GroupVersionKind, namespace, selector string) ([]*unstructured.Unstructured, error)
}

// An Object names an object.
type Object struct {
	Group     string `json:"group,omitempty"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

func (o Object) String() string { return o.Kind + " " + o.Name }

// A Saying is what is said of an object that is not as it should be.
type Saying struct {
	// Condition is the type of the condition, or what else says it: an Event, an annotation, status.resources. It is empty for what was found by
	// looking.
	Condition string `json:"condition,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"`

	// waiting is true for ordinary progress, whatever the reason; own for what is not a consequence of what the object consists of.
	waiting, own bool
	// told is true when something else tells it better.
	told bool
}

// A Link is an object in the chain from the one that was asked about to the causes.
type Link struct {
	Object Object   `json:"object"`
	Says   []Saying `json:"says,omitempty"`
	// Seen is true when the object is in the chain before, with all that it has.
	Seen    bool    `json:"seen,omitempty"`
	Because []*Link `json:"because,omitempty"`
}

// A Cause is a root cause and what to do about it.
type Cause struct {
	Object    Object `json:"object"`
	Condition string `json:"condition,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"`
	// Next is the next step.
	Next string `json:"next"`
}

// An Answer says why an object is not ready.
type Answer struct {
	Object Object `json:"object"`
	// Ready is true when nothing is wrong.
	Ready bool `json:"ready"`
	// Waiting is true when all causes are ordinary progress.
	Waiting bool `json:"waiting,omitempty"`
	// Chain leads from the object to the causes; it has only what is not ready.
	Chain *Link `json:"chain,omitempty"`
	// Causes are the root causes. Ordinary progress is among them only if there is nothing else.
	Causes []Cause `json:"causes,omitempty"`
	// Notes are about what could not be looked at, although it need not be wrong.
	Notes []string `json:"notes,omitempty"`
}

// Of returns why an object is not ready.
func Of(ctx context.Context, reader Reader, obj *unstructured.Unstructured) (*Answer, error) {
	w := &walk{ctx: ctx, reader: reader, links: map[Object]*Link{}, begun: map[Object]bool{}}
	answer := &Answer{Object: objectOf(obj)}
	answer.Chain = w.object(obj)
	if answer.Chain != nil {
		w.lookUp(obj, answer.Chain)
		w.installation(answer.Chain)
	}
	if w.err != nil {
		return nil, w.err
	}
	answer.Ready, answer.Notes = answer.Chain == nil, w.notes
	answer.Causes, answer.Waiting = causesOf(answer.Chain)
	return answer, nil
}

// causesOf returns the root causes of a chain, and whether all are ordinary progress.
func causesOf(chain *Link) (causes []Cause, waiting bool) {
	var progress []Cause
	chain.each(func(l *Link) {
		for _, s := range l.Says {
			if s.told || !s.own && !l.isRoot() {
				continue
			}
			r := s.remedy()
			cause := Cause{Object: l.Object, Condition: s.Condition, Reason: s.Reason, Message: s.Message, Next: r.Step}
			if r.Waiting {
				progress = append(progress, cause)
			} else {
				causes = append(causes, cause)
			}
		}
	})
	if len(causes) > 0 {
		return causes, false
	}
	return progress, len(progress) > 0
}

func (s Saying) remedy() remedy.Remedy {
	r := remedy.Of(s.Reason, s.Message)
	r.Waiting = r.Waiting || s.waiting
	return r
}

// isRoot reports whether there is nothing behind what is said of the object.
func (l *Link) isRoot() bool { return len(l.Because) == 0 && !l.Seen }

// each does something with a link and all behind it.
func (l *Link) each(do func(*Link)) {
	if l == nil {
		return
	}
	do(l)
	for _, b := range l.Because {
		b.each(do)
	}
}

// add puts links behind this one; those that are nil are left out.
func (l *Link) add(links ...*Link) {
	for _, b := range links {
		if b != nil && !slices.ContainsFunc(l.Because, func(other *Link) bool { return other.Object == b.Object }) {
			l.Because = append(l.Because, b)
		}
	}
}

// orNil returns the link unless nothing is said in it or behind it.
func (l *Link) orNil() *Link {
	if len(l.Says) == 0 && len(l.Because) == 0 {
		return nil
	}
	return l
}

func objectOf(obj *unstructured.Unstructured) Object {
	return Object{Group: obj.GroupVersionKind().Group, Kind: obj.GetKind(), Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// MayNotRead is the answer for an object that whoever asks may not read, as the API server has said.
func MayNotRead(gvk schema.GroupVersionKind, namespace, name string, forbidden error) *Answer {
	o := Object{Group: gvk.Group, Kind: gvk.Kind, Namespace: namespace, Name: name}
	answer := &Answer{Object: o, Chain: (&walk{}).unread(o, false, forbidden)}
	answer.Causes, answer.Waiting = causesOf(answer.Chain)
	return answer
}
