package fabric

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// longest is how long the path of a unix socket may be: sockaddr_un has 108 bytes, one of which ends the path.
const longest = 107

// short calls with a path to the socket that fits. A long one is reached through an open folder.
func short(socket string, use func(path string) error) error {
	if len(socket) <= longest {
		return use(socket)
	}
	dir, err := os.Open(filepath.Dir(socket))
	if err != nil {
		return err
	}
	defer dir.Close()
	return use(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(socket)))
}

func dial(ctx context.Context, socket string) (*net.UnixConn, error) {
	var conn net.Conn
	err := short(socket, func(path string) (err error) {
		conn, err = (&net.Dialer{}).DialContext(ctx, "unix", path)
		return err
	})
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

// Listen listens at a unix socket, in place of a process that has left its socket behind.
func Listen(socket string) (net.Listener, error) {
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var listener *net.UnixListener
	err := short(socket, func(path string) (err error) {
		listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, err
	}
	// The path that it knows may be one of a folder that is closed by now.
	listener.SetUnlinkOnClose(false)
	return listener, os.Chmod(socket, 0o600)
}
