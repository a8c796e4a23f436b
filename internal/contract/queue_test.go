package contract

import (
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// TestQueueInStep says that queues wait for the next tick, whenever their controllers begin, and have what controllers need.
func TestQueueInStep(t *testing.T) {
	for name, ago := range map[string]time.Duration{
		"at the origin": 0, "between ticks": 123 * time.Millisecond, "just before a tick": 7*time.Second + 499*time.Millisecond, "later": time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			origin := time.Now().Add(-ago)
			var until time.Time
			newQueue := queueInStep(origin, func(at time.Time) { until = at })
			limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](time.Millisecond, time.Millisecond)
			begun := time.Now()
			queue := newQueue("test", limiter)
			defer queue.ShutDown()
			if until.Sub(origin)%tick != 0 || until.Before(begun) || until.After(time.Now().Add(tick)) {
				t.Errorf("begun %v after the origin, a queue waits until %v after it", begun.Sub(origin), until.Sub(origin))
			}
			if _, ok := queue.(priorityqueue.PriorityQueue[ctrl.Request]); !ok {
				t.Error("the queue knows no priorities")
			}
			first := ctrl.Request{NamespacedName: client.ObjectKey{Name: "first"}}
			queue.AddRateLimited(first)
			if got, _ := queue.Get(); got != first || limiter.NumRequeues(first) != 1 {
				t.Errorf("got %v, of which the rate limiter of the controller knows %d tries", got, limiter.NumRequeues(first))
			}
		})
	}
}

// TestWaitExactly says that no wait ends before its time.
func TestWaitExactly(t *testing.T) {
	for _, after := range []time.Duration{-time.Second, 0, time.Millisecond, 5 * time.Millisecond} {
		until := time.Now().Add(after)
		waitExactly(until)
		if time.Now().Before(until) {
			t.Errorf("the wait for %v ended before", after)
		}
	}
}
