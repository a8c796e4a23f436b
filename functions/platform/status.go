package platform

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/crossplane-capz/crossplane-capz/apis/platform/v1alpha1"
	"github.com/crossplane-capz/crossplane-capz/internal/composer"
	"github.com/crossplane-capz/crossplane-capz/internal/composer/plan"
	"github.com/crossplane-capz/crossplane-capz/internal/field"
)

// Conditions of the kinds for application teams.
const (
	conditionAccepted     = v1alpha1.ConditionAccepted
	conditionControlPlane = "ControlPlaneReady"
	conditionNodes        = "NodesReady"
	conditionReconciled   = "ClusterReconciled"
)

const (
	reasonReady   = "Ready"
	reasonWaiting = "Waiting"
)

// seen is what exists of a cluster. Everything in it may be missing.
type seen struct {
	cluster, controlPlane  *unstructured.Unstructured
	machinePools, asoPools []*unstructured.Unstructured
}

// refusal answers with a problem: nothing is made, and what exists stays just as it is.
func refusal(in *composer.Request, problem *composer.Blocked, s *seen) (*composer.Result, error) {
	condition := claimed(composer.False(conditionAccepted, problem.Reason, problem.Message))
	result := &composer.Result{Composed: map[string]composer.Composed{}, Incomplete: true}
	if observed := in.Observed[clusterResource]; observed != nil {
		as, err := plan.AsApplied(observed)
		if err != nil {
			return nil, &composer.FatalError{Err: fmt.Errorf("%s; %w", problem.Message, err), Conditions: []composer.Condition{condition}}
		}
		result.Composed[clusterResource] = composer.Composed{Object: as}
	}
	s.report(result, condition)
	return result, nil
}

// accepted answers with the Cluster.
func accepted(cluster *unstructured.Unstructured, s *seen) *composer.Result {
	available := conditionOf(s.cluster, "Available").Status == metav1.ConditionTrue
	result := &composer.Result{
		Composed: map[string]composer.Composed{clusterResource: {Object: cluster, Ready: available}},
		Ready:    available,
	}
	s.report(result, claimed(composer.True(conditionAccepted, reasonAccepted, "")))
	return result
}

func claimed(c composer.Condition) composer.Condition {
	c.OnClaim = true
	return c
}

// report sets the status and the conditions of the result.
func (s *seen) report(result *composer.Result, first composer.Condition) {
	if s == nil {
		s = &seen{}
	}
	pools := s.pools()
	status := v1alpha1.AKSClusterStatus{Version: s.version(), Endpoint: s.endpoint(), NodePools: pools}
	if len(pools) > 0 {
		status.Nodes = sum(pools)
	}
	result.Conditions = []composer.Condition{first, claimed(s.controlPlaneReady()), claimed(s.nodesReady(pools)), claimed(s.reconciled())}
	for _, c := range result.Conditions {
		if c.Status != metav1.ConditionTrue && c.Message != "" {
			status.Message = c.Message
			break
		}
	}
	result.Status, _ = plain(status).(map[string]any)
}

func (s *seen) version() string {
	if s.controlPlane == nil {
		return ""
	}
	version := field.At[string]("status", "version").ValueIn(s.controlPlane.Object)
	return version
}

