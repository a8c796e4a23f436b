// Command kubectl-capz is the kubectl plugin of crossplane-capz: kubectl capz.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/crossplane-capz/crossplane-capz/internal/version"
)

// Exit codes, which scripts go by.
const (
	exitMistake = 1
	// exitChanges is the end of a plan with changes, of why when something is not ready, and of collect when something could not be read.
	exitChanges = 2
)

// errChanges is the answer of a plan that has changes: no failure, but not nothing either.
var errChanges = errors.New("there are changes")

// newCommand returns the whole command line. Each verb has a file of its own.
func newCommand(streams genericiooptions.IOStreams) *cobra.Command {
	root := &cobra.Command{
		Use:           "kubectl-capz",
		Short:         "See what CAPZ kinds will do in Azure",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl capz"},
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.AddCommand(newPlanCommand(streams), newAdoptCommand(streams), newMigrateCommand(streams), newWhyCommand(streams), newCollectCommand(streams),
		newTakeoverCommand(streams), newVersionCommand(streams))
	return root
}

func newVersionCommand(streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(streams.Out, version.Version)
			return err
		},
	}
}

// exitCode says how the process ends, and writes what went wrong.
func exitCode(err error, streams genericiooptions.IOStreams) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errChanges), errors.Is(err, errNotReady), errors.Is(err, errNotWhole):
		return exitChanges
	case !errors.Is(err, errShown):
		_, _ = fmt.Fprintln(streams.ErrOut, "error:", err)
	}
	return exitMistake
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard) // What goes wrong is told once, by this program.
	log.SetLogger(logr.Discard())
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	code := exitCode(newCommand(streams).ExecuteContext(ctx), streams)
	stop()
	os.Exit(code) //nolint:gocritic // stop has been called.
}
