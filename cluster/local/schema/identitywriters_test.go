package schema

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// anIdentity has its Secret in its own namespace.
const anIdentity = `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureClusterIdentity, metadata: {name: id},
  spec: {type: ServicePrincipal, tenantID: tenant, clientID: app, clientSecret: {name: s}}}`

// Who writes identities in TestIdentityWriters. Each has what Crossplane's roles for editors give: every verb on
// azureclusteridentities and azureclusteridentities/status of one namespace.
const (
	editor = "an-editor"
	// reader may get the one Secret s of another namespace too.
	reader = "a-reader"
	// operator is bound to the ClusterRole for it in the namespace too.
	operator = "an-operator"
)

// TestIdentityWriters asks the real API server as several users for identities that give more than their namespace has.
func TestIdentityWriters(t *testing.T) {
	serveRules(t)
	other := newNamespace(t)
	with := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(anIdentity) }
	foreign := with("{name: s}", "{name: s, namespace: "+other+"}")
	workload := with("ServicePrincipal", "WorkloadIdentity")
	path := with("ServicePrincipal", "UserAssignedIdentityCredential, userAssignedIdentityCredentialsPath: /etc/id.json")
	certificate := with("ServicePrincipal", "ServicePrincipalCertificate, certPath: /etc/id.pem")
	const notAllowed, use = "has no right to get secrets/s in namespace ", "needs the right to use azureclusteridentities.infrastructure.cluster.x-k8s.io/operator-credentials in namespace "
	type asked struct {
		step

		by string // The administrator if empty.
	}
	cases := map[string][]asked{
		"a Secret of the namespace":               {{step{create: anIdentity}, editor}},
		"the same, by its name":                   {{step{create: with("{name: s}", "{name: s, namespace: OWN}")}, editor}},
		"another namespace's Secret":              {{step{create: foreign, refused: `spec.clientSecret.namespace: Invalid value: "` + other + `": must be OWN, the namespace of the AzureClusterIdentity`}, editor}},
		"says what is missing":                    {{step{create: foreign, refused: editor + ", who writes it, " + notAllowed + other}, editor}},
		"who may read that Secret":                {{step{create: foreign}, reader}},
		"who may read another one":                {{step{create: with("{name: s}", "{name: other, namespace: "+other+"}"), refused: "has no right to get secrets/other"}, reader}},
		"an administrator names another's Secret": {{step{create: foreign}, ""}},
		"later":                                 {{step{create: anIdentity}, editor}, {step{change: foreign, refused: notAllowed}, editor}, {step{change: foreign}, reader}},
		"an administrator's, taken for oneself": {{step{create: foreign}, ""}, {step{change: with("{name: s}}", "{name: s, namespace: "+other+"}, allowedNamespaces: {list: [OWN]}}"), refused: notAllowed}, editor}},
		"an administrator's, labelled":          {{step{create: foreign}, ""}, {step{change: with("metadata: {", "metadata: {labels: {a: b}, ", "spec: {type: ServicePrincipal, tenantID: tenant, clientID: app, clientSecret: {name: s}}", "spec: {crossplane: {compositionUpdatePolicy: Manual}}")}, editor}},
		"the workload identity of ASO":          {{step{create: workload, refused: `spec.type: Invalid value: "WorkloadIdentity": signs in with the identity of Azure Service Operator itself`}, editor}},
		"says which right":                      {{step{create: workload, refused: editor + ", who writes it, " + use + "OWN, as ClusterRole crossplane-capz:operator-credentials gives it"}, editor}},
		"its managed identity":                  {{step{create: with("ServicePrincipal", "UserAssignedMSI"), refused: `spec.type: Invalid value: "UserAssignedMSI"`}, editor}},
		"a file of ASO's":                       {{step{create: path, refused: `spec.type: Invalid value: "UserAssignedIdentityCredential": signs in with a file of Azure Service Operator's container`}, editor}},
		"a file of provider-capz's":             {{step{create: certificate, refused: `spec.certPath: Invalid value: "/etc/id.pem": signs in with a file of provider-capz's container`}, editor}},
		"who may use those": {
			{step{create: workload}, operator}, {step{create: strings.Replace(path, "name: id", "name: id2", 1)}, operator},
			{step{create: strings.Replace(certificate, "name: id", "name: id3", 1)}, operator}, {step{change: strings.Replace(workload, "tenant,", "tenant2,", 1)}, operator},
		},
		"but no other's Secret":          {{step{create: strings.Replace(foreign, "ServicePrincipal", "WorkloadIdentity", 1), refused: notAllowed}, operator}},
		"an administrator's application": {{step{create: workload}, ""}, {step{change: strings.Replace(workload, "app", "app2", 1), refused: use}, editor}},
		"an administrator's tenant":      {{step{create: workload}, ""}, {step{change: strings.Replace(workload, "tenant,", "tenant2,", 1), refused: use}, editor}},
		"a file later":                   {{step{create: with("ServicePrincipal", "ServicePrincipalCertificate")}, editor}, {step{change: certificate, refused: "spec.certPath"}, editor}},
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) {
			namespace := newNamespace(t)
			inOwn := func(text string) string { return strings.ReplaceAll(text, "OWN", namespace) }
			clients := identityWriters(t, namespace, other)
			for i, a := range steps {
				s := step{create: inOwn(a.create), change: inOwn(a.change), refused: inOwn(a.refused)}
				err := s.as(t, clients[a.by], namespace)
				if s.refused == "" && err != nil || s.refused != "" && (err == nil || !strings.Contains(err.Error(), s.refused)) {
					t.Fatalf("step %d: %v, want %q", i, err, s.refused)
				}
			}
		})
	}
}