func (s *seen) endpoint() string {
	if s.cluster == nil {
		return ""
	}
	endpoint := field.At[map[string]any]("spec", "controlPlaneEndpoint").ValueIn(plainObject(s.cluster))
	host, _ := endpoint["host"].(string)
	port, _ := endpoint["port"].(float64)
	if host == "" || port == 0 {
		return ""
	}
	return "https://" + net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// pools returns the state of each pool by name, in the order of their MachinePools' names.
func (s *seen) pools() []v1alpha1.NodePoolStatus {
	var out []v1alpha1.NodePoolStatus
	for _, machinePool := range s.machinePools {
		name := machinePool.GetLabels()[clusterv1.ClusterTopologyMachinePoolNameLabel]
		if name == "" {
			continue // Somebody has added a pool to the Cluster by hand.
		}
		object := plainObject(machinePool)
		version := field.At[string]("spec", "template", "spec", "version").ValueIn(object)
		out = append(out, v1alpha1.NodePoolStatus{
			Name: name, Version: version, Desired: count(object, "spec", "replicas"), Ready: count(object, "status", "readyReplicas"),
			Message: s.trouble(object),
		})
	}
	return out
}

// trouble returns what is wrong with a pool in Azure. Cluster API does not show that on a MachinePool.
func (s *seen) trouble(machinePool map[string]any) string {
	name := field.At[string]("spec", "template", "spec", "infrastructureRef", "name").ValueIn(machinePool)
	for _, pool := range s.asoPools {
		if pool.GetName() != name {
			continue
		}
		if c := conditionIn(plainObject(pool), "Ready", "status", "v1beta2", "conditions"); c.Status == metav1.ConditionFalse {
			return c.Message
		}
	}
	return ""
}

func sum(pools []v1alpha1.NodePoolStatus) *v1alpha1.NodeCount {
	n := &v1alpha1.NodeCount{}
	for _, p := range pools {
		n.Ready += p.Ready
		n.Desired += p.Desired
	}
	n.Summary = fmt.Sprintf("%d/%d", n.Ready, n.Desired)
	return n
}

// controlPlaneReady reports whether the API server and what it stands on are there. Each may wait for the other, so all that
// they report is shown.
func (s *seen) controlPlaneReady() composer.Condition {
	reason := ""
	var messages []string
	for _, conditionType := range []string{"ControlPlaneAvailable", "InfrastructureReady"} {
		c := conditionOf(s.cluster, conditionType)
		if c.Status == metav1.ConditionTrue {
			continue
		}
		reason = cmp.Or(reason, c.Reason)
		if c.Message != "" && !slices.Contains(messages, c.Message) {
			messages = append(messages, c.Message)
		}
	}
	if reason == "" {
		return composer.True(conditionControlPlane, reasonReady, "")
	}
	return composer.False(conditionControlPlane, reason, strings.Join(messages, "; "))
}

// nodesReady reports whether every pool has its nodes.
func (s *seen) nodesReady(pools []v1alpha1.NodePoolStatus) composer.Condition {
	if len(pools) == 0 {
		return composer.False(conditionNodes, reasonWaiting, "waits for the node pools")
	}
	var lines []string
	for _, p := range pools {
		switch {
		case p.Message != "":
			lines = append(lines, fmt.Sprintf("pool %s: %s", p.Name, p.Message))
		case p.Ready != p.Desired:
			lines = append(lines, fmt.Sprintf("pool %s has %d of %d nodes", p.Name, p.Ready, p.Desired))
		}
	}
	if len(lines) > 0 {
		return composer.False(conditionNodes, reasonWaiting, strings.Join(lines, "; "))
	}
	return composer.True(conditionNodes, reasonReady, "")
}

// reconciled reports whether Cluster API has brought everything to what the topology says, such as a new version.
func (s *seen) reconciled() composer.Condition {
	c := conditionOf(s.cluster, "TopologyReconciled")
	if c.Status != metav1.ConditionTrue {
		return composer.False(conditionReconciled, c.Reason, c.Message)
	}
	return composer.True(conditionReconciled, reasonReady, "")
}

// conditionOf returns a condition of the Cluster; one that says to wait when there is none.
func conditionOf(cluster *unstructured.Unstructured, conditionType string) metav1.Condition {
	if cluster == nil {
		return metav1.Condition{Status: metav1.ConditionUnknown, Reason: reasonWaiting, Message: "waits for the Cluster"}
	}
	return conditionIn(plainObject(cluster), conditionType, "status", "conditions")
}

func conditionIn(object map[string]any, conditionType string, path ...string) metav1.Condition {
	list := field.At[[]any](path...).ValueIn(object)
	for _, item := range list {
		c, _ := item.(map[string]any)
		if c["type"] != conditionType {
			continue
		}
		status, _ := c["status"].(string)
		reason, _ := c["reason"].(string)
		message, _ := c["message"].(string)
		return metav1.Condition{Type: conditionType, Status: metav1.ConditionStatus(status), Reason: reason, Message: message}
	}
	return metav1.Condition{Type: conditionType, Status: metav1.ConditionUnknown, Reason: reasonWaiting, Message: "waits for condition " + conditionType + " of the Cluster"}
}

func count(object map[string]any, path ...string) int32 {
	value := field.At[any](path...).ValueIn(object)
	n, _ := value.(float64)
	return int32(n)
}
