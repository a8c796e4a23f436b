package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// dialPatience is how long a process may take to take a connection.
const dialPatience = 5 * time.Second

// Forward takes connections until ctx is done and connects each to the address that target returns then; one whose target
// is unknown or does not answer is closed. It plays the part of kube-proxy for one port of a Service.
func Forward(ctx context.Context, listener net.Listener, target func() (string, error)) error {
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() }) // What could fail is over.
	defer stop()
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go func() {
			defer conn.Close()
			address, err := target()
			if err != nil {
				return
			}
			_ = join(ctx, conn, address) // The other side sees it end.
		}()
	}
}

// join connects to an address and copies both ways until both sides are done, or ctx is.
func join(ctx context.Context, conn net.Conn, address string) error {
	onward, err := (&net.Dialer{Timeout: dialPatience}).DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", address, err)
	}
	return pipe(ctx, conn, onward)
}

// pipe copies both ways until both sides are done, or ctx is, and closes both.
func pipe(ctx context.Context, a, b net.Conn) error {
	stop := context.AfterFunc(ctx, func() { _, _ = a.Close(), b.Close() })
	defer stop()
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, way := range [][2]net.Conn{{a, b}, {b, a}} {
		wg.Go(func() {
			_, errs[i] = io.Copy(way[0], way[1])
			if half, ok := way[0].(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite() // It may be closed already.
			}
		})
	}
	wg.Wait()
	return errors.Join(errs[0], errs[1], a.Close(), b.Close())
}
