package sides

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	webhookadmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/crossplane-capz/crossplane-capz/internal/admission"
)

// Requests answers requests for single objects as an API server with this project does: by schema, webhook of defaults and webhooks of rules.
type Requests struct {
	defaults *OurDefaults
	rules    map[string]*webhookadmission.Webhook
	asked    map[string]*asked
}

// NewRequests reads the packages of this project.
func NewRequests(root string) (*Requests, error) {
	r := &Requests{}
	var err error
	if r.defaults, err = NewOurDefaults(root); err != nil {
		return nil, err
	}
	served := &server{hooks: map[string]*webhookadmission.Webhook{}}
	(&admission.Rules{}).Register(served)
	r.rules = served.hooks
	r.asked, err = askedAt(root, slices.Collect(maps.Keys(served.hooks))...)
	return r, err
}

// A server keeps the webhooks that are registered with it.
type server struct {
	webhook.Server

	hooks map[string]*webhookadmission.Webhook
}

// Register implements webhook.Server.
func (s *server) Register(path string, hook http.Handler) {
	s.hooks[path], _ = hook.(*webhookadmission.Webhook)
}

// Request creates an object of a kind, by its plural, or with the object before changes it, and returns what the API server keeps. An error is a
// refusal.
func (r *Requests) Request(ctx context.Context, plural string, object, before map[string]any) (map[string]any, error) {
	kind := Kind{Plural: plural, Version: "v1beta1"}
	s, err := r.defaults.schema(kind)
	if err != nil {
		return nil, err
	}
	filled, err := r.defaults.Default(ctx, kind, object, before)
	if err != nil {
		return nil, err
	}
	if err := s.Validate(ctx, filled, before); err != nil {
		return nil, err
	}
	return filled, r.judge(ctx, plural, filled, before)
}

// Delete says why an object may not be deleted.
func (r *Requests) Delete(ctx context.Context, plural string, before map[string]any) error {
	return r.judge(ctx, plural, nil, before)
}

// judge asks the webhooks of rules that the API server asks.
func (r *Requests) judge(ctx context.Context, plural string, object, before map[string]any) error {
	var after, old *unstructured.Unstructured
	request := admissionv1.AdmissionRequest{Operation: admissionv1.Delete}
	var errs []error
	if before != nil {
		old = &unstructured.Unstructured{Object: before}
		request.OldObject.Raw = rawOf(old, &errs)
		request.Kind = metav1.GroupVersionKind(old.GroupVersionKind())
	}
	if object != nil {
		request.Operation = admissionv1.Create
		if before != nil {
			request.Operation = admissionv1.Update
		}
		after = &unstructured.Unstructured{Object: object}
		request.Object.Raw = rawOf(after, &errs)
		request.Kind = metav1.GroupVersionKind(after.GroupVersionKind())
	}
	for path, hook := range r.rules {
		asked, err := r.asked[path].about(ctx, plural, after, old)
		if err != nil {
			return err
		}
		if !asked {
			continue
		}
		if response := hook.Handler.Handle(ctx, webhookadmission.Request{AdmissionRequest: request}); !response.Allowed {
			errs = append(errs, errors.New(response.Result.Message))
		}
	}
	return errors.Join(errs...)
}

func rawOf(object *unstructured.Unstructured, errs *[]error) []byte {
	raw, err := json.Marshal(object.Object)
	if err != nil {
		*errs = append(*errs, err)
	}
	return raw
}
