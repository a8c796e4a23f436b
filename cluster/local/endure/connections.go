package endure

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/vishvananda/netlink"
)

// established is the state of a TCP connection that both ends have agreed to (tcp_states.h).
const established = 1

// cutConnections ends the IPv4 connections of a process, as a network that fails does, and returns how many they were. What the process listens on
// stays. It takes CAP_NET_ADMIN (sock_diag(7), SOCK_DESTROY).
func cutConnections(pid int) (int, error) {
	inodes, err := socketsOf(pid)
	if err != nil {
		return 0, err
	}
	sockets, err := netlink.SocketDiagTCP(syscall.AF_INET)
	if err != nil {
		return 0, fmt.Errorf("list TCP connections: %w", err)
	}
	cut := 0
	for _, s := range sockets {
		if s.State != established || !inodes[s.INode] {
			continue
		}
		local := &net.TCPAddr{IP: s.ID.Source, Port: int(s.ID.SourcePort)}
		remote := &net.TCPAddr{IP: s.ID.Destination, Port: int(s.ID.DestinationPort)}
		switch err := netlink.SocketDestroy(local, remote); {
		case err == nil:
			cut++
		case errors.Is(err, syscall.EPERM):
			return cut, fmt.Errorf("cut the connection of process %d with %s: %w", pid, remote, err)
		} // Any other is one that ends by itself in this moment, and is not counted.
	}
	return cut, nil
}

// socketsOf returns the inodes of the sockets that a process has open; none if it has ended.
func socketsOf(pid int) (map[uint32]bool, error) {
	folder := filepath.Join("/proc", strconv.Itoa(pid), "fd")
	files, err := os.ReadDir(folder)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	inodes := map[uint32]bool{}
	for _, f := range files {
		target, err := os.Readlink(filepath.Join(folder, f.Name()))
		if err != nil {
			continue // It was closed meanwhile.
		}
		var inode uint32
		if _, err := fmt.Sscanf(target, "socket:[%d]", &inode); err == nil {
			inodes[inode] = true
		}
	}
	return inodes, nil
}
