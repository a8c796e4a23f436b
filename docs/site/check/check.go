package check

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Problem is one thing that is wrong, with its place.
type Problem struct {
	Path, Text string
	Line       int
}

func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s", p.Path, p.Line, p.Text) }

// A Checker knows what pages may refer to.
type Checker struct {
	// Root is the checkout.
	Root fs.FS
	// Targets are those of the Makefile.
	Targets []string
	// Subcommands are those of kubectl-capz.
	Subcommands []string

	pages map[string]*Page
}

// Check returns what is wrong with the pages, in their order.
func (c *Checker) Check(pages []*Page) []Problem {
	c.pages = map[string]*Page{}
	for _, p := range pages {
		c.pages[p.Path] = p
	}
	var all []Problem
	for _, p := range pages {
		report := func(line int, format string, args ...any) {
			all = append(all, Problem{Path: p.Path, Line: line, Text: fmt.Sprintf(format, args...)})
		}
		for _, l := range p.Links {
			if err := c.link(p, l.To); err != nil {
				report(l.Line, "link %q: %v", l.To, err)
			}
		}
		for _, line := range p.HTML {
			report(line, "a tag of HTML, which the site leaves out: put it into backquotes")
		}
		for _, b := range p.Blocks {
			if err := parse(b); err != nil {
				report(b.Line, "the YAML that begins here: %v", err)
			}
			for i, line := range strings.Split(b.Text, "\n") {
				if err := c.command(line); err != nil {
					report(b.Line+i, "%v", err)
				}
			}
		}
		for _, s := range p.Code {
			if err := c.command(s.Text); err != nil {
				report(s.Line, "%v", err)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Problem) int {
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		return a.Line - b.Line
	})
	return all
}

// link answers whether a relative link leads somewhere. Others are not looked at: the tests reach no network.
func (c *Checker) link(from *Page, to string) error {
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	if u.Scheme != "" || u.Host != "" {
		return nil
	}
	target := from.Path
	if u.Path != "" {
		target = path.Join(path.Dir(from.Path), u.Path)
		if !fs.ValidPath(target) {
			return errors.New("leads out of the repository")
		}
		if _, err := fs.Stat(c.Root, target); err != nil {
			return fmt.Errorf("there is no %s", target)
		}
	}
	if u.Fragment == "" {
		return nil
	}
	page := c.pages[target]
	if page == nil {
		content, err := fs.ReadFile(c.Root, target)
		if err != nil || path.Ext(target) != ".md" {
			return fmt.Errorf("%s is no page, and has no anchors", target)
		}
		page = Read(target, content)
		c.pages[target] = page
	}
	if !page.Anchors[u.Fragment] {
		return fmt.Errorf("%s has no heading %q", target, u.Fragment)
	}
	return nil
}

// A manifest, or a part of one, begins with one of these keys; output of commands has colons, too.
var manifest = regexp.MustCompile(`^(# [^\n]*\n)*(- )?(apiVersion|kind|metadata|spec|data|rules|resources|kubeletExtraArgs|conditions|status):( |\n|$)`)

// parse returns an error when a block is YAML, by its language or its first key, and does not parse.
func parse(b Block) error {
	switch {
	case b.Language == "yaml", b.Language == "yml":
	case b.Language == "" && manifest.MatchString(b.Text):
	default:
		return nil
	}
	decoder := yaml.NewDecoder(strings.NewReader(b.Text))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

var (
	makeCommand = regexp.MustCompile(`^(?:\$ )?make((?: +[A-Z_]+=(?:'[^']*'|\S+))*) +([a-z][a-z0-9-]*)((?: +[A-Z_]+=(?:'[^']*'|\S+))*)`)
	folder      = regexp.MustCompile(`\b(EXAMPLE|XR)=([^\s'<>]+)`)
	plugin      = regexp.MustCompile(`^(?:\$ )?kubectl capz ([a-z]+)`)
	applied     = regexp.MustCompile(`(?:-f|--filename|--patch-file)[= ](examples/[^\s<>*]+|package/[^\s<>*]+)`)
)

// command answers whether a command line is one that this repository has. Commands of others are not looked at.
func (c *Checker) command(line string) error {
	line = strings.TrimSpace(line)
	if m := makeCommand.FindStringSubmatch(line); m != nil {
		if !slices.Contains(c.Targets, m[2]) {
			return fmt.Errorf("make %s: the Makefile has no target %s", m[2], m[2])
		}
		for _, variable := range folder.FindAllStringSubmatch(m[1]+m[3], -1) {
			where := variable[2]
			if variable[1] == "EXAMPLE" {
				where = path.Join("examples", where)
			} else if !strings.HasPrefix(where, "examples/") {
				continue
			}
			if _, err := fs.Stat(c.Root, path.Clean(where)); err != nil {
				return fmt.Errorf("%s: there is no %s", variable[0], where)
			}
		}
	}
	if m := plugin.FindStringSubmatch(line); m != nil && !slices.Contains(c.Subcommands, m[1]) {
		return fmt.Errorf("kubectl capz %s: kubectl-capz has no command %s", m[1], m[1])
	}
	for _, m := range applied.FindAllStringSubmatch(line, -1) {
		if _, err := fs.Stat(c.Root, path.Clean(m[1])); err != nil {
			return fmt.Errorf("%s: there is no %s", m[0], m[1])
		}
	}
	return nil
}
