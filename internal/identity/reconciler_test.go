package identity

import (
	"context"
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/apis/infrastructure/v1beta1"
	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// TestCredential shows what of every type of identity reaches ASO, or what is reported to users instead.
func TestCredential(t *testing.T) {
	pem := certificate(t)
	inFile := filepath.Join(t.TempDir(), "id.pem")
	noCertificate := filepath.Join(t.TempDir(), "token")
	for path, content := range map[string]string{inFile: pem, noCertificate: hush} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(pem))
	cases := map[string]struct {
		identity, source []string
		want             map[string]string
		event            string
	}{
		"ServicePrincipal":       {want: map[string]string{"AZURE_CLIENT_SECRET": hush}},
		"ManualServicePrincipal": {identity: []string{"ServicePrincipal", "ManualServicePrincipal"}, want: map[string]string{"AZURE_CLIENT_SECRET": hush}},
		"Secret beside the identity": {
			identity: []string{"name: s, namespace: ids", "name: s"}, want: map[string]string{"AZURE_CLIENT_SECRET": hush},
		},
		"WorkloadIdentity": {identity: []string{"ServicePrincipal", "WorkloadIdentity"}, want: map[string]string{"AUTH_MODE": "workloadidentity"}},
		"UserAssignedMSI":  {identity: []string{"ServicePrincipal", "UserAssignedMSI"}, want: map[string]string{"AUTH_MODE": "podidentity"}},
		"UserAssignedIdentityCredential": {
			identity: []string{"ServicePrincipal", "UserAssignedIdentityCredential, userAssignedIdentityCredentialsPath: /etc/id.json"},
			want:     map[string]string{"AZURE_USER_ASSIGNED_IDENTITY_CREDENTIALS": "/etc/id.json"},
		},
		"UserAssignedIdentityCredential without a file": {
			identity: []string{"ServicePrincipal", "UserAssignedIdentityCredential"}, event: "spec.userAssignedIdentityCredentialsPath of AzureClusterIdentity ids/id is empty",
		},
		"ServicePrincipalCertificate": {
			identity: []string{"ServicePrincipal", "ServicePrincipalCertificate"}, source: []string{"clientSecret: aHVzaA==", "certificate: " + encoded},
			want: map[string]string{"AZURE_CLIENT_CERTIFICATE": pem, "AZURE_CLIENT_CERTIFICATE_PASSWORD": ""},
		},
		"ServicePrincipalCertificate in a file": {
			identity: []string{"ServicePrincipal", "ServicePrincipalCertificate, certPath: " + inFile},
			want:     map[string]string{"AZURE_CLIENT_CERTIFICATE": pem, "AZURE_CLIENT_CERTIFICATE_PASSWORD": ""},
		},
		"another file of the container": {
			identity: []string{"ServicePrincipal", "ServicePrincipalCertificate, certPath: " + noCertificate}, event: "spec.certPath of AzureClusterIdentity ids/id is " + noCertificate,
		},
		"no such file": {
			identity: []string{"ServicePrincipal", "ServicePrincipalCertificate, certPath: /none"}, event: "spec.certPath of AzureClusterIdentity ids/id is /none",
		},
		"no certificate": {
			identity: []string{"ServicePrincipal", "ServicePrincipalCertificate"}, source: []string{"clientSecret: aHVzaA==", "certificate: aHVzaA=="},
			event: "key certificate of Secret ids/s, to which AzureClusterIdentity ids/id refers, is not a certificate",
		},
		"no key clientSecret": {source: []string{"clientSecret:", "other:"}, event: "Secret ids/s, to which AzureClusterIdentity ids/id refers, has no key clientSecret"},
		"no such Secret":      {identity: []string{"name: s,", "name: none,"}, event: "Secret ids/none, to which AzureClusterIdentity ids/id refers, does not exist"},
		"no Secret named":     {identity: []string{"clientSecret: {name: s, namespace: ids}, ", ""}, event: "spec.clientSecret.name of AzureClusterIdentity ids/id is empty"},
		"a type to come":      {identity: []string{"ServicePrincipal", "Future"}, event: "spec.type of AzureClusterIdentity ids/id is Future, which is not supported"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := manage(t, theCluster, theControlPlane, theTeam, replaced(theIdentity, tc.identity...), replaced(theSource, tc.source...))
			_, event := m.reconcile()
			if !strings.Contains(event, tc.event) || (event == "") != (tc.event == "") {
				t.Errorf("event %q, want %q", event, tc.event)
			}
			if strings.Contains(event, hush) {
				t.Errorf("the secret is in %q", event)
			}
			secret := m.credential()
			if (secret == nil) != (tc.want == nil) || (m.noted() == "c-aso-secret") != (tc.want != nil) {
				t.Fatalf("Secret %v, noted %q, want %v", secret, m.noted(), tc.want)
			}
			if secret == nil {
				return
			}
			tc.want["AZURE_SUBSCRIPTION_ID"], tc.want["AZURE_TENANT_ID"], tc.want["AZURE_CLIENT_ID"] = "sub", "tenant", "app"
			got := map[string]string{}
			for key, value := range secret.Data {
				got[key] = string(value)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("data: -want +got:\n%s", diff)
			}
		})
	}
}

