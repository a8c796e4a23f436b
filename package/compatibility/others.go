package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/crossplane-capz/crossplane-capz/internal/compatibility"
)

// clones is the folder of the clones and of what each run printed.
var clones = filepath.Join(".local", "compatibility")

// patience is how long the scenarios of one version may take.
const patience = "60m"

// selected returns the other versions of these names; all for none.
func selected(names []string) ([]compatibility.Other, error) {
	all := compatibility.Others()
	if len(names) == 0 {
		return all, nil
	}
	var chosen []compatibility.Other
	for _, name := range names {
		i := slices.IndexFunc(all, func(o compatibility.Other) bool { return o.Name() == name })
		if i < 0 {
			var known []string
			for _, o := range all {
				known = append(known, o.Name())
			}
			return nil, fmt.Errorf("there is no %s; the name must be one of %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// runOthers runs other versions, one after another, and records what comes of each. That one does not pass is no error, but a row of the page.
func runOthers(ctx context.Context, chosen []compatibility.Other) error {
	commit, err := commitOf(ctx)
	if err != nil {
		return err
	}
	for _, o := range chosen {
		if err := runOther(ctx, o, commit); err != nil {
			return fmt.Errorf("%s: %w", o.Name(), err)
		}
	}
	return nil
}

func runOther(ctx context.Context, o compatibility.Other, commit string) error {
	if err := os.MkdirAll(clones, 0o755); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(clones, o.Name()+".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	begun := time.Now()
	c := &clone{dir: filepath.Join(clones, o.Name()), out: io.MultiWriter(os.Stdout, log)}
	fmt.Fprintf(c.out, "%s in %s\n", o.Name(), c.dir)
	if err := c.make(ctx); err != nil {
		return err
	}
	r := compatibility.Run{Date: begun.UTC().Format(time.DateOnly), Commit: commit, Go: runtime.Version(), Other: o.Name()}
	r.Result, r.Reason, err = c.try(ctx, o)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err() // What was interrupted says nothing.
	}
	r.Seconds = int(time.Since(begun).Seconds())
	if err := compatibility.RecordOther(".", c.dir, o, r); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s: %s after %d s. %s\n", o.Name(), r.Result, r.Seconds, r.Reason)
	if r.Result != compatibility.Passed {
		return nil
	}
	return os.RemoveAll(c.dir)
}

// A clone of the checkout's commit, in which one part gets another version.
type clone struct {
	dir string
	out io.Writer
}

// make clones the commit, with the parts that were built in the checkout: those whose modules do not differ are not built again.
func (c *clone) make(ctx context.Context) error {
	if err := os.RemoveAll(c.dir); err != nil {
		return err
	}
	if _, err := c.run(ctx, ".", "git", "clone", "--quiet", ".", c.dir); err != nil {
		return err
	}
	for _, built := range []string{"bin", "aso"} {
		from := filepath.Join(".local", built)
		if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err := os.CopyFS(filepath.Join(c.dir, from), os.DirFS(from)); err != nil {
			return err
		}
	}
	return nil
}

// try gives the clone the other version and runs the scenarios. The error is of a table that no longer fits the checkout.
func (c *clone) try(ctx context.Context, o compatibility.Other) (compatibility.Result, string, error) {
	if err := o.Edit(c.dir); err != nil {
		return "", "", err
	}
	if printed, err := c.require(ctx, o); err != nil {
		return compatibility.NotBuilt, "Its modules do not resolve: " + lastSaid(printed, err), nil
	}
	if err := c.hide(ctx); err != nil {
		return "", "", err
	}
	pattern := "^TestCalm$/^(" + strings.Join(compatibility.Scenarios(), "|") + ")$"
	if printed, err := c.run(ctx, c.dir, "go", "test", "-C", "cluster/local", "-count=1", "-timeout", patience, "-v", "./e2e", "-run", pattern); err != nil {
		if why := unbuilt(printed); why != "" {
			return compatibility.NotBuilt, why, nil
		}
		return compatibility.Failed, failure(printed, err), nil
	}
	return compatibility.Passed, "", nil
}

// require changes the version in the part's module. It returns what a command that fails printed.
func (c *clone) require(ctx context.Context, o compatibility.Other) (string, error) {
	folder, module := o.Dir()
	dir := filepath.Join(c.dir, folder)
	if o.Staged() {
		if printed, err := c.requireStaged(ctx, dir, module, o.Version); err != nil {
			return printed, err
		}
	} else {
		args := []string{"get", module + "@" + o.Version}
		for _, inside := range o.Inside {
			args = append(args, inside+"@none")
		}
		if printed, err := c.run(ctx, dir, "go", args...); err != nil {
			return printed, err
		}
	}
	if printed, err := c.run(ctx, dir, "go", "mod", "tidy"); err != nil {
		return printed, err
	}
	got, err := compatibility.Required(filepath.Join(dir, "go.mod"), module)
	if err == nil && got != o.Version {
		err = fmt.Errorf("other modules need %s %s", module, got)
	}
	return "", err
}

func (c *clone) requireStaged(ctx context.Context, dir, module, version string) (string, error) {
	printed, err := c.run(ctx, dir, "go", "mod", "download", "-json", module+"@"+version)
	if err != nil {
		return printed, err
	}
	// What is downloaded on the way is told before.
	var downloaded struct{ GoMod string }
	if err := json.Unmarshal([]byte(printed[max(0, strings.Index(printed, "{")):]), &downloaded); err != nil {
		return printed, err
	}
	upstream, err := os.ReadFile(downloaded.GoMod)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "go.mod")
	content, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if content, err = compatibility.Require(content, upstream, module, version); err != nil {
		return "", err
	}
	return "", os.WriteFile(path, content, 0o644)
}

// hide has git take the clone for unchanged. Go writes into binaries whether the sources were, and links those anew that do not differ otherwise.
func (c *clone) hide(ctx context.Context) error {
	changed, err := exec.CommandContext(ctx, "git", "-C", c.dir, "diff", "--name-only").Output()
	if err != nil {
		return fmt.Errorf("git diff: %w", err)
	}
	_, err = c.run(ctx, c.dir, "git", append([]string{"update-index", "--assume-unchanged"}, strings.Fields(string(changed))...)...)
	return err
}

// run runs a command, and returns what it prints.
func (c *clone) run(ctx context.Context, dir, name string, args ...string) (string, error) {
	fmt.Fprintf(c.out, "+ %s %s\n", name, strings.Join(args, " "))
	var printed bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Stdout = io.MultiWriter(&printed, c.out)
	cmd.Stderr = cmd.Stdout
	// The tests end what they have started when they are told to, and go test with them.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	err := cmd.Run()
	return printed.String(), err
}

// lastSaid returns the last line that a command printed; that of its error if none.
func lastSaid(printed string, err error) string {
	// A module proxy's words come after what was asked of it.
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(printed), "\n"), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "server response: ")
	})
	if len(lines) == 0 {
		return err.Error()
	}
	return cmp.Or(strings.Join(strings.Fields(lines[len(lines)-1]), " "), err.Error())
}

