package e2e

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/rights"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
)

// rightsWanted makes a run of part of the tests report on rights too; some are then not used, of course.
const rightsWanted = "E2E_RIGHTS"

// checkRights fails if package/install/rbac.yaml grants what no test has made Crossplane or provider-capz use, or if they were
// refused something while the rights were granted. What a scenario alone uses, and says so, is not missed while it is not its turn. It says
// so when only part of the tests ran, after which it cannot tell.
func checkRights(s *stack.Stack, root string, granting rights.Span) error {
	if flag.Lookup("test.run").Value.String() != "" && os.Getenv(rightsWanted) == "" {
		say("rights are not compared: only part of the tests ran (%s=1 does it nevertheless)", rightsWanted)
		return nil
	}
	objects, err := kubeyaml.Read(filepath.Join(root, "package", "install", "rbac.yaml"))
	if err != nil {
		return err
	}
	granted, err := rights.Granted(objects)
	if err != nil {
		return err
	}
	log, err := os.Open(s.AuditLog())
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	usage, err := rights.ReadUsage(log, granting)
	if err != nil {
		return err
	}
	var problems []string
	waiting := rightsWaiting()
	for _, right := range usage.Unused(granted) {
		if !slices.Contains(waiting, right.String()) {
			problems = append(problems, "granted but never used: "+right.String())
		}
	}
	for right, when := range usage.Refused {
		problems = append(problems, fmt.Sprintf("refused: %s (%s)", right, when.Format(time.TimeOnly)))
	}
	slices.Sort(problems)
	if len(problems) > 0 {
		return errors.New("package/install/rbac.yaml:\n" + strings.Join(problems, "\n"))
	}
	say("%d rights were granted, and each was used, but for %d of scenarios whose turn it is not", len(granted), len(waiting))
	return nil
}

// rightsWaiting returns the rights that only scenarios use which are not in this run.
func rightsWaiting() []string {
	var all []string
	for _, s := range everyScenario() {
		if !s.takesPart() {
			all = append(all, s.rights...)
		}
	}
	return all
}
