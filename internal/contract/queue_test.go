package contract

import (
	"bytes"
	"runtime/pprof"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// TestQueueSleeps shows that nothing of a queue wakes the process when there is nothing to do, and what would: a queue with a name.
func TestQueueSleeps(t *testing.T) {
	awake := func() bool {
		var stacks bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(stacks.Bytes(), []byte("updateUnfinishedWorkLoop"))
	}
	q := newQueue("test", workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
	defer q.ShutDown()
	time.Sleep(10 * time.Millisecond) // Its goroutines begin.
	if awake() {
		t.Error("the queue brings its metrics up to date while nothing happens")
	}
	named := priorityqueue.New[ctrl.Request]("named")
	defer named.ShutDown()
	for range 100 {
		if awake() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("a queue with a name does not wake the process either: newQueue is not needed")
}

// TestQueueServesControllers shows that a queue has what controllers need, and that its depth is reported beside that of queues with a name.
func TestQueueServesControllers(t *testing.T) {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](time.Millisecond, time.Millisecond)
	newQueue("test", limiter).ShutDown()
	q := newQueue("test", limiter)
	defer q.ShutDown()
	if _, ok := q.(priorityqueue.PriorityQueue[ctrl.Request]); !ok {
		t.Error("the queue knows no priorities")
	}
	named := priorityqueue.New[ctrl.Request]("named")
	defer named.ShutDown()
	first, second := ctrl.Request{NamespacedName: client.ObjectKey{Name: "first"}}, ctrl.Request{NamespacedName: client.ObjectKey{Name: "second"}}
	named.Add(first)
	q.AddRateLimited(first)
	if got, _ := q.Get(); got != first || limiter.NumRequeues(first) != 1 {
		t.Errorf("got %v, of which the rate limiter of the controller knows %d tries", got, limiter.NumRequeues(first))
	}
	q.Add(second)
	if got := depthOf(t, "test"); got != 1 {
		t.Errorf("with a request that waits the depth is %v, want 1", got)
	}
	_, _ = q.Get()
	if got := depthOf(t, "test"); got != 0 {
		t.Errorf("with requests under way only the depth is %v, want 0", got)
	}
	if got := depthOf(t, "named"); got != 1 {
		t.Errorf("the depth of a queue with a name is %v, want 1", got)
	}
	_, _ = named.Get()
}

// depthOf returns the depth of a queue by the metrics of the process.
func depthOf(t *testing.T, name string) float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != "workqueue_depth" {
			continue
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "controller" && label.GetValue() == name {
					return metric.GetGauge().GetValue()
				}
			}
		}
	}
	t.Fatalf("no metric workqueue_depth of %s", name)
	return 0
}