// said is a line in which the tests repeat what a scenario failed by.
var said = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  TestCalm/([^:]+): (.*)$`)

// beside is a line in which the tests say that something else failed, such as that the management cluster is not up.
var beside = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d  FAIL: (.*)$`)

// step is what the error of a step of the build begins with.
var step = regexp.MustCompile(`^build \d+ of \d+: `)

// unbuilt says why the parts are not built; nothing where they are. The tests build them first.
func unbuilt(printed string) string {
	other := beside.FindStringSubmatchIndex(printed)
	if other == nil || !step.MatchString(printed[other[2]:other[3]]) {
		return ""
	}
	part := step.ReplaceAllString(printed[other[2]:other[3]], "")
	compiler, _, _ := strings.Cut(strings.TrimLeft(printed[other[1]:], "\n"), "\nFAIL")
	return part + ": " + lastSaid(compiler, errors.New("no more is known"))
}

// failure says which scenarios failed, and by what the first of them did.
func failure(printed string, err error) string {
	if all := said.FindAllStringSubmatch(printed, -1); len(all) > 0 {
		var failed []string
		for _, s := range all {
			if !slices.Contains(failed, s[1]) {
				failed = append(failed, s[1])
			}
		}
		return fmt.Sprintf("Scenario %s fails: %s", strings.Join(failed, ", "), all[0][2])
	}
	if other := beside.FindStringSubmatch(printed); other != nil {
		return other[1]
	}
	return lastSaid(printed, err)
}
