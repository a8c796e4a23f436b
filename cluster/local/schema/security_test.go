package schema

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// Who writes in the namespace of a team. All of them may write Secrets and ASO objects there; the policies tell them apart.
const (
	teamUser     = "team-b"
	crossplane   = "system:serviceaccount:crossplane-system:crossplane"
	providerCAPZ = "system:serviceaccount:crossplane-system:provider-capz"
	aso          = "system:serviceaccount:azureserviceoperator-system:azureserviceoperator-default"
	admin        = ""
)

const (
	teamNamespace    = "team-b"
	teamSubscription = "0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"
)

// teamsObjects is what an administrator has made: a namespace of a team, with rights.
const teamsObjects = `
{apiVersion: v1, kind: Namespace, metadata: {name: team-b, labels: {security.example.org/subscription: 0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0}}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: team, namespace: team-b}, rules: [
  {apiGroups: [""], resources: [secrets], verbs: ["*"]}, {apiGroups: [resources.azure.com, containerservice.azure.com], resources: ["*"], verbs: ["*"]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: team, namespace: team-b},
  roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: team}, subjects: [
  {kind: User, name: team-b, apiGroup: rbac.authorization.k8s.io}, {kind: ServiceAccount, name: crossplane, namespace: crossplane-system},
  {kind: ServiceAccount, name: provider-capz, namespace: crossplane-system},
  {kind: ServiceAccount, name: azureserviceoperator-default, namespace: azureserviceoperator-system}]}
---
{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: noted, namespace: team-b,
  annotations: {serviceoperator.azure.com/credential-from: own, serviceoperator.azure.com/resource-id: /subscriptions/x}}}
---
{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: older, namespace: team-b}}
---
{apiVersion: v1, kind: Secret, metadata: {name: c-kubeconfig, namespace: team-b}, data: {value: eA==}}
---
{apiVersion: v1, kind: Secret, metadata: {name: plain, namespace: team-b}, data: {value: eA==}}
`

// as returns a client that speaks for the user; for the person who may do everything if that is empty.
func as(t *testing.T, user string) client.Client {
	t.Helper()
	config := rest.CopyConfig(server.config)
	if user != admin {
		config.Impersonate = rest.ImpersonationConfig{UserName: user}
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// securityExample applies examples/security, and returns when its policies are in force.
func securityExample(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(checkout, "examples", "security", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var objects []*unstructured.Unstructured
	for _, text := range strings.Split(teamsObjects, "\n---\n") {
		objects = append(objects, parsed(t, text))
	}
	for _, file := range files {
		more, err := kubeyaml.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, more...)
	}
	for _, o := range objects {
		if err := as(t, admin).Create(t.Context(), o); err != nil {
			t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
		// Other tests share the API server.
		t.Cleanup(func() { _ = as(t, admin).Delete(context.WithoutCancel(t.Context()), o) })
	}
	// A new policy takes a moment.
	for name, text := range map[string]string{"objects": resourceGroup("x", ""), "credentials": secret("x", "AUTH_MODE: YQ=="), "kubeconfigs": secret("x-kubeconfig", "a: YQ==")} {
		for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			err := as(t, teamUser).Create(t.Context(), parsed(t, text), client.DryRunAll)
			if err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy") {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the policy on %s is not in force: %v", name, err)
			}
		}
	}
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

func resourceGroup(name, annotations string) string {
	return fmt.Sprintf("{apiVersion: resources.azure.com/v1api20200601, kind: ResourceGroup, metadata: {name: %s, namespace: %s, annotations: {%s}}, spec: {location: westeurope}}",
		name, teamNamespace, annotations)
}

func cluster(spec string) string {
	return fmt.Sprintf("{apiVersion: containerservice.azure.com/v1api20250801, kind: ManagedCluster, metadata: {name: c, namespace: %s, annotations: {%s}}, spec: {location: westeurope, %s}}",
		teamNamespace, own, spec)
}

func secret(name, data string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: %s, namespace: %s}, data: {%s}}", name, teamNamespace, data)
}

const (
	own = "serviceoperator.azure.com/credential-from: own"
	// teamsApplication has the subscription above in base64.
	teamsApplication = "AZURE_SUBSCRIPTION_ID: MGIxYzJkM2UtNGY1MC02MTcyLTgzOTQtYTViNmM3ZDhlOWYw, AZURE_TENANT_ID: eA==, AZURE_CLIENT_ID: eA=="
	clientSecret     = teamsApplication + ", AZURE_CLIENT_SECRET: eA=="
)

