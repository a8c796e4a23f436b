package workload

import (
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// handler answers the requests to one cluster's API server.
type handler struct {
	server *server
	verify func(c Cluster, token string) error
}

// ServeHTTP answers one Kubernetes API request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.authenticate(r); err != nil {
		writeError(w, r, err)
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if len(parts) < 3 || parts[0] != "api" || parts[1] != "v1" {
		h.discovery(w, r)
		return
	}
	switch {
	case parts[2] == "nodes" && len(parts) <= 5:
		h.serveNodes(w, r, parts[3:])
	case parts[2] == "namespaces" && len(parts) <= 4:
		h.namespaces(w, r, parts[3:])
	case parts[2] == "pods" && len(parts) == 3, parts[2] == "namespaces" && len(parts) == 5 && parts[4] == "pods":
		h.pods(w, r)
	default:
		writeError(w, r, apierrors.NewNotFound(schema.GroupResource{Resource: parts[len(parts)-1]}, ""))
	}
}

// authenticate accepts the local admin's token while local accounts are enabled, and Entra tokens for AKS on a cluster
// that is integrated with Entra.
func (h *handler) authenticate(r *http.Request) error {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return apierrors.NewUnauthorized("Unauthorized")
	}
	c := h.server.cluster()
	if token == h.server.adminToken() && !c.LocalAccountsDisabled {
		return nil
	}
	if c.Entra {
		return h.verify(c, token)
	}
	return apierrors.NewUnauthorized("Unauthorized")
}

var nodeVerbs = metav1.Verbs{"delete", "get", "list", "patch", "update", "watch"}

func (h *handler) discovery(w http.ResponseWriter, r *http.Request) {
	v1 := metav1.TypeMeta{APIVersion: "v1"}
	switch strings.TrimSuffix(r.URL.Path, "/") {
	case "":
		writeJSON(w, map[string]any{"paths": []string{"/api", "/api/v1", "/apis", "/healthz", "/livez", "/readyz", "/version"}})
	case "/healthz", "/livez", "/readyz":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = fmt.Fprint(w, "ok") // a client that went away needs no answer
	case "/version":
		writeJSON(w, versionInfo(h.server.cluster().Version))
	case "/api":
		v1.Kind = "APIVersions"
		writeJSON(w, metav1.APIVersions{TypeMeta: v1, Versions: []string{"v1"}})
	case "/apis":
		v1.Kind = "APIGroupList"
		writeJSON(w, metav1.APIGroupList{TypeMeta: v1, Groups: []metav1.APIGroup{}})
	case "/api/v1":
		v1.Kind = "APIResourceList"
		writeJSON(w, metav1.APIResourceList{TypeMeta: v1, GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "nodes", SingularName: "node", Kind: "Node", Verbs: nodeVerbs, ShortNames: []string{"no"}},
			{Name: "nodes/status", Kind: "Node", Verbs: metav1.Verbs{"get", "patch", "update"}},
			{Name: "namespaces", SingularName: "namespace", Kind: "Namespace", Verbs: metav1.Verbs{"get", "list"}, ShortNames: []string{"ns"}},
			{Name: "pods", SingularName: "pod", Namespaced: true, Kind: "Pod", Verbs: metav1.Verbs{"list"}, ShortNames: []string{"po"}},
		}})
	default:
		writeError(w, r, apierrors.NewGenericServerResponse(http.StatusNotFound, r.Method, schema.GroupResource{}, "", "the server could not find the requested resource", 0, true))
	}
}

func versionInfo(v string) version.Info {
	major, rest, _ := strings.Cut(v, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return version.Info{Major: major, Minor: minor, GitVersion: "v" + v, GoVersion: "go1.25.3", Compiler: "gc", Platform: "linux/amd64"}
}

func (h *handler) serveNodes(w http.ResponseWriter, r *http.Request, rest []string) {
	if len(rest) == 2 && rest[1] != "status" {
		writeError(w, r, apierrors.NewNotFound(schema.GroupResource{Resource: "nodes/" + rest[1]}, rest[0]))
		return
	}
	query := r.URL.Query()
	watching := query.Get("watch") == "true" || query.Get("watch") == "1"
	switch {
	case len(rest) == 0 && r.Method == http.MethodGet && watching:
		h.watchNodes(w, r)
	case len(rest) == 0 && r.Method == http.MethodGet:
		h.listNodes(w, r)
	case len(rest) == 0:
		writeError(w, r, apierrors.NewMethodNotSupported(nodeResource, r.Method))
	default:
		h.oneNode(w, r, rest[0])
	}
}

// selection is the label and field selector of a request.
type selection struct {
	labels labels.Selector
	fields fields.Selector
}

func selectionOf(r *http.Request) (selection, error) {
	l, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	if err != nil {
		return selection{}, apierrors.NewBadRequest(err.Error())
	}
	f, err := fields.ParseSelector(r.URL.Query().Get("fieldSelector"))
	if err != nil {
		return selection{}, apierrors.NewBadRequest(err.Error())
	}
	return selection{labels: l, fields: f}, nil
}

func (s selection) matches(n *corev1.Node) bool {
	return s.labels.Matches(labels.Set(n.Labels)) && s.fields.Matches(fields.Set{"metadata.name": n.Name})
}

func (h *handler) listNodes(w http.ResponseWriter, r *http.Request) {
	selected, err := selectionOf(r)
	if err != nil {
		writeError(w, r, err)
		return
	}
	nodes, resourceVersion := h.server.nodes.list()
	list := &corev1.NodeList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NodeList"}, Items: []corev1.Node{}}
	list.ResourceVersion = fmt.Sprint(resourceVersion)
	for _, n := range nodes {
		if selected.matches(n) {
			list.Items = append(list.Items, *n)
		}
	}
	if wantsTable(r) {
		writeJSON(w, nodeTable(list.Items, list.ResourceVersion))
		return
	}
	write(w, r, http.StatusOK, list)
}

func (h *handler) oneNode(w http.ResponseWriter, r *http.Request, name string) {
	var n *corev1.Node
	var err error
	switch r.Method {
	case http.MethodGet:
		n, err = h.server.nodes.get(name)
		if err == nil && wantsTable(r) {
			writeJSON(w, nodeTable([]corev1.Node{*n}, n.ResourceVersion))
			return
		}
	case http.MethodPut:
		n, err = h.replaceNode(w, r, name)
	case http.MethodPatch:
		n, err = h.patchNode(w, r, name)
	case http.MethodDelete:
		if n, err = h.server.nodes.delete(name); err == nil {
			write(w, r, http.StatusOK, &metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess,
				Details: &metav1.StatusDetails{Name: name, Kind: "nodes", UID: n.UID}})
			return
		}
	default:
		err = apierrors.NewMethodNotSupported(nodeResource, r.Method)
	}
	if err != nil {
		writeError(w, r, err)
		return
	}
	write(w, r, http.StatusOK, n)
}

func (h *handler) replaceNode(w http.ResponseWriter, r *http.Request, name string) (*corev1.Node, error) {
	raw, err := readBody(w, r)
	if err != nil {
		return nil, err
	}
	replacement := &corev1.Node{}
	if err := decodeInto(raw, replacement); err != nil {
		return nil, err
	}
	return h.server.nodes.update(name, func(*corev1.Node) (*corev1.Node, error) { return replacement, nil })
}
