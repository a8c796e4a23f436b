package identity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/internal/azure"
)

// cloudSettings returns what the credential Secret has for ASO to work in the cloud of spec.azureEnvironment: nothing when that is
// ASO's own, which is also meant when there is none. It is a mistake when ASO may not work there, or the identity's own credentials
// are of another cloud.
func (s source) cloudSettings(ctx context.Context, namespace, environment string) (map[string][]byte, error) {
	identityType := s.identity.Spec.UserAssignedIdentityCredentialsCloudType
	if environment == "" && identityType == "" {
		return nil, nil
	}
	operator, err := s.operators.For(ctx, namespace)
	if err != nil {
		return nil, fmt.Errorf("cannot find out in which Azure clouds Azure Service Operator works: %w", err)
	}
	wanted, own := cloudOf(environment, operator)
	if environment != "" && wanted.Name == "" {
		return nil, wrong("spec.azureEnvironment is %s; it must be %s", environment, listed(func(c azure.Cloud) string { return c.Name }))
	}
	if err := s.agrees(identityType, wanted); err != nil {
		return nil, err
	}
	if own {
		return nil, nil
	}
	everywhere, err := operator.AnyCloud()
	if err != nil || !everywhere {
		return nil, wrong("spec.azureEnvironment is %s, but Azure Service Operator works in %s only, by Secret %s; it can work in both with %s: \"true\" there",
			environment, nameOf(operator), operator.Secret, azure.AnyCloudKey)
	}
	return wanted.Endpoints(), nil
}

// cloudOf returns the cloud that an environment is, without a name when there is none such, and whether that is ASO's own.
func cloudOf(environment string, operator azure.Operator) (wanted azure.Cloud, own bool) {
	home, known := operator.Cloud()
	if environment == "" {
		return home, true
	}
	for _, c := range azure.Clouds() {
		if c.Name == environment {
			return c, known && home.Name == c.Name
		}
	}
	return azure.Cloud{}, false
}

// agrees reports whether the identity's credentials are of the cluster's cloud.
func (s source) agrees(identityType string, cluster azure.Cloud) error {
	switch {
	case identityType == "" || identityType == cluster.IdentityType:
		return nil
	case !slices.ContainsFunc(azure.Clouds(), func(c azure.Cloud) bool { return c.IdentityType == identityType }):
		return wrong("spec.userAssignedIdentityCredentialsCloudType of %s is %s; it must be %s", s.name(), identityType,
			listed(func(c azure.Cloud) string { return c.IdentityType }))
	case cluster.Name == "":
		return nil // A cloud that only ASO knows.
	}
	return wrong("spec.userAssignedIdentityCredentialsCloudType of %s is %s, but the cluster is in %s; it must be %s, or the cluster have another identity or spec.azureEnvironment",
		s.name(), identityType, cluster.Name, cluster.IdentityType)
}

func nameOf(operator azure.Operator) string {
	if home, known := operator.Cloud(); known {
		return home.Name
	}
	return "a cloud of its own"
}

// listed returns what the clouds are called, as a list for people.
func listed(of func(azure.Cloud) string) string {
	var all []string
	for _, c := range azure.Clouds() {
		all = append(all, of(c))
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}