// TestSecurityExample has what the policies of examples/security are to let through and to refuse, by who writes it.
func TestSecurityExample(t *testing.T) {
	securityExample(t)
	t.Run("new", newUnderPolicies)
	t.Run("changed", changedUnderPolicies)
}

func newUnderPolicies(t *testing.T) {
	const (
		noCredential = "must name a Secret with the team's credential"
		records      = "other than credential-from and reconcile-policy must stay as they are"
		elsewhere    = "spec.owner.armId is /subscriptions/1/resourceGroups/g, but must begin with /subscriptions/" + teamSubscription + "/"
		expressions  = "secretExpressions must not write a Secret named"
		asItself     = "data must have AZURE_CLIENT_SECRET or AZURE_CLIENT_CERTIFICATE"
		subscription = "data[AZURE_SUBSCRIPTION_ID] must be " + teamSubscription
		kubeconfig   = "is written by provider-capz and ASO"
	)
	cases := map[string]struct {
		by     string
		object string
		want   string
	}{
		"object with a credential":                {by: teamUser, object: resourceGroup("a", own)},
		"object without":                          {by: teamUser, object: resourceGroup("a", ""), want: noCredential},
		"object without, by Crossplane":           {by: crossplane, object: resourceGroup("a", ""), want: noCredential},
		"object with an empty one":                {by: teamUser, object: resourceGroup("a", "serviceoperator.azure.com/credential-from: ''"), want: noCredential},
		"object that is left alone":               {by: teamUser, object: resourceGroup("a", own+", serviceoperator.azure.com/reconcile-policy: skip")},
		"address of an operation":                 {by: teamUser, object: resourceGroup("a", own+", serviceoperator.azure.com/poller-resume-token: x"), want: records},
		"address of an operation, by Crossplane":  {by: crossplane, object: resourceGroup("a", own+", serviceoperator.azure.com/poller-resume-token: x"), want: records},
		"address of an operation, by ASO":         {by: aso, object: resourceGroup("a", own+", serviceoperator.azure.com/poller-resume-token: x")},
		"where ASO is":                            {by: teamUser, object: resourceGroup("a", own+", serviceoperator.azure.com/operator-namespace: team-b"), want: records},
		"where ASO is, by Crossplane":             {by: crossplane, object: resourceGroup("a", own+", serviceoperator.azure.com/operator-namespace: aso")},
		"where ASO is and more, by Crossplane":    {by: crossplane, object: resourceGroup("a", own+", serviceoperator.azure.com/operator-namespace: aso, serviceoperator.azure.com/resource-id: /x"), want: records},
		"ID in Azure":                             {by: teamUser, object: resourceGroup("a", own+", serviceoperator.azure.com/resource-id: /x"), want: records},
		"ID in Azure, restored by administrators": {by: admin, object: resourceGroup("a", own+", serviceoperator.azure.com/resource-id: /x")},
		"owner by name":                           {by: teamUser, object: cluster("owner: {name: g}")},
		"owner by ID":                             {by: teamUser, object: cluster("owner: {armId: /Subscriptions/" + strings.ToUpper(teamSubscription) + "/resourceGroups/g}")},
		"owner elsewhere":                         {by: teamUser, object: cluster("owner: {armId: /subscriptions/1/resourceGroups/g}"), want: elsewhere},
		"owner elsewhere, by Crossplane":          {by: crossplane, object: cluster("owner: {armId: /subscriptions/1/resourceGroups/g}"), want: elsewhere},
		"expression to a Secret":                  {by: teamUser, object: cluster("owner: {name: g}, operatorSpec: {secretExpressions: [{name: mine, key: a, value: self.metadata.name}]}")},
		"expression to a credential":              {by: crossplane, object: cluster("owner: {name: g}, operatorSpec: {secretExpressions: [{name: aso-credential, key: a, value: self.metadata.name}]}"), want: expressions},
		"expression to a cluster's credential":    {by: teamUser, object: cluster("owner: {name: g}, operatorSpec: {secretExpressions: [{name: c-aso-secret, key: a, value: self.metadata.name}]}"), want: expressions},
		"expression to a kubeconfig":              {by: teamUser, object: cluster("owner: {name: g}, operatorSpec: {secretExpressions: [{name: c-kubeconfig, key: a, value: self.metadata.name}]}"), want: expressions},

		"Secret of any format":                 {by: teamUser, object: secret("a", "password: eA==")},
		"client secret":                        {by: teamUser, object: secret("a", clientSecret)},
		"certificate":                          {by: teamUser, object: secret("a", teamsApplication+", AZURE_CLIENT_CERTIFICATE: eA==, AZURE_CLIENT_CERTIFICATE_PASSWORD: ''")},
		"ASO's workload identity":              {by: teamUser, object: secret("a", teamsApplication), want: asItself},
		"ASO's workload identity, by ASO":      {by: aso, object: secret("a", teamsApplication), want: asItself},
		"ASO's workload identity, by provider": {by: providerCAPZ, object: secret("a", teamsApplication+", AUTH_MODE: eA==")},
		"ASO's workload identity, by admins":   {by: admin, object: secret("a", teamsApplication)},
		"mode beside a secret":                 {by: teamUser, object: secret("a", clientSecret+", AUTH_MODE: eA=="), want: "data has AUTH_MODE, but must have none but"},
		"file of ASO's":                        {by: teamUser, object: secret("a", clientSecret+", AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS: eA=="), want: "data has AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS"},
		"endpoint":                             {by: teamUser, object: secret("a", clientSecret+", AZURE_AUTHORITY_HOST: eA=="), want: "data has AZURE_AUTHORITY_HOST"},
		"other subscription":                   {by: teamUser, object: secret("a", strings.Replace(clientSecret, "MGIx", "MGIy", 1)), want: subscription},
		"no subscription":                      {by: teamUser, object: secret("a", "AZURE_CLIENT_SECRET: eA=="), want: subscription},

		"kubeconfig":                  {by: teamUser, object: secret("d-kubeconfig", "value: eA=="), want: "Secret d-kubeconfig " + kubeconfig},
		"kubeconfig, by Crossplane":   {by: crossplane, object: secret("d-kubeconfig", "value: eA=="), want: kubeconfig},
		"kubeconfig, by ASO":          {by: aso, object: secret("d-kubeconfig", "value: eA==")},
		"kubeconfig, by the provider": {by: providerCAPZ, object: secret("d-kubeconfig", "value: eA==")},
		"kubeconfig, by admins":       {by: admin, object: secret("d-kubeconfig", "value: eA==")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			answers(t, as(t, tc.by).Create(t.Context(), parsed(t, tc.object), client.DryRunAll), tc.want)
		})
	}
}

