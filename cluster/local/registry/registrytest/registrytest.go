// Package registrytest serves a registry for a test.
package registrytest

import (
	"context"
	"net"
	"testing"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/registry"
)

// Serve returns the address of a registry that is empty, and serves until the test ends.
func Serve(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	blobs := t.TempDir()
	go func() { served <- registry.Serve(ctx, listener, blobs) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}
