package e2e

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// claimOfA is team-a's claim. Its cluster is never made, but its XAKSCluster is there.
const claimOfA = "shop"

// An isolation is two teams on one management cluster, each with a namespace, a tenant, a subscription and an application. Both have a
// cluster of the same name.
type isolation struct {
	a, b *world
	// xrOfA is the XAKSCluster of team-a's claim.
	xrOfA string
	// members are team-b's accounts.
	members map[string]client.Client
	// answers are what the API server has said of each attack.
	answers map[string]error
	// before is what team-a had before the attacks, secrets the values in its Secrets.
	before  map[string]string
	secrets map[string][]byte
	begun   time.Time
}

// teams returns the two teams of a scenario.
func (w *world) teams() *isolation {
	if found, ok := w.noted["teams"].(*isolation); ok {
		return found
	}
	i := &isolation{a: w, b: newWorldOn(w.environment, w.t, "isolation-b"), members: map[string]client.Client{}, answers: map[string]error{}}
	i.b.family = typedFamily
	w.noted["teams"] = i
	return i
}

func (w *world) tenant() string      { return idOf(w.namespace, "tenant") }
func (w *world) application() string { return idOf(w.namespace, "application") }

func idOf(namespace, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(namespace+"/"+what)).String()
}

// isolated is what team-b tries against team-a, all of it at once, and that it comes to nothing.
var isolated = &scenario{
	name: "isolation", calmOnly: true, family: typedFamily,
	steps: []step{
		{
			name: "a cluster of each team", lasts: 20 * time.Second,
			act:    all(enterTeams, registerTeams, admitMembers, policies, offerShared, clustersOfTeams, claimByA),
			expect: []expectation{available, signedIn, kubeconfigWorks, claimOfABound, ofB(available), ofB(signedIn), ofB(kubeconfigWorks)},
		},
		{
			name: "team-b attacks", act: all(note("before", remember), attackAll, alterKubeconfig),
			expect: append(answersOfAttacks(), available, kubeconfigWorks, unharmed, nothingCopied, onlyOwnApplications,
				ofB(warned(typedControlPlaneKind, clusterName, "tokenFile, but must have only data"))),
		},
		{
			name: "team-b deletes everything", act: deleteAllOfB, lasts: 20 * time.Second,
			expect: []expectation{ofB(nothingLeft), ofB(azureEmpty), available, kubeconfigWorks, unharmed, nothingCopied, onlyOwnApplications},
		},
		{
			name: "delete", deletes: true, lasts: 15 * time.Second, never: downTyped.never, expect: downTyped.expect,
			act: all(downTyped.act, func(w *world) error { return w.remove(teamClaimKind, claimOfA) }),
		},
	},
}

// ofB expects something of team-b's namespace.
func ofB(e expectation) expectation {
	return func(w *world) []string {
		missing := e(w.teams().b)
		for n := range missing {
			missing[n] = "team-b: " + missing[n]
		}
		return missing
	}
}

// remember notes what team-a has: its ASO objects, what is in Azure, and every value in its Secrets.
func remember(w *world) (any, error) {
	i := w.teams()
	i.begun = time.Now()
	var err error
	if i.before, err = i.ofA(); err != nil {
		return nil, err
	}
	i.secrets = map[string][]byte{}
	list := &corev1.SecretList{}
	if err := w.client.List(w.ctx, list, client.InNamespace(w.namespace)); err != nil {
		return nil, err
	}
	for _, secret := range list.Items {
		for key, value := range secret.Data {
			for what, text := range secretTexts(value) {
				i.secrets[secret.Name+" "+key+what] = text
			}
		}
	}
	return nil, nil
}

// secretTexts returns what of a value nobody else may have: of a kubeconfig its tokens and keys, of others those that are no words or IDs.
func secretTexts(value []byte) map[string][]byte {
	out := map[string][]byte{}
	config, err := clientcmd.Load(value)
	if err != nil || len(config.AuthInfos) == 0 {
		if len(value) > len(uuid.Nil.String()) {
			out[""] = value
		}
		return out
	}
	for name, user := range config.AuthInfos {
		for what, text := range map[string][]byte{" token": []byte(user.Token), " key": user.ClientKeyData} {
			if len(text) > 0 {
				out[" "+name+what] = text
			}
		}
	}
	return out
}

// ofA returns team-a's ASO objects, without what changes by itself, and its resources in Azure.
func (i *isolation) ofA() (map[string]string, error) {
	out := map[string]string{}
	for _, gvk := range i.a.kinds.aso {
		items, err := i.a.list(gvk)
		if err != nil {
			return nil, err
		}
		for _, o := range items {
			out[gvk.Kind+" "+o.GetName()] = asText(map[string]any{"spec": o.Object["spec"], "uid": o.GetUID(), "owners": o.GetOwnerReferences(), "deleted": o.GetDeletionTimestamp()})
		}
	}
	resources, err := i.a.azure.Resources(i.a.ctx, "/subscriptions/"+i.a.subscription)
	if err != nil {
		return nil, err
	}
	for _, r := range resources {
		dropETags(r.Body)
		out["Azure "+r.ID] = asText(r.Body)
	}
	xr := object(schema.GroupVersionKind{Group: platformGroup, Version: "v1alpha1", Kind: "XAKSCluster"}, "", i.xrOfA)
	if err := i.a.client.Get(i.a.ctx, client.ObjectKeyFromObject(xr), xr); err != nil {
		return nil, err
	}
	out["XAKSCluster"] = asText(map[string]any{"spec": xr.Object["spec"], "uid": xr.GetUID(), "deleted": xr.GetDeletionTimestamp()})
	return out, nil
}

