package workload

import (
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/utils/clock"
)

// handler answers the requests to one cluster's API server.
type handler struct {
	server *server
	clock  clock.PassiveClock
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
	case parts[2] == nodeResource.api.Name && len(parts) <= 5:
		h.endpoint(h.server.nodes.store, "").serve(w, r, parts[3:])
	case parts[2] == configMapResource.api.Name && len(parts) == 3:
		h.endpoint(h.server.configMaps, "").serve(w, r, nil)
	case len(parts) >= 5 && len(parts) <= 7 && parts[2] == namespaceResource.Resource && parts[4] == configMapResource.api.Name:
		h.endpoint(h.server.configMaps, parts[3]).serve(w, r, parts[5:])
	case parts[2] == namespaceResource.Resource && len(parts) <= 4:
		h.namespaces(w, r, parts[3:])
	case parts[2] == "pods" && len(parts) == 3, parts[2] == namespaceResource.Resource && len(parts) == 5 && parts[4] == "pods":
		h.pods(w, r)
	default:
		writeError(w, r, apierrors.NewNotFound(schema.GroupResource{Resource: parts[len(parts)-1]}, ""))
	}
}

func (h *handler) endpoint(s *store, namespace string) *endpoint {
	return &endpoint{store: s, namespace: namespace, clock: h.clock, gone: h.server.gone}
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
			configMapResource.api,
			nodeResource.api,
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
