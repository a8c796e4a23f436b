package userdata

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/vincent-petithory/dataurl"
)

const (
	// kubeadmUnit is the unit by which Cluster API has kubeadm run, kubeadmScript what it does then.
	kubeadmUnit   = "kubeadm.service"
	kubeadmScript = "#!/bin/bash\ntest -e /etc/kubeadm.yml || exit 0\nexec /bin/bash /etc/kubeadm.sh\n"
)

// ignitionConfig has the fields of Ignition 2.3 that Cluster API writes:
// https://coreos.github.io/ignition/configuration-v2_3/.
type ignitionConfig struct {
	Ignition struct {
		Version string `json:"version"`
		Config  struct {
			Append  []json.RawMessage `json:"append"`
			Replace json.RawMessage   `json:"replace"`
		} `json:"config"`
	} `json:"ignition"`
	Storage struct {
		Files       []ignitionFile       `json:"files"`
		Directories []ignitionNode       `json:"directories"`
		Links       []ignitionNode       `json:"links"`
		Disks       []ignitionDisk       `json:"disks"`
		FileSystems []ignitionFileSystem `json:"filesystems"`
	} `json:"storage"`
	Systemd struct {
		Units []ignitionUnit `json:"units"`
	} `json:"systemd"`
	Passwd struct {
		Users []ignitionUser `json:"users"`
	} `json:"passwd"`
}

type ignitionNode struct {
	FileSystem string `json:"filesystem"`
	Path       string `json:"path"`
	User       struct {
		Name string `json:"name"`
	} `json:"user"`
	Group struct {
		Name string `json:"name"`
	} `json:"group"`
}

type ignitionFile struct {
	ignitionNode
	Mode     *int `json:"mode"`
	Append   bool `json:"append"`
	Contents struct {
		Source      string `json:"source"`
		Compression string `json:"compression"`
	} `json:"contents"`
}

type ignitionDisk struct {
	Device string `json:"device"`
}

type ignitionFileSystem struct {
	Name  string `json:"name"`
	Mount *struct {
		Device string `json:"device"`
	} `json:"mount"`
}

type ignitionUnit struct {
	Name     string `json:"name"`
	Enabled  *bool  `json:"enabled"`
	Enable   bool   `json:"enable"`
	Contents string `json:"contents"`
}

type ignitionUser struct {
	Name    string   `json:"name"`
	Gecos   string   `json:"gecos"`
	Home    string   `json:"homeDir"`
	Shell   string   `json:"shell"`
	Groups  []string `json:"groups"`
	SSHKeys []string `json:"sshAuthorizedKeys"`
}

func parseIgnition(text []byte) (Plan, error) {
	var config ignitionConfig
	if err := json.Unmarshal(text, &config); err != nil {
		var types *json.UnmarshalTypeError
		if errors.As(err, &types) {
			return Plan{}, fmt.Errorf("the Ignition configuration has another type at %s", types.Field)
		}
		return Plan{}, fmt.Errorf("the Ignition configuration is no valid JSON: %w", err)
	}
	if !strings.HasPrefix(config.Ignition.Version, "2.") {
		return Plan{}, fmt.Errorf("version %q of Ignition: only 2 is played, which Cluster API writes", config.Ignition.Version)
	}
	plan := Plan{Shell: "/bin/bash"}
	for i, f := range config.Storage.Files {
		if strings.HasPrefix(f.Contents.Source, extensions) {
			plan.Notes = append(plan.Notes, "system extension "+f.Path+" is not fetched: the machine's own Kubernetes stands for it")
			continue
		}
		file, err := f.file()
		if err != nil {
			return Plan{}, fmt.Errorf("storage.files[%d] %s: %w", i, f.Path, err)
		}
		plan.Files = append(plan.Files, file)
	}
	for _, u := range config.Passwd.Users {
		plan.Users = append(plan.Users, User{Name: u.Name, Comment: u.Gecos, Home: u.Home, Shell: u.Shell, Groups: u.Groups, SSHKeys: u.SSHKeys})
	}
	plan.Disks = config.disks()
	config.units(&plan)
	if len(config.Storage.Directories)+len(config.Storage.Links) > 0 {
		plan.Notes = append(plan.Notes, "storage.directories and storage.links are not played")
	}
	if len(config.Ignition.Config.Append) > 0 || config.Ignition.Config.Replace != nil {
		plan.Notes = append(plan.Notes, "ignition.config.append and replace are not played")
	}
	slices.Sort(plan.Notes)
	return plan, nil
}

func (f ignitionFile) file() (File, error) {
	if f.Path == "" {
		return File{}, errors.New("no path")
	}
	if f.FileSystem != "" && f.FileSystem != "root" {
		return File{}, fmt.Errorf("file system %q: only root is played", f.FileSystem)
	}
	content, err := fetch(f.Contents.Source)
	if err != nil {
		return File{}, err
	}
	if f.Contents.Compression == "gzip" {
		r, err := gzip.NewReader(bytes.NewReader(content))
		if err != nil {
			return File{}, errors.New("the content is not compressed by gzip")
		}
		if content, err = io.ReadAll(io.LimitReader(r, maxSize)); err != nil {
			return File{}, errors.New("the content is not compressed by gzip")
		}
	}
	mode := fs.FileMode(0o644)
	if f.Mode != nil {
		mode = fs.FileMode(*f.Mode) & fs.ModePerm //nolint:gosec // Cut to nine bits.
	}
	owner := f.User.Name
	if f.Group.Name != "" {
		owner += ":" + f.Group.Name
	}
	return File{Path: f.Path, Content: content, Mode: mode, Owner: owner, Append: f.Append}, nil
}

// extensions is where Flatcar has its system extensions, Kubernetes among them.
const extensions = "https://extensions.flatcar.org/"

// fetch returns what a URL holds. A machine without a way out has data URLs only.
func fetch(source string) ([]byte, error) {
	if source == "" {
		return nil, nil
	}
	if !strings.HasPrefix(source, "data:") {
		scheme, _, _ := strings.Cut(source, ":")
		return nil, fmt.Errorf("a source by %s cannot be reached", scheme)
	}
	parsed, err := dataurl.DecodeString(source)
	if err != nil {
		return nil, errors.New("the source is no valid data URL")
	}
	return parsed.Data, nil
}

func (c ignitionConfig) disks() []string {
	var devices []string
	for _, d := range c.Storage.Disks {
		devices = append(devices, d.Device)
	}
	for _, f := range c.Storage.FileSystems {
		if f.Mount != nil {
			devices = append(devices, f.Mount.Device)
		}
	}
	slices.Sort(devices)
	return slices.Compact(devices)
}

// units has the plan run kubeadm and make the folders of mounts. Other units need a systemd.
func (c ignitionConfig) units(plan *Plan) {
	for _, u := range c.Systemd.Units {
		enabled := u.Enable || u.Enabled != nil && *u.Enabled
		switch where := value(u.Contents, "Where"); {
		case u.Name == kubeadmUnit && enabled:
			plan.Script = kubeadmScript
		case strings.HasSuffix(u.Name, ".mount") && where != "":
			plan.Mounts = append(plan.Mounts, where)
		default:
			plan.Notes = append(plan.Notes, "systemd unit "+u.Name+" is not played")
		}
	}
}

// value returns the value of a key in a unit file, or nothing.
func value(unit, key string) string {
	for _, line := range strings.Split(unit, "\n") {
		if name, v, ok := strings.Cut(line, "="); ok && strings.TrimSpace(name) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
