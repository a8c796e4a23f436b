package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A server answers like an API server that has some objects and logs, and refuses what is forbidden.
type server struct {
	objects map[string][]*unstructured.Unstructured // By the path of their list, without a namespace.
	kinds   map[schema.GroupVersion][]metav1.APIResource
	logs    map[string]string
	// forbidden reports whether a list or log may not be read.
	forbidden func(path string) bool
}

// clusterWide are the kinds here that are in no namespace.
var clusterWide = []string{"Configuration", "CompositeResourceDefinition", "CustomResourceDefinition", "XAKSCluster", "XTeam", "ClusterRole", "ClusterRoleBinding"}

func newServer(objects []*unstructured.Unstructured, logs map[string]string) *server {
	s := &server{objects: map[string][]*unstructured.Unstructured{}, kinds: map[schema.GroupVersion][]metav1.APIResource{}, logs: logs, forbidden: func(string) bool { return false }}
	for _, o := range objects {
		s.objects[s.serve(o.GroupVersionKind())] = append(s.objects[s.serve(o.GroupVersionKind())], o)
	}
	for _, kind := range []string{"Secret", "Pod", "Event"} {
		s.serve(schema.GroupVersionKind{Version: "v1", Kind: kind})
	}
	return s
}

// serve adds a kind, and returns the path of its list.
func (s *server) serve(gvk schema.GroupVersionKind) string {
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	gv := gvk.GroupVersion()
	known := slices.ContainsFunc(s.kinds[gv], func(r metav1.APIResource) bool { return r.Name == plural.Resource })
	if !known {
		s.kinds[gv] = append(s.kinds[gv], metav1.APIResource{
			Name: plural.Resource, Kind: gvk.Kind, Namespaced: !slices.Contains(clusterWide, gvk.Kind), Verbs: metav1.Verbs{"get", "list"},
		})
	}
	return groupPath(gv) + "/" + plural.Resource
}

func groupPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.String()
}

func (s *server) start(t *testing.T) string {
	t.Helper()
	served := httptest.NewServer(s)
	t.Cleanup(served.Close)
	return served.URL
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch path {
	case "/version":
		answer(w, map[string]any{"gitVersion": "v1.36.3", "major": "1", "minor": "36"})
		return
	case "/api":
		answer(w, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
		return
	case "/apis":
		answer(w, s.groups())
		return
	}
	for gv, resources := range s.kinds {
		if path == groupPath(gv) {
			answer(w, metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList"}, GroupVersion: gv.String(), APIResources: resources})
			return
		}
	}
	if s.forbidden(path) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		answer(w, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: metav1.StatusReasonForbidden, Message: "forbidden: User \"jane\" cannot read " + path})
		return
	}
	if strings.HasSuffix(path, "/log") {
		query := r.URL.Query()
		key := path + "?container=" + query.Get("container") + "&previous=" + query.Get("previous")
		if since := query.Get("sinceSeconds"); since != "" {
			key += "&sinceSeconds=" + since
		}
		if text, found := s.logs[key]; found {
			_, _ = w.Write([]byte(text))
			return
		}
		http.NotFound(w, r)
		return
	}
	s.object(w, r)
}

func (s *server) groups() metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList"}}
	for gv := range maps.Keys(s.kinds) {
		if gv.Group == "" {
			continue
		}
		version := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		list.Groups = append(list.Groups, metav1.APIGroup{Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version})
	}
	return list
}

// object answers a list or an object, in all namespaces or in one.
func (s *server) object(w http.ResponseWriter, r *http.Request) {
	path, namespace := r.URL.Path, ""
	if before, rest, found := strings.Cut(path, "/namespaces/"); found && strings.Contains(rest, "/") {
		namespace, rest, _ = strings.Cut(rest, "/")
		path = before + "/" + rest
	}
	metadataOnly := strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadata")
	items := []any{}
	for list, objects := range s.objects {
		name, isObject := strings.CutPrefix(path, list+"/")
		if path != list && !isObject {
			continue
		}
		for _, o := range objects {
			if namespace != "" && o.GetNamespace() != namespace {
				continue
			}
			content := o.Object
			if metadataOnly {
				content = map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": o.Object["metadata"]}
			}
			if isObject && o.GetName() == name {
				answer(w, content)
				return
			}
			items = append(items, content)
		}
		if isObject {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			answer(w, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Reason: metav1.StatusReasonNotFound, Code: 404})
			return
		}
	}
	if metadataOnly {
		answer(w, map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList", "metadata": map[string]any{}, "items": items})
		return
	}
	answer(w, map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{}, "items": items})
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // Who has asked finds out.
}
