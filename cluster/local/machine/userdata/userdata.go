// Package userdata reads what a virtual machine is told to do at its first start: cloud-init's cloud-config or a script, and Ignition's
// configuration, as Cluster API's kubeadm bootstrap provider writes them. What it returns is a plan that a machine carries out.
package userdata

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// Plan is what a machine does once, in the order of the fields: cloud-init's modules run bootcmd, write_files, disk_setup, mounts, users,
// ntp and then runcmd.
type Plan struct {
	// BootScript runs before anything is written; it is empty if there is nothing to do.
	BootScript string
	Files      []File
	// Disks are the devices of data disks that the plan counts on, such as /dev/disk/azure/scsi1/lun0.
	Disks []string
	// Mounts are the folders that file systems of data disks are mounted at.
	Mounts []string
	Users  []User
	// Script does the rest. Its status is that of its last command, unless it ends itself before.
	Script string
	// Shell runs both scripts.
	Shell string
	// Notes are parts of the data that a simulated machine does not play, each in a few words without any value.
	Notes []string
}

// File is a file to write.
type File struct {
	Path    string
	Content []byte
	Mode    fs.FileMode
	// Owner is user:group, or empty for root.
	Owner string
	// Append adds to a file that is there.
	Append bool
}

// User is a user to add.
type User struct {
	Name, Comment, Home, Shell, Sudo string
	Groups                           []string
	SSHKeys                          []string
}

// Meta is what the platform knows of the machine.
type Meta struct {
	// Hostname is ds.meta_data.local_hostname of a template.
	Hostname string
}

// gzipMagic begins compressed data, which cloud-init takes as well.
var gzipMagic = []byte{0x1f, 0x8b}

// maxSize is more than Azure takes as custom data, which is 64 KiB, decompressed.
const maxSize = 16 << 20

// Parse returns what the data of a machine asks for. No data is an empty plan. Its error says what cannot be read, and quotes none of
// the data, which holds secrets.
func Parse(data []byte, meta Meta) (Plan, error) {
	data, err := decompress(data)
	if err != nil {
		return Plan{}, fmt.Errorf("compressed user data: %w", err)
	}
	text := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case len(text) == 0:
		return Plan{}, nil
	case bytes.HasPrefix(text, []byte("{")):
		return parseIgnition(text)
	case bytes.HasPrefix(text, []byte("#!")):
		line, _, _ := strings.Cut(string(text), "\n")
		return Plan{Script: string(text), Shell: strings.TrimSpace(strings.TrimPrefix(line, "#!"))}, nil
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	if templated(first) {
		if text, err = render(rest, meta); err != nil {
			return Plan{}, err
		}
		first, _, _ = strings.Cut(string(text), "\n")
	}
	if strings.TrimSpace(first) != "#cloud-config" {
		return Plan{}, errors.New("user data is neither a cloud-config, nor a script, nor an Ignition configuration")
	}
	return parseCloudConfig(text)
}

func decompress(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, gzipMagic) {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err == nil && len(all) > maxSize {
		err = fmt.Errorf("more than %d bytes", maxSize)
	}
	return all, err
}
