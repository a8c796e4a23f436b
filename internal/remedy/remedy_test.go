package remedy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/Azure/azure-service-operator/v2/pkg/genruntime/conditions"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	pkgv1 "github.com/crossplane/crossplane/apis/v2/pkg/v1"
)

// welcome are the reasons of what is as it should be.
var welcome = []string{"Succeeded", "Provisioned", "InForce", "Made", "Accepted", "Ready", "CredentialFound", "AllReady", "RolloutStarted", "Unknown"}

// reasonNames are the names of constants that are reasons.
var reasonNames = regexp.MustCompile(`^[rR]eason[A-Z]\w*$|\w+Reason$|^failed[A-Z]\w*$|^(identityInUse|inUse|credentialFailed|IdentityNotAllowed|CredentialMissing|CredentialFailed)$`)

// TestEveryReasonHasARemedy reads the code of what writes conditions, status.resources and Events.
func TestEveryReasonHasARemedy(t *testing.T) {
	found := 0
	for reason, where := range reasonsOfTheCode(t) {
		found++
		if !Known(reason) && !slices.Contains(welcome, reason) {
			t.Errorf("reason %s of %s has no remedy", reason, where)
		}
	}
	const least = 70 // As many as there were when this was written, about.
	if found < least {
		t.Errorf("found %d reasons in the code, want at least %d", found, least)
	}
}

// reasonsOfTheCode returns where each reason is first found.
func reasonsOfTheCode(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, folder := range []string{"apis", "functions", "internal", "cluster/provider"} {
		err := filepath.WalkDir(filepath.Join("..", "..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, e := range reasonsIn(n) {
					if reason, ok := text(e); ok && found[reason] == "" {
						found[reason] = path
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// reasonsIn returns the expressions in a node that are reasons.
func reasonsIn(n ast.Node) []ast.Expr {
	var all []ast.Expr
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if reasonNames.MatchString(name.Name) && i < len(n.Values) {
				all = append(all, n.Values[i])
			}
		}
	case *ast.CallExpr:
		selector, ok := n.Fun.(*ast.SelectorExpr)
		at, told := map[string]int{"False": 1, "Blockedf": 0, "Warn": 1}[nameOf(selector, ok)]
		if told && at < len(n.Args) {
			all = append(all, n.Args[at])
		}
	case *ast.CompositeLit:
		selector, ok := n.Type.(*ast.SelectorExpr)
		if !slices.Contains([]string{"State", "Blocked", "FactsOfCreation"}, nameOf(selector, ok)) {
			break
		}
		for _, e := range n.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Reason" {
					all = append(all, pair.Value)
				}
			}
		}
	}
	return all
}

func nameOf(selector *ast.SelectorExpr, ok bool) string {
	if !ok {
		return ""
	}
	return selector.Sel.Name
}

func text(e ast.Expr) (string, bool) {
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	value, err := strconv.Unquote(literal.Value)
	return value, err == nil && value != ""
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
		"progress":                    {reason: "Reconciling", want: "Azure is at work", waiting: true},
		"a code of Azure's":           {reason: "SomethingNew", message: "no idea", want: "Reason SomethingNew"},
		"no reason":                   {want: "Reason unknown"},
		"Crossplane's right":          {reason: "ReconcileError", message: crossplane, want: "Crossplane may not get resourcegroups of group resources.azure.com. Apply package/install/rbac.yaml"},
		"provider-capz's right":       {reason: "KubeconfigFailed", message: `secrets is forbidden: User "system:serviceaccount:crossplane-system:provider-capz" cannot list resource "secrets" in API group ""`, want: "provider-capz may not list secrets"},
		"provider-capz's user":        {reason: "Failed", message: `is forbidden: User "system:serviceaccount:crossplane-system:crossplane-capz-provider-capz-0123" cannot list resource "secrets" in API group ""`, want: "package/install/runtime.yaml"},
		"one's own right":             {reason: "MissingRight", message: `is forbidden: User "jane" cannot get resource "clusters" in API group "cluster.x-k8s.io"`, want: "You, jane, may not get clusters"},
		"a right in Azure":            {reason: "AuthorizationFailed", message: "The client 'x' does not have authorization to perform action 'Microsoft.Resources/subscriptions/resourcegroups/write' over scope '/subscriptions/s'", want: "right Microsoft.Resources/subscriptions/resourcegroups/write in Azure"},
		"a right that is not told":    {reason: "AuthorizationFailed", message: "no", want: "kubectl capz plan --role"},
		"a client secret":             {reason: "Failed", message: "AADSTS7000215: Invalid client secret provided", want: "does not take the client secret"},
		"another answer of Entra's":   {reason: "Failed", message: "AADSTS50034: no such user", want: "with AADSTS50034"},
		"a policy":                    {reason: "RefusedByAPIServer", message: `ValidatingAdmissionPolicy 'x' with binding 'x' denied request: not with this policy`, want: "policy or an admission webhook"},
		"a webhook that does not run": {reason: "ReconcileError", message: `failed calling webhook "xr.capz.crossplane.io": connect: connection refused`, want: "Webhook xr.capz.crossplane.io does not answer"},
		"a function that is absent":   {reason: "ReconcileError", message: `cannot run Composition pipeline step "capz": cannot get gRPC client connection for Function "function-capz": cannot find an active FunctionRevision (a FunctionRevision with spec.desiredState: Active)`, want: "no function that answers"},
		"a function that is down":     {reason: "ReconcileError", message: `cannot run Function "function-capz": rpc error: code = Unavailable desc = connection error`, want: "function-capz for a pipeline step"},
		"no Composition":              {reason: "ReconcileError", message: "cannot select Composition: no compatible Compositions found", want: "no Composition to go by"},
		"a kind":                      {reason: "ReconcileError", message: `no matches for kind "Vault" in version "keyvault.azure.com/v1"`, want: "Kind Vault of keyvault.azure.com/v1 is not served"},
		"a fatal result":              {reason: "ReconcileError", message: `pipeline step "more" returned a fatal result: no`, want: "has stopped everything"},
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
