package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/parts"
	"github.com/crossplane-capz/crossplane-capz/cluster/local/stack"
)

// bringUp builds everything and brings a management cluster up for clusters of all families, on a simulated Azure that takes its time. What an
// interrupted run has left in the state folder, stopped processes among it, is ended before.
func bringUp(ctx context.Context, root, state string) (*stack.Stack, error) {
	if _, err := stack.Down(root, state); err != nil {
		return nil, err
	}
	if err := (&parts.Builder{Root: root, Log: os.Stdout}).Build(ctx); err != nil {
		return nil, err
	}
	return stack.Up(ctx, stack.Options{
		Root: root, StateDir: state, Log: os.Stdout, AzureLatency: "default=300ms,Microsoft.ContainerService/managedClusters=1s",
		AzureMaxRetryAfter: time.Second, CAPISyncPeriod: stack.PatientCAPISync, SelfManaged: true,
	})
}

// clocked returns what writes lines, each with the seconds since now; several may use it at once.
func clocked(out io.Writer) func(format string, args ...any) {
	begun := time.Now()
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(out, "%6.1fs  %s\n", time.Since(begun).Seconds(), fmt.Sprintf(format, args...))
	}
}
