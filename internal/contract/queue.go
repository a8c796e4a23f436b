package contract

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

var depths = &queueDepths{queues: map[string]queue{}}

func init() { metrics.Registry.MustRegister(depths) }

type queue = priorityqueue.PriorityQueue[ctrl.Request]

// newQueue returns the work queue of a controller: controller-runtime's own without a name, as one that has a name wakes the process twice
// a second to bring its metrics up to date. Its depth is read when the metric is.
func newQueue(controller string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
	q := priorityqueue.New("", func(o *priorityqueue.Opts[ctrl.Request]) {
		o.RateLimiter = limiter
		o.Log = ctrl.Log.WithValues("controller", controller)
	})
	depths.follow(controller, q)
	return q
}

// queueDepths is the metric workqueue_depth of the queues that newQueue made, as controller-runtime has it of queues with a name.
type queueDepths struct {
	mu     sync.Mutex
	queues map[string]queue
}

// follow adds a controller's queue to the metric, in the place of one that the controller had before.
func (d *queueDepths) follow(controller string, q queue) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queues[controller] = q
}

// Describe sends nothing: controller-runtime has registered the metric.
func (d *queueDepths) Describe(chan<- *prometheus.Desc) {}

// Collect sends how many requests of each controller wait for a worker. Those that are to be tried later are not counted.
func (d *queueDepths) Collect(to chan<- prometheus.Metric) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for controller, q := range d.queues {
		to <- prometheus.MustNewConstMetric(depthDescription, prometheus.GaugeValue, float64(q.Len()), controller, controller, "")
	}
}

// depthDescription has to have the text and the labels of controller-runtime's: a queue of that with a name may be in the process, too.
var depthDescription = prometheus.NewDesc(
	prometheus.BuildFQName("", metrics.WorkQueueSubsystem, metrics.DepthKey),
	"Current depth of workqueue by workqueue and priority", []string{"name", "controller", "priority"}, nil,
)
