package guest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/userdata"
)

const (
	// outputLog is where cloud-init puts what commands print. It holds secrets: kubeadm prints how to join.
	outputLog   = "/var/log/cloud-init-output.log"
	scriptsPath = "/var/lib/cloud/instance/scripts"
)

// carryOut does what the user data says. Its error says what failed first, and quotes nothing of the data; the machine stays up.
func carryOut(boot Boot, children *children) error {
	log, err := os.OpenFile(outputLog, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	plan, err := userdata.Parse(boot.UserData, userdata.Meta{Hostname: boot.Hostname})
	if err != nil {
		fmt.Fprintf(log, "user data: %v\n", err)
		return err
	}
	for _, note := range plan.Notes {
		fmt.Fprintln(log, "note:", note)
	}
	w := worker{boot: boot, children: children, log: log, plan: plan}
	var failed error
	for _, stage := range []struct {
		name string
		do   func() error
	}{
		{"bootcmd", func() error { return w.script("bootcmd", plan.BootScript) }},
		{"files", w.files},
		{"disks", w.disks},
		{"mounts", w.mounts},
		{"users", w.users},
		{"commands", func() error { return w.script("runcmd", plan.Script) }},
	} {
		// A stage that fails keeps no later one from running, as with cloud-init.
		if err := stage.do(); err != nil {
			fmt.Fprintf(log, "%s: %v\n", stage.name, err)
			if failed == nil {
				failed = fmt.Errorf("%s of the user data: %w", stage.name, err)
			}
		}
	}
	return failed
}

type worker struct {
	boot     Boot
	children *children
	log      io.Writer
	plan     userdata.Plan
}

// script runs a script from a file that only root may read.
func (w worker) script(name, text string) error {
	if text == "" {
		return nil
	}
	if err := os.MkdirAll(scriptsPath, 0o700); err != nil {
		return err
	}
	path := filepath.Join(scriptsPath, name)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		return err
	}
	words := append(strings.Fields(w.plan.Shell), path)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir, cmd.Env = "/", environment(w.boot)
	cmd.Stdout, cmd.Stderr = w.log, w.log
	err := w.children.run(cmd)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("the script ended with %s; what it printed is in %s of the machine", exit.ProcessState, outputLog)
	}
	return err
}

func (w worker) files() error {
	var failed error
	for _, f := range w.plan.Files {
		if err := write(f); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func write(f userdata.File) error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return err
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if f.Append {
		flags = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	file, err := os.OpenFile(f.Path, flags, f.Mode)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Content)
	if err = errors.Join(err, file.Close(), os.Chmod(f.Path, f.Mode)); err != nil {
		return err
	}
	return own(f.Path, f.Owner)
}

// own gives a file to user:group. A machine of an ordinary user has no other users' files; what cannot be given stays root's.
func own(path, owner string) error {
	name, group, _ := strings.Cut(owner, ":")
	if name == "" || name == "root" && (group == "" || group == "root") {
		return nil
	}
	u, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	if group != "" {
		g, err := user.LookupGroup(group)
		if err != nil {
			return err
		}
		if gid, err = strconv.Atoi(g.Gid); err != nil {
			return err
		}
	}
	if err := os.Chown(path, uid, gid); err != nil && !errors.Is(err, os.ErrPermission) && !errors.Is(err, os.ErrInvalid) {
		return err
	}
	return nil
}

// disks looks for the data disks. They need neither partition nor file system here: the folders that they are mounted at are on the OS disk.
func (w worker) disks() error {
	var missing []string
	for _, device := range w.plan.Disks {
		if filepath.IsAbs(device) && strings.HasPrefix(device, "/dev/disk/azure/scsi1/") {
			// fs_setup writes the partition behind the disk's own name.
			base, _, _ := strings.Cut(device, "-part")
			if _, err := os.Stat(base); err != nil {
				missing = append(missing, base)
			}
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("no data disk at %s", strings.Join(slices.Compact(missing), ", "))
	}
	return nil
}

func (w worker) mounts() error {
	var failed error
	for _, folder := range w.plan.Mounts {
		failed = errors.Join(failed, os.MkdirAll(folder, 0o755))
	}
	return failed
}
