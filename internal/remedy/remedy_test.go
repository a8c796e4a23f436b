package remedy

import (
	"go/ast"
	"go/constant"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime/conditions"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
	"golang.org/x/tools/go/packages"
)

// welcome are the reasons of what is as it should be.
var welcome = []string{
	"Succeeded", "Provisioned", "InForce", "Made", "Accepted", "Ready", "AllReady", "RolloutStarted",
	"Updated", "Reached", "NotPaused", "Applied", "AllAssigned", "NotInSpec", "NotAskedFor", "TakenOver", "GivenBack", "NoDifference", "NotCompared", "Available",
}

// TestEveryReasonHasARemedy reads the code of what writes conditions, status.resources and Events.
func TestEveryReasonHasARemedy(t *testing.T) {
	found := reasonsOfTheCode(t)
	for reason, where := range found {
		if !Known(reason) && !slices.Contains(welcome, reason) {
			t.Errorf("reason %s, which %s gives, has no remedy", reason, where)
		}
	}
	// One for each way in which the code gives a reason: a constant of its own, one of Cluster API, a literal, a field, an assignment, an Event.
	for _, reason := range []string{"WaitingForOwner", "Paused", "CreationFailed", "ProvisioningFailed", "Invalid", "ConnectionSecretTaken"} {
		if found[reason] == "" {
			t.Errorf("reason %s is not found in the code", reason)
		}
	}
	for _, reason := range welcome {
		if found[reason] == "" {
			t.Errorf("reason %s is not in the code; it is not welcome any more", reason)
		}
	}
}

// reasonsOfTheCode returns where each reason is given that is a constant, by type-checking the code.
func reasonsOfTheCode(t *testing.T) map[string]string {
	t.Helper()
	config := &packages.Config{
		Dir:  filepath.Join("..", ".."),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile,
	}
	loaded, err := packages.Load(config, "./apis/...", "./functions/...", "./internal/...", "./cluster/provider/...")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range loaded {
		for _, err := range p.Errors {
			t.Error(err)
		}
		if aboutOthers.MatchString(p.PkgPath) {
			continue
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				for _, e := range reasonsIn(n, p.TypesInfo) {
					if value := p.TypesInfo.Types[e].Value; value != nil && value.Kind() == constant.String && constant.StringVal(value) != "" {
						found[constant.StringVal(value)] = p.Fset.Position(e.Pos()).String()
					}
				}
				return true
			})
		}
	}
	return found
}

// aboutOthers are the packages in which a reason is none of an object: of a line in a plan, and of what is not adopted.
var aboutOthers = regexp.MustCompile(`/internal/(changes|adopt|migrate|handover|remedy)$`)

// reasonNames are the names of constants that are reasons, which may reach a condition through variables.
var reasonNames = regexp.MustCompile(`^[rR]eason[A-Z]\w*$|\w+Reason$|^failed[A-Z]\w*$|^(identityInUse|inUse|credentialFailed|IdentityNotAllowed|CredentialMissing|CredentialFailed)$`)

// reasonsIn returns the expressions in a node that are reasons: arguments for parameters, and values of fields and variables, of that name.
func reasonsIn(n ast.Node, info *types.Info) []ast.Expr {
	var all []ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		signature, ok := info.TypeOf(n.Fun).(*types.Signature)
		if !ok || isNormalEvent(n) {
			break
		}
		for i := range min(signature.Params().Len(), len(n.Args)) {
			if signature.Params().At(i).Name() == "reason" {
				all = append(all, n.Args[i])
			}
		}
	case *ast.KeyValueExpr:
		if isReason(n.Key) {
			all = append(all, n.Value)
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if reasonNames.MatchString(name.Name) && i < len(n.Values) {
				all = append(all, n.Values[i])
			}
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if isReason(left) && len(n.Rhs) == len(n.Lhs) {
				all = append(all, n.Rhs[i])
			}
		}
	}
	return all
}

// isReason reports whether a field or a variable is a reason.
func isReason(e ast.Expr) bool {
	if selector, ok := e.(*ast.SelectorExpr); ok {
		e = selector.Sel
	}
	name, ok := e.(*ast.Ident)
	return ok && strings.EqualFold(name.Name, "reason")
}

// isNormalEvent reports whether a call records an Event that is no warning.
func isNormalEvent(call *ast.CallExpr) bool {
	return slices.ContainsFunc(call.Args, func(e ast.Expr) bool {
		selector, ok := e.(*ast.SelectorExpr)
		return ok && selector.Sel.Name == "EventTypeNormal"
	})
}

// TestReasonsOfOthers has the reasons of Azure Service Operator and Crossplane that stand for something that is not ready.
func TestReasonsOfOthers(t *testing.T) {
	for _, reason := range []conditions.Reason{
		conditions.ReasonSubscriptionMismatch, conditions.ReasonSecretNotFound, conditions.ReasonConfigMapNotFound, conditions.ReasonReferenceNotFound,
		conditions.ReasonWaitingForOwner, conditions.ReasonAzureResourceNotFound, conditions.ReasonAdditionalKubernetesObjWriteFailure,
		conditions.ReasonReconciling, conditions.ReasonDeleting, conditions.ReasonReconciliationFailedPermanently, conditions.ReasonReconcileBlocked,
		conditions.ReasonReconcilePostponed, conditions.ReasonPostReconcileFailure, conditions.ReasonDeletionNotSupported, conditions.ReasonFailed,
	} {
		if !Known(reason.Name) {
			t.Errorf("reason %s of Azure Service Operator has no remedy", reason.Name)
		}
	}
	for _, reason := range []xpv2.ConditionReason{
		xpv2.ReasonUnavailable, xpv2.ReasonCreating, xpv2.ReasonDeleting, xpv2.ReasonReconcileError, xpv2.ReasonReconcilePaused,
		pkgv1.ReasonUnhealthy, pkgv1.ReasonUnknownHealth, pkgv1.ReasonUnpacking, pkgv1.ReasonInactive, pkgv1.ReasonAwaitingActivation,
	} {
		if !Known(string(reason)) {
			t.Errorf("reason %s of Crossplane has no remedy", reason)
		}
	}
}

