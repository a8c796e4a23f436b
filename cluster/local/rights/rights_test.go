package rights

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const manifest = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: a, labels: {rbac.crossplane.io/aggregate-to-crossplane: "true"}}
rules:
- {apiGroups: [x.io], resources: [things], verbs: [get, list, create, patch]}
- {apiGroups: [x.io], resources: [looks], verbs: [get]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: b}
rules:
- {apiGroups: [""], resources: [pods/status], resourceNames: [p, q], verbs: [patch]}
- {apiGroups: [""], resources: [pods], verbs: [list]}
- {apiGroups: [""], resources: [pods/finalizers], verbs: [update]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: c}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: b}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: b}
rules:
- {apiGroups: [""], resources: [for/people], verbs: [use]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: d, labels: {infrastructure.cluster.x-k8s.io/aggregate-to-provider-capz: "true"}}
rules:
- {apiGroups: [""], resources: [nodes], verbs: [get]}
`

const log = `
{"auditID":"1","stage":"ResponseComplete","stageTimestamp":"2026-11-20T12:00:00.000000Z","verb":"patch","user":{"username":"system:serviceaccount:crossplane-system:crossplane"},"objectRef":{"resource":"things","apiGroup":"x.io","name":"t"},"responseStatus":{"code":201},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"auditID":"2","stage":"ResponseStarted","stageTimestamp":"2026-11-20T12:00:00.000000Z","verb":"watch","requestURI":"/apis/x.io/v1/things?sendInitialEvents=true\u0026watch=true","user":{"username":"system:serviceaccount:crossplane-system:crossplane"},"objectRef":{"resource":"things","apiGroup":"x.io"},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"auditID":"3","stage":"ResponseComplete","stageTimestamp":"2026-11-20T12:00:00.000000Z","verb":"patch","user":{"username":"system:serviceaccount:crossplane-system:provider-capz"},"objectRef":{"resource":"pods","name":"p","subresource":"status"},"responseStatus":{"code":403},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"auditID":"4","stage":"ResponseComplete","stageTimestamp":"2026-11-20T12:00:00.000000Z","verb":"list","user":{"username":"system:serviceaccount:crossplane-system:provider-capz"},"objectRef":{"resource":"pods"},"responseStatus":{"code":403},"annotations":{"authorization.k8s.io/decision":"forbid"}}
{"auditID":"5","stage":"ResponseComplete","stageTimestamp":"2026-11-20T11:00:00.000000Z","verb":"watch","user":{"username":"system:serviceaccount:crossplane-system:provider-capz"},"objectRef":{"resource":"pods"},"responseStatus":{"code":403},"annotations":{"authorization.k8s.io/decision":"forbid"}}
{"auditID":"8","stage":"ResponseComplete","stageTimestamp":"2026-11-20T13:00:00.000000Z","verb":"watch","user":{"username":"system:serviceaccount:crossplane-system:crossplane"},"objectRef":{"resource":"things","apiGroup":"x.io"},"responseStatus":{"code":403},"annotations":{"authorization.k8s.io/decision":"forbid"}}
{"auditID":"6","stage":"ResponseComplete","stageTimestamp":"2026-11-20T12:00:00.000000Z","verb":"get","user":{"username":"system:serviceaccount:crossplane-system:provider-capz"},"requestURI":"/apis"}
{"auditID":"7","stage"`

func parse(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	file := t.TempDir() + "/m.yaml"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	objects, err := kubeyaml.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func words(rights []Right) []string {
	var out []string
	for _, r := range rights {
		out = append(out, r.String())
	}
	return out
}

func TestGranted(t *testing.T) {
	granted, err := Granted(parse(t, manifest))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"crossplane: get looks.x.io", "crossplane: create things.x.io", "crossplane: get things.x.io", "crossplane: list things.x.io", "crossplane: patch things.x.io",
		"provider-capz: get nodes", "provider-capz: list pods", "provider-capz: update pods/finalizers", "provider-capz: patch pods/status p", "provider-capz: patch pods/status q",
	}
	if diff := cmp.Diff(want, words(granted)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGrantedRefusesWildcards(t *testing.T) {
	for _, wildcard := range []string{`["*"]`, `["pods/*"]`} {
		_, err := Granted(parse(t, strings.Replace(manifest, "[things]", wildcard, 1)))
		if err == nil || !strings.Contains(err.Error(), "ClusterRole a: has a wildcard") {
			t.Errorf("%s: error is %v", wildcard, err)
		}
	}
}

func TestUsage(t *testing.T) {
	span := Span{Since: time.Date(2026, 11, 20, 11, 30, 0, 0, time.UTC), Until: time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)}
	usage, err := ReadUsage(strings.NewReader(strings.TrimPrefix(log, "\n")), span)
	if err != nil {
		t.Fatal(err)
	}
	granted, err := Granted(parse(t, manifest))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"crossplane: get looks.x.io", "provider-capz: get nodes", "provider-capz: list pods", "provider-capz: patch pods/status q"}
	if diff := cmp.Diff(want, words(usage.Unused(granted))); diff != "" {
		t.Errorf("unused (-want +got):\n%s", diff)
	}
	refused := Right{User: Provider, Resource: "pods", Verb: "list"}
	if diff := cmp.Diff(map[Right]time.Time{refused: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}, usage.Refused, cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func TestReadUsageFails(t *testing.T) {
	if _, err := ReadUsage(strings.NewReader("no JSON\n"), Span{}); err == nil {
		t.Error("a line that is no event was passed over")
	}
}

// TestManifest checks the real one, whose use cluster/local/e2e checks.
func TestManifest(t *testing.T) {
	objects, err := kubeyaml.Read("../../../package/install/rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	granted, err := Granted(objects)
	if err != nil {
		t.Fatal(err)
	}
	var crossplane, provider bool
	for _, right := range granted {
		crossplane, provider = crossplane || right.User == Crossplane, provider || right.User == Provider
		if right.User == Crossplane && right.Resource == "secrets" {
			t.Errorf("%s: no composition may have Secrets", right)
		}
	}
	if !crossplane || !provider {
		t.Errorf("only one account has rights: %v", granted)
	}
}
