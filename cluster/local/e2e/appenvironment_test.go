package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

const (
	appExample = "platform-full"
	appName    = "shop"
	fluxConfig = "/managedClusters/shop/providers/Microsoft.KubernetesConfiguration/fluxConfigurations/apps"
)

var (
	appKind    = schema.GroupVersionKind{Group: "platform.example.org", Version: "v1alpha1", Kind: "AppEnvironment"}
	serverKind = schema.GroupVersionKind{Group: "dbforpostgresql.azure.com", Version: "v20250801", Kind: "FlexibleServer"}
)

// appServer is the name of the database server in Azure.
func (w *world) appServer() string { return "example-" + w.namespace + "-" + appName }

// offerEnvironments does what the platform team does once, as the example's README says, but for the functions' registry.
func offerEnvironments(w *world) error {
	for _, f := range []*functionPackage{company, patchAndTransform} {
		if err := f.install(w); err != nil {
			return err
		}
	}
	var files []string
	for _, file := range []string{"rbac.yaml", "definition.yaml", "clusterclass.yaml", "composition.yaml", "composition-clusters.yaml"} {
		files = append(files, filepath.Join(appExample, file))
	}
	return w.applyForAll(files...)
}

// askForEnvironment has the team write the Secret with the password, and apply its manifest.
func askForEnvironment(changes ...func(*unstructured.Unstructured) error) func(*world) error {
	return func(w *world) error {
		password := &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "shop-database"}, StringData: map[string]string{"password": w.planted("database password")},
		}
		if err := w.create(password); err != nil {
			return err
		}
		objects, err := kubeyaml.Read(filepath.Join(w.root, "examples", appExample, "appenvironment.yaml"))
		if err != nil {
			return err
		}
		for _, change := range changes {
			if err := change(objects[0]); err != nil {
				return err
			}
		}
		return w.apply(objects...)
	}
}

// deleteEnvironment deletes it as the README does.
func deleteEnvironment(w *world) error {
	return client.IgnoreNotFound(w.client.Delete(w.ctx, object(appKind, w.namespace, appName), client.PropagationPolicy(metav1.DeletePropagationForeground)))
}

// appReady expects all that the team asked for, in Azure and in the status.
func appReady(w *world) []string {
	server := "/flexibleServers/" + w.appServer()
	host := w.appServer() + ".postgres.database.azure.com"
	var missing []string
	for _, e := range []expectation{
		condition(appKind, appName, "Ready", "True", ""), condition(appKind, appName, "Synced", "True", ""),
		field(appKind, appName, "status.cluster.version", version), field(appKind, appName, "status.database.host", host),
		inAzure("/managedClusters/shop", "properties.securityProfile.workloadIdentity.enabled", true),
		inAzure("/managedClusters/shop", "tags.cost-center", "4711"),
		inAzure(server, "properties.state", "Ready"), inAzure(server, "tags.cost-center", "4711"),
		inAzure(server+"/databases/shop", "properties.charset", "UTF8"),
		inAzure(server+"/firewallRules/allowed", "properties.endIpAddress", "203.0.113.255"),
		inAzure(fluxConfig, "properties.kustomizations.apps.postBuild.substitute.DATABASE_HOST", host),
		inAzure(fluxConfig, "properties.gitRepository.url", "https://github.com/example/shop"),
		appIdentity,
	} {
		missing = append(missing, e(w)...)
	}
	return missing
}