// dropETags leaves out what Azure writes anew each time ASO sends a resource again, though nothing changes: onlyOwnApplications sees what does.
func dropETags(value any) {
	switch v := value.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(name string, _ any) bool { return strings.EqualFold(name, "etag") })
		for _, inner := range v {
			dropETags(inner)
		}
	case []any:
		for _, inner := range v {
			dropETags(inner)
		}
	}
}

func asText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// attackAll has the members of team-b apply every manifest. Some are to be refused; a webhook that was down is none of the answers.
func attackAll(w *world) error {
	i := w.teams()
	for _, a := range attacks {
		text := strings.ReplaceAll(a.manifest, "SECRET_B", i.b.planted("client secret"))
		objects, err := parse(i.words(a.name).Replace(text))
		if err != nil {
			return fmt.Errorf("attack %s: %w", a.name, err)
		}
		i.answers[a.name] = nil
		for _, o := range objects {
			if o.GetNamespace() == "" && o.GetKind() != "XAKSCluster" {
				o.SetNamespace(i.b.namespace)
			}
			err := i.members[a.by].Create(w.ctx, o, client.FieldOwner(fieldOwner))
			if err != nil && !apierrors.IsAlreadyExists(err) {
				i.answers[a.name] = errors.Join(i.answers[a.name], err)
			}
		}
		if err := i.answers[a.name]; a.refused == "" && err != nil {
			return fmt.Errorf("attack %s: %w", a.name, err)
		}
	}
	return nil
}

// answersOfAttacks expects that each attack has been answered so that a person can tell why.
func answersOfAttacks() []expectation {
	var all []expectation
	for _, a := range attacks {
		all = append(all, func(w *world) []string {
			i := w.teams()
			words := i.words(a.name).Replace
			if a.answered != nil {
				return ofB(a.answered(words, a.name))(w)
			}
			if err := i.answers[a.name]; err == nil || !strings.Contains(err.Error(), words(a.refused)) {
				return []string{fmt.Sprintf("attack %s was answered %v, want %q", a.name, err, words(a.refused))}
			}
			return nil
		})
	}
	return all
}

// alterKubeconfig has team-b's owner write, where ASO had, a kubeconfig that names a file of whoever uses it.
func alterKubeconfig(w *world) error {
	i := w.teams()
	key := client.ObjectKey{Namespace: i.b.namespace, Name: clusterName + "-aso-kubeconfig"}
	secret := &corev1.Secret{}
	if err := i.members[teamOwner].Get(w.ctx, key, secret); err != nil {
		return err
	}
	config, err := clientcmd.Load(secret.Data["value"])
	if err != nil {
		return err
	}
	for _, user := range config.AuthInfos {
		user.Token, user.TokenFile = "", w.stack.Kubeconfig()
	}
	if secret.Data["value"], err = clientcmd.Write(*config); err != nil {
		return err
	}
	return i.members[teamOwner].Update(w.ctx, secret)
}

// unharmed expects that team-a has what it had.
func unharmed(w *world) []string {
	i := w.teams()
	now, err := i.ofA()
	if err != nil {
		return []string{err.Error()}
	}
	var missing []string
	for _, what := range slices.Sorted(maps.Keys(i.before)) {
		if now[what] != i.before[what] {
			missing = append(missing, fmt.Sprintf("team-a's %s was %s and is %s", what, i.before[what], now[what]))
		}
	}
	if len(now) > len(i.before) {
		missing = append(missing, fmt.Sprintf("team-a has %d objects and resources, and had %d", len(now), len(i.before)))
	}
	return missing
}

// nothingCopied expects that no object in team-b's namespace, and no Secret, has anything that is in a Secret of team-a's.
func nothingCopied(w *world) []string {
	i := w.teams()
	if len(i.secrets) < 3 { // At least the client secret, ASO's copy and the kubeconfig.
		return []string{fmt.Sprintf("team-a has %d secret values", len(i.secrets))}
	}
	kinds := slices.Concat(w.kinds.ours, w.kinds.aso, []schema.GroupVersionKind{secretKind, eventKind, {Version: "v1", Kind: "ConfigMap"}})
	var found []string
	for _, gvk := range kinds {
		items, err := i.b.list(gvk)
		if err != nil {
			return []string{err.Error()}
		}
		for _, o := range items {
			text := []byte(asText(o.Object))
			data, _, _ := unstructured.NestedStringMap(o.Object, "data")
			for _, value := range data {
				if decoded, err := base64.StdEncoding.DecodeString(value); err == nil {
					text = append(text, decoded...)
				}
			}
			for _, what := range slices.Sorted(maps.Keys(i.secrets)) {
				if bytes.Contains(text, i.secrets[what]) {
					found = append(found, fmt.Sprintf("%s %s of team-b has what is in %s of team-a", gvk.Kind, o.GetName(), what))
				}
			}
		}
	}
	return found
}

