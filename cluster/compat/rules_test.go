package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// TestEachDocumentedAnswerIsOne makes each documented difference between what the two sides refuse.
func TestEachDocumentedAnswerIsOne(t *testing.T) {
	t.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription)
	scope := "extensions: [{name: e, extensionType: t, scope: {scopeType: Cluster, releaseNamespace: r}}]"
	requests := map[string]*specs.Request{
		"another required field that is left out":                              specs.WrittenRequest(false, "location: null"),
		"an extension with `scope`":                                            specs.WrittenRequest(false, scope, "additionalTags: {a: b}"),
		"`aadProfile` without `adminGroupObjectIDs`":                           specs.WrittenRequest(false, "aadProfile: {managed: true, adminGroupObjectIDs: []}", "additionalTags: {a: b}"),
		"address ranges left out later":                                        specs.WrittenRequest(false, "virtualNetwork: {cidrBlock: 10.1.0.0/16, subnet: {name: s, cidrBlock: 10.1.0.0/24}}", "virtualNetwork: {subnet: {name: s}}"),
		"`networkPluginMode` of a cluster with default address ranges":         specs.WrittenRequest(false, "{}", "networkPluginMode: overlay"),
		"`virtualNetwork` without `cidrBlock`, networkPluginMode overlay":      specs.WrittenRequest(false, "{networkPluginMode: overlay, virtualNetwork: {cidrBlock: 10.224.0.0/12, subnet: {name: s}}}"),
		"`subscriptionID` left out later":                                      specs.WrittenRequest(false, "{}", "subscriptionID: null"),
		"`keyVaultNetworkAccess`":                                              specs.WrittenRequest(false, "{identity: {type: UserAssigned, userAssignedIdentityResourceID: a}, securityProfile: {azureKeyVaultKms: {enabled: true, keyID: k, keyVaultNetworkAccess: Protected}}}"),
		"two `extensions` with one name":                                       specs.WrittenRequest(false, "extensions: [{name: e, extensionType: t}, {name: e, extensionType: t}]"),
		"`releaseTrain` of an extension with `autoUpgradeMinorVersion: false`": specs.WrittenRequest(false, "extensions: [{name: e, extensionType: t, autoUpgradeMinorVersion: false, releaseTrain: Stable}]"),
		"`cpuCfsQuotaPeriod`":                                                  specs.WrittenRequest(true, "kubeletConfig: {cpuCfsQuotaPeriod: ams}"),
		"`osType: Windows` on a pool that becomes a System pool":               specs.WrittenRequest(true, "osType: Windows", "mode: System"),
		"other create-only rules of pools":                                     specs.WrittenRequest(true, "{}", "subnetName: a/b"),
		"`version` below the one before":                                       specs.WrittenRequest(false, "version: v1.35.1", "version: v1.33.6"),
		"a name written down that was a default":                               specs.WrittenRequest(false, "resourceGroupName: blue", "resourceGroupName: null"),
	}
	c, err := newComparison(&bytes.Buffer{})
	must(t, err)
	for _, m := range meantAnswers {
		t.Run(m.row, func(t *testing.T) {
			request, ok := requests[m.row]
			if !ok {
				t.Fatal("it has no example")
			}
			a := c.ask(t, request)
			if (a.capz == nil) == (a.ours == nil) || a.documentation() != m.row {
				t.Errorf("CAPZ says %v, here it is %v", a.capz, a.ours)
			}
		})
	}
}

// ask has both sides answer a request, of which they have accepted what was before.
func (c *comparison) ask(t *testing.T, r *specs.Request) answers {
	t.Helper()
	ctx := context.Background()
	if r.Before == nil {
		_, capzErr := c.capz.Admit(ctx, r.After, nil)
		_, err := c.ours.Admit(ctx, r.After, nil)
		return answers{r, capzErr, err}
	}
	theirs, err := c.capz.Admit(ctx, r.Before, nil)
	must(t, err)
	ours, err := c.ours.Admit(ctx, r.Before, nil)
	must(t, err)
	_, capzErr := c.capz.Admit(ctx, r.After, theirs)
	_, err = c.ours.Admit(ctx, r.After, ours)
	return answers{r, capzErr, err}
}

// TestUndocumentedAnswersAreFound shows that the comparison sees a rule that only one side has.
func TestUndocumentedAnswersAreFound(t *testing.T) {
	t.Setenv("AZURE_SUBSCRIPTION_ID", specs.Subscription)
	c, err := newComparison(&bytes.Buffer{})
	must(t, err)
	found := false
	for seed := uint64(0); seed < 60 && !found; seed++ {
		c.judgeAll(context.Background(), seed, func(a answers) {
			a.ours = nil // as if there were no rules here
			found = found || a.capz != nil && a.documentation() == ""
		})
	}
	if !found {
		t.Error("no difference is found to a side without rules")
	}
}
