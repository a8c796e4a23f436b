package boot

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/fabric"
	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

const (
	subscription = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/boot/providers/"
	vnet         = subscription + "Microsoft.Network/virtualNetworks/boot-vnet"
	gallery      = subscription + "Microsoft.Compute/galleries/g/images/capi-ubun2-2404/versions/"
)

// world is a fabric of its own.
type world struct {
	*fabric.Client
	dir     string
	process *os.Process
	ended   chan struct{}
}

func bin(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../../.local/bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fabric", "kubernetes"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Fatalf("%v: run `make parts` first", err)
		}
	}
	return dir
}

// start starts a fabric as a user. At the end of the test it ends, and nothing of it may be left.
func start(t *testing.T, uid int) *world {
	t.Helper()
	dir, err := os.MkdirTemp("", "boot")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chown(dir, uid, -1); err != nil {
		t.Fatal(err)
	}
	w := &world{dir: dir, Client: fabric.NewClient(filepath.Join(dir, "s"))}
	w.launch(t, uid)
	t.Cleanup(func() {
		if t.Failed() {
			w.show(t)
		}
		w.end(t)
	})
	return w
}

// launch starts the process.
func (w *world) launch(t *testing.T, uid int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin(t), "fabric"), "--dir", filepath.Join(w.dir, "machines"), "--socket", filepath.Join(w.dir, "s"), "--bin", bin(t))
	if uid != os.Geteuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	log, err := os.OpenFile(filepath.Join(w.dir, "fabric.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	w.process, w.ended = cmd.Process, ended
	go func() { defer close(ended); _ = cmd.Wait() }()
	w.eventually(t, 20*time.Second, "the fabric answers", func(ctx context.Context) error {
		_, err := w.State(ctx, "nobody")
		return err
	})
}

// end ends the fabric without a word, as a crash would, and looks for what is left.
func (w *world) end(t *testing.T) {
	t.Helper()
	_ = w.process.Kill()
	<-w.ended
	deadline := time.Now().Add(10 * time.Second)
	for {
		left := w.left()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("left after the end of the fabric: %s", strings.Join(left, ", "))
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// left returns the processes that name the world's folder, or have their root in it.
func (w *world) left() []string {
	var all []string
	entries, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range entries {
		command, _ := os.ReadFile(p + "/cmdline")
		mounts, _ := os.ReadFile(p + "/mountinfo")
		if strings.Contains(string(command), w.dir) || strings.Contains(string(mounts), w.dir) {
			all = append(all, filepath.Base(p)+" "+strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return all
}

// show prints the ends of all logs.
func (w *world) show(t *testing.T) {
	t.Helper()
	var logs []string
	for _, pattern := range []string{"fabric.log", "machines/*/console.log", "machines/*/disk/var/log/*.log"} {
		found, _ := filepath.Glob(filepath.Join(w.dir, pattern))
		logs = append(logs, found...)
	}
	for _, path := range logs {
		raw, _ := os.ReadFile(path)
		if len(raw) > 3000 {
			raw = raw[len(raw)-3000:]
		}
		t.Logf("--- %s\n%s", path, raw)
	}
}

func (w *world) eventually(t *testing.T, patience time.Duration, what string, ok func(context.Context) error) {
	t.Helper()
	begun := time.Now()
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		err := ok(ctx)
		cancel()
		if err == nil {
			t.Logf("%s after %.1f s", what, time.Since(begun).Seconds())
			return
		}
		if time.Since(begun) > patience {
			t.Fatalf("not in %s: %s: %v", patience, what, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// machine is one of the machines of the tests.
func machine(name, ip, version string, customData []byte) power.Machine {
	return power.Machine{
		ID: subscription + "Microsoft.Compute/virtualMachines/" + name, Name: name, ComputerName: name, OS: "Linux",
		Size: "Standard_D2s_v3", CPUs: 2, MemoryMiB: 8192, Location: "westus", Zone: "1", ResourceGroup: "boot",
		ImageID: gallery + version, CustomData: customData, VirtualNetwork: vnet,
		NICs: []power.NIC{{Name: name + "-nic", IP: ip, Subnet: "10.0.0.0/16", MAC: "00-0D-3A-00-00-" + name[len(name)-1:] + "0"}},
		Tags: map[string]string{"owner": "boot"},
	}
}

// bootstrapped waits until kubeadm has succeeded.
func (w *world) bootstrapped(t *testing.T, m power.Machine) {
	t.Helper()
	w.eventually(t, 4*time.Minute, m.Name+" is bootstrapped", func(ctx context.Context) error {
		s, err := w.State(ctx, m.ID)
		if err != nil || s.Bootstrapped {
			return err
		}
		if s.CustomDataEnded {
			t.Fatalf("%s: %+v", m.Name, s)
		}
		return fmt.Errorf("%+v", s)
	})
}

// forward returns an address of this machine that leads to one in the fabric.
func (w *world) forward(t *testing.T, address string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if onward, err := w.Dial(context.Background(), address); err == nil {
					defer onward.Close()
					fabric.Join(conn, conn, onward)
				}
			}()
		}
	}()
	return listener.Addr().String()
}

func (w *world) dial(ctx context.Context, _, address string) (net.Conn, error) {
	return w.Dial(ctx, address)
}