// appIdentity expects that the service account gets tokens for the identity, which the manifests know and the database trusts.
func appIdentity(w *world) []string {
	cluster, err := w.resource("/managedClusters/shop")
	if err != nil || cluster == nil {
		return []string{fmt.Sprintf("Azure has no cluster: %v", err)}
	}
	identity, err := w.resource("/userAssignedIdentities/shop-workload")
	if err != nil || identity == nil {
		return []string{fmt.Sprintf("Azure has no identity: %v", err)}
	}
	text := func(body map[string]any, fields ...string) string {
		value, _, _ := unstructured.NestedString(body, fields...)
		return value
	}
	issuer := text(cluster.Body, "properties", "oidcIssuerProfile", "issuerURL")
	if issuer == "" {
		return []string{"the cluster has no OIDC issuer"}
	}
	client, principal := text(identity.Body, "properties", "clientId"), text(identity.Body, "properties", "principalId")
	var missing []string
	for _, e := range []expectation{
		inAzure("/federatedIdentityCredentials/shop-workload", "properties.issuer", issuer),
		inAzure("/federatedIdentityCredentials/shop-workload", "properties.subject", "system:serviceaccount:shop:shop"),
		inAzure("/administrators/"+principal, "properties.principalName", "shop-workload"),
		inAzure(fluxConfig, "properties.kustomizations.apps.postBuild.substitute.IDENTITY_CLIENT_ID", client),
		field(appKind, appName, "status.identity.clientID", client),
	} {
		missing = append(missing, e(w)...)
	}
	return missing
}

// shown expects what a person sees of it with kubectl.
func shown(w *world) []string {
	out, err := w.kubectlWith(w.stack.Kubeconfig(), "", "get", "appenvironments", "--namespace", w.namespace)
	if err != nil {
		return []string{err.Error()}
	}
	var missing []string
	for _, text := range []string{"VERSION", version, "3/3", "1.19.5", w.appServer() + ".postgres.database.azure.com"} {
		if !strings.Contains(out, text) {
			missing = append(missing, fmt.Sprintf("kubectl get appenvironments does not show %s:\n%s", text, out))
		}
	}
	explained, err := w.kubectlWith(w.stack.Kubeconfig(), "", "explain", "appenvironment.spec.database.onDelete")
	if err != nil || !strings.Contains(explained, "ENUM:") || !strings.Contains(explained, "Keep leaves it") {
		missing = append(missing, fmt.Sprintf("kubectl explain prints %q, %v", explained, err))
	}
	return missing
}

// dataKept expects the database to be in Azure after all else has gone.
func dataKept(w *world) []string {
	server := "/flexibleServers/" + w.appServer()
	missing := append(inAzure(server, "properties.state", "Ready")(w), inAzure(server+"/databases/shop", "", nil)(w)...)
	missing = append(missing, inAzure(server+"/firewallRules/allowed", "", nil)(w)...)
	return append(missing, notInAzure("/managedClusters/shop")(w)...)
}

// appGoes is what the deletion of an environment takes away that keeps its data: all objects, and in Azure all but server, database and group.
var appGoes = []removal{
	{".*", "/resourceGroups/[^/]+-shop-cluster"}, {".*", "/managedClusters/shop(/.*)?"}, {".*", "/userAssignedIdentities/.*"},
	{".*", "/flexibleServers/[^/]+/administrators/[^/]+"},
}

// appEnvironment is the life of an environment of examples/platform-full: made, made larger, deleted without its data, made again on them,
// and deleted with them.
var appEnvironment = &scenario{
	name: "app-environment", calmOnly: true,
	steps: []step{
		{name: "offer", act: offerEnvironments},
		{name: "create", act: askForEnvironment(), expect: []expectation{appReady, shown}, lasts: 60 * time.Second},
		{
			name: "make it larger",
			act:  func(w *world) error { return w.set(appKind, appName, "spec.size", "large") },
			expect: []expectation{
				appReady, inAzure("/agentPools/work", "properties.maxCount", 20),
				func(w *world) []string {
					return inAzure("/flexibleServers/"+w.appServer(), "sku.name", "Standard_D4ds_v5")(w)
				},
			},
		},
		{
			name: "delete it and keep the data", act: deleteEnvironment, goes: appGoes,
			expect: []expectation{gone(appKind, appName), nothingLeft, dataKept}, lasts: 20 * time.Second,
		},
		{
			name: "create it on the same data", act: askForEnvironment(with("spec.database.onDelete", "Delete")),
			expect: []expectation{appReady, annotated(serverKind, "shop-database", asoPolicy, pointer("manage"))}, lasts: 60 * time.Second,
		},
		{
			name: "delete it with the data", act: deleteEnvironment, deletes: true,
			expect: []expectation{gone(appKind, appName), nothingLeft, azureEmpty}, lasts: 20 * time.Second,
		},
	},
}
