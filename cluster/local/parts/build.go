package parts

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// progressInterval is how often a long build says that it is still at it.
	progressInterval = 10 * time.Second
	// failureLines is how much of a failed build's output its error shows.
	failureLines = 20
)

// A Builder builds the parts of one checkout.
type Builder struct {
	// Root of the checkout.
	Root string
	// Log receives progress lines.
	Log io.Writer
}

// Bin returns the folder that the binaries are put in.
func (b *Builder) Bin() string { return filepath.Join(b.Root, ".local", "bin") }

// Build builds every part but those named in without, and ASO's manifests.
// The error of a failing build names the part and holds the last lines that the build printed.
func (b *Builder) Build(ctx context.Context, without ...string) error {
	if err := os.MkdirAll(b.Bin(), 0o755); err != nil {
		return err
	}
	var steps []step
	for _, p := range All() {
		if slices.Contains(without, p.Name) {
			continue
		}
		steps = append(steps, b.partStep(p))
		if p.Name == ControllerGen {
			steps = append(steps, b.manifestStep())
		}
		if p.Name == Local {
			steps = append(steps, b.packageStep())
		}
	}
	return b.runAll(ctx, steps)
}

// BuildPeers builds those of a name of what this project is measured against; all for no names.
func (b *Builder) BuildPeers(ctx context.Context, names ...string) error {
	var steps []step
	for _, p := range Peers() {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			steps = append(steps, b.partStep(p))
		}
	}
	return b.runAll(ctx, steps)
}

func (b *Builder) runAll(ctx context.Context, steps []step) error {
	for i, s := range steps {
		label := fmt.Sprintf("build %d of %d: %s", i+1, len(steps), s.name)
		if err := b.run(ctx, label, s); err != nil {
			return fmt.Errorf("%s: %w", label, err)
		}
	}
	return nil
}

// A step is one thing to build.
type step struct {
	name string
	// stamp is the file that remembers the inputs' digest; empty when the step knows by itself what is up to date.
	stamp  string
	inputs func() (string, error)
	output string
	do     func(ctx context.Context) error
}

func (b *Builder) partStep(p Part) step {
	out := filepath.Join(b.Bin(), p.Name)
	s := step{name: p.Name, output: out, do: func(ctx context.Context) error { return b.compile(ctx, p, out) }}
	if p.Upstream {
		s.stamp = filepath.Join(b.Bin(), "."+p.Name+".digest")
		s.inputs = func() (string, error) {
			flags, err := b.flags(p)
			if err != nil {
				return "", err
			}
			return digest(filepath.Join(b.Root, p.Module), append([]string{p.Package}, flags...)...)
		}
	}
	return s
}

func (b *Builder) run(ctx context.Context, label string, s step) error {
	var want string
	if s.stamp != "" {
		var err error
		if want, err = s.inputs(); err != nil {
			return err
		}
		if current(s, want) {
			fmt.Fprintf(b.Log, "%s: cached\n", label)
			return nil
		}
	}
	start := time.Now()
	stop := b.progress(label, start)
	err := s.do(ctx)
	stop()
	if err != nil {
		return err
	}
	fmt.Fprintf(b.Log, "%s: done (%s)\n", label, time.Since(start).Round(100*time.Millisecond))
	if s.stamp == "" {
		return nil
	}
	return os.WriteFile(s.stamp, []byte(want), 0o644)
}

func current(s step, want string) bool {
	if _, err := os.Stat(s.output); err != nil {
		return false
	}
	have, err := os.ReadFile(s.stamp)
	return err == nil && string(have) == want
}

// progress prints the elapsed time every now and then until the returned function is called.
func (b *Builder) progress(label string, start time.Time) func() {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				fmt.Fprintf(b.Log, "%s (%s)\n", label, time.Since(start).Round(time.Second))
			}
		}
	}()
	return func() { close(done); <-ended }
}

func (b *Builder) compile(ctx context.Context, p Part, out string) error {
	flags, err := b.flags(p)
	if err != nil {
		return err
	}
	args := append(append([]string{"build", "-o", out}, flags...), p.Package)
	if err := b.command(ctx, p.Module, "go", args...); err != nil {
		return err
	}
	for _, name := range p.Links {
		link := filepath.Join(b.Bin(), name)
		if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
			return err
		}
		if err := os.Symlink(p.Name, link); err != nil {
			return err
		}
	}
	return nil
}

// command runs a program in a folder of the checkout; when it fails the error ends with what it printed last.
func (b *Builder) command(ctx context.Context, dir, name string, args ...string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = filepath.Join(b.Root, dir)
	cmd.Stdout, cmd.Stderr = &out, &out
	// A group of its own, so that the compilers end together with `go build`.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, lastLines(out.String(), failureLines))
	}
	return nil
}

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
