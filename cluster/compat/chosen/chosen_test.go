package chosen

import (
	"encoding/json"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const strategies = "sigs.k8s.io/cluster-api-provider-azure/azure/scope/strategies/machinepool_deployments"

// standIn is the package that overlay and CAPZ's test are together: below CAPZ's path, as the test imports internal packages of CAPZ's.
const standIn = "sigs.k8s.io/cluster-api-provider-azure/oracle/chosen"

// differences are CAPZ's cases that this project answers otherwise on purpose, and why.
var differences = map[string]string{
	choice + "if_model_reconciliation_is_skipped,_order_mixed-model_unready_machines_by_delete_policy":                            noGate,
	choice + "if_over-provisioned_and_skip_model_reconciliation_is_enabled,_select_by_delete_policy_and_not_stale_model_priority": noGate,
	choice + "if_skip_model_reconciliation_is_enabled,_do_not_select_stale_model_machines_at_steady_desired_count":                noGate,
}

const (
	choice = "TestMachinePoolRollingUpdateStrategy_SelectMachinesToDelete/"
	noGate = "CAPZ's feature gate SkipMachinePoolModelReconciliation, off unless it is set, is not here"
)

// TestCAPZsOwnCases runs CAPZ's tests of its choice, unmodified, with this project's choice in the place of CAPZ's.
func TestCAPZsOwnCases(t *testing.T) {
	passed := map[string]bool{}
	for name, ok := range run(t) {
		passed[name] = ok
		switch why, differs := differences[name]; {
		case !ok && !differs:
			t.Errorf("%s: this project chooses otherwise", name)
		case ok && differs:
			t.Errorf("%s: this project chooses as CAPZ, but documents that it does not: %s", name, why)
		}
	}
	for name := range differences {
		if _, there := passed[name]; !there {
			t.Errorf("CAPZ has no case %s", name)
		}
	}
	if want := 43; len(passed) != want {
		t.Errorf("CAPZ has %d cases, want %d", len(passed), want)
	}
}

// run returns whether each of CAPZ's cases passes.
func run(t *testing.T) map[string]bool {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", strategies).Output()
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		absolute(t, "../capz/chosen/strategy.go"):      absolute(t, "overlay/strategy.go"),
		absolute(t, "../capz/chosen/strategy_test.go"): filepath.Join(strings.TrimSpace(string(dir)), "machinepool_deployment_strategy_test.go"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "chosen.test")
	if out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-o", program, "-overlay", file, standIn).CombinedOutput(); err != nil {
		t.Fatalf("CAPZ's tests cannot be built: %v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), program, "-test.v").CombinedOutput()
	cases := map[string]bool{}
	for _, result := range regexp.MustCompile(`(?m)^ *--- (PASS|FAIL): (\S+)`).FindAllStringSubmatch(string(out), -1) {
		cases[result[2]] = result[1] == "PASS"
	}
	for name := range cases {
		delete(cases, path.Dir(name)) // A test that consists of cases is none.
	}
	if len(cases) == 0 {
		t.Fatalf("CAPZ's tests do not run: %v\n%s", err, out)
	}
	return cases
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
