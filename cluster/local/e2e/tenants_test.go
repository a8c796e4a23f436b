package e2e

import (
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/admin"
)

// A tenancy is an Azure cloud with a tenant of its own, which has one subscription and one application.
type tenancy struct {
	name string
	// environment is what spec.azureEnvironment says; location is a region of that cloud.
	environment, location string
	// managerHost is Azure Resource Manager's, entraHost Entra's, or that of the metadata service; domain ends the name of an API server.
	managerHost, entraHost, domain string
	// identity is the type of the AzureClusterIdentity, and keys is what that puts into ASO's Secret.
	identity string
	keys     []string
	// refusesFirst gives the application its rights later.
	refusesFirst bool
}

var inAnotherCloud = []string{"AZURE_AUTHORITY_HOST", "AZURE_RESOURCE_MANAGER_AUDIENCE", "AZURE_RESOURCE_MANAGER_ENDPOINT"}

var tenancies = []*tenancy{
	{
		name: "tenant-public", location: "westeurope", managerHost: "management.azure.com", entraHost: "login.microsoftonline.com", domain: ".azmk8s.io",
		identity: "ServicePrincipalCertificate", keys: []string{"AZURE_CLIENT_CERTIFICATE", "AZURE_CLIENT_CERTIFICATE_PASSWORD"},
	},
	{
		name: "tenant-us", environment: "AzureUSGovernmentCloud", location: "usgovvirginia",
		managerHost: "management.usgovcloudapi.net", entraHost: "login.microsoftonline.us", domain: ".cx.aks.containerservice.azure.us",
		identity: "ServicePrincipal", keys: append([]string{"AZURE_CLIENT_SECRET"}, inAnotherCloud...),
		refusesFirst: true,
	},
	{
		name: "tenant-china", environment: "AzureChinaCloud", location: "chinaeast2",
		managerHost: "management.chinacloudapi.cn", entraHost: "169.254.169.254", domain: ".cx.prod.service.azk8s.cn",
		identity: "UserAssignedMSI", keys: append([]string{"AUTH_MODE"}, inAnotherCloud...),
	},
}

// tenantScenarios are one cluster each in a tenant and cloud of its own, without local accounts. What Azure is asked for there, it is
// asked for with the tenant's application, at the cloud's own hosts. In one of them the application first has no rights.
func tenantScenarios() []*scenario {
	var all []*scenario
	for _, t := range tenancies {
		created := []expectation{
			available, contractKept, signedIn, holdsToken, kubeconfigWorks, connected, t.tokenIsOwn, t.serves, credentialKeys(t.keys...),
		}
		gone := slices.Concat(downTyped.expect, []expectation{t.askedAsItself})
		s := &scenario{name: t.name, family: typedFamily, calmOnly: true}
		if t.refusesFirst {
			s.steps = append(s.steps, step{
				name: "an application without rights on the subscription", act: t.apply(false),
				expect: []expectation{says(typedControlPlaneKind, clusterName, noRights), says(clusterKind, clusterName, noRights), azureEmpty},
			})
			created = append(created, silent(typedControlPlaneKind, clusterName, noRights), silent(clusterKind, clusterName, noRights))
		}
		s.steps = append(s.steps,
			step{name: "create", act: t.apply(true), expect: created, lasts: 20 * time.Second},
			step{name: "delete", act: downTyped.act, deletes: true, lasts: downTyped.lasts, expect: gone, never: downTyped.never})
		all = append(all, s)
	}
	return all
}

// noRights is what Azure says to an application that has none.
const noRights = "does not have authorization to perform action 'Microsoft.Resources/"

func (t *tenancy) tenantID(w *world) string { return t.id(w, "tenant") }

func (t *tenancy) clientID(w *world) string { return t.id(w, "client") }

func (t *tenancy) id(w *world, what string) string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(w.namespace+"/"+what)).String()
}

