package workload

import (
	"encoding/json"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", runtime.ContentTypeJSON)
	_ = json.NewEncoder(w).Encode(body) // a client that went away needs no answer
}

var namespaceResource = schema.GroupResource{Resource: "namespaces"}

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
		writeError(w, r, apierrors.NewMethodNotSupported(namespaceResource, r.Method))
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
		writeError(w, r, apierrors.NewNotFound(namespaceResource, rest[0]))
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
