package guest

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// begun remembers that the user data was taken: cloud-init and ignition read it once in the life of a disk, also when they did not finish.
const begun = "/var/lib/cloud/instance/begun"

// environment is that of every process of a machine.
func environment(boot Boot) []string {
	return []string{
		"PATH=" + programsPath + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=/root", "LANG=C.UTF-8", "SHELL=/bin/sh", "USER=root",
		// Read by the combined binary of Kubernetes.
		"KUBERNETES_VERSION=" + boot.Version,
		"MACHINE_CPUS=" + strconv.Itoa(boot.CPUs), "MACHINE_MEMORY_MIB=" + strconv.Itoa(boot.MemoryMiB),
	}
}

// inherited are the files below /etc that programs in /usr need as they are on the machine below. Nothing of its users is among them.
var inherited = []string{
	"alternatives", "ca-certificates.conf", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "mime.types", "pki/tls", "protocols", "services",
	"ssl/certs/ca-certificates.crt", "ssl/openssl.cnf",
}

// writeSystemFiles writes what an image has, at the first start, and what each start makes anew. It returns if this start is the first.
func writeSystemFiles(boot Boot) (first bool, err error) {
	for link, target := range map[string]string{"/var/run": "/run", "/var/lock": "/run/lock"} {
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return false, err
		}
		if err := os.Symlink(target, link); err != nil && !errors.Is(err, fs.ErrExist) {
			return false, err
		}
	}
	for _, dir := range []string{"/run/lock", "/run/containerd", "/run/systemd", "/root", "/home", "/var/log", "/var/tmp", "/etc/kubernetes/manifests"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return false, err
		}
	}
	if _, err := os.Stat(begun); err == nil {
		return false, nil
	}
	if err := writeEtc(boot); err != nil {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(begun), 0o755); err != nil {
		return false, err
	}
	return true, os.WriteFile(begun, nil, 0o644)
}

// inherit copies those files to a disk that has never been started. The root is still that of the machine below.
func inherit(root string) error {
	if _, err := os.Stat(filepath.Join(root, begun)); err == nil {
		return nil
	}
	for _, name := range inherited {
		if err := copyBelow("/etc", filepath.Join(root, "etc"), name); err != nil {
			return err
		}
	}
	return nil
}

func writeEtc(boot Boot) error {
	var id [16]byte
	_, _ = rand.Read(id[:])                       // It never fails.
	for name, content := range map[string]string{ //nolint:gosec // Nobody has a password.
		"hostname":      boot.Hostname + "\n",
		"machine-id":    hex.EncodeToString(id[:]) + "\n",
		"hosts":         "127.0.0.1 localhost\n::1 localhost\n" + boot.IP + " " + boot.Hostname + "\n",
		"resolv.conf":   "nameserver " + boot.Resolver + "\n",
		"nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\nhosts: files dns\n",
		"passwd":        "root:x:0:0:root:/root:/bin/sh\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		"group":         "root:x:0:\ndaemon:x:1:\nsudo:x:27:\nusers:x:100:\nnogroup:x:65534:\n",
		"os-release":    "PRETTY_NAME=\"" + OSImage + "\"\nNAME=Ubuntu\nID=ubuntu\nVERSION_ID=\"24.04\"\n",
		"fstab":         "",
	} {
		if err := os.WriteFile(filepath.Join("/etc", name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// OSImage is what a node tells of its operating system. Nobody should take it for a real one.
const OSImage = "Ubuntu 24.04 LTS (simulated)"

// copyBelow copies a file, a link or a folder, if there is one. What may not be read is left out.
func copyBelow(from, to, name string) error {
	return filepath.WalkDir(filepath.Join(from, name), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, 0o755)
		case entry.Type() == fs.ModeSymlink:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			//nolint:gosec // Nobody else writes there: the machine has not been started.
			if err := os.Symlink(link, target); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			return nil
		case entry.Type().IsRegular():
			return copyFile(path, target)
		}
		return nil
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644) //nolint:gosec // Every user of the machine reads it.
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
