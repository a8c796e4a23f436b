package journal

import (
	"context"
	"net/http"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Webhooks returns a server whose admission webhooks log each request that they refuse.
func Webhooks(server webhook.Server) webhook.Server { return loggingServer{server} }

type loggingServer struct{ webhook.Server }

// Register implements webhook.Server.
func (s loggingServer) Register(path string, hook http.Handler) {
	if served, ok := hook.(*webhook.Admission); ok {
		served.Handler = logsRefusals(served.Handler)
	}
	s.Server.Register(path, hook)
}

// logsRefusals returns a handler that answers as another, and logs what that refuses. Its message is what the user is told; the logger of a webhook has
// who that is.
func logsRefusals(handler admission.Handler) admission.Handler {
	return admission.HandlerFunc(func(ctx context.Context, req admission.Request) admission.Response {
		answer := handler.Handle(ctx, req)
		if !answer.Allowed && answer.Result != nil {
			ctrl.LoggerFrom(ctx).Info("Refused", "operation", req.Operation, "kind", req.Kind.Kind, "object", req.Namespace+"/"+req.Name,
				"message", answer.Result.Message)
		}
		return answer
	})
}
