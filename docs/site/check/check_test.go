package check

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	root := fstest.MapFS{
		"README.md":                   {},
		"docs/other.md":               {Data: []byte("# Other\n\n## Some `code`, and more\n\n## Twice\n\n## Twice\n")},
		"docs/picture.svg":            {},
		"examples/aks/c.yaml":         {},
		"package/install/rbac.yaml":   {},
		"cluster/kubectl-capz/why.go": {},
	}
	cases := map[string]struct {
		page string
		want []string
	}{
		"Page":            {page: "[a](other.md)"},
		"Folder":          {page: "[a](../examples/aks) [b](../examples/aks/)"},
		"Elsewhere":       {page: "[a](https://example.com/nothing.md#at-all) <https://example.com>"},
		"Picture":         {page: "![a](picture.svg)"},
		"InTable":         {page: "| a | b |\n|---|---|\n| [c](other.md) | [d](missing.md) |", want: []string{`docs/page.md:3: link "missing.md": there is no docs/missing.md`}},
		"Missing":         {page: "one\n\ntwo [a](missing.md)", want: []string{`docs/page.md:3: link "missing.md": there is no docs/missing.md`}},
		"MissingPicture":  {page: "![a](missing.svg)", want: []string{`docs/page.md:1: link "missing.svg": there is no docs/missing.svg`}},
		"Outside":         {page: "[a](../../other.md)", want: []string{`docs/page.md:1: link "../../other.md": leads out of the repository`}},
		"ByReference":     {page: "[a][b]\n\n[b]: missing.md", want: []string{`docs/page.md:1: link "missing.md": there is no docs/missing.md`}},
		"Anchor":          {page: "[a](other.md#some-code-and-more)"},
		"SecondAnchor":    {page: "[a](other.md#twice-1)"},
		"ThirdAnchor":     {page: "[a](other.md#twice-2)", want: []string{`docs/page.md:1: link "other.md#twice-2": docs/other.md has no heading "twice-2"`}},
		"OwnAnchor":       {page: "# An `a_b.c` of (it)\n\n[a](#an-a_bc-of-it)"},
		"OwnAnchorWrong":  {page: "# A\n\n[a](#b)", want: []string{`docs/page.md:3: link "#b": docs/page.md has no heading "b"`}},
		"AnchorOfNoPage":  {page: "[a](../examples/aks#b)", want: []string{`docs/page.md:1: link "../examples/aks#b": examples/aks is no page, and has no anchors`}},
		"InCode":          {page: "`[a](missing.md)`\n\n    [a](missing.md)"},
		"FrontMatter":     {page: "---\ntitle: \"[a](missing.md)\"\n---\n\n[a](missing.md)", want: []string{`docs/page.md:5: link "missing.md": there is no docs/missing.md`}},
		"Tag":             {page: "a <cluster> of `<cluster>`", want: []string{"docs/page.md:1: a tag of HTML, which the site leaves out: put it into backquotes"}},
		"Comment":         {page: "<!-- Generated. -->\n\n# A"},
		"YAML":            {page: "    spec:\n      a: {b: [c]}\n    ---\n    kind: B"},
		"YAMLWrong":       {page: "a\n\n    spec:\n      a: b: c", want: []string{"docs/page.md:3: the YAML that begins here: yaml: line 2: mapping values are not allowed in this context"}},
		"YAMLFenced":      {page: "```yaml\na: {b\n```", want: []string{"docs/page.md:2: the YAML that begins here: yaml: line 1: did not find expected ',' or '}'"}},
		"YAMLAfterRemark": {page: "    # A remark.\n    kind: {", want: []string{"docs/page.md:1: the YAML that begins here: yaml: line 2: did not find expected node content"}},
		"Output":          {page: "    example: Cluster default/my-cluster: is {"},
		"Target":          {page: "`make up`, `make up EXAMPLE=aks`, `EXAMPLE=aks make up`, `make render XR=examples/aks`, `make render XR=file`, `make render XR=my.yaml`"},
		"TargetMissing":   {page: "a\n`make nothing`", want: []string{"docs/page.md:2: make nothing: the Makefile has no target nothing"}},
		"TargetInBlock":   {page: "    a\n    $ make nothing", want: []string{"docs/page.md:2: make nothing: the Makefile has no target nothing"}},
		"ExampleMissing":  {page: "`make up EXAMPLE=none`", want: []string{"docs/page.md:1: EXAMPLE=none: there is no examples/none"}},
		"ExampleFirst":    {page: "`make EXAMPLE=none up`", want: []string{"docs/page.md:1: EXAMPLE=none: there is no examples/none"}},
		"RenderMissing":   {page: "`make render XR=examples/none`", want: []string{"docs/page.md:1: XR=examples/none: there is no examples/none"}},
		"Subcommand":      {page: "    kubectl capz why cluster/a"},
		"SubcommandWrong": {page: "    kubectl capz whence cluster/a", want: []string{"docs/page.md:1: kubectl capz whence: kubectl-capz has no command whence"}},
		"Applied":         {page: "    kubectl apply --server-side -f package/install -f examples/aks"},
		"AppliedMissing":  {page: "    kubectl apply -f examples/aks -f examples/none", want: []string{"docs/page.md:1: -f examples/none: there is no examples/none"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := Checker{Root: root, Targets: []string{"up", "render"}, Subcommands: []string{"why"}}
			var got []string
			for _, p := range c.Check([]*Page{Read("docs/page.md", []byte(tc.page))}) {
				got = append(got, p.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