// as takes a step as whom a client is for.
func (s step) as(t *testing.T, c client.Client, namespace string) error {
	t.Helper()
	if s.create != "" {
		return c.Create(context.Background(), inNamespace(t, namespace, s.create))
	}
	o := inNamespace(t, namespace, s.change)
	raw, err := o.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return c.Patch(context.Background(), o, client.RawPatch(types.MergePatchType, raw))
}

// identityWriters gives the users their rights in a namespace, and on a Secret of another one, and returns a client for each.
func identityWriters(t *testing.T, namespace, other string) map[string]client.Client {
	t.Helper()
	install, err := kubeyaml.Read(filepath.Join(checkout, "package", "install", "rbac.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range install {
		if o.GetName() == "crossplane-capz:operator-credentials" {
			if err := server.client.Create(context.Background(), o); client.IgnoreAlreadyExists(err) != nil {
				t.Fatal(err)
			}
		}
	}
	role := func(in, name, group string, resources, verbs []any, names ...any) {
		rule := map[string]any{"apiGroups": []any{group}, "resources": resources, "verbs": verbs}
		if len(names) > 0 {
			rule["resourceNames"] = names
		}
		grant(t, in, "Role", name, map[string]any{"rules": []any{rule}})
	}
	bind := func(in, kind, name string, users ...string) {
		var subjects []any
		for _, user := range users {
			subjects = append(subjects, map[string]any{"kind": "User", "apiGroup": rbacv1.GroupName, "name": user})
		}
		grant(t, in, "RoleBinding", name, map[string]any{
			"roleRef": map[string]any{"apiGroup": rbacv1.GroupName, "kind": kind, "name": name}, "subjects": subjects,
		})
	}
	role(namespace, "edit", "infrastructure.cluster.x-k8s.io", []any{"azureclusteridentities", "azureclusteridentities/status"}, []any{"*"})
	bind(namespace, "Role", "edit", editor, reader, operator)
	role(other, "read", "", []any{"secrets"}, []any{"get"}, "s")
	bind(other, "Role", "read", reader)
	bind(namespace, "ClusterRole", "crossplane-capz:operator-credentials", operator)
	// The API server learns of rights from watches of its own.
	awaitRight(t, editor, authorizationv1.ResourceAttributes{Namespace: namespace, Group: "infrastructure.cluster.x-k8s.io", Resource: "azureclusteridentities", Verb: "create"})
	awaitRight(t, reader, authorizationv1.ResourceAttributes{Namespace: other, Resource: "secrets", Name: "s", Verb: "get"})
	awaitRight(t, operator, authorizationv1.ResourceAttributes{Namespace: namespace, Group: "infrastructure.cluster.x-k8s.io", Resource: "azureclusteridentities", Subresource: "operator-credentials", Verb: "use"})
	clients := map[string]client.Client{"": server.client}
	for _, user := range []string{editor, reader, operator} {
		config := rest.CopyConfig(server.config)
		config.Impersonate.UserName = user
		c, err := client.New(config, client.Options{Scheme: server.client.Scheme()})
		if err != nil {
			t.Fatal(err)
		}
		clients[user] = c
	}
	return clients
}

// awaitRight returns once the API server lets the user do it.
func awaitRight(t *testing.T, user string, right authorizationv1.ResourceAttributes) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &right}}
		err := server.client.Create(ctx, review)
		return review.Status.Allowed, err
	})
	if err != nil {
		t.Fatalf("%s never gets the right to %s %s: %v", user, right.Verb, right.Resource, err)
	}
}

// grant creates an object of RBAC, unless it is there.
func grant(t *testing.T, namespace, kind, name string, content map[string]any) {
	t.Helper()
	o := &unstructured.Unstructured{Object: content}
	o.SetGroupVersionKind(rbacv1.SchemeGroupVersion.WithKind(kind))
	o.SetNamespace(namespace)
	o.SetName(name)
	if err := server.client.Create(context.Background(), o); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
}