// TestAllowedNamespaces shows from where an identity may be used.
func TestAllowedNamespaces(t *testing.T) {
	const none = "does not have namespace team"
	cases := map[string]struct{ allowed, event string }{
		"left out":          {allowed: "", event: none},
		"null":              {allowed: ", allowedNamespaces: null", event: none},
		"empty":             {allowed: ", allowedNamespaces: {}"},
		"listed":            {allowed: ", allowedNamespaces: {list: [other, team]}"},
		"not listed":        {allowed: ", allowedNamespaces: {list: [other]}", event: none},
		"an empty list":     {allowed: ", allowedNamespaces: {list: []}", event: none},
		"selected":          {allowed: ", allowedNamespaces: {selector: {matchLabels: {azure: allowed}}}"},
		"not selected":      {allowed: ", allowedNamespaces: {selector: {matchLabels: {azure: other}}}", event: none},
		"listed or else":    {allowed: ", allowedNamespaces: {list: [other], selector: {matchLabels: {azure: allowed}}}"},
		"an empty selector": {allowed: ", allowedNamespaces: {selector: {}}", event: none},
		"a wrong selector":  {allowed: ", allowedNamespaces: {selector: {matchExpressions: [{key: a, operator: Guess}]}}", event: "spec.allowedNamespaces.selector of AzureClusterIdentity ids/id is invalid"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := manage(t, theCluster, theControlPlane, theTeam, theSource, replaced(theIdentity, ", allowedNamespaces: {list: [team]}", tc.allowed))
			_, event := m.reconcile()
			if !strings.Contains(event, tc.event) || (event == "") != (tc.event == "") {
				t.Errorf("event %q, want %q", event, tc.event)
			}
			if allowed := m.credential() != nil; allowed != (tc.event == "") {
				t.Errorf("a Secret: %v", allowed)
			}
		})
	}
}

