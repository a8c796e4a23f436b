package guest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/crossplane-capz/crossplane-capz/cluster/local/machine/userdata"
)

// firstUser is the number of the first user that is added.
const firstUser = 1000

// users adds the users that are not there.
func (w worker) users() error {
	var failed error
	for i, u := range w.plan.Users {
		if u.Name == "" || u.Name == "default" {
			continue // The image's own user: there is none.
		}
		if _, err := user.Lookup(u.Name); err == nil {
			continue
		}
		if err := add(u, firstUser+i); err != nil {
			failed = errors.Join(failed, fmt.Errorf("user %s: %w", u.Name, err))
		}
	}
	return failed
}

func add(u userdata.User, id int) error {
	if strings.ContainsAny(u.Name+u.Comment+u.Home+u.Shell, ":\n") {
		return errors.New("a colon or a new line in its fields")
	}
	home, number := cmp.Or(u.Home, "/home/"+u.Name), strconv.Itoa(id)
	if err := appendTo("/etc/group", u.Name+":x:"+number+":\n"); err != nil {
		return err
	}
	line := strings.Join([]string{u.Name, "x", number, number, u.Comment, home, cmp.Or(u.Shell, "/bin/sh")}, ":")
	if err := appendTo("/etc/passwd", line+"\n"); err != nil {
		return err
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	if len(u.SSHKeys) > 0 {
		keys := userdata.File{Path: filepath.Join(home, ".ssh", "authorized_keys"), Content: []byte(strings.Join(u.SSHKeys, "\n") + "\n"), Mode: 0o600, Owner: u.Name}
		if err := write(keys); err != nil {
			return err
		}
	}
	if u.Sudo == "" {
		return nil
	}
	return write(userdata.File{Path: "/etc/sudoers.d/" + u.Name, Content: []byte(u.Name + " " + u.Sudo + "\n"), Mode: 0o440})
}

func appendTo(path, line string) error {
	return write(userdata.File{Path: path, Content: []byte(line), Mode: 0o644, Append: true})
}