// apply makes the tenant known to Azure, and applies the cluster with its identity.
func (t *tenancy) apply(withRights bool) func(*world) error {
	return func(w *world) error {
		secret := w.password()
		if t.identity == "ServicePrincipalCertificate" {
			secret = t.certificate(w)
		}
		if err := w.azure.RegisterSubscription(w.ctx, admin.Subscription{ID: w.subscription, TenantID: t.tenantID(w), Cloud: t.environment}); err != nil {
			return err
		}
		if err := t.register(w, withRights); err != nil {
			return err
		}
		if err := w.create(secret); err != nil {
			return err
		}
		identity := "{tenantID: " + t.tenantID(w) + ", clientID: " + t.clientID(w) + ", type: " + t.identity + "}"
		cluster := "{location: " + t.location + ", disableLocalAccounts: true, aadProfile: {managed: true, adminGroupObjectIDs: [00000000-0000-0000-0000-000000000007]}"
		if t.environment != "" {
			cluster += ", azureEnvironment: " + t.environment
		}
		return applyExample("aks", onePool, withSpec(identityKind, identity), withSpec(typedControlPlaneKind, cluster+"}"), w.subscribe)(w)
	}
}

// certificate returns the Secret with the application's certificate, which is made once.
func (t *tenancy) certificate(w *world) *corev1.Secret {
	made, ok := w.noted["certificate"].(*corev1.Secret)
	if !ok {
		made = w.certificate()
		made.Name = typedIdentity
		w.noted["certificate"] = made
	}
	return made.DeepCopy()
}

// register tells Azure of the application, and of what it has rights on.
func (t *tenancy) register(w *world, withRights bool) error {
	application := admin.Application{TenantID: t.tenantID(w), ClientID: t.clientID(w)}
	if withRights {
		application.Subscriptions = []string{w.subscription}
	}
	switch t.identity {
	case "ServicePrincipal":
		application.Secret = w.planted("client secret")
	case "ServicePrincipalCertificate":
		block, _ := pem.Decode(t.certificate(w).Data["certificate"])
		application.CertificatePEM = pem.EncodeToMemory(block)
	}
	return w.azure.RegisterApplication(w.ctx, application)
}

// tokenIsOwn expects the token of <cluster>-kubeconfig to be the application's, and for AKS. The claims alone are compared.
func (t *tenancy) tokenIsOwn(w *world) []string {
	secret, err := w.kubeconfig()
	if err != nil {
		return []string{err.Error()}
	}
	config, err := clientcmd.Load(secret.Data["value"])
	if err != nil {
		return []string{err.Error()}
	}
	missing := []string{"the kubeconfig has no user"}
	for _, user := range config.AuthInfos {
		claims := jwt.MapClaims{}
		if _, _, err := jwt.NewParser().ParseUnverified(user.Token, claims); err != nil {
			return []string{"the kubeconfig has no token"}
		}
		missing = nil
		for name, want := range map[string]string{"tid": t.tenantID(w), "appid": t.clientID(w), "aud": "[6dae42f8-4368-4678-94ff-3960e28e3630]"} {
			if got := fmt.Sprint(claims[name]); got != want {
				missing = append(missing, fmt.Sprintf("claim %s of the token is %s, not %s", name, got, want))
			}
		}
	}
	return missing
}

// serves expects the API server to be in the cloud.
func (t *tenancy) serves(w *world) []string {
	return on(clusterKind, clusterName, func(u *unstructured.Unstructured) []string {
		host, _, _ := unstructured.NestedString(u.Object, "spec", "controlPlaneEndpoint", "host")
		if !strings.HasSuffix(host, "."+t.location+t.domain) {
			return []string{"the API server is " + host}
		}
		return nil
	})(w)
}

// askedAsItself expects that nobody but the application has asked for anything in the subscription, nor it for a token anywhere else.
func (t *tenancy) askedAsItself(w *world) []string {
	inSubscription, err := w.azure.Requests(w.ctx, admin.RequestFilter{Path: "^/subscriptions/" + w.subscription + "/"})
	if err != nil {
		return []string{err.Error()}
	}
	var found []string
	for _, r := range inSubscription {
		if r.ClientID != t.clientID(w) || r.TenantID != t.tenantID(w) || r.Host != t.managerHost {
			found = append(found, fmt.Sprintf("%s %s of application %s of tenant %s at %s", r.Method, r.Path, r.ClientID, r.TenantID, r.Host))
		}
	}
	if len(inSubscription) == 0 {
		return []string{"nothing was asked for in the subscription"}
	}
	tokens, err := w.azure.Requests(w.ctx, admin.RequestFilter{Path: "/token$"})
	if err != nil {
		return []string{err.Error()}
	}
	signIns := 0
	for _, r := range tokens {
		own := r.ClientID == t.clientID(w)
		if own && r.Host != t.entraHost {
			found = append(found, "a token was asked for at "+r.Host)
		}
		if own {
			signIns++
		}
	}
	if signIns == 0 {
		found = append(found, "no token was asked for")
	}
	return found
}