// TestReconcile shows when a Secret is written at all.
func TestReconcile(t *testing.T) {
	const held, created = "patch AzureClusterIdentity id", "create Secret c-aso-secret"
	failed := []string{"patch AzureManagedControlPlane cp"}
	cases := map[string]struct {
		cluster, controlPlane []string
		others                []string
		want                  []string
		event                 string
	}{
		"new":                  {want: []string{held, created, "patch AzureManagedControlPlane cp"}},
		"no Cluster yet":       {controlPlane: []string{"ownerReferences:", "annotations: {}, x:"}},
		"paused Cluster":       {cluster: []string{"uid: cluster}", "uid: cluster}, spec: {paused: true}"}},
		"paused":               {controlPlane: []string{"uid: cp,", `uid: cp, annotations: {cluster.x-k8s.io/paused: ""},`}},
		"a person's pause":     {controlPlane: []string{"uid: cp,", `uid: cp, annotations: {crossplane.io/paused: "true"},`}},
		"externally managed":   {controlPlane: []string{"uid: cp,", `uid: cp, annotations: {cluster.x-k8s.io/managed-by: x},`}},
		"about to be moved":    {controlPlane: []string{"uid: cp,", `uid: cp, annotations: {clusterctl.cluster.x-k8s.io/delete-for-move: ""},`}},
		"being deleted":        {controlPlane: []string{"uid: cp,", `uid: cp, deletionTimestamp: "2026-11-20T00:00:00Z", finalizers: [a/b],`}, want: []string{held, created, "patch AzureManagedControlPlane cp"}},
		"no subscription":      {controlPlane: []string{"subscriptionID: sub, ", ""}, want: failed, event: "spec.subscriptionID is empty"},
		"another kind":         {controlPlane: []string{"kind: AzureClusterIdentity", "kind: AWSClusterIdentity"}, want: failed, event: "spec.identityRef.kind is AWSClusterIdentity; it must be AzureClusterIdentity"},
		"no name":              {controlPlane: []string{"name: id,", ""}, want: failed, event: "spec.identityRef.name is empty"},
		"no such identity":     {controlPlane: []string{"name: id,", "name: none,"}, want: failed, event: "AzureClusterIdentity ids/none, to which spec.identityRef refers, does not exist"},
		"in its own namespace": {controlPlane: []string{", namespace: ids", ""}, want: failed, event: "AzureClusterIdentity team/id, to which spec.identityRef refers, does not exist"},
		"a person's Secret": {
			others: []string{`{apiVersion: v1, kind: Secret, metadata: {namespace: team, name: c-aso-secret}}`}, want: []string{"patch AzureManagedControlPlane cp"},
			event: "Secret c-aso-secret was there before and is used as it is",
		},
		"a person's Secret, no identity": {
			others: []string{`{apiVersion: v1, kind: Secret, metadata: {namespace: team, name: c-aso-secret}}`}, controlPlane: []string{"name: id,", "name: none,"},
			want: []string{"patch AzureManagedControlPlane cp"}, event: "Secret c-aso-secret was there before and is used as it is",
		},
		"another's Secret": {
			others: []string{`{apiVersion: v1, kind: Secret, metadata: {namespace: team, name: c-aso-secret, ownerReferences: [{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, name: cp, uid: before, controller: true}]}}`},
			want:   failed, event: "Secret c-aso-secret belongs to another AzureManagedControlPlane, cp",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := manage(t, append(tc.others, replaced(theCluster, tc.cluster...), replaced(theControlPlane, tc.controlPlane...), theTeam, theIdentity, theSource)...)
			writes, event := m.reconcile()
			if diff := cmp.Diff(tc.want, writes); diff != "" {
				t.Errorf("writes: -want +got:\n%s", diff)
			}
			if !strings.Contains(event, tc.event) || (event == "") != (tc.event == "") {
				t.Errorf("event %q, want %q", event, tc.event)
			}
			if writes, _ = m.reconcile(); len(writes) > 0 {
				t.Errorf("wrote again: %v", writes)
			}
		})
	}
}

// TestReconcileKeeps shows that the Secret follows its source, and stays while there is none that it could follow.
func TestReconcileKeeps(t *testing.T) {
	ctx := context.Background()
	m := manage(t, theCluster, theControlPlane, theTeam, theIdentity, theSource)
	m.reconcile()
	secret := m.credential()
	if owner := metav1.GetControllerOf(secret); owner == nil || owner.UID != "cp" || owner.BlockOwnerDeletion != nil || secret.Labels["cluster.x-k8s.io/cluster-name"] != "c" {
		t.Errorf("metadata %v", secret.ObjectMeta)
	}
	source := &corev1.Secret{}
	if err := m.Get(ctx, client.ObjectKey{Namespace: "ids", Name: "s"}, source); err != nil {
		t.Fatal(err)
	}
	source.Data["clientSecret"] = []byte("another")
	if err := m.Update(ctx, source); err != nil {
		t.Fatal(err)
	}
	writes, _ := m.reconcile()
	if diff := cmp.Diff([]string{"patch Secret c-aso-secret"}, writes); diff != "" || string(m.credential().Data["AZURE_CLIENT_SECRET"]) != "another" {
		t.Errorf("a new client secret: -want +got:\n%s", diff)
	}
	if err := m.Delete(ctx, source); err != nil {
		t.Fatal(err)
	}
	writes, event := m.reconcile()
	if diff := cmp.Diff([]string{"patch AzureManagedControlPlane cp"}, writes); diff != "" || !strings.Contains(event, "does not exist") || m.credential() == nil {
		t.Errorf("without its source: event %q, writes: -want +got:\n%s", event, diff)
	}
	if failed := m.annotations()[v1beta1.AnnotationCredentialFailed]; failed != "CredentialFailed: Secret ids/s, to which AzureClusterIdentity ids/id refers, does not exist" {
		t.Errorf("without its source, the control plane says %q", failed)
	}
	other := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"type":"WorkloadIdentity"}}`))
	if err := m.Patch(ctx, object(t, theIdentity), other); err != nil {
		t.Fatal(err)
	}
	m.reconcile()
	if _, has := m.credential().Data["AZURE_CLIENT_SECRET"]; has {
		t.Error("the client secret stays with another type of identity")
	}
	if failed, says := m.annotations()[v1beta1.AnnotationCredentialFailed]; says {
		t.Errorf("when all is well, the control plane says %q", failed)
	}
}

// TestReconcileToCertificate shows that a Secret with a client secret becomes one with a certificate that has no password.
func TestReconcileToCertificate(t *testing.T) {
	ctx := context.Background()
	m := manage(t, theCluster, theControlPlane, theTeam, theIdentity, theSource,
		replaced(theSource, "name: s", "name: cert", "clientSecret: aHVzaA==", "certificate: "+base64.StdEncoding.EncodeToString([]byte(certificate(t)))),
		replaced(theIdentity, "name: id}", "name: by-cert}", "ServicePrincipal", "ServicePrincipalCertificate", "name: s,", "name: cert,"))
	m.reconcile()
	controlPlane := object(t, theControlPlane)
	patch := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"identityRef":{"name":"by-cert"}}}`))
	if err := m.Patch(ctx, controlPlane, patch); err != nil {
		t.Fatal(err)
	}
	if _, event := m.reconcile(); event != "" {
		t.Error(event)
	}
	want := []string{"AZURE_CLIENT_CERTIFICATE", "AZURE_CLIENT_CERTIFICATE_PASSWORD", "AZURE_CLIENT_ID", "AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(m.credential().Data))); diff != "" {
		t.Errorf("keys: -want +got:\n%s", diff)
	}
	if writes, _ := m.reconcile(); len(writes) > 0 {
		t.Errorf("wrote again: %v", writes)
	}
}

