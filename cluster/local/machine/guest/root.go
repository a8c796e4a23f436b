package guest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// Programs of a machine lie here, before all others in its PATH.
const (
	programs     = "/opt/machine"
	programsPath = programs + "/bin"
)

// KubernetesPrograms are the names of the combined binary that a machine has.
var KubernetesPrograms = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kubelet"}

// enter makes the machine's disk the root of this process, with the programs of the machine below in /usr, which cannot be written, and
// goes to it. The mount namespace has to be its own.
func enter(boot Boot) error {
	if err := unix.Sethostname([]byte(boot.Hostname)); err != nil {
		return fmt.Errorf("host name: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("own mounts: %w", err)
	}
	root := boot.Disk
	if err := bind(root, root, false); err != nil {
		return err
	}
	for _, step := range []func(string) error{inherit, bindSystem, mountKernel, mountDevices(boot.LUNs), bindPrograms(boot)} {
		if err := step(root); err != nil {
			return err
		}
	}
	if err := unix.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	// The old root lies above the new one now.
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("old root: %w", err)
	}
	return unix.Chdir("/")
}

// bind mounts a file or folder with all that is mounted in it at another place, which is made.
func bind(from, to string, readOnly bool) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else {
		err = touch(to)
	}
	if err != nil {
		return err
	}
	if err := unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("bind %s: %w", from, err)
	}
	if !readOnly {
		return nil
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, to, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("make %s read-only: %w", to, err)
	}
	return nil
}

func touch(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// bindSystem gives the machine the programs and libraries of the machine below, and folders of its own where software is installed beside them:
// in /usr/local, and in /usr/libexec, in which the kubelet of Kubernetes before 1.36 makes the folder of FlexVolume plugins.
func bindSystem(root string) error {
	if err := bind("/usr", filepath.Join(root, "usr"), true); err != nil {
		return err
	}
	for own, folders := range map[string][]string{"local": {"bin", "sbin", "lib", "share"}, "libexec": {"kubernetes"}} {
		if _, err := os.Stat(filepath.Join("/usr", own)); err != nil {
			continue
		}
		from := filepath.Join(root, "opt", own)
		for _, folder := range folders {
			if err := os.MkdirAll(filepath.Join(from, folder), 0o755); err != nil {
				return err
			}
		}
		if err := bind(from, filepath.Join(root, "usr", own), false); err != nil {
			return err
		}
	}
	for _, name := range []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32"} {
		if err := sameAs("/"+name, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	return nil
}

// sameAs makes a link that the machine below has too, or binds the folder that it has there.
func sameAs(from, to string) error {
	target, err := os.Readlink(from)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return bind(from, to, true)
	}
	if err := os.Symlink(target, to); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return nil
}

func mountKernel(root string) error {
	for _, m := range []struct {
		kind, at, data string
		mode           os.FileMode
		flags          uintptr
	}{
		{"proc", "proc", "", 0o555, unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC},
		{"tmpfs", "run", "mode=755", 0o755, unix.MS_NOSUID | unix.MS_NODEV},
		{"tmpfs", "tmp", "mode=1777", 0o777, unix.MS_NOSUID | unix.MS_NODEV},
		{"tmpfs", "dev", "mode=755", 0o755, unix.MS_NOSUID},
	} {
		at := filepath.Join(root, m.at)
		if err := os.MkdirAll(at, m.mode); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, at, m.kind, m.flags, m.data); err != nil {
			return fmt.Errorf("mount %s at /%s: %w", m.kind, m.at, err)
		}
	}
	return bind("/sys", filepath.Join(root, "sys"), true)
}

// mountDevices gives the machine the devices that programs count on, and names for its data disks as Azure's agent makes them.
func mountDevices(luns []int) func(string) error {
	return func(root string) error {
		for _, name := range []string{"null", "zero", "full", "random", "urandom", "tty"} {
			err := bind("/dev/"+name, filepath.Join(root, "dev", name), false)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		for name, target := range map[string]string{"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
			if err := os.Symlink(target, filepath.Join(root, "dev", name)); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Join(root, "dev", "shm"), 0o777); err != nil {
			return err
		}
		return ShowDisks(root, luns)
	}
}

// ShowDisks names the data disks of a machine with this root as Azure's agent does. They are empty files: nothing partitions or mounts them.
func ShowDisks(root string, luns []int) error {
	dir := filepath.Join(root, "dev", "disk", "azure", "scsi1")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, lun := range luns {
		if err := touch(filepath.Join(dir, "lun"+strconv.Itoa(lun))); err != nil {
			return err
		}
	}
	return nil
}

// bindPrograms gives the machine its own programs: Kubernetes, and this one by the names of what it stands in for.
func bindPrograms(boot Boot) func(string) error {
	return func(root string) error {
		for name, path := range map[string]string{"kubernetes": boot.Kubernetes, "fabric": boot.Program} {
			if err := bind(path, filepath.Join(root, programs, name), true); err != nil {
				return err
			}
		}
		bin := filepath.Join(root, programsPath)
		if err := os.RemoveAll(bin); err != nil {
			return err
		}
		if err := os.MkdirAll(bin, 0o755); err != nil {
			return err
		}
		for _, name := range KubernetesPrograms {
			if err := os.Symlink("../kubernetes", filepath.Join(bin, name)); err != nil {
				return err
			}
		}
		for name := range StandIns {
			if err := os.Symlink("../fabric", filepath.Join(bin, name)); err != nil {
				return err
			}
		}
		return nil
	}
}
