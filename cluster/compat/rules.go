package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/compat/specs"
)

// answers are what both sides say to a request: nil when they accept it.
type answers struct {
	request    *specs.Request
	capz, ours error
}

// only reports whether one side alone refuses, with the text: this project or else CAPZ.
func (a answers) only(ours bool, text string) bool {
	if ours {
		return a.capz == nil && strings.Contains(a.ours.Error(), text)
	}
	return a.ours == nil && strings.Contains(a.capz.Error(), text)
}

// meantAnswers are the documented differences of answers.
var meantAnswers = []documented[func(answers) bool]{
	{"another required field that is left out", func(a answers) bool { return a.only(true, "Required value") }},
	{"an extension with `scope`", func(a answers) bool { return a.only(false, "scope: Invalid value") }},
	{"`aadProfile` without `adminGroupObjectIDs`", func(a answers) bool { return a.only(false, "AdminGroupObjectIDs cannot be zero") }},
	{"address ranges left out later", func(a answers) bool {
		return a.request.Before != nil && a.only(false, "CIDRBlock is immutable") && a.request.LeavesOutRange()
	}},
	{"`networkPluginMode` of a cluster with default address ranges", func(a answers) bool {
		return a.request.Before != nil && (a.only(false, "CIDRBlock is immutable") || a.only(true, "cidrBlock: Forbidden: cannot be changed"))
	}},
	{"`virtualNetwork` without `cidrBlock`, networkPluginMode overlay", func(a answers) bool {
		return a.only(false, "should contain the subnet CIDR block") || a.only(true, "does not contain the range of the subnet") ||
			a.only(true, "must be in the range of the subnet")
	}},
	{"`subscriptionID` left out later", func(a answers) bool {
		return a.request.Before != nil && a.only(false, "spec.subscriptionID: Invalid value")
	}},
	{"`keyVaultNetworkAccess`", func(a answers) bool { return a.only(true, `Unsupported value: "Protected"`) }},
	{"two `extensions` with one name", func(a answers) bool { return a.only(true, "Duplicate value") }},
	{"`releaseTrain` of an extension with `autoUpgradeMinorVersion: false`", func(a answers) bool { return a.only(true, "goes with autoUpgradeMinorVersion true only") }},
	{"`cpuCfsQuotaPeriod`", func(a answers) bool { return a.only(true, "must be a number of milliseconds") }},
	{"`osType: Windows` on a pool that becomes a System pool", func(a answers) bool {
		return a.request.Before != nil && a.only(true, "is not possible with mode System")
	}},
	{"other create-only rules of pools", func(a answers) bool { return a.request.Before != nil && a.only(true, "spec.subnetName: Invalid value") }},
	{"`version` below the one before", func(a answers) bool {
		return a.request.Before != nil && a.only(false, "field version cannot be downgraded")
	}},
	{"a name written down that was a default", func(a answers) bool { return a.only(true, "spec.resourceGroupName: Forbidden") }},
}

// documentation returns the row of docs/differences.md that different answers are meant by, empty if there is none.
func (a answers) documentation() string {
	return rowOf(meantAnswers, func(is func(answers) bool) bool { return is(a) })
}

// runRules compares what the two sides refuse, and reports whether all differences are documented.
func runRules(ctx context.Context, out io.Writer, count int, seed uint64) (bool, error) {
	c, err := newComparison(out)
	if err != nil {
		return false, err
	}
	found, undocumented, refused, done := map[string]int{}, 0, 0, 0
	judge := func(a answers) {
		done++
		if a.capz != nil {
			refused++
		}
		if (a.capz == nil) == (a.ours == nil) {
			return
		}
		if row := a.documentation(); row != "" {
			found[row]++
			return
		}
		if undocumented++; undocumented <= mostShown {
			fmt.Fprintf(out, "%s: %s\n  CAPZ: %v\n  here: %v\n", a.request.After.Name, a.request.Name, a.capz, a.ours)
		}
	}
	for ; done < count; seed++ {
		c.judgeAll(ctx, seed, judge)
	}
	fmt.Fprintf(out, "rules: %d requests, of which CAPZ refuses %d, %d differences, %d documented\n", done, refused, undocumented, len(found))
	return undocumented == 0, nil
}

// judgeAll has both sides answer the requests of a seed.
func (c *comparison) judgeAll(ctx context.Context, seed uint64, judge func(answers)) {
	created, changes := specs.RandomRequests(seed)
	theirs, capzErr := c.capz.Admit(ctx, created.After, nil)
	ours, err := c.ours.Admit(ctx, created.After, nil)
	judge(answers{created, capzErr, err})
	if capzErr != nil || err != nil {
		return
	}
	for _, change := range changes {
		if leavesSystem(change) {
			continue
		}
		_, capzErr := c.capz.Admit(ctx, change.After, theirs)
		_, err := c.ours.Admit(ctx, change.After, ours)
		judge(answers{change, capzErr, err})
	}
}

// leavesSystem tells changes about which the other pools of the Cluster are asked: they are not there.
func leavesSystem(change *specs.Request) bool {
	mode := func(s *specs.Spec) any { return s.Pools[0].Object["spec"].(map[string]any)["mode"] }
	return len(change.Before.Pools) > 0 && mode(change.Before) == "System" && mode(change.After) != "System"
}