// changedUnderPolicies has changes of what is there: what was there before a policy is not held against its owner.
func changedUnderPolicies(t *testing.T) {
	cases := map[string]struct {
		by     string
		object string
		patch  string
		want   string
	}{
		"label what ASO has noted on":     {by: teamUser, object: resourceGroup("noted", ""), patch: `{"metadata": {"labels": {"a": "b"}}}`},
		"change what ASO has noted":       {by: teamUser, object: resourceGroup("noted", ""), patch: `{"metadata": {"annotations": {"serviceoperator.azure.com/resource-id": "/y"}}}`, want: "must stay as they are"},
		"ASO changes it":                  {by: aso, object: resourceGroup("noted", ""), patch: `{"metadata": {"annotations": {"serviceoperator.azure.com/resource-id": "/y"}}}`},
		"take the credential away":        {by: teamUser, object: resourceGroup("noted", ""), patch: `{"metadata": {"annotations": {"serviceoperator.azure.com/credential-from": null}}}`, want: "must name a Secret"},
		"one that never had a credential": {by: aso, object: resourceGroup("older", ""), patch: `{"metadata": {"finalizers": ["serviceoperator.azure.com/finalizer"]}}`},
		"label a kubeconfig":              {by: teamUser, object: secret("c-kubeconfig", ""), patch: `{"metadata": {"labels": {"a": "b"}}}`},
		"change a kubeconfig":             {by: teamUser, object: secret("c-kubeconfig", ""), patch: `{"data": {"value": "eQ=="}}`, want: "is written by provider-capz and ASO"},
		"make a credential of a Secret":   {by: teamUser, object: secret("plain", ""), patch: `{"data": {"AUTH_MODE": "eQ=="}}`, want: "data must have AZURE_CLIENT_SECRET"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			patch := client.RawPatch("application/merge-patch+json", []byte(tc.patch))
			answers(t, as(t, tc.by).Patch(t.Context(), parsed(t, tc.object), patch, client.DryRunAll), tc.want)
		})
	}
}

func answers(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("refused: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want %q", err, want)
	}
}
