package identity

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/internal/composite"
)

// TestReconcileCloudOfASO shows that the ASO kinds have the field too.
func TestReconcileCloudOfASO(t *testing.T) {
	m := manage(t, theCluster, theTeam, theIdentity, theSource,
		replaced(theControlPlane, "AzureManagedControlPlane", "AzureASOManagedControlPlane", "subscriptionID: sub,", "subscriptionID: sub, azureEnvironment: AzureChinaCloud,"),
		`{apiVersion: v1, kind: Secret, metadata: {namespace: capz-system, name: aso-controller-settings}, data: {ALLOW_MULTI_ENV_MANAGEMENT: dHJ1ZQ==}}`)
	m.kind = composite.AzureASOManagedControlPlane
	if _, event := m.reconcile(); event != "" {
		t.Fatal(event)
	}
	if host := string(m.credential().Data["AZURE_AUTHORITY_HOST"]); host != "https://login.chinacloudapi.cn/" {
		t.Errorf("the authority host is %q", host)
	}
}

// TestReconcileClouds shows what the credential Secret has of a cluster's cloud, and when there is a mistake instead.
func TestReconcileClouds(t *testing.T) {
	const operator = `{apiVersion: v1, kind: Secret, metadata: {namespace: azureserviceoperator-system, name: aso-controller-settings}, data: {X: ""}}`
	anywhere := replaced(operator, `X: ""`, "ALLOW_MULTI_ENV_MANAGEMENT: dHJ1ZQ==")
	inUS := replaced(operator, `X: ""`, "AZURE_AUTHORITY_HOST: aHR0cHM6Ly9sb2dpbi5taWNyb3NvZnRvbmxpbmUudXM=") // https://login.microsoftonline.us
	elsewhere := replaced(operator, `X: ""`, "AZURE_AUTHORITY_HOST: aHR0cHM6Ly9sb2dpbi5leGFtcGxl")            // https://login.example
	us := []string{"AZURE_AUTHORITY_HOST=https://login.microsoftonline.us/", "AZURE_RESOURCE_MANAGER_AUDIENCE=https://management.core.usgovcloudapi.net/", "AZURE_RESOURCE_MANAGER_ENDPOINT=https://management.usgovcloudapi.net"}
	for name, tc := range map[string]struct {
		operator, environment, identityType string
		want                                []string
		event                               string
	}{
		"ASO's":                             {operator: anywhere},
		"public, ASO without settings":      {environment: "AzurePublicCloud"},
		"public, with ASO there":            {operator: anywhere, environment: "AzurePublicCloud"},
		"US":                                {operator: anywhere, environment: "AzureUSGovernmentCloud", want: us},
		"US, with ASO there":                {operator: inUS, environment: "AzureUSGovernmentCloud"},
		"US, for a CAPZ that brings ASO":    {operator: replaced(anywhere, "azureserviceoperator-system", "capz-system"), environment: "AzureUSGovernmentCloud", want: us},
		"US, not allowed":                   {operator: operator, environment: "AzureUSGovernmentCloud", event: `spec.azureEnvironment is AzureUSGovernmentCloud, but Azure Service Operator works in AzurePublicCloud only, by Secret azureserviceoperator-system/aso-controller-settings; it can work in both with ALLOW_MULTI_ENV_MANAGEMENT: "true" there`},
		"US, ASO without settings":          {environment: "AzureUSGovernmentCloud", event: "Azure Service Operator works in AzurePublicCloud only"},
		"US, settings of nobody's":          {operator: replaced(anywhere, "azureserviceoperator-system", "team"), environment: "AzureUSGovernmentCloud", event: "Azure Service Operator works in AzurePublicCloud only"},
		"US, settings of other namespaces'": {operator: replaced(anywhere, "data: {", "data: {AZURE_TARGET_NAMESPACES: aWRz, "), environment: "AzureUSGovernmentCloud", event: "Azure Service Operator works in AzurePublicCloud only"},
		"public, ASO in a cloud of its own": {operator: elsewhere, environment: "AzurePublicCloud", event: "Azure Service Operator works in a cloud of its own only"},
		"gone":                              {operator: anywhere, environment: "AzureGermanCloud", event: "spec.azureEnvironment is AzureGermanCloud; it must be AzurePublicCloud, AzureUSGovernmentCloud or AzureChinaCloud"},
		"identity of the cloud":             {operator: anywhere, environment: "AzureUSGovernmentCloud", identityType: "usgovernment", want: us},
		"identity of ASO's cloud":           {operator: anywhere, identityType: "public"},
		"identity of another cloud":         {operator: anywhere, environment: "AzureUSGovernmentCloud", identityType: "china", event: "spec.userAssignedIdentityCredentialsCloudType of AzureClusterIdentity ids/id is china, but the cluster is in AzureUSGovernmentCloud; it must be usgovernment"},
		"identity, and ASO elsewhere":       {operator: inUS, identityType: "public", event: "is public, but the cluster is in AzureUSGovernmentCloud"},
		"identity of no cloud":              {identityType: "german", event: "spec.userAssignedIdentityCredentialsCloudType of AzureClusterIdentity ids/id is german; it must be public, usgovernment or china"},
	} {
		t.Run(name, func(t *testing.T) {
			identity, controlPlane := theIdentity, theControlPlane
			if tc.identityType != "" {
				identity = replaced(theIdentity, "type: ServicePrincipal,", "type: UserAssignedIdentityCredential, userAssignedIdentityCredentialsPath: /f, userAssignedIdentityCredentialsCloudType: "+tc.identityType+",")
			}
			if tc.environment != "" {
				controlPlane = replaced(theControlPlane, "subscriptionID: sub,", "subscriptionID: sub, azureEnvironment: "+tc.environment+",")
			}
			objects := []string{theCluster, controlPlane, theTeam, identity, theSource}
			if tc.operator != "" {
				objects = append(objects, tc.operator)
			}
			m := manage(t, objects...)
			_, event := m.reconcile()
			if !strings.Contains(event, tc.event) || (event == "") != (tc.event == "") {
				t.Fatalf("event %q, want %q", event, tc.event)
			}
			if tc.event != "" {
				if m.credential() != nil {
					t.Error("there is a credential")
				}
				return
			}
			data, got := m.credential().Data, []string(nil)
			for _, key := range slices.Sorted(maps.Keys(data)) {
				if strings.HasPrefix(key, "AZURE_AUTHORITY_HOST") || strings.HasPrefix(key, "AZURE_RESOURCE_MANAGER") {
					got = append(got, key+"="+string(data[key]))
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
