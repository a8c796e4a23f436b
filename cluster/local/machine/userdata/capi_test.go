package userdata

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	bootstrapv1 "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	"sigs.k8s.io/cluster-api/bootstrap/kubeadm/pkg/cloudinit"
	"sigs.k8s.io/cluster-api/bootstrap/kubeadm/pkg/ignition"
)

// base is a machine's configuration with all that CAPZ's templates use.
func base() cloudinit.BaseUserData {
	return cloudinit.BaseUserData{
		BootCommands:        []string{"echo early"},
		PreKubeadmCommands:  []string{`echo "{{ ds.meta_data.local_hostname }}" > /etc/name`, "if [ -f /a ]; then sed -i 's#a#b#' /a; fi"},
		PostKubeadmCommands: []string{"echo done"},
		AdditionalFiles: []bootstrapv1.File{
			{Path: "/etc/kubernetes/azure.json", Owner: "root:root", Permissions: "0644", Content: "{\n  \"cloud\": \"AzurePublicCloud\"\n}\n"},
			{Path: "/opt/data", Permissions: "0600", Encoding: bootstrapv1.Base64, Content: "aGVsbG8=", Append: ptr.To(true)},
		},
		Users: []bootstrapv1.User{{Name: "capi", Sudo: "ALL=(ALL) NOPASSWD:ALL", Groups: "sudo, users", SSHAuthorizedKeys: []string{"ssh-rsa a"}}},
		NTP:   &bootstrapv1.NTP{Enabled: ptr.To(true), Servers: []string{"pool.ntp.org"}},
		DiskSetup: &bootstrapv1.DiskSetup{
			Partitions: []bootstrapv1.Partition{{Device: "/dev/disk/azure/scsi1/lun0", Layout: ptr.To(true), Overwrite: ptr.To(false), TableType: "gpt"}},
			Filesystems: []bootstrapv1.Filesystem{{
				Device: "/dev/disk/azure/scsi1/lun0", Filesystem: "ext4", Label: "etcd_disk", Overwrite: ptr.To(false),
				ExtraOpts: []string{"-E", "lazy_itable_init=1"},
			}},
		},
		Mounts:           []bootstrapv1.MountPoints{{"LABEL=etcd_disk", "/var/lib/etcddisk"}},
		KubeadmVerbosity: "--v 5",
	}
}

// find returns the file at a path, and fails without it.
func find(t *testing.T, plan Plan, path string) File {
	t.Helper()
	i := slices.IndexFunc(plan.Files, func(f File) bool { return f.Path == path })
	if i < 0 {
		t.Fatalf("no file %s", path)
	}
	return plan.Files[i]
}

func TestClusterAPICloudInit(t *testing.T) {
	init, err := cloudinit.NewInitControlPlane(&cloudinit.ControlPlaneInput{
		BaseUserData: base(), ClusterConfiguration: "kind: ClusterConfiguration", InitConfiguration: "kind: InitConfiguration\nname: '{{ ds.meta_data[\"local_hostname\"] }}'",
	})
	if err != nil {
		t.Fatal(err)
	}
	join, err := cloudinit.NewNode(&cloudinit.NodeInput{BaseUserData: base(), JoinConfiguration: "kind: JoinConfiguration"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data                  []byte
		config, content, line string
	}{
		"init": {init, "/run/kubeadm/kubeadm.yaml", "---\nkind: ClusterConfiguration\n---\nkind: InitConfiguration\nname: 'node-0'\n",
			"kubeadm init --config /run/kubeadm/kubeadm.yaml --v 5 && echo success > /run/cluster-api/bootstrap-success.complete"},
		"join": {join, "/run/kubeadm/kubeadm-join-config.yaml", "---\nkind: JoinConfiguration\n",
			"kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml --v 5 && echo success > /run/cluster-api/bootstrap-success.complete"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := Parse(c.data, Meta{Hostname: "node-0"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(File{Path: c.config, Content: []byte(c.content), Mode: 0o640, Owner: "root:root"}, find(t, plan, c.config)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(File{Path: "/opt/data", Content: []byte("hello"), Mode: 0o600, Append: true}, find(t, plan, "/opt/data")); diff != "" {
				t.Error(diff)
			}
			find(t, plan, "/run/cluster-api/placeholder")
			want := Plan{
				Shell: "/bin/sh", BootScript: "#!/bin/sh\necho early\n",
				Script: "#!/bin/sh\necho \"node-0\" > /etc/name\nif [ -f /a ]; then sed -i 's#a#b#' /a; fi\n" + c.line + "\necho done\n",
				Disks:  []string{"/dev/disk/azure/scsi1/lun0"}, Mounts: []string{"/var/lib/etcddisk"},
				Users: []User{{Name: "capi", Groups: []string{"sudo", "users"}, Sudo: "ALL=(ALL) NOPASSWD:ALL", SSHKeys: []string{"ssh-rsa a"}}},
				Notes: []string{"ntp: the clock is that of the machine below"},
			}
			plan.Files = nil
			if diff := cmp.Diff(want, plan); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClusterAPIIgnition(t *testing.T) {
	data, warnings, err := ignition.NewNode(&ignition.NodeInput{NodeInput: &cloudinit.NodeInput{BaseUserData: base(), JoinConfiguration: "kind: JoinConfiguration"}})
	if err != nil || warnings != "" {
		t.Fatal(warnings, err)
	}
	plan, err := Parse(data, Meta{Hostname: "node-0"})
	if err != nil {
		t.Fatal(err)
	}
	if f := find(t, plan, "/etc/kubeadm.yml"); !strings.Contains(string(f.Content), "kind: JoinConfiguration") || f.Mode != 0o600 {
		t.Errorf("%v %s", f.Mode, f.Content)
	}
	script := find(t, plan, "/etc/kubeadm.sh")
	for _, line := range []string{"kubeadm join --config /etc/kubeadm.yml --v 5", "bootstrap-success.complete", "echo done"} {
		if !strings.Contains(string(script.Content), line) {
			t.Errorf("%s\nlacks %q", script.Content, line)
		}
	}
	if f := find(t, plan, "/etc/kubernetes/azure.json"); f.Owner != "root:root" || f.Mode != fs.FileMode(0o644) || !strings.Contains(string(f.Content), "AzurePublicCloud") {
		t.Errorf("%+v", f)
	}
	plan.Files = nil
	want := Plan{
		Shell: "/bin/bash", Script: kubeadmScript, Disks: []string{"/dev/disk/azure/scsi1/lun0"}, Mounts: []string{"/var/lib/etcddisk"},
		Users: []User{{Name: "capi", Groups: []string{"sudo", "users"}, SSHKeys: []string{"ssh-rsa a"}}},
		Notes: []string{"systemd unit ntpd.service is not played"},
	}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Error(diff)
	}
}
