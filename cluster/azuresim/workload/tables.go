package workload

import (
	"sort"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// columnType is the type of the columns in OpenAPI's terms.
const columnType = "string"

var (
	nameColumn  = metav1.TableColumnDefinition{Name: "Name", Type: columnType, Format: "name"}
	ageColumn   = metav1.TableColumnDefinition{Name: "Age", Type: columnType}
	nodeColumns = []metav1.TableColumnDefinition{
		nameColumn,
		{Name: "Status", Type: columnType},
		{Name: "Roles", Type: columnType},
		ageColumn,
		{Name: "Version", Type: columnType},
		{Name: "Internal-IP", Type: columnType, Priority: 1},
		{Name: "OS-Image", Type: columnType, Priority: 1},
	}
	configMapColumns = []metav1.TableColumnDefinition{nameColumn, {Name: "Data", Type: columnType}, ageColumn}
)

// table is what kubectl prints of objects.
func (r *apiResource) table(objects []object, resourceVersion string) *metav1.Table {
	table := &metav1.Table{
		TypeMeta:          metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"},
		ListMeta:          metav1.ListMeta{ResourceVersion: resourceVersion},
		ColumnDefinitions: r.columns,
		Rows:              []metav1.TableRow{},
	}
	for _, o := range objects {
		part := meta.AsPartialObjectMetadata(o)
		part.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
		table.Rows = append(table.Rows, metav1.TableRow{Cells: r.cells(o), Object: runtime.RawExtension{Object: part}})
	}
	return table
}

func nodeCells(n *corev1.Node) []any {
	return []any{n.Name, nodeStatus(n), nodeRoles(n), age(n), n.Status.NodeInfo.KubeletVersion, internalIP(n), n.Status.NodeInfo.OSImage}
}

func configMapCells(c *corev1.ConfigMap) []any {
	return []any{c.Name, strconv.Itoa(len(c.Data) + len(c.BinaryData)), age(c)}
}

func age(o object) string {
	return duration.HumanDuration(time.Since(o.GetCreationTimestamp().Time))
}

func nodeStatus(n *corev1.Node) string {
	status := "NotReady"
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			status = "Ready"
		}
	}
	if n.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	return status
}

func nodeRoles(n *corev1.Node) string {
	var roles []string
	for label := range n.Labels {
		if role, ok := strings.CutPrefix(label, "node-role.kubernetes.io/"); ok && role != "" {
			roles = append(roles, role)
		}
	}
	if len(roles) == 0 {
		return "<none>"
	}
	sort.Strings(roles)
	return strings.Join(roles, ",")
}

func internalIP(n *corev1.Node) string {
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			return a.Address
		}
	}
	return "<none>"
}