func TestOf(t *testing.T) {
	const crossplane = `cannot compose resources: cannot get composed resource: resourcegroups.resources.azure.com "my-cluster" is forbidden: User "system:serviceaccount:crossplane-system:crossplane" cannot get resource "resourcegroups" in API group "resources.azure.com" in the namespace "default"`
	for name, c := range map[string]struct {
		reason, message, want string
		waiting               bool
	}{
		"a reason":                    {reason: "QuotaExceeded", message: "insufficient quota", want: "quota of the subscription"},
		"a reason goes first":         {reason: "ImmutableField", message: "denied the request", want: "Set the field back"},
		"progress":                    {reason: "Reconciling", want: "Azure is working", waiting: true},
		"a code of Azure's":           {reason: "SomethingNew", message: "no idea", want: "Reason SomethingNew"},
		"no reason":                   {want: "Reason unknown"},
		"Crossplane's right":          {reason: "ReconcileError", message: crossplane, want: "Crossplane may not get resourcegroups of group resources.azure.com. Apply package/install/rbac.yaml"},
		"provider-capz's right":       {reason: "KubeconfigFailed", message: `secrets is forbidden: User "system:serviceaccount:crossplane-system:provider-capz" cannot list resource "secrets" in API group ""`, want: "provider-capz may not list secrets"},
		"provider-capz's user":        {reason: "Failed", message: `is forbidden: User "system:serviceaccount:crossplane-system:crossplane-capz-provider-capz-0123" cannot list resource "secrets" in API group ""`, want: "package/install/runtime.yaml"},
		"one's own right":             {reason: "MissingRight", message: `is forbidden: User "jane" cannot get resource "clusters" in API group "cluster.x-k8s.io"`, want: "You, jane, may not get clusters"},
		"a right in Azure":            {reason: "AuthorizationFailed", message: "The client 'x' does not have authorization to perform action 'Microsoft.Resources/subscriptions/resourcegroups/write' over scope '/subscriptions/s'", want: "right Microsoft.Resources/subscriptions/resourcegroups/write in Azure"},
		"a right for the health":      {reason: "AuthorizationFailed", message: "does not have authorization to perform action 'Microsoft.ResourceHealth/availabilityStatuses/read' over scope '/subscriptions/s'", want: "remove spec.resourceHealth from ProviderConfig default"},
		"a right that is not told":    {reason: "AuthorizationFailed", message: "no", want: "kubectl capz plan --role"},
		"a client secret":             {reason: "Failed", message: "AADSTS7000215: Invalid client secret provided", want: "does not accept the client secret"},
		"another answer of Entra's":   {reason: "Failed", message: "AADSTS50034: no such user", want: "with AADSTS50034"},
		"a policy":                    {reason: "RefusedByAPIServer", message: `ValidatingAdmissionPolicy 'x' with binding 'x' denied request: not with this policy`, want: "policy or an admission webhook"},
		"a webhook that does not run": {reason: "ReconcileError", message: `failed calling webhook "xr.capz.crossplane.io": connect: connection refused`, want: "Webhook xr.capz.crossplane.io does not answer"},
		"a function that is absent":   {reason: "ReconcileError", message: `cannot run Composition pipeline step "capz": cannot get gRPC client connection for Function "function-capz": cannot find an active FunctionRevision (a FunctionRevision with spec.desiredState: Active)`, want: "no function that answers"},
		"a function that is down":     {reason: "ReconcileError", message: `cannot run Function "function-capz": rpc error: code = Unavailable desc = connection error`, want: "function-capz for a pipeline step"},
		"no Composition":              {reason: "ReconcileError", message: "cannot select Composition: no compatible Compositions found", want: "no Composition to use"},
		"a kind":                      {reason: "ReconcileError", message: `no matches for kind "Vault" in version "keyvault.azure.com/v1"`, want: "Kind Vault of keyvault.azure.com/v1 is not served"},
		"a fatal result":              {reason: "ReconcileError", message: `pipeline step "more" returned a fatal result: no`, want: "has returned a fatal result"},
		"a certificate":               {reason: "CredentialFailed", message: "key certificate of Secret x is not a certificate with its RSA key", want: "Write a certificate with its RSA private key"},
		"a conflict":                  {reason: "ReconcileError", message: "the object has been modified; please apply your changes", want: "within seconds", waiting: true},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(c.reason, c.message)
			if !strings.Contains(got.Step, c.want) || got.Waiting != c.waiting {
				t.Errorf("Of(%q, %q) = %+v, want %q in it, waiting %v", c.reason, c.message, got, c.want, c.waiting)
			}
			if strings.Contains(got.Step, "${") {
				t.Errorf("%q has a place that is not filled in", got.Step)
			}
		})
	}
}
