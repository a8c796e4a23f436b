package telemetry

// What provider-capz tells of the objects in the management cluster, by what it has in its cache when the metrics are read. Only the replica
// that holds the Lease has any.
var (
	Clusters = gauge(Metric{Name: "capz_clusters", Unit: objects, Of: Provider, Labels: []Label{familyLabel, clusterPhase},
		Help: "Clusters of Cluster API whose infrastructure or control plane is one of this project's kinds."})
	MachinePools = gauge(Metric{Name: "capz_machine_pools", Unit: objects, Of: Provider, Labels: []Label{familyLabel, poolPhase},
		Help: "MachinePools of Cluster API whose infrastructure is one of this project's kinds."})
	Composites = gauge(Metric{Name: "capz_composite_resources", Unit: objects, Of: Provider, Labels: []Label{kindLabel, stateLabel},
		Help: "Composite resources, by the state that follows from their conditions."})
	CompositesOldest = gauge(Metric{Name: "capz_composite_resources_oldest_seconds", Unit: "seconds", Of: Provider, Labels: []Label{kindLabel, stateLabel},
		Help: "How long the oldest composite resource in a state has been in that state, or not ready. Ready and paused ones are not included."})
	TimeToReady = histogram(Metric{Name: "capz_time_to_ready_seconds", Unit: "seconds", Of: Provider, Labels: []Label{familyLabel, bornLabel},
		Buckets: []float64{15, 30, 60, 120, 180, 300, 450, 600, 900, 1200, 1800, 3600, 7200},
		Help:    "Time from the creation of an object until its status first says that it is provisioned. For a Cluster, until both infrastructure and control plane are. For an object that was moved here, from its arrival."}).from0(born()...)
	Held = gauge(Metric{Name: "capz_held_objects", Unit: objects, Of: Provider, Labels: []Label{composedLabel},
		Help: "Composed objects that wait in Kubernetes for what they refer to. Nothing has been sent to Azure for them."})
	HeldOldest = gauge(Metric{Name: "capz_held_objects_oldest_seconds", Unit: "seconds", Of: Provider, Labels: []Label{composedLabel},
		Help: "Age of the oldest composed object that waits for what it refers to."})
	Unready = gauge(Metric{Name: "capz_unready_resources", Unit: "resources", Of: Provider, Labels: []Label{composedLabel, reasonLabel},
		Help: "Azure resources that are not in the state of their spec, by the reason in the composite resource, which is Azure's error code if Azure has refused it."})
	Drifted = gauge(Metric{Name: "capz_drifted_composite_resources", Unit: objects, Of: Provider, Labels: []Label{kindLabel},
		Help: "Composite resources with a resource that differs in Azure from its spec. Condition `Drifted` names the field, see drift.md."})
	Credentials = gauge(Metric{Name: "capz_credentials", Unit: objects, Of: Provider,
		Labels: []Label{
			{Name: "type", Help: "`spec.type` of the AzureClusterIdentity", Values: identityTypes},
			{Name: "left", Help: "how long the certificate is still valid: less than this number of days, and at least the next smaller number; `unknown` if there is no certificate", Values: spanNames(credentialSpans, LeftUnknown)},
		},
		Help: "AzureClusterIdentities that Clusters use. Only Entra ID knows when a client secret expires."})
	CredentialEnds = gauge(Metric{Name: "capz_credential_end_timestamp_seconds", Unit: "seconds since 1970", Of: Provider, Most: MostCredentials,
		Labels: []Label{
			{Name: "identity_namespace", Help: "the namespace of the AzureClusterIdentity"},
			{Name: "identity", Help: "its name"},
		},
		Help: "When the certificates of AzureClusterIdentities expire, for the 20 that expire first."})
	Tokens = gauge(Metric{Name: "capz_kubeconfig_tokens", Unit: objects, Of: Provider,
		Labels: []Label{{Name: "left", Help: "how long the token is still valid: less than this time, and at least the next shorter one", Values: spanNames(tokenSpans)}},
		Help:   "Kubeconfig Secrets of AKS clusters without local accounts, by the remaining time of the token in them. It is replaced five minutes before it expires."})
)

// MostCredentials is how many credentials are told by name.
const MostCredentials = 20

// What provider-capz counts as it happens.
var (
	AzureRequests = counter(Metric{Name: "capz_azure_requests_total", Unit: "requests", Of: Provider,
		Labels: []Label{methods, typeLabel, {Name: "status", Help: "the class of the HTTP status; `429` separately; `none` without an answer", Values: []string{"2xx", "3xx", "4xx", "429", "5xx", "none"}}},
		Help:   "provider-capz's own requests to Azure Resource Manager, about virtual machines, scale sets and their instances, sizes and tags. Azure Service Operator counts its requests in its own metrics."})
	AzureSeconds = histogram(Metric{Name: "capz_azure_request_seconds", Unit: "seconds", Of: Provider, Labels: []Label{methods},
		Buckets: []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60},
		Help:    "Duration of provider-capz's own requests to Azure Resource Manager."})
	AzureErrors = counter(Metric{Name: "capz_azure_errors_total", Unit: "requests", Of: Provider, Labels: []Label{typeLabel, codeLabel},
		Help: "provider-capz's own requests to Azure Resource Manager that have failed. An answer that a resource does not exist does not count as a failure."})
	TokenRequests = counter(Metric{Name: "capz_kubeconfig_token_requests_total", Unit: "requests", Of: Provider,
		Labels: []Label{{Name: "result", Help: "the result", Values: []string{ResultSucceeded, ResultFailed}}},
		Help:   "Requests to Entra ID for tokens of kubeconfig Secrets."}).from0([]string{ResultSucceeded}, []string{ResultFailed})
)

// The results of a request.
const (
	ResultSucceeded = "succeeded"
	ResultFailed    = "failed"
)
