// Package selfmanaged says what CAPZ makes of self-managed clusters, by CAPZ's own packages: its webhooks, its scopes, the builders of
// what it sends to Azure, and the services that write Azure Service Operator (ASO) objects. Only the order of the services is written
// again here: CAPZ's controllers keep it to themselves.
package selfmanaged
