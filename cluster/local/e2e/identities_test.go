package e2e

import (
	"slices"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// TestIdentities asks the API server who each component is: only the person's kubectl may be in system:masters.
func TestIdentities(t *testing.T) {
	const serviceAccount = "system:serviceaccount:"
	users := map[string]string{
		stack.ControllerManager: "system:kube-controller-manager",
		stack.Node:              "crossplane-capz-local:node",
		stack.Crossplane:        serviceAccount,
		stack.Function:          serviceAccount,
		stack.CrossplaneRBAC:    serviceAccount,
		stack.ASO:               serviceAccount,
		stack.CAPI:              serviceAccount,
		stack.Provider:          serviceAccount,
	}
	seen := map[string]string{}
	for component, prefix := range users {
		who := whoIs(t, suite.stack.KubeconfigOf(component))
		if !strings.HasPrefix(who.Username, prefix) || slices.Contains(who.Groups, "system:masters") {
			t.Errorf("%s is %s of %v", component, who.Username, who.Groups)
		}
		if other := seen[who.Username]; other != "" {
			t.Errorf("%s and %s are both %s", component, other, who.Username)
		}
		seen[who.Username] = component
	}
	if person := whoIs(t, suite.stack.Kubeconfig()); !slices.Contains(person.Groups, "system:masters") {
		t.Errorf("the person is %s of %v", person.Username, person.Groups)
	}
}

func whoIs(t *testing.T, kubeconfig string) authenticationv1.UserInfo {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	review, err := client.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return review.Status.UserInfo
}
