package journal

import (
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// Manager returns a manager whose recorders of Events log each.
func Manager(mgr manager.Manager) manager.Manager { return loggingManager{mgr} }

type loggingManager struct{ manager.Manager }

// GetEventRecorder implements manager.Manager.
func (m loggingManager) GetEventRecorder(name string) events.EventRecorder {
	return &loggingRecorder{EventRecorder: m.Manager.GetEventRecorder(name), client: m.GetClient(), log: m.GetLogger()}
}

type loggingRecorder struct {
	events.EventRecorder

	client client.Client
	log    logr.Logger
}

// Eventf implements events.EventRecorder.
func (r *loggingRecorder) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	if obj, ok := regarding.(client.Object); ok {
		r.log.Info("Reported", append(about(r.client, obj), "type", kind, "reason", reason, "note", fmt.Sprintf(note, args...))...)
	}
	r.EventRecorder.Eventf(regarding, related, kind, reason, action, note, args...)
}
