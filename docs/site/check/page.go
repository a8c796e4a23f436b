// Package check finds what is wrong with Markdown: links that lead nowhere, YAML that does not parse, commands that do not exist.
package check

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A Page is what there is to check of a Markdown file.
type Page struct {
	// Path is the file's path below the root, with slashes.
	Path string
	// Anchors are the names of its headings, as GitHub and Hugo make them.
	Anchors map[string]bool
	// Links are the destinations of links and pictures.
	Links []Link
	// Blocks are its code blocks.
	Blocks []Block
	// Code has its inline code.
	Code []Code
	// HTML has the lines of tags, which the site leaves out. Comments are not among them.
	HTML []int
}

// A Link is a destination, and the line that it stands in or near.
type Link struct {
	To   string
	Line int
}

// A Block is a code block, indented or fenced.
type Block struct {
	Language, Text string
	Line           int
}

// Code is a code span.
type Code struct {
	Text string
	Line int
}

// Read parses a file. Front matter, between two lines of ---, is left out.
func Read(path string, content []byte) *Page {
	content = withoutFrontMatter(content)
	p := &Page{Path: path, Anchors: map[string]bool{}}
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM))
	root := markdown.Parser().Parse(text.NewReader(content), parser.WithContext(parser.NewContext()))
	r := reader{page: p, source: content, seen: map[string]int{}, line: 1}
	for i, c := range content {
		if c == '\n' {
			r.ends = append(r.ends, i)
		}
	}
	// The walker itself never fails.
	_ = ast.Walk(root, r.visit)
	return p
}

// withoutFrontMatter keeps the lines' numbers.
func withoutFrontMatter(content []byte) []byte {
	const fence = "---\n"
	if !bytes.HasPrefix(content, []byte(fence)) {
		return content
	}
	end := bytes.Index(content[len(fence):], []byte("\n"+fence))
	if end < 0 {
		return content
	}
	end += len(fence) + 1 + len(fence)
	return append(bytes.Repeat([]byte("\n"), bytes.Count(content[:end], []byte("\n"))), content[end:]...)
}

type reader struct {
	page   *Page
	source []byte
	// ends are the offsets of the ends of lines.
	ends []int
	seen map[string]int
	line int
}

func (r *reader) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		r.line = r.lineOf(n.Lines().At(0).Start)
	}
	switch n := n.(type) {
	case *ast.Heading:
		r.page.Anchors[r.anchor(r.plain(n))] = true
	case *ast.Link:
		r.link(string(n.Destination))
	case *ast.Image:
		r.link(string(n.Destination))
	case *ast.Text:
		r.line = r.lineOf(n.Segment.Start)
	case *ast.CodeSpan:
		if first, ok := n.FirstChild().(*ast.Text); ok {
			r.line = r.lineOf(first.Segment.Start)
		}
		r.page.Code = append(r.page.Code, Code{Text: r.plain(n), Line: r.line})
	case *ast.FencedCodeBlock:
		r.block(string(n.Language(r.source)), n)
	case *ast.CodeBlock:
		r.block("", n)
	case *ast.HTMLBlock:
		if n.HTMLBlockType != ast.HTMLBlockType2 {
			r.page.HTML = append(r.page.HTML, r.line)
		}
	case *ast.RawHTML:
		r.page.HTML = append(r.page.HTML, r.line)
	}
	return ast.WalkContinue, nil
}

func (r *reader) link(to string) { r.page.Links = append(r.page.Links, Link{To: to, Line: r.line}) }

func (r *reader) block(language string, n ast.Node) {
	r.page.Blocks = append(r.page.Blocks, Block{Language: language, Text: string(n.Lines().Value(r.source)), Line: r.line})
}

func (r *reader) lineOf(offset int) int {
	before, _ := slices.BinarySearch(r.ends, offset)
	return before + 1
}

// plain returns what a reader sees of a node's text.
func (r *reader) plain(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Segment.Value(r.source))
			if c.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(c.Value)
		default:
			b.WriteString(r.plain(c))
		}
	}
	return b.String()
}

// anchor returns the name of a heading: lower case, a hyphen for each space, no other punctuation, and a number if it was there before.
func (r *reader) anchor(heading string) string {
	name := strings.Map(func(c rune) rune {
		switch {
		case c == ' ' || c == '-':
			return '-'
		case c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		default:
			return -1
		}
	}, strings.TrimSpace(heading))
	n := r.seen[name]
	r.seen[name]++
	if n > 0 {
		return fmt.Sprintf("%s-%d", name, n)
	}
	return name
}