// TestReread shows when something is read again that is not watched.
func TestReread(t *testing.T) {
	certificate := replaced(theIdentity, "ServicePrincipal", "ServicePrincipalCertificate, certPath: /none")
	for name, tc := range map[string]struct {
		controlPlane, identity, namespace string
		want                              time.Duration
	}{
		"a Secret":                               {controlPlane: theControlPlane, identity: theIdentity},
		"a file":                                 {controlPlane: theControlPlane, identity: certificate, want: rereadInterval},
		"a Secret, and one namespace is watched": {controlPlane: theControlPlane, identity: theIdentity, namespace: "team", want: rereadInterval},
		"another identity's file":                {controlPlane: theControlPlane, identity: replaced(certificate, "name: id}", "name: other}")},
		"a wrong reference":                      {controlPlane: replaced(theControlPlane, "name: id,", "name: '',"), identity: certificate},
		"no reference":                           {controlPlane: replaced(theControlPlane, "identityRef:", "other:"), identity: certificate, namespace: "team"},
	} {
		t.Run(name, func(t *testing.T) {
			m := manage(t, theCluster, tc.controlPlane, theTeam, tc.identity, theSource)
			r := m.reconciler()
			r.keeper.namespace = tc.namespace
			result, err := r.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "team", Name: "cp"}})
			if err != nil {
				t.Fatal(err)
			}
			if result.RequeueAfter != tc.want {
				t.Errorf("again after %s, want %s", result.RequeueAfter, tc.want)
			}
		})
	}
}

