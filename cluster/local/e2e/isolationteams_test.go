package e2e

import (
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// enterTeams makes team-b's namespace, with the application that ASO takes for what names none, and a Secret that nobody may copy.
func enterTeams(w *world) error {
	b := w.teams().b
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: b.namespace}}
	credential := b.credential("aso-credential")
	credential.StringData["AZURE_TENANT_ID"], credential.StringData["AZURE_CLIENT_ID"] = b.tenant(), b.application()
	hostage := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: b.namespace, Name: "hostage"}, StringData: map[string]string{"password": b.planted("hostage")}}
	for _, o := range []client.Object{namespace, credential, hostage} {
		if err := w.create(o); err != nil {
			return err
		}
	}
	return nil
}

// registerTeams has Azure know whose the subscriptions and applications are.
func registerTeams(w *world) error {
	for _, team := range []*world{w, w.teams().b} {
		if err := w.azure.RegisterSubscription(w.ctx, admin.Subscription{ID: team.subscription, TenantID: team.tenant()}); err != nil {
			return err
		}
		application := admin.Application{TenantID: team.tenant(), ClientID: team.application(), Secret: team.planted("client secret"), Subscriptions: []string{team.subscription}}
		if err := w.azure.RegisterApplication(w.ctx, application); err != nil {
			return err
		}
	}
	return nil
}

// admitMembers gives team-b's accounts their rights, by the roles that Crossplane's RBAC manager makes for editors, and their tokens.
func admitMembers(w *world) error {
	i := w.teams()
	rules := map[string][]rbacv1.PolicyRule{
		teamEditor: {
			{APIGroups: []string{coreGroup}, Resources: []string{"clusters", "machinepools"}, Verbs: []string{"*"}},
			{APIGroups: []string{eventKind.Group, ""}, Resources: []string{"events"}, Verbs: []string{"get", "list", "watch"}},
		},
	}
	rules[teamOwner] = slices.Concat(rules[teamEditor], []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets", "configmaps"}, Verbs: []string{"*"}}})
	for _, gvk := range w.kinds.aso {
		rules[teamOwner] = append(rules[teamOwner], rbacv1.PolicyRule{APIGroups: []string{gvk.Group}, Resources: []string{"*"}, Verbs: []string{"*"}})
	}
	edits := &rbacv1.ClusterRoleList{}
	if err := w.client.List(w.ctx, edits, client.MatchingLabels{"rbac.crossplane.io/aggregate-to-edit": "true"}); err != nil {
		return err
	}
	for _, account := range []string{teamEditor, teamOwner} {
		role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: i.b.namespace, Name: account}, Rules: rules[account]}
		objects := []client.Object{&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: i.b.namespace, Name: account}}, role, i.binding(account, "Role", account)}
		for _, edit := range edits.Items {
			if strings.HasPrefix(edit.Name, "crossplane:composite:") {
				objects = append(objects, i.binding(account, "ClusterRole", edit.Name))
			}
		}
		for _, o := range objects {
			if err := w.create(o); err != nil {
				return err
			}
		}
		if err := i.logIn(account); err != nil {
			return err
		}
	}
	return nil
}

func (i *isolation) binding(account, kind, role string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: i.b.namespace, Name: account + "-" + strings.ReplaceAll(role, ":", "-")},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: role},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: i.b.namespace, Name: account}},
	}
}

func (i *isolation) logIn(account string) error {
	request := &authenticationv1.TokenRequest{}
	owner := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: i.b.namespace, Name: account}}
	if err := i.b.client.SubResource("token").Create(i.b.ctx, owner, request); err != nil {
		return err
	}
	config := rest.AnonymousClientConfig(i.b.config)
	config.BearerToken = request.Status.Token
	var err error
	i.members[account], err = client.New(config, client.Options{Scheme: i.b.client.Scheme(), Mapper: i.b.client.RESTMapper()})
	return err
}

// policies holds team-a to examples/security, under which its cluster has to come up as without. Team-b is not held to it: what stops
// it is this project, or Azure.
func policies(w *world) error {
	objects, err := kubeyaml.Read(w.root + "/examples/security")
	if err != nil {
		return err
	}
	for _, u := range objects {
		if err := w.client.Apply(w.ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
			return fmt.Errorf("apply %s %s: %w", u.GetKind(), u.GetName(), err)
		}
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespace}}
	label := fmt.Appendf(nil, `{"metadata": {"labels": {"security.example.org/subscription": %q}}}`, w.subscription)
	return w.client.Patch(w.ctx, namespace, client.RawPatch("application/merge-patch+json", label))
}

func offerShared(w *world) error { return w.applyPlatform("clusterclass.yaml", "composition.yaml") }

// clustersOfTeams applies the same cluster for each team, with an identity for the team's own namespace.
func clustersOfTeams(w *world) error {
	for _, team := range []*world{w, w.teams().b} {
		own := withSpec(identityKind, fmt.Sprintf("{tenantID: %s, clientID: %s, allowedNamespaces: {list: [%s]}}", team.tenant(), team.application(), team.namespace))
		if err := applyTyped("aks", onePool, own)(team); err != nil {
			return err
		}
	}
	return nil
}

// claimByA makes a claim that names a Composition which nobody offers, so that nothing but its composite resource is made.
func claimByA(w *world) error {
	claim, err := parse(`{apiVersion: platform.capz.crossplane.io/v1alpha1, kind: AKSClusterClaim, metadata: {name: ` + claimOfA + `}, spec: {
  location: westeurope, version: v1.33.6, compositionRef: {name: nobody}, writeConnectionSecretToRef: {name: shop-connection}}}`)
	if err != nil {
		return err
	}
	return w.apply(claim...)
}

func claimOfABound(w *world) []string {
	claim, err := w.get(teamClaimKind, claimOfA)
	if err != nil || claim == nil {
		return []string{fmt.Sprintf("the claim of team-a is not there: %v", err)}
	}
	w.teams().xrOfA, _, _ = unstructured.NestedString(claim.Object, "spec", "resourceRef", "name")
	if w.teams().xrOfA == "" {
		return []string{"the claim of team-a has no composite resource"}
	}
	return nil
}
