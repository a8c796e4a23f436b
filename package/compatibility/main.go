// Command compatibility runs a target of make, and records in docs/compatibility.jsonl that it has passed, with the versions of what ran in it:
//
//	go run ./package/compatibility e2e
//
// With argument compatibility it runs clusters with other versions of single parts, and records what comes of it; names that follow select some:
//
//	go run ./package/compatibility compatibility cluster-api-v1.13.6
//
// `make generate` writes docs/compatibility.md from that.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/crossplane-capz/crossplane-capz/internal/compatibility"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compatibility:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var targets []string
	for _, c := range compatibility.Commands() {
		targets = append(targets, c.Target)
	}
	if len(args) > 0 && args[0] == compatibility.OthersTarget {
		chosen, err := selected(args[1:])
		if err != nil {
			return err
		}
		return runOthers(ctx, chosen)
	}
	if len(args) != 1 {
		return fmt.Errorf("give one target of make: %s", strings.Join(targets, ", "))
	}
	command, ok := compatibility.Lookup(args[0])
	if !ok {
		return fmt.Errorf("make %s runs no parts; the target must be one of %s", args[0], strings.Join(targets, ", "))
	}
	commit, err := commitOf(ctx)
	if err != nil {
		return err
	}
	begun := time.Now()
	made := exec.CommandContext(ctx, "make", command.Target)
	made.Stdout, made.Stderr = os.Stdout, os.Stderr
	made.Cancel = func() error { return made.Process.Signal(os.Interrupt) }
	if err := made.Run(); err != nil {
		return fmt.Errorf("make %s has not passed, and is not recorded: %w", command.Target, err)
	}
	return compatibility.Record(".", command, compatibility.Run{
		Date: begun.UTC().Format(time.DateOnly), Commit: commit, Go: runtime.Version(), Seconds: int(time.Since(begun).Seconds()),
	})
}

// commitOf returns the commit that is checked out. A run of changes that are in none could not be repeated.
func commitOf(ctx context.Context) (string, error) {
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output()
	if err != nil {
		return "", fmt.Errorf("git status: %w", err)
	}
	for line := range strings.Lines(string(changed)) {
		if file := strings.TrimSpace(line[2:]); file != compatibility.RunsFile && file != "docs/compatibility.md" {
			return "", errors.New(file + " differs from its commit; commit it first")
		}
	}
	commit, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=7", "HEAD").Output()
	return strings.TrimSpace(string(commit)), err
}
