package templates

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
)

// root of the checkout.
var root = filepath.Join("..", "..", "..")

// capz returns CAPZ's templates.
func capz(t *testing.T) []Template {
	t.Helper()
	module, err := (&parts.Builder{Root: root, Log: t.Output()}).CAPZDir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := Load(module, root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLoad finds as many templates as CAPZ's module has, and the class of each topology among them.
func TestLoad(t *testing.T) {
	all := capz(t)
	count, names := map[string]int{}, map[string]bool{}
	for _, template := range all {
		count[filepath.Dir(template.Path)]++
		if names[template.Name()] {
			t.Errorf("two templates are called %s", template.Name())
		}
		names[template.Name()] = true
		if len(template.Kinds) == 0 {
			t.Errorf("%s has no kinds", template.Path)
		}
		for _, file := range template.files() {
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		}
		// One Cluster with nothing to make it of takes its class.
		if topology := len(template.Kinds) <= 2 && template.has("Cluster"); topology != (len(template.files()) == 2) {
			t.Errorf("%s is applied with %v", template.Path, template.files())
		}
	}
	if diff := cmp.Diff(map[string]int{".": 28, "test/ci": 37, "test/dev": 9, Others: 4}, count); diff != "" {
		t.Errorf("templates by folder (-want +got):\n%s", diff)
	}
}

// required is a variable that its template has no default for.
var required = regexp.MustCompile(`(?:^|[^$])\$\{([A-Z_0-9]+)\}`)

// TestAssignments gives every template all that it asks for, and has no variable that none does.
func TestAssignments(t *testing.T) {
	asked := map[string]bool{}
	for _, template := range capz(t) {
		given := map[string]bool{"CLUSTER_NAME": true, "KUBERNETES_VERSION": true}
		for _, assignment := range template.assignments((&Runner{}).newWorld(template)) {
			name, _, _ := strings.Cut(assignment, "=")
			given[name] = true
			asked[name] = asked[name] || strings.Contains(template.text, "${"+name)
		}
		for _, match := range required.FindAllStringSubmatch(template.text, -1) {
			if !given[match[1]] && !strings.Contains(template.text, "${"+match[1]+":") {
				t.Errorf("%s is not given %s", template.Path, match[1])
			}
		}
	}
	for name, used := range asked {
		if !used {
			t.Errorf("no template asks for %s", name)
		}
	}
}

func TestName(t *testing.T) {
	for path, want := range map[string]string{
		"cluster-template.yaml": "default", "cluster-template-ipv6.yaml": "ipv6", "test/ci/cluster-template-prow.yaml": "prow",
		"test/ci/cluster-template-prow-ipv6.yaml": "prow-ipv6",
	} {
		if got := newTemplate(path, path, "").Name(); got != want {
			t.Errorf("%s is called %s, want %s", path, got, want)
		}
	}
}

func TestMatching(t *testing.T) {
	all := []Template{newTemplate("cluster-template.yaml", "", ""), newTemplate("cluster-template-ipv6.yaml", "", ""), newTemplate("test/ci/cluster-template-prow-ipv6.yaml", "", "")}
	for name, c := range map[string]struct {
		patterns []string
		want     []string
		fails    string
	}{
		"all":                    {want: []string{"default", "ipv6", "prow-ipv6"}},
		"by name":                {patterns: []string{"ipv6"}, want: []string{"ipv6"}},
		"by pattern":             {patterns: []string{"*ipv6"}, want: []string{"ipv6", "prow-ipv6"}},
		"by path":                {patterns: []string{"test/ci/*"}, want: []string{"prow-ipv6"}},
		"twice":                  {patterns: []string{"ipv6", "*v6"}, want: []string{"ipv6", "prow-ipv6"}},
		"no such":                {patterns: []string{"ipv6", "ipv4"}, fails: "no template is called ipv4"},
		"what is not a pattern":  {patterns: []string{"["}, fails: "syntax error"},
		"the order is the files": {patterns: []string{"prow*", "default"}, want: []string{"default", "prow-ipv6"}},
	} {
		t.Run(name, func(t *testing.T) {
			chosen, err := Matching(all, c.patterns)
			if (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Fatalf("error %v, want one with %q", err, c.fails)
			}
			if diff := cmp.Diff(c.want, names(chosen)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func names(all []Template) []string {
	var found []string
	for _, t := range all {
		found = append(found, t.Name())
	}
	return found
}

// TestChoose makes the same choice for the same seed, and comes to every template in time.
func TestChoose(t *testing.T) {
	all := capz(t)
	if diff := cmp.Diff(names(Choose(all, 5, 17)), names(Choose(all, 5, 17))); diff != "" {
		t.Errorf("the same seed chooses otherwise:\n%s", diff)
	}
	chosen := map[string]bool{}
	for seed := range uint64(500) {
		five := Choose(all, 5, seed)
		if len(five) != 5 {
			t.Fatalf("seed %d chooses %d", seed, len(five))
		}
		for _, template := range five {
			chosen[template.Path] = true
		}
	}
	if len(chosen) != len(all) {
		t.Errorf("%d of %d templates are ever chosen", len(chosen), len(all))
	}
	if two := Choose(all[:2], 5, 1); len(two) != 2 {
		t.Errorf("of two templates %d are chosen", len(two))
	}
}

// TestOutside leaves out no template but those of CAPZ's developers.
func TestOutside(t *testing.T) {
	for _, template := range capz(t) {
		if developers := strings.HasPrefix(template.Path, "test/dev/"); developers != (template.outside() != "") {
			t.Errorf("%s takes from outside: %q", template.Path, template.outside())
		}
	}
}

func TestDocument(t *testing.T) {
	all := []Template{
		newTemplate("cluster-template.yaml", "", "kind: Cluster\n---\nkind: MachineDeployment\n---\nkind: MachineDeployment\n"),
		newTemplate("cluster-template-ipv6.yaml", "", "kind: Cluster\n"), newTemplate("test/ci/cluster-template-prow.yaml", "", "kind: Cluster\n"),
		newTemplate("test/dev/cluster-template-load.yaml", "", "kind: Cluster\n"), newTemplate("test/dev/cluster-template-new.yaml", "", "kind: Cluster\n"),
	}
	results := []Result{
		{Template: "cluster-template.yaml", Reached: whole, Machines: 2, Nodes: 2, UpSeconds: 60, DownSeconds: 9, LeftOut: []string{"HelmChartProxy"}, NotApplied: []string{"ClusterResourceSet calico"}},
		{Template: "cluster-template-ipv6.yaml", Failure: "apply:\n  no|thing"},
		{Template: "test/ci/cluster-template-prow.yaml", Reached: whole, Machines: 1, Failure: "Azure still has x"},
		{Template: "test/dev/cluster-template-load.yaml", NotRun: "takes much"},
	}
	got, err := Document("before\n"+begin+"old\n"+finish+"after\n", all, results)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" + begin + `
1 of 5 templates have reached the result that the table names.

| template | kinds | reached | machines, Nodes | seconds up, down |
|---|---|---|---|---|
` + "| `cluster-template.yaml` | Cluster, MachineDeployment ×2 | Available; left out: HelmChartProxy, awaited by: ClusterResourceSet calico | 2, 2 | 60, 9 |\n" +
		"| `cluster-template-ipv6.yaml` | Cluster | **failed**: apply: no\\|thing |  |  |\n" +
		"| `test/ci/cluster-template-prow.yaml` | Cluster | **failed**: Azure still has x | 1, 0 | 0, 0 |\n" +
		"| `test/dev/cluster-template-load.yaml` | Cluster | not run: takes much |  |  |\n" +
		"| `test/dev/cluster-template-new.yaml` | Cluster | not run: not tried yet |  |  |\n\n" + finish + "after\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("document (-want +got):\n%s", diff)
	}
	if _, err := Document("nothing", all, results); err == nil {
		t.Error("a document without a place for the table is taken")
	}
}

// TestDocumentIsCurrent finds in the document the table of the results that are kept.
func TestDocumentIsCurrent(t *testing.T) {
	file := filepath.Join(root, "docs", "templates.md")
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	results, err := Read(filepath.Join(root, "docs", "templates.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := capz(t)
	for _, r := range results {
		if !slices.ContainsFunc(all, func(known Template) bool { return known.Path == r.Template }) {
			t.Errorf("there is a result of %s, which CAPZ does not have", r.Template)
		}
	}
	want, err := Document(string(document), all, results)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(document)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results.json")
	write := func(results ...Result) {
		t.Helper()
		if err := Write(file, results); err != nil {
			t.Fatal(err)
		}
	}
	write(Result{Template: "test/ci/a.yaml", Reached: whole}, Result{Template: "b.yaml", Failure: "it broke"})
	write(Result{Template: "b.yaml", Reached: whole, LeftOut: []string{"HelmChartProxy"}}, Result{Template: "a.yaml", NotRun: "it is too much"})
	got, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []Result{
		{Template: "a.yaml", NotRun: "it is too much"}, {Template: "b.yaml", Reached: whole, LeftOut: []string{"HelmChartProxy"}},
		{Template: "test/ci/a.yaml", Reached: whole},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}
