package remedy

import "regexp"

// general are the reasons behind which anything may be: the message says more.
var general = map[string]bool{
	"ReconcileError": true, "Failed": true, "RefusedByAPIServer": true, "CredentialFailed": true, "CredentialMissing": true,
	"UnhealthyPackageRevision": true, "ReconciliationFailedPermanently": true, "CreationFailed": true, "CreationRefused": true,
	"KubeconfigFailed": true, "UserKubeconfigFailed": true, "PostReconciliationFailure": true, "InternalError": true,
	"AuthorizationFailed": true, "ScaleSetRefused": true, "Unavailable": true, "MissingRight": true, "SignInFailed": true,
}

func when(expression string, r Remedy) pattern {
	return pattern{message: regexp.MustCompile(expression), remedy: r}
}

// patterns are tried in order. What Crossplane says is of internal/xfn and internal/controller/apiextensions/composite of Crossplane v2.4,
// AADSTS are the error codes of Microsoft Entra ID, and "is forbidden: User" is what the API server answers to who lacks a right.
var patterns = []pattern{
	when(`AADSTS7000215|AADSTS7000222`, does("Microsoft Entra ID does not accept the client secret: it is wrong or has expired. Create a new one (az ad app credential reset), and write it into the Secret that the AzureClusterIdentity or the annotation serviceoperator.azure.com/credential-from names.")),
	when(`AADSTS700016`, does("The application is not in that tenant. Correct the client ID or the tenant ID of the credential.")),
	when(`AADSTS90002`, does("The tenant does not exist. Correct the tenant ID of the credential.")),
	when(`AADSTS70021\d*|AADSTS700211|AADSTS700212|AADSTS700213`, does("No federated credential of the application matches. Add one for the issuer, the subject and the audience that the message names.")),
	when(`AADSTS700027`, does("Microsoft Entra ID does not know the certificate. Upload it to the application, or write the right one into the Secret.")),
	when(`(AADSTS\d+)`, does("Microsoft Entra ID has refused to sign in with ${1}. Correct the credential: tenant ID, client ID, and secret, certificate or federation.")),
	when(`is not a certificate with its RSA key`, does("Write a certificate with its RSA private key, as PEM or PKCS #12, into key certificate of the Secret that the AzureClusterIdentity names, and its password into key password.")),
	when(`does not have authorization to perform action '(Microsoft.ResourceHealth/[^']+)'`,
		does("Give the application the right ${1} in Azure, or remove spec.resourceHealth from ProviderConfig default. The role Reader has this right, and the role of kubectl capz plan --role does not. A new role assignment takes some minutes to work.")),
	when(`does not have authorization to perform action '([^']+)'(?: or the scope is invalid)?(?: over scope '([^']+)')?`,
		does("Give the application the right ${1} in Azure. kubectl capz plan --role prints a custom role with all rights that your manifests need. A new role assignment takes some minutes to work.")),
	when(`is forbidden: User "system:serviceaccount:[^":]+:crossplane" cannot (\w+) resource "([^"]+)" in API group "([^"]*)"`,
		does("Crossplane may not ${1} ${2} of group ${3}. Apply package/install/rbac.yaml. For a kind that is not in it, apply your own ClusterRole with label rbac.crossplane.io/aggregate-to-crossplane: \"true\".")),
	when(`is forbidden: User "system:serviceaccount:[^":]+:provider-capz" cannot (\w+) resource "([^"]+)" in API group "([^"]*)"`,
		does("provider-capz may not ${1} ${2} of group \"${3}\". Apply package/install/rbac.yaml. For a kind that is not in it, apply your own ClusterRole with label infrastructure.cluster.x-k8s.io/aggregate-to-provider-capz: \"true\".")),
	when(`is forbidden: User "(system:serviceaccount:[^":]+:[^":]*provider-capz-[^"]+)" cannot`,
		does("provider-capz runs as ${1}, which has no rights. Apply package/install/runtime.yaml, with the prefix of your registry in matchImages of its ImageConfig.")),
	when(`is forbidden: User "(system:serviceaccount:[^"]+)" cannot (\w+) resource "([^"]+)" in API group "([^"]*)"`,
		does("${1} may not ${2} ${3} of group \"${4}\". Bind a role with that right to it.")),
	when(`is forbidden: User "([^"]+)" cannot (\w+) resource "([^"]+)" in API group "([^"]*)"`,
		does("You, ${1}, may not ${2} ${3} of group \"${4}\". Ask an administrator of this cluster for that right, or to run this command.")),
	when(`global credential not configured`, does("Azure Service Operator has no global credential. Give the cluster a credential: an AzureClusterIdentity, or a Secret that annotation serviceoperator.azure.com/credential-from names.")),
	when(`invalid (?:Client Secret|Client Certificate|User Assigned Identity|Managed Identity) Credential|invalid Managed Identity for|Secret must be in same namespace`, does("Correct the Secret with the credential: its keys must be AZURE_SUBSCRIPTION_ID, AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or what the message says.")),
	when(`denied the request|denied request`, does("A policy or an admission webhook of this cluster denies it. Correct what the message names, or ask the owner of the policy.")),
	when(`failed calling webhook "([^"]+)"`, does("Webhook ${1} does not answer. Check that its server runs: provider-capz for webhooks of capz.crossplane.io, else Azure Service Operator or Cluster API.")),
	when(`no matches for kind "([^"]+)" in version "([^"]+)"`, does("Kind ${1} of ${2} is not served. Install its CustomResourceDefinition: a kind of Azure Service Operator by its crdPattern. Then it continues automatically.")),
	when(`Only one reference can have Controller set to true|controlled by another|existing object is not controlled by`,
		does("Another object controls it. Give the resource another name in the spec, or delete the object that controls it.")),
	when(`active FunctionRevision|empty status\.endpoint|cannot get Function|FunctionRevision`, does("Crossplane finds no function that answers. Run kubectl get functions.pkg.crossplane.io, and kubectl describe for the function that the message names. Install it, or correct its image.")),
	when(`code = Unavailable|code = DeadlineExceeded|connection refused|transport: `, does("The called server does not answer. Check that its Pod runs: function-capz for a pipeline step, in namespace crossplane-system.")),
	when(`cannot (?:get|select|fetch|find)[^:]* Composition|no compatible [Cc]omposition|CompositionRevision`, does("There is no Composition to use. Install or repair Configuration configuration-capz, or correct spec.crossplane.compositionRef.")),
	when(`the object has been modified`, waits("Two clients have written at the same time. It is tried again within seconds.")),
	when(`returned a fatal result`, does("A function of the Composition has returned a fatal result, and nothing was applied. Correct what its message names.")),
}
