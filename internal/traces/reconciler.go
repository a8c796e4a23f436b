package traces

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// The results of a reconcile, called as in controller-runtime's metrics.
const (
	resultSuccess = "success"
	resultLater   = "requeue_after"
	resultError   = "error"
)

// Reconciler returns a reconciler that has a span for each call of the given one. name is that of its controller, and kind that of the objects it is
// called for.
func Reconciler(name, kind string, inner reconcile.Reconciler) reconcile.Reconciler {
	title := "reconcile " + name
	return reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		t := tracer.Load()
		if t == nil {
			return inner.Reconcile(ctx, req)
		}
		ctx, span := (*t).Start(ctx, title, trace.WithAttributes(object(kind, req.Namespace, req.Name)...), trace.WithAttributes(
			AttributeController.String(name), AttributeReconcileID.String(string(controller.ReconcileIDFromContext(ctx)))))
		defer span.End()
		result, err := inner.Reconcile(ctx, req)
		span.SetAttributes(AttributeResult.String(resultOf(result, err)))
		if err != nil {
			fail(span, err.Error())
		}
		return result, err
	})
}

func resultOf(result reconcile.Result, err error) string {
	switch {
	case err != nil:
		return resultError
	case result.RequeueAfter > 0:
		return resultLater
	}
	return resultSuccess
}
