// Package telemetry tests examples/monitoring with the real Prometheus: it scrapes a local management cluster as the PodMonitors say, the
// panels of the dashboard have data, and each alert is silent while all is well and fires when what it is for is done. It has a go.mod of
// its own, for the sake of the client of Prometheus; Prometheus itself is built from the module of cluster/monitoring.
//
// The data of Prometheus stays in .local/telemetry, or the folder TELEMETRY_KEEP, until the next run. The page in pictures draws the dashboard
// from it (make pictures).
package telemetry
