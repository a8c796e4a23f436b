package telemetry

// What function-capz counts as it happens.
var (
	FunctionRequests = counter(Metric{Name: "capz_function_requests_total", Unit: "requests", Of: Function,
		Labels: []Label{anyLabel, {Name: "result", Help: "`composed`; `asked` if it first asks Crossplane to read more objects; `fatal` if nothing is applied and nothing is deleted", Values: []string{ResultComposed, ResultAsked, ResultFatal}}},
		Help:   "Requests of Crossplane to compose a composite resource."})
	FunctionSeconds = histogram(Metric{Name: "capz_function_request_seconds", Unit: "seconds", Of: Function, Labels: []Label{anyLabel},
		Buckets: []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1},
		Help:    "Time to compose a composite resource."})
	FunctionObjects = histogram(Metric{Name: "capz_function_composed_objects", Unit: objects, Of: Function, Labels: []Label{anyLabel},
		Buckets: []float64{0, 1, 2, 5, 10, 20, 50, 100, 200},
		Help:    "Number of desired composed objects of a composite resource."})
)

// The results of a request to compose.
const (
	ResultComposed = "composed"
	ResultAsked    = "asked"
	ResultFatal    = "fatal"
)