// TestWatches shows which control planes an event of another object leads to.
func TestWatches(t *testing.T) {
	ctx := context.Background()
	m := manage(t, theControlPlane, theIdentity)
	r := &Reconciler{Client: m.Client, kind: composite.AzureManagedControlPlane}
	to := []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: "team", Name: "cp"}}}
	owned := object(t, `{apiVersion: v1, kind: Secret, metadata: {namespace: team, name: x, ownerReferences: [
  {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: AzureManagedControlPlane, name: cp, uid: cp, controller: true}]}}`)
	synced := object(t, `{apiVersion: v1, kind: Secret, metadata: {namespace: ids, name: s, ownerReferences: [{apiVersion: external-secrets.io/v1, kind: ExternalSecret, name: s, uid: s, controller: true}]}}`)
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: "team"}, Spec: clusterv1.ClusterSpec{
		ControlPlaneRef: clusterv1.ContractVersionedObjectReference{APIGroup: composite.AzureManagedControlPlane.Group, Kind: composite.AzureManagedControlPlane.Kind, Name: "cp"},
	}}
	other := cluster.DeepCopy()
	other.Spec.ControlPlaneRef.Kind = "KubeadmControlPlane"
	for name, tc := range map[string]struct {
		got, want []ctrl.Request
	}{
		"the Cluster":                {r.fromCluster(ctx, cluster), to},
		"another kind's Cluster":     {r.fromCluster(ctx, other), nil},
		"the identity":               {r.fromIdentity(ctx, object(t, theIdentity)), to},
		"another identity":           {r.fromIdentity(ctx, object(t, replaced(theIdentity, "name: id}", "name: other}"))), nil},
		"its Secret":                 {r.fromSecret(ctx, object(t, theSource)), to},
		"its Secret, owned":          {r.fromSecret(ctx, synced), to},
		"another Secret":             {r.fromSecret(ctx, object(t, replaced(theSource, "name: s", "name: other"))), nil},
		"the Secret made from it":    {r.fromSecret(ctx, owned), to},
		"a person's own credential":  {r.fromSecret(ctx, object(t, `{apiVersion: v1, kind: Secret, metadata: {namespace: team, name: c-aso-secret}}`)), to},
		"the namespace":              {r.fromNamespace(ctx, object(t, theTeam)), to},
		"another namespace":          {r.fromNamespace(ctx, object(t, replaced(theTeam, "team", "other"))), nil},
		"a thing that is no Cluster": {r.fromCluster(ctx, object(t, theTeam)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestReconcileASO shows when an AzureASOManagedControlPlane gets a Secret, and that this outlives it: the AzureASOManagedCluster is
// deleted after it.
func TestReconcileASO(t *testing.T) {
	theASO := replaced(theControlPlane, "kind: AzureManagedControlPlane", "kind: AzureASOManagedControlPlane")
	m := manage(t, theCluster, theASO, theTeam, theIdentity, theSource)
	m.kind = composite.AzureASOManagedControlPlane
	writes, event := m.reconcile()
	if diff := cmp.Diff([]string{"patch AzureClusterIdentity id", "create Secret c-aso-secret", "patch AzureASOManagedControlPlane cp"}, writes); diff != "" || event != "" {
		t.Fatalf("event %q, writes: -want +got:\n%s", event, diff)
	}
	want := []metav1.OwnerReference{
		{APIVersion: "infrastructure.cluster.x-k8s.io/v1beta1", Kind: "AzureASOManagedControlPlane", Name: "cp", UID: "cp", Controller: new(true)},
		{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "Cluster", Name: "c", UID: "cluster"},
	}
	if diff := cmp.Diff(want, m.credential().OwnerReferences); diff != "" {
		t.Errorf("owners: -want +got:\n%s", diff)
	}
	if writes, _ := m.reconcile(); len(writes) > 0 {
		t.Errorf("wrote again: %v", writes)
	}
	m = manage(t, theCluster, replaced(theASO, "identityRef: {kind: AzureClusterIdentity, name: id, namespace: ids}", ""), theTeam, theIdentity, theSource)
	m.kind = composite.AzureASOManagedControlPlane
	if writes, event := m.reconcile(); len(writes) > 0 || event != "" {
		t.Errorf("without an identity: wrote %v, event %q", writes, event)
	}
}

// TestInfrastructureCarriesTheCredential has an infrastructure carry the credential, by nothing but its kind: the Secret is deleted with it, as nothing
// of a Cluster is deleted later.
func TestInfrastructureCarriesTheCredential(t *testing.T) {
	m := manage(t, replaced(theCluster, "uid: cluster}", "uid: cluster}, spec: {infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AzureManagedCluster, name: cp}}"),
		replaced(theControlPlane, "kind: AzureManagedControlPlane", "kind: AzureManagedCluster"), theTeam, theIdentity, theSource)
	m.kind = composite.AzureManagedCluster
	m.kind.Credential = true
	r := m.reconciler()
	cluster := &clusterv1.Cluster{}
	if err := m.Get(t.Context(), client.ObjectKey{Namespace: "team", Name: "c"}, cluster); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: "team", Name: "cp"}}}, r.fromCluster(t.Context(), cluster)); diff != "" {
		t.Errorf("from the Cluster: -want +got:\n%s", diff)
	}
	want := []metav1.OwnerReference{{APIVersion: "infrastructure.cluster.x-k8s.io/v1beta1", Kind: "AzureManagedCluster", Name: "cp", UID: "cp", Controller: new(true)}}
	if diff := cmp.Diff(want, r.ownersOf(&carrier{ObjectMeta: metav1.ObjectMeta{Name: "cp", UID: "cp"}}, cluster)); diff != "" {
		t.Errorf("owners of the Secret: -want +got:\n%s", diff)
	}
}
