package contract

import (
	"runtime"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

const (
	// tick is how often a queue of controller-runtime says in its metrics what is unfinished, beginning when it is made.
	tick = 500 * time.Millisecond
	// lateness is how much longer than asked a sleep of a process at rest may be: the Go runtime then waits in whole milliseconds.
	lateness = 2 * time.Millisecond
)

// origin is what the queues of all controllers are in step with.
var origin = time.Now()

// queueInStep returns what makes the queue of a controller a whole number of ticks after origin, for which it calls wait. Controllers begin
// when the kinds that they watch are served; each would have the process wake for itself twice a second, for nothing but a metric.
func queueInStep(
	origin time.Time, wait func(until time.Time),
) func(string, workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
	return func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
		now := time.Now()
		wait(now.Add(tick - now.Sub(origin)%tick))
		return priorityqueue.New(name, func(o *priorityqueue.Opts[ctrl.Request]) {
			o.RateLimiter = limiter
			o.Log = ctrl.Log.WithValues("controller", name)
		})
	}
}

// waitExactly waits until a time, and to the microsecond: queues that begin a millisecond apart wake the process one after the other.
func waitExactly(until time.Time) {
	time.Sleep(time.Until(until) - lateness)
	for time.Now().Before(until) {
		runtime.Gosched()
	}
}
