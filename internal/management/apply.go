package management

import (
	"context"
	"errors"
	"fmt"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
)

// An Applier asks a cluster what it would make of manifests, without changing anything.
type Applier struct {
	*Reader
	// ServerSide is for those who use kubectl apply --server-side, under the name of Manager; Force takes fields from other managers.
	ServerSide, Force bool
	Manager           string
}

// ErrNotAsked is the error for a manifest that the cluster could not be asked about. It comes with the object as it would be but for defaults.
var ErrNotAsked = errors.New("the cluster could not be asked")

// A RefusedError is the answer of a cluster that does not take a manifest.
type RefusedError struct{ Messages []string }

func (e *RefusedError) Error() string { return strings.Join(e.Messages, "; ") }

// Apply returns a manifest as the cluster would have it.
func (a *Applier) Apply(ctx context.Context, manifest *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	client, err := a.resource(manifest.GroupVersionKind(), manifest.GetNamespace())
	if err != nil {
		return nil, err
	}
	if client == nil {
		return manifest.DeepCopy(), fmt.Errorf("%w: it has no kind %s of %s", ErrNotAsked, manifest.GetKind(), manifest.GetAPIVersion())
	}
	live, err := a.Get(ctx, manifest.GroupVersionKind(), manifest.GetNamespace(), manifest.GetName())
	if err != nil {
		return nil, err
	}
	dry := []string{metav1.DryRunAll}
	switch {
	case a.ServerSide:
		raw, err := manifest.MarshalJSON()
		if err != nil {
			return nil, err
		}
		options := metav1.PatchOptions{DryRun: dry, FieldManager: a.Manager, FieldValidation: metav1.FieldValidationStrict, Force: &a.Force}
		after, err := client.Patch(ctx, manifest.GetName(), types.ApplyPatchType, raw, options)
		return answer(after, live, manifest, nil, err)
	case live == nil:
		after, err := client.Create(ctx, manifest.DeepCopy(), metav1.CreateOptions{DryRun: dry, FieldValidation: metav1.FieldValidationStrict})
		return answer(after, live, manifest, nil, err)
	}
	patch, err := threeWay(manifest, live)
	if err != nil {
		return nil, err
	}
	after, err := client.Patch(ctx, manifest.GetName(), types.MergePatchType, patch, metav1.PatchOptions{DryRun: dry, FieldValidation: metav1.FieldValidationStrict})
	return answer(after, live, manifest, patch, err)
}

// answer turns what the cluster says of a dry run into the object that it would have.
func answer(after, live, manifest *unstructured.Unstructured, patch []byte, err error) (*unstructured.Unstructured, error) {
	status := apierrors.APIStatus(nil)
	switch {
	case err == nil:
		if live == nil {
			after.SetUID("") // It is a new one each time.
		}
		return after, nil
	case live == nil && apierrors.IsNotFound(err), apierrors.IsForbidden(err) && strings.Contains(err.Error(), " cannot "):
		merged, mergeErr := merged(manifest, live, patch)
		if mergeErr != nil {
			return nil, mergeErr
		}
		return merged, fmt.Errorf("%w: %w", ErrNotAsked, err)
	case errors.As(err, &status) && (apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) || apierrors.IsConflict(err)):
		return nil, &RefusedError{Messages: messagesOf(status.Status())}
	}
	return nil, fmt.Errorf("cannot ask the cluster about %s %s: %w", manifest.GetKind(), manifest.GetName(), err)
}

// messagesOf returns what is wrong, one by one.
func messagesOf(status metav1.Status) []string {
	var messages []string
	if status.Reason == metav1.StatusReasonInvalid && status.Details != nil {
		for _, cause := range status.Details.Causes {
			messages = append(messages, strings.TrimPrefix(cause.Field+": "+cause.Message, ": "))
		}
	}
	if len(messages) == 0 {
		messages = append(messages, status.Message)
	}
	return messages
}

// threeWay returns the patch that kubectl apply sends for a custom resource: what was applied last and is in the manifest no more goes.
func threeWay(manifest, live *unstructured.Unstructured) ([]byte, error) {
	modified, err := applied(manifest)
	if err != nil {
		return nil, err
	}
	current, err := live.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return jsonmergepatch.CreateThreeWayJSONMergePatch([]byte(live.GetAnnotations()[corev1.LastAppliedConfigAnnotation]), modified, current)
}

// applied returns a manifest with the annotation that kubectl apply writes.
func applied(manifest *unstructured.Unstructured) ([]byte, error) {
	o := manifest.DeepCopy()
	annotations := o.GetAnnotations()
	delete(annotations, corev1.LastAppliedConfigAnnotation)
	o.SetAnnotations(annotations)
	raw, err := o.MarshalJSON()
	if err != nil {
		return nil, err
	}
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[corev1.LastAppliedConfigAnnotation] = string(raw)
	o.SetAnnotations(annotations)
	return o.MarshalJSON()
}

// merged does what the cluster would, but for defaults.
func merged(manifest, live *unstructured.Unstructured, patch []byte) (*unstructured.Unstructured, error) {
	if live == nil {
		return manifest.DeepCopy(), nil
	}
	if patch == nil {
		var err error
		if patch, err = threeWay(manifest, live); err != nil {
			return nil, err
		}
	}
	current, err := live.MarshalJSON()
	if err != nil {
		return nil, err
	}
	raw, err := jsonpatch.MergePatch(current, patch)
	if err != nil {
		return nil, err
	}
	after := &unstructured.Unstructured{}
	return after, after.UnmarshalJSON(raw)
}
