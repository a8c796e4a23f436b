package gitops

import (
	"context"
	"fmt"

	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Flux has the health checks of a Kustomization.
type Flux struct {
	evaluators map[schema.GroupKind]*cel.StatusEvaluator
}

// NewFlux returns what Flux makes of spec.healthCheckExprs. It returns an error for two checks of one kind, as Flux does.
func NewFlux(checks []kustomize.CustomHealthCheck) (*Flux, error) {
	if _, err := cel.NewStatusReader(checks); err != nil {
		return nil, err
	}
	f := &Flux{evaluators: map[schema.GroupKind]*cel.StatusEvaluator{}}
	for _, c := range checks {
		evaluator, err := cel.NewStatusEvaluator(&c.HealthCheckExpressions)
		if err != nil {
			return nil, err
		}
		f.evaluators[schema.FromAPIVersionAndKind(c.APIVersion, c.Kind).GroupKind()] = evaluator
	}
	return f, nil
}

// Status returns what Flux says of an object: Current, InProgress or Failed; an error when the check of its kind fails, which Flux shows as Unknown,
// or there is none.
func (f *Flux) Status(ctx context.Context, u *unstructured.Unstructured) (string, error) {
	evaluator, ok := f.evaluators[u.GroupVersionKind().GroupKind()]
	if !ok {
		return "", fmt.Errorf("there is no check for %s", u.GroupVersionKind().GroupKind())
	}
	result, err := evaluator.Evaluate(ctx, u)
	if err != nil {
		return "", err
	}
	return string(result.Status), nil
}
