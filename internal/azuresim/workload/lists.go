package workload

import (
	"encoding/json"
	"net/http"
	"sort"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
)

func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	_ = json.NewEncoder(w).Encode(body) // a client that went away needs no answer
}

var namespaceNames = []string{"default", "kube-node-lease", "kube-public", "kube-system"}

func namespace(name string) corev1.Namespace {
	return corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: types.UID("00000000-0000-0000-0000-" + strings.Repeat("0", 11) + "1"), ResourceVersion: "1",
			Labels: map[string]string{corev1.LabelMetadataName: name},
		},
		Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
	}
}

func (h *handler) namespaces(w http.ResponseWriter, r *http.Request, rest []string) {
	if r.Method != http.MethodGet || r.URL.Query().Has("watch") {
		writeError(w, r, apierrors.NewMethodNotSupported(schema.GroupResource{Resource: "namespaces"}, r.Method))
		return
	}
	list := &corev1.NamespaceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NamespaceList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	for _, name := range namespaceNames {
		n := namespace(name)
		if len(rest) == 1 && rest[0] == name {
			write(w, r, http.StatusOK, &n)
			return
		}
		list.Items = append(list.Items, n)
	}
	if len(rest) == 1 {
		writeError(w, r, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, rest[0]))
		return
	}
	write(w, r, http.StatusOK, list)
}

// pods answers an empty list: no workload runs on the simulated Nodes.
func (h *handler) pods(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.URL.Query().Has("watch") {
		writeError(w, r, apierrors.NewMethodNotSupported(schema.GroupResource{Resource: "pods"}, r.Method))
		return
	}
	write(w, r, http.StatusOK, &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"}})
}

// columnType is the type of the columns in OpenAPI's terms.
const columnType = "string"

// nodeTable is what kubectl prints of Nodes.
func nodeTable(nodes []corev1.Node, resourceVersion string) *metav1.Table {
	table := &metav1.Table{
		TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"},
		ListMeta: metav1.ListMeta{ResourceVersion: resourceVersion},
		ColumnDefinitions: []metav1.TableColumnDefinition{
			{Name: "Name", Type: columnType, Format: "name"},
			{Name: "Status", Type: columnType},
			{Name: "Roles", Type: columnType},
			{Name: "Age", Type: columnType},
			{Name: "Version", Type: columnType},
			{Name: "Internal-IP", Type: columnType, Priority: 1},
			{Name: "OS-Image", Type: columnType, Priority: 1},
		},
		Rows: []metav1.TableRow{},
	}
	for i := range nodes {
		n := &nodes[i]
		table.Rows = append(table.Rows, metav1.TableRow{
			Cells: []any{n.Name, nodeStatus(n), nodeRoles(n), duration.HumanDuration(time.Since(n.CreationTimestamp.Time)),
				n.Status.NodeInfo.KubeletVersion, internalIP(n), n.Status.NodeInfo.OSImage},
			Object: runtime.RawExtension{Object: &metav1.PartialObjectMetadata{
				TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadata"}, ObjectMeta: n.ObjectMeta}},
		})
	}
	return table
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
