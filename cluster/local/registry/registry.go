// Package registry serves a container registry from a folder, for packages that are installed without the internet.
package registry

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

// Serve answers on the listener until ctx is done. Blobs are kept in the folder; manifests and tags are in memory, so that
// what was pushed is gone with the process. An error is returned when it cannot serve.
func Serve(ctx context.Context, listener net.Listener, dir string) error {
	server := &http.Server{
		Handler: registry.New(
			registry.WithBlobHandler(registry.NewDiskBlobHandler(dir)),
			registry.Logger(log.New(io.Discard, "", 0)),
		),
		ReadHeaderTimeout: 10 * time.Second,
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		stopped <- server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
