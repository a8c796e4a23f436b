package admission

import (
	"context"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"
)

// TestIdentityGuard shows what a person reads. Which requests come here at all is for the schema tests.
func TestIdentityGuard(t *testing.T) {
	const withRight = ": user, who writes it, needs the right to use azureclusteridentities.infrastructure.cluster.x-k8s.io/operator-credentials in namespace team, " +
		"as ClusterRole crossplane-capz:operator-credentials gives it; without it, name a Secret of the namespace in spec.clientSecret, with type ServicePrincipal or ServicePrincipalCertificate"
	cases := map[string]struct {
		why        admission.Handler
		spec, want string
	}{
		"another namespace's Secret": {
			explained(othersSecret), "{type: ServicePrincipal, clientSecret: {name: s, namespace: ids}}",
			`spec.clientSecret.namespace: Invalid value: "ids": must be team, the namespace of the AzureClusterIdentity, or left out: clusters that use it are given what Secret s has, and user, who writes it, has no right to get secrets/s in namespace ids`,
		},
		"workload identity": {
			explained(operatorsCredential), "{type: WorkloadIdentity}",
			`spec.type: Invalid value: "WorkloadIdentity": signs in with the identity of Azure Service Operator itself, which is no namespace's own` + withRight,
		},
		"credential in a file": {
			explained(operatorsCredential), "{type: UserAssignedIdentityCredential, userAssignedIdentityCredentialsPath: /etc/id.json}",
			`spec.type: Invalid value: "UserAssignedIdentityCredential": signs in with a file of Azure Service Operator's container, which is no namespace's own` + withRight,
		},
		"certificate in a file": {
			explained(operatorsCredential), "{type: ServicePrincipalCertificate, certPath: /etc/id.pem}",
			`spec.certPath: Invalid value: "/etc/id.pem": signs in with a file of provider-capz's container, which is no namespace's own` + withRight,
		},
		"unreadable": {explained(othersSecret), "[]", "cannot read the object"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			raw, err := yaml.YAMLToJSON([]byte("{metadata: {name: id}, spec: " + tc.spec + "}"))
			if err != nil {
				t.Fatal(err)
			}
			response := tc.why.Handle(context.Background(), admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Operation: admissionv1.Create, Namespace: "team", Name: "id", Object: runtime.RawExtension{Raw: raw},
				UserInfo: authenticationv1.UserInfo{Username: "user"},
			}})
			if response.Allowed {
				t.Fatal("was allowed")
			}
			_, got, found := strings.Cut(response.Result.Message, "is invalid: ")
			if found && got != tc.want || !found && !strings.Contains(response.Result.Message, tc.want) {
				t.Errorf("got\n%s\nwant\n%s", response.Result.Message, tc.want)
			}
		})
	}
}
