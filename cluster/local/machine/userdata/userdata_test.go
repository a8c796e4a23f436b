package userdata

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestParse(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte("from base64"))
	both := base64.StdEncoding.EncodeToString([]byte(zipped(t, "from both")))
	config := func(text string) string { return "#cloud-config\n" + text }
	file := func(path, content string, mode fs.FileMode) File {
		return File{Path: path, Content: []byte(content), Mode: mode}
	}
	for name, c := range map[string]struct {
		data string
		want Plan
	}{
		"nothing":    {"", Plan{}},
		"white only": {"\n \n", Plan{}},
		"a script":   {"#!/bin/bash -e\necho\n", Plan{Script: "#!/bin/bash -e\necho\n", Shell: "/bin/bash -e"}},
		"empty":      {config(""), Plan{Shell: "/bin/sh"}},
		"compressed": {zipped(t, config("runcmd: [ls]\n")), Plan{Shell: "/bin/sh", Script: "#!/bin/sh\nls\n"}},
		"files": {config(`write_files:
- {path: /a, content: plain}
- {path: /b, content: ` + encoded + `, encoding: b64, permissions: '0600', owner: "root:root"}
- {path: /c, content: ` + both + `, encoding: gzip+base64, permissions: "0o755", append: true}
- {path: /d, content: "x", permissions: 0640}
`), Plan{Shell: "/bin/sh", Files: []File{
			file("/a", "plain", 0o644),
			{Path: "/b", Content: []byte("from base64"), Mode: 0o600, Owner: "root:root"},
			{Path: "/c", Content: []byte("from both"), Mode: 0o755, Append: true},
			file("/d", "x", 0o640),
		}}},
		"base64 over several lines": {config("write_files:\n- path: /a\n  encoding: base64\n  content: |\n    " + encoded[:4] + "\n    " + encoded[4:] + "\n"),
			Plan{Shell: "/bin/sh", Files: []File{file("/a", "from base64", 0o644)}}},
		"commands": {config(`bootcmd:
- echo early
- [touch, "it's here", a b]
runcmd:
- cd /tmp && false
- 'echo "a: b"'
`), Plan{Shell: "/bin/sh", BootScript: "#!/bin/sh\necho early\n'touch' 'it'\\''s here' 'a b'\n", Script: "#!/bin/sh\ncd /tmp && false\necho \"a: b\"\n"}},
		"users": {config(`users:
- default
- name: alice
  gecos: Alice A
  groups: sudo, users
  primary_group: staff
  homedir: /home/a
  shell: /bin/bash
  sudo: ALL=(ALL) NOPASSWD:ALL
  ssh_authorized_keys: [ssh-rsa a, ssh-rsa b]
- {name: bob, groups: [one, two], sudo: ["ALL=(ALL) ALL"]}
- {name: carol, sudo: false}
`), Plan{Shell: "/bin/sh", Users: []User{
			{Name: "default"},
			{Name: "alice", Comment: "Alice A", Groups: []string{"staff", "sudo", "users"}, Home: "/home/a", Shell: "/bin/bash",
				Sudo: "ALL=(ALL) NOPASSWD:ALL", SSHKeys: []string{"ssh-rsa a", "ssh-rsa b"}},
			{Name: "bob", Groups: []string{"one", "two"}, Sudo: "ALL=(ALL) ALL"},
			{Name: "carol"},
		}}},
		"disks and mounts": {config(`disk_setup:
  /dev/disk/azure/scsi1/lun0: {table_type: gpt, layout: true, overwrite: true}
  ephemeral0: {layout: [66, [33, 82]]}
fs_setup:
- {label: etcd_disk, filesystem: ext4, device: /dev/disk/azure/scsi1/lun0}
- {label: ephemeral0, filesystem: ext4, device: ephemeral0.1}
mounts:
- [LABEL=etcd_disk, /var/lib/etcddisk]
- [ephemeral0]
`), Plan{
			Shell: "/bin/sh", Disks: []string{"/dev/disk/azure/scsi1/lun0", "ephemeral0", "ephemeral0.1"},
			Mounts: []string{"/var/lib/etcddisk"}, Notes: []string{"mounts[1] has no folder"},
		}},
		"what is not played": {config("packages: [jq]\nntp: {enabled: true}\napt: {}\n"),
			Plan{Shell: "/bin/sh", Notes: []string{"apt is not played", "ntp: the clock is that of the machine below", "packages is not played"}}},
		"a template": {"## template: jinja\n#cloud-config\nruncmd:\n" +
			"- echo {{ ds.meta_data[\"local_hostname\"] }} {{ds.meta_data['local_hostname']}} {{ ds.meta_data.local_hostname }} {{- v1.local_hostname -}}\n",
			Plan{Shell: "/bin/sh", Script: "#!/bin/sh\necho machine-0 machine-0 machine-0 machine-0\n"}},
		"no template without the header": {config("runcmd:\n- 'echo {{ ds.meta_data.local_hostname }}'\n"),
			Plan{Shell: "/bin/sh", Script: "#!/bin/sh\necho {{ ds.meta_data.local_hostname }}\n"}},
		"ignition": {`{"ignition":{"version":"2.3.0"},
 "passwd":{"users":[{"name":"core","sshAuthorizedKeys":["ssh-rsa a"],"groups":["sudo"]}]},
 "storage":{
  "disks":[{"device":"/dev/disk/azure/scsi1/lun0"}],
  "filesystems":[{"name":"etcd_disk","mount":{"device":"/dev/disk/azure/scsi1/lun0","format":"ext4"}}],
  "files":[
   {"filesystem":"root","path":"/etc/a","mode":384,"contents":{"source":"data:,one%20two%0A"}},
   {"filesystem":"root","path":"/etc/b","user":{"name":"core"},"group":{"name":"core"},"append":true,"contents":{"source":"data:;base64,` + encoded + `"}},
   {"path":"/etc/c","contents":{}}]},
 "systemd":{"units":[
  {"name":"kubeadm.service","enabled":true,"contents":"[Service]\nExecStart=/bin/bash /etc/kubeadm.sh"},
  {"name":"var-lib-etcddisk.mount","enabled":true,"contents":"[Mount]\nWhat=/dev/x\nWhere=/var/lib/etcddisk\n"},
  {"name":"other.service","enable":true}]}}`, Plan{
			Shell: "/bin/bash", Script: kubeadmScript, Disks: []string{"/dev/disk/azure/scsi1/lun0"}, Mounts: []string{"/var/lib/etcddisk"},
			Files: []File{
				file("/etc/a", "one two\n", 0o600),
				{Path: "/etc/b", Content: []byte("from base64"), Mode: 0o644, Owner: "core:core", Append: true},
				{Path: "/etc/c", Mode: 0o644},
			},
			Users: []User{{Name: "core", SSHKeys: []string{"ssh-rsa a"}, Groups: []string{"sudo"}}},
			Notes: []string{"systemd unit other.service is not played"},
		}},
		"a system extension of Flatcar": {`{"ignition":{"version":"2.3.0"},"storage":{"files":[
 {"path":"/opt/extensions/kubernetes/k.raw","contents":{"source":"https://extensions.flatcar.org/extensions/kubernetes-v1.36.3-x86-64.raw"}}]}}`,
			Plan{Shell: "/bin/bash", Notes: []string{"system extension /opt/extensions/kubernetes/k.raw is not fetched: the machine's own Kubernetes stands for it"}}},
		"ignition that runs nothing": {`{"ignition":{"version":"2.3.0"},"systemd":{"units":[{"name":"kubeadm.service","enabled":false}]}}`,
			Plan{Shell: "/bin/bash", Notes: []string{"systemd unit kubeadm.service is not played"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse([]byte(c.data), Meta{Hostname: "machine-0"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// secret stands in every piece of broken data: no error may quote it.
const secret = "S3cr3tV4lue"

func TestParseErrors(t *testing.T) {
	config := func(text string) string { return "#cloud-config\n" + text }
	for name, c := range map[string]struct{ data, want string }{
		"of an unknown kind":      {"Content-Type: multipart/mixed; " + secret, "neither a cloud-config, nor a script, nor an Ignition"},
		"cut short":               {zipped(t, config(secret))[:20], "compressed user data"},
		"no YAML":                 {config("a: [" + secret), "no valid YAML"},
		"of another type":         {config("runcmd: " + secret), "another type: line 2"},
		"permissions":             {config("write_files: [{path: /a, content: " + secret + ", permissions: '9'}]"), "no valid YAML"},
		"encoding":                {config("write_files: [{path: /a, content: " + secret + ", encoding: rot13}]"), `write_files[0]: /a: encoding "rot13" is not known`},
		"no base64":               {config("write_files: [{path: /a, content: '" + secret + "!', encoding: base64}]"), "/a: the content is no base64"},
		"not compressed":          {config("write_files: [{path: /a, content: '" + secret + "', encoding: gzip}]"), "not compressed by gzip"},
		"no path":                 {config("write_files: [{content: " + secret + "}]"), "write_files[0]: no path"},
		"an empty mount":          {config("mounts: [[]]"), "mounts[0] is empty"},
		"an unknown variable":     {"## template: jinja\n#cloud-config\na: {{ ds.meta_data.other }} " + secret, "expression {{ ds.meta_data.other }}"},
		"a statement":             {"## template: jinja\n#cloud-config\n{% if a %}" + secret, "statement {% %}"},
		"Ignition that is cut":    {`{"ignition":{"version":"2.3.0"},"x":"` + secret, "no valid JSON"},
		"Ignition of version 3":   {`{"ignition":{"version":"3.3.0"},"x":"` + secret + `"}`, `version "3.3.0" of Ignition`},
		"Ignition's other type":   {`{"ignition":{"version":"2.3.0"},"storage":{"files":"` + secret + `"}}`, "another type at storage.files"},
		"another file system":     {`{"ignition":{"version":"2.3.0"},"storage":{"files":[{"filesystem":"data","path":"/a"}]}}`, `file system "data"`},
		"a source far away":       {`{"ignition":{"version":"2.3.0"},"storage":{"files":[{"path":"/a","contents":{"source":"https://h/` + secret + `"}}]}}`, "by https cannot be reached"},
		"a data URL that is none": {`{"ignition":{"version":"2.3.0"},"storage":{"files":[{"path":"/a","contents":{"source":"data:` + secret + `"}}]}}`, "no valid data URL"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := Parse([]byte(c.data), Meta{})
			if err == nil {
				t.Fatalf("no error, but %+v", plan)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nlacks %q", err, c.want)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%v\nquotes the data", err)
			}
		})
	}
}
