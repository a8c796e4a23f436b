package userdata

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// cloudConfig has the keys of a cloud-config that Cluster API writes. The rest is noted.
type cloudConfig struct {
	BootCommands []command            `yaml:"bootcmd"`
	WriteFiles   []writeFile          `yaml:"write_files"`
	DiskSetup    map[string]yaml.Node `yaml:"disk_setup"`
	FSSetup      []fileSystem         `yaml:"fs_setup"`
	Mounts       [][]string           `yaml:"mounts"`
	Users        []cloudUser          `yaml:"users"`
	NTP          *yaml.Node           `yaml:"ntp"`
	Commands     []command            `yaml:"runcmd"`

	Rest map[string]yaml.Node `yaml:",inline"`
}

type writeFile struct {
	Path        string      `yaml:"path"`
	Content     string      `yaml:"content"`
	Owner       string      `yaml:"owner"`
	Permissions permissions `yaml:"permissions"`
	Encoding    string      `yaml:"encoding"`
	Append      bool        `yaml:"append"`
}

type fileSystem struct {
	Device string `yaml:"device"`
}

type cloudUser struct {
	Name         string    `yaml:"name"`
	Gecos        string    `yaml:"gecos"`
	Groups       stringSet `yaml:"groups"`
	Home         string    `yaml:"homedir"`
	Shell        string    `yaml:"shell"`
	PrimaryGroup string    `yaml:"primary_group"`
	Sudo         stringSet `yaml:"sudo"`
	SSHKeys      []string  `yaml:"ssh_authorized_keys"`
}

// parseCloudConfig reads cloud-init's own format: https://cloudinit.readthedocs.io/en/latest/reference/modules.html.
func parseCloudConfig(text []byte) (Plan, error) {
	var config cloudConfig
	if err := yaml.Unmarshal(text, &config); err != nil {
		return Plan{}, fmt.Errorf("the cloud-config is no valid YAML, or a key has another type: %s", withoutValues(err))
	}
	plan := Plan{Shell: "/bin/sh", BootScript: script(config.BootCommands), Script: script(config.Commands)}
	for i, f := range config.WriteFiles {
		file, err := f.file()
		if err != nil {
			return Plan{}, fmt.Errorf("write_files[%d]: %w", i, err)
		}
		plan.Files = append(plan.Files, file)
	}
	plan.Disks = config.disks()
	for i, m := range config.Mounts {
		switch {
		case len(m) == 0:
			return Plan{}, fmt.Errorf("mounts[%d] is empty", i)
		case len(m) == 1:
			plan.Notes = append(plan.Notes, fmt.Sprintf("mounts[%d] has no folder", i))
		default:
			plan.Mounts = append(plan.Mounts, m[1])
		}
	}
	for _, u := range config.Users {
		plan.Users = append(plan.Users, u.user())
	}
	if config.NTP != nil {
		plan.Notes = append(plan.Notes, "ntp: the clock is that of the machine below")
	}
	for key := range config.Rest {
		plan.Notes = append(plan.Notes, key+" is not played")
	}
	slices.Sort(plan.Notes)
	return plan, nil
}

// withoutValues is what a YAML error says of places; of type errors it says the lines only, as the rest quotes values.
func withoutValues(err error) string {
	var types *yaml.TypeError
	if !errors.As(err, &types) {
		return err.Error()
	}
	var lines []string
	for _, e := range types.Errors {
		line, _, _ := strings.Cut(e, ":")
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

func (c cloudConfig) disks() []string {
	var devices []string
	for device := range c.DiskSetup {
		devices = append(devices, device)
	}
	for _, f := range c.FSSetup {
		devices = append(devices, f.Device)
	}
	slices.Sort(devices)
	return slices.Compact(devices)
}

func (f writeFile) file() (File, error) {
	if f.Path == "" {
		return File{}, errors.New("no path")
	}
	content, err := decode(f.Content, f.Encoding)
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	mode := fs.FileMode(0o644)
	if f.Permissions.given {
		mode = f.Permissions.mode
	}
	return File{Path: f.Path, Content: content, Mode: mode, Owner: f.Owner, Append: f.Append}, nil
}

// decode undoes an encoding of write_files. cloud-init takes an unknown one as plain text; here it is an error.
func decode(content, encoding string) ([]byte, error) {
	raw := []byte(content)
	var zipped, encoded bool
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "text/plain":
	case "b64", "base64":
		encoded = true
	case "gz", "gzip":
		zipped = true
	case "gz+base64", "gzip+base64", "gz+b64", "gzip+b64":
		zipped, encoded = true, true
	default:
		return nil, fmt.Errorf("encoding %q is not known: base64, gzip and gzip+base64 are", encoding)
	}
	if encoded {
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(content), ""))
		if err != nil {
			return nil, errors.New("the content is no base64")
		}
		raw = decoded
	}
	if !zipped {
		return raw, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, errors.New("the content is not compressed by gzip")
	}
	return io.ReadAll(io.LimitReader(r, maxSize))
}

// permissions are octal as text, and a number as YAML reads it.
type permissions struct {
	mode  fs.FileMode
	given bool
}

func (p *permissions) UnmarshalYAML(node *yaml.Node) error {
	p.given = true
	if node.Tag == "!!int" {
		var number int64
		if err := node.Decode(&number); err != nil {
			return err
		}
		p.mode = fs.FileMode(number & int64(fs.ModePerm))
		return nil
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(node.Value, "0o"), 8, 32)
	if err != nil {
		return fmt.Errorf("line %d: permissions %q are no octal number", node.Line, node.Value)
	}
	p.mode = fs.FileMode(number) & fs.ModePerm
	return nil
}

// stringSet is a list, or one text with commas; true and false say nothing.
type stringSet []string

func (s *stringSet) UnmarshalYAML(node *yaml.Node) error {
	switch {
	case node.Kind == yaml.SequenceNode:
		return node.Decode((*[]string)(s))
	case node.Tag == "!!str":
		for _, part := range strings.Split(node.Value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*s = append(*s, part)
			}
		}
	}
	return nil
}

func (u *cloudUser) user() User {
	user := User{
		Name: u.Name, Comment: u.Gecos, Home: u.Home, Shell: u.Shell, Sudo: strings.Join(u.Sudo, ","), Groups: u.Groups, SSHKeys: u.SSHKeys,
	}
	if u.PrimaryGroup != "" {
		user.Groups = append([]string{u.PrimaryGroup}, user.Groups...)
	}
	return user
}

// UnmarshalYAML takes the name alone as well: "default" stands for the image's own user.
func (u *cloudUser) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		u.Name = node.Value
		return nil
	}
	type plain cloudUser
	return node.Decode((*plain)(u))
}

// command is a line for the shell, or a list of words that are passed as they are.
type command string

func (c *command) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.SequenceNode {
		*c = command(node.Value)
		return nil
	}
	var words []string
	if err := node.Decode(&words); err != nil {
		return err
	}
	for i, w := range words {
		words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	*c = command(strings.Join(words, " "))
	return nil
}

// script is one shell script of all commands, as cloud-init writes it: it goes on after a line that fails.
func script(commands []command) string {
	if len(commands) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	for _, c := range commands {
		b.WriteString(string(c) + "\n")
	}
	return b.String()
}