// onlyOwnApplications expects, by Azure's log, that no application but team-a's has been let into team-a's subscription, that it has changed
// nothing there since the attacks, that team-a's has been nowhere else, and that team-b's signs in in its own tenant only.
func onlyOwnApplications(w *world) []string {
	i := w.teams()
	all, err := w.azure.Requests(w.ctx, admin.RequestFilter{Since: w.begun})
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	seen := map[string]int{}
	for _, r := range all {
		reach := strings.HasPrefix(strings.ToLower(r.Path), "/subscriptions/"+i.a.subscription)
		own := strings.EqualFold(r.ClientID, i.a.application())
		let := r.Status < http.StatusBadRequest || r.Status == http.StatusNotFound
		change := r.Changed || r.Method == http.MethodDelete
		switch {
		case reach && let && !own:
			found = append(found, fmt.Sprintf("application %s was let in: %s %s: %d", r.ClientID, r.Method, r.Path, r.Status))
		case reach && let && change && r.Time.After(i.begun):
			found = append(found, fmt.Sprintf("changed since the attacks: %s %s: %d", r.Method, r.Path, r.Status))
		case strings.EqualFold(r.ClientID, i.b.application()) && r.TenantID != "" && !strings.EqualFold(r.TenantID, i.b.tenant()):
			found = append(found, fmt.Sprintf("team-b's application in tenant %s: %s %s: %d", r.TenantID, r.Method, r.Path, r.Status))
		case own && let && strings.HasPrefix(strings.ToLower(r.Path), "/subscriptions/"+i.b.subscription):
			found = append(found, fmt.Sprintf("team-a's application for team-b: %s %s: %d", r.Method, r.Path, r.Status))
		}
		switch {
		case reach && let:
			seen["team-a let in"]++
		case reach:
			seen["turned away"]++
		}
	}
	for _, what := range []string{"team-a let in", "turned away"} {
		if seen[what] == 0 {
			found = append(found, "Azure's log has no request that was "+what)
		}
	}
	return found
}

// deleteAllOfB has the owner delete all that team-b has. What Azure has refused it refuses to delete as well, so ASO is told to let go:
// once Crossplane has stopped composing, as what it makes anew would know nothing of that.
func deleteAllOfB(w *world) error {
	i := w.teams()
	member := i.members[teamOwner]
	refused, err := i.refused(w.kinds.aso)
	if err != nil {
		return err
	}
	for _, gvk := range append([]schema.GroupVersionKind{clusterKind, teamClaimKind, identityKind}, composedOfB...) {
		if err := deleteAll(w.ctx, member, gvk, i.b.namespace); err != nil {
			return err
		}
	}
	if err := wait.PollUntilContextTimeout(w.ctx, checkInterval, time.Minute, true, func(context.Context) (bool, error) { return i.notComposed() }); err != nil {
		return fmt.Errorf("Crossplane goes on composing what team-b has deleted: %w", err)
	}
	for n := range refused {
		patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata": {"annotations": {"serviceoperator.azure.com/reconcile-policy": "skip"}}}`))
		if err := client.IgnoreNotFound(member.Patch(w.ctx, &refused[n], patch)); err != nil {
			return err
		}
	}
	for _, gvk := range w.kinds.aso {
		if err := deleteAll(w.ctx, member, gvk, i.b.namespace); err != nil {
			return err
		}
	}
	return nil
}

// refused returns those of team-b's objects that Azure does not have.
func (i *isolation) refused(kinds []schema.GroupVersionKind) (objects []unstructured.Unstructured, err error) {
	for _, gvk := range kinds {
		items, err := i.b.list(gvk)
		if err != nil {
			return nil, err
		}
		for _, o := range items {
			if !strings.Contains(asText(o.Object["status"]), "Succeeded") {
				objects = append(objects, o)
			}
		}
	}
	return objects, nil
}

// composedOfB are the composite kinds that team-b deletes.
var composedOfB = []schema.GroupVersionKind{asoClusterKind, controlPlaneKind, typedClusterKind, typedControlPlaneKind}

// notComposed reports whether Crossplane has let go of all that team-b has deleted.
func (i *isolation) notComposed() (bool, error) {
	for _, gvk := range composedOfB {
		items, err := i.b.list(gvk)
		if err != nil {
			return false, err
		}
		for n := range items {
			if controllerutil.ContainsFinalizer(&items[n], "composite.apiextensions.crossplane.io") {
				return false, nil
			}
		}
	}
	return true, nil
}

func deleteAll(ctx context.Context, member client.Client, gvk schema.GroupVersionKind, namespace string) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk)
	if err := member.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return err
	}
	for n := range list.Items {
		if err := client.IgnoreNotFound(member.Delete(ctx, &list.Items[n], client.PropagationPolicy(metav1.DeletePropagationBackground))); err != nil {
			return err
		}
	}
	return nil
}
