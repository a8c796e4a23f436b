package cri

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// loopback has addresses that every Linux listens at.
type loopback struct {
	mu    sync.Mutex
	next  int
	taken map[string]bool
	cidr  string
}

func (l *loopback) Take() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	ip := fmt.Sprintf("127.77.0.%d", l.next)
	l.taken[ip] = true
	return ip, nil
}

func (l *loopback) Give(ip string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.taken, ip)
	return nil
}

func (l *loopback) Use(cidr string) error { l.cidr = cidr; return nil }

type world struct {
	runtimeapi.RuntimeServiceClient
	images    runtimeapi.ImageServiceClient
	addresses *loopback
	dir       string
}

// program is what stands for etcd: it says what it was given, and ends as it is told.
const program = `#!/bin/sh
echo "args $* in $(pwd) with $KEY $MACHINE"
echo problem >&2
case "$1" in
end) exit 3 ;;
deaf) trap '' TERM ;;
esac
while :; do sleep 0.05; done
`

func start(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "program")
	if err := os.WriteFile(path, []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	w := &world{dir: dir, addresses: &loopback{taken: map[string]bool{}}}
	server, err := New(Options{
		Programs: map[string]string{"etcd": path}, Arguments: map[string][]string{"etcd": {"added"}},
		Environment: []string{"MACHINE=machine", "PATH=" + os.Getenv("PATH")}, Addresses: w.addresses,
	})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.Serve(listener) }()
	conn, err := grpc.NewClient("unix://"+filepath.Join(dir, "s"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	w.RuntimeServiceClient, w.images = runtimeapi.NewRuntimeServiceClient(conn), runtimeapi.NewImageServiceClient(conn)
	t.Cleanup(func() {
		// Processes end with their pods.
		all, err := w.ListPodSandbox(context.Background(), &runtimeapi.ListPodSandboxRequest{})
		for _, p := range all.GetItems() {
			_, _ = w.RemovePodSandbox(context.Background(), &runtimeapi.RemovePodSandboxRequest{PodSandboxId: p.Id})
		}
		_ = conn.Close()
		_ = listener.Close()
		<-ended
		if err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) pod(t *testing.T, name string, network runtimeapi.NamespaceMode) string {
	t.Helper()
	r, err := w.RunPodSandbox(t.Context(), &runtimeapi.RunPodSandboxRequest{Config: &runtimeapi.PodSandboxConfig{
		Metadata: &runtimeapi.PodSandboxMetadata{Name: name, Namespace: "kube-system", Uid: name + "-uid"}, LogDirectory: filepath.Join(w.dir, "pods", name),
		Labels: map[string]string{"pod": name},
		Linux: &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{
			NamespaceOptions: &runtimeapi.NamespaceOption{Network: network},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r.PodSandboxId
}

func (w *world) create(t *testing.T, pod string, config *runtimeapi.ContainerConfig) string {
	t.Helper()
	config.Metadata = &runtimeapi.ContainerMetadata{Name: "c"}
	config.LogPath = "c/0.log"
	config.Image = &runtimeapi.ImageSpec{Image: "registry.k8s.io/etcd:3.6.8"}
	r, err := w.CreateContainer(t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: pod, Config: config})
	if err != nil {
		t.Fatal(err)
	}
	return r.ContainerId
}

func (w *world) run(t *testing.T, pod string, config *runtimeapi.ContainerConfig) string {
	t.Helper()
	id := w.create(t, pod, config)
	if _, err := w.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: id}); err != nil {
		t.Fatal(err)
	}
	return id
}

func (w *world) status(t *testing.T, id string) *runtimeapi.ContainerStatus {
	t.Helper()
	r, err := w.ContainerStatus(t.Context(), &runtimeapi.ContainerStatusRequest{ContainerId: id})
	if err != nil {
		t.Fatal(err)
	}
	return r.Status
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not in time: " + what)
		}
	}
}

func etcd(args ...string) *runtimeapi.ContainerConfig {
	return &runtimeapi.ContainerConfig{
		Command: append([]string{"etcd"}, args...), Args: []string{"more"}, WorkingDir: "/tmp",
		Envs: []*runtimeapi.KeyValue{{Key: "KEY", Value: []byte("value")}}, Labels: map[string]string{"app": "etcd"},
	}
}

func TestProgram(t *testing.T) {
	w := start(t)
	pod := w.pod(t, "etcd", runtimeapi.NamespaceMode_NODE)
	for name, c := range map[string]struct {
		arg     string
		grace   int64
		stopped bool
		code    int32
		reason  string
	}{
		"it is asked to end":   {arg: "run", grace: 20, stopped: true, code: 128 + 15, reason: "Error"},
		"it is forced to end":  {arg: "deaf", grace: 1, stopped: true, code: 128 + 9, reason: "Error"},
		"there is no patience": {arg: "run", grace: 0, stopped: true, code: 128 + 9, reason: "Error"},
		"it ends by itself":    {arg: "end", code: 3, reason: "Error"},
	} {
		t.Run(name, func(t *testing.T) {
			id := w.create(t, pod, etcd(c.arg))
			if got := w.status(t, id); got.State != runtimeapi.ContainerState_CONTAINER_CREATED {
				t.Errorf("before the start: %v", got.State)
			}
			if _, err := w.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: id}); err != nil {
				t.Fatal(err)
			}
			log := w.status(t, id).LogPath
			eventually(t, "two lines of log", func() bool {
				raw, _ := os.ReadFile(log)
				return bytes.Count(raw, []byte("\n")) >= 2
			})
			if c.stopped {
				if got := w.status(t, id); got.State != runtimeapi.ContainerState_CONTAINER_RUNNING {
					t.Errorf("after the start: %v", got.State)
				}
				if _, err := w.StopContainer(t.Context(), &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: c.grace}); err != nil {
					t.Fatal(err)
				}
			}
			eventually(t, "the end", func() bool { return w.status(t, id).State == runtimeapi.ContainerState_CONTAINER_EXITED })
			got := w.status(t, id)
			if got.ExitCode != c.code || got.Reason != c.reason || got.FinishedAt < got.StartedAt || got.StartedAt < got.CreatedAt {
				t.Errorf("%+v", got)
			}
			if _, err := w.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: id}); status.Code(err) != codes.FailedPrecondition {
				t.Errorf("a second start: %v", err)
			}
			raw, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			line := `(?m)^\d{4}-\d\d-\d\dT\S+Z stdout F args ` + c.arg + ` more added in /tmp with value machine$`
			if !regexp.MustCompile(line).Match(raw) || !bytes.Contains(raw, []byte(" stderr F problem\n")) {
				t.Errorf("log:\n%s", raw)
			}
			if err := os.Remove(log); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestPlayed(t *testing.T) {
	w := start(t)
	pod := w.pod(t, "dns", runtimeapi.NamespaceMode_POD)
	st, err := w.PodSandboxStatus(t.Context(), &runtimeapi.PodSandboxStatusRequest{PodSandboxId: pod})
	if err != nil {
		t.Fatal(err)
	}
	ip := st.Status.Network.Ip
	id := w.run(t, pod, &runtimeapi.ContainerConfig{
		Args:        []string{"-conf", "/etc/coredns/Corefile"},
		Annotations: map[string]string{portsAnnotation: `[{"name":"dns","containerPort":5353,"protocol":"UDP"},{"name":"liveness-probe","containerPort":18080,"protocol":"TCP"}]`},
	})
	resp, err := http.Get("http://" + ip + ":18080/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Error(resp.Status)
	}
	probe, err := w.ExecSync(t.Context(), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"/no/such/command"}})
	if err != nil || probe.ExitCode != 0 {
		t.Errorf("%v %v", probe, err)
	}
	if !w.addresses.taken[ip] {
		t.Errorf("%s of %v", ip, w.addresses.taken)
	}
	if _, err := w.StopPodSandbox(t.Context(), &runtimeapi.StopPodSandboxRequest{PodSandboxId: pod}); err != nil {
		t.Fatal(err)
	}
	if got := w.status(t, id); got.State != runtimeapi.ContainerState_CONTAINER_EXITED || got.ExitCode != 0 || got.Reason != "Completed" {
		t.Errorf("%+v", got)
	}
	if resp, err := http.Get("http://" + ip + ":18080/health"); err == nil {
		_ = resp.Body.Close()
		t.Error("it answers after its end")
	}
	if len(w.addresses.taken) > 0 {
		t.Errorf("addresses still taken: %v", w.addresses.taken)
	}
	_, err = w.CreateContainer(t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: pod, Config: &runtimeapi.ContainerConfig{}})
	if status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a container in a stopped pod: %v", err)
	}
}

func TestLists(t *testing.T) {
	w := start(t)
	first, second := w.pod(t, "one", runtimeapi.NamespaceMode_NODE), w.pod(t, "two", runtimeapi.NamespaceMode_NODE)
	running := w.run(t, first, &runtimeapi.ContainerConfig{Labels: map[string]string{"app": "a", "tier": "x"}})
	created := w.create(t, second, &runtimeapi.ContainerConfig{Labels: map[string]string{"app": "b", "tier": "x"}})
	state := func(s runtimeapi.ContainerState) *runtimeapi.ContainerStateValue {
		return &runtimeapi.ContainerStateValue{State: s}
	}
	for name, c := range map[string]struct {
		filter *runtimeapi.ContainerFilter
		want   []string
	}{
		"all, the newest first": {nil, []string{created, running}},
		"by identifier":         {&runtimeapi.ContainerFilter{Id: running}, []string{running}},
		"by state":              {&runtimeapi.ContainerFilter{State: state(runtimeapi.ContainerState_CONTAINER_CREATED)}, []string{created}},
		"by pod":                {&runtimeapi.ContainerFilter{PodSandboxId: first}, []string{running}},
		"by label":              {&runtimeapi.ContainerFilter{LabelSelector: map[string]string{"app": "b", "tier": "x"}}, []string{created}},
		"of none":               {&runtimeapi.ContainerFilter{PodSandboxId: first, State: state(runtimeapi.ContainerState_CONTAINER_EXITED)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := w.ListContainers(t.Context(), &runtimeapi.ListContainersRequest{Filter: c.filter})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range r.Containers {
				got = append(got, x.Id)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := w.StopPodSandbox(t.Context(), &runtimeapi.StopPodSandboxRequest{PodSandboxId: first}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		filter *runtimeapi.PodSandboxFilter
		want   []string
	}{
		"all pods":           {nil, []string{second, first}},
		"pods by state":      {&runtimeapi.PodSandboxFilter{State: &runtimeapi.PodSandboxStateValue{State: runtimeapi.PodSandboxState_SANDBOX_NOTREADY}}, []string{first}},
		"pods by label":      {&runtimeapi.PodSandboxFilter{LabelSelector: map[string]string{"pod": "two"}}, []string{second}},
		"pods by identifier": {&runtimeapi.PodSandboxFilter{Id: first}, []string{first}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := w.ListPodSandbox(t.Context(), &runtimeapi.ListPodSandboxRequest{Filter: c.filter})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range r.Items {
				got = append(got, x.Id)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := w.RemovePodSandbox(t.Context(), &runtimeapi.RemovePodSandboxRequest{PodSandboxId: first}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.ContainerStatus(t.Context(), &runtimeapi.ContainerStatusRequest{ContainerId: running}); status.Code(err) != codes.NotFound {
		t.Errorf("a container of a removed pod: %v", err)
	}
}

func TestUnknown(t *testing.T) {
	w := start(t)
	for name, call := range map[string]func(context.Context) error{
		"PodSandboxStatus": func(ctx context.Context) error {
			_, err := w.PodSandboxStatus(ctx, &runtimeapi.PodSandboxStatusRequest{PodSandboxId: "x"})
			return err
		},
		"CreateContainer": func(ctx context.Context) error {
			_, err := w.CreateContainer(ctx, &runtimeapi.CreateContainerRequest{PodSandboxId: "x", Config: &runtimeapi.ContainerConfig{}})
			return err
		},
		"StartContainer": func(ctx context.Context) error {
			_, err := w.StartContainer(ctx, &runtimeapi.StartContainerRequest{ContainerId: "x"})
			return err
		},
		"StopContainer": func(ctx context.Context) error {
			_, err := w.StopContainer(ctx, &runtimeapi.StopContainerRequest{ContainerId: "x"})
			return err
		},
		"ContainerStatus": func(ctx context.Context) error {
			_, err := w.ContainerStatus(ctx, &runtimeapi.ContainerStatusRequest{ContainerId: "x"})
			return err
		},
		"ExecSync": func(ctx context.Context) error {
			_, err := w.ExecSync(ctx, &runtimeapi.ExecSyncRequest{ContainerId: "x", Cmd: []string{"ls"}})
			return err
		},
		"Exec": func(ctx context.Context) error {
			_, err := w.Exec(ctx, &runtimeapi.ExecRequest{ContainerId: "x", Cmd: []string{"ls"}, Stdout: true})
			return err
		},
		"PortForward": func(ctx context.Context) error {
			_, err := w.PortForward(ctx, &runtimeapi.PortForwardRequest{PodSandboxId: "x"})
			return err
		},
		"ReopenContainerLog": func(ctx context.Context) error {
			_, err := w.ReopenContainerLog(ctx, &runtimeapi.ReopenContainerLogRequest{ContainerId: "x"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := call(t.Context()); status.Code(err) != codes.NotFound {
				t.Error(err)
			}
		})
	}
	// What is gone already is no error to remove.
	if _, err := w.RemoveContainer(t.Context(), &runtimeapi.RemoveContainerRequest{ContainerId: "x"}); err != nil {
		t.Error(err)
	}
	if _, err := w.StopPodSandbox(t.Context(), &runtimeapi.StopPodSandboxRequest{PodSandboxId: "x"}); err != nil {
		t.Error(err)
	}
	if _, err := w.RemovePodSandbox(t.Context(), &runtimeapi.RemovePodSandboxRequest{PodSandboxId: "x"}); err != nil {
		t.Error(err)
	}
}

func TestExecute(t *testing.T) {
	w := start(t)
	id := w.run(t, w.pod(t, "etcd", runtimeapi.NamespaceMode_NODE), etcd("run"))
	r, err := w.ExecSync(t.Context(), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"/bin/sh", "-c", "echo out $KEY; echo err >&2; exit 7"}})
	if err != nil {
		t.Fatal(err)
	}
	if string(r.Stdout) != "out value\n" || string(r.Stderr) != "err\n" || r.ExitCode != 7 {
		t.Errorf("%+v", r)
	}
	if _, err := w.ExecSync(t.Context(), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"/bin/sleep", "60"}, Timeout: 1}); err == nil {
		t.Error("no error of a command that takes too long")
	}
}

func TestStreams(t *testing.T) {
	w := start(t)
	pod := w.pod(t, "etcd", runtimeapi.NamespaceMode_NODE)
	id := w.run(t, pod, etcd("run"))
	r, err := w.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: id, Cmd: []string{"/bin/sh", "-c", "cat; exit 4"}, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(r.Url)
	if err != nil {
		t.Fatal(err)
	}
	executor, err := remotecommand.NewSPDYExecutor(&rest.Config{}, http.MethodPost, target)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	err = executor.StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdin: strings.NewReader("hello"), Stdout: &out, Stderr: &errs})
	if err == nil || !strings.Contains(err.Error(), "exit code 4") || out.String() != "hello" {
		t.Errorf("%v, %q, %q", err, out.String(), errs.String())
	}
}

func TestPortForward(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		all, _ := io.ReadAll(conn)
		_, _ = conn.Write(append([]byte("got "), all...))
	}()
	server, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	pod, err := server.RunPodSandbox(t.Context(), &runtimeapi.RunPodSandboxRequest{Config: &runtimeapi.PodSandboxConfig{}})
	if err != nil {
		t.Fatal(err)
	}
	here, there := net.Pipe()
	failed := make(chan error, 1)
	go func() {
		failed <- streams{server}.PortForward(t.Context(), pod.PodSandboxId, int32(listener.Addr().(*net.TCPAddr).Port), halfOpen{there})
	}()
	if _, err := here.Write([]byte("data")); err != nil {
		t.Fatal(err)
	}
	if _, err := here.Write([]byte{end}); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(here)
	if err != nil || string(got) != "got data" {
		t.Errorf("%q, %v", got, err)
	}
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

// end is a byte by which a halfOpen pipe is read to its end.
const end = 4

type halfOpen struct{ net.Conn }

func (h halfOpen) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	if n > 0 && b[n-1] == end {
		return n - 1, io.EOF
	}
	return n, err
}

func TestStatus(t *testing.T) {
	w := start(t)
	r, err := w.Status(t.Context(), &runtimeapi.StatusRequest{Verbose: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Status.Conditions {
		if !c.Status {
			t.Errorf("%s is not met", c.Type)
		}
	}
	if !strings.Contains(r.Info["config"], "sandboxImage") {
		t.Error(r.Info)
	}
	config, err := w.RuntimeConfig(t.Context(), &runtimeapi.RuntimeConfigRequest{})
	if err != nil || config.GetLinux().GetCgroupDriver() != runtimeapi.CgroupDriver_CGROUPFS {
		t.Error(config, err)
	}
	if _, err := w.UpdateRuntimeConfig(t.Context(), &runtimeapi.UpdateRuntimeConfigRequest{
		RuntimeConfig: &runtimeapi.RuntimeConfig{NetworkConfig: &runtimeapi.NetworkConfig{PodCidr: "192.168.3.0/24"}},
	}); err != nil || w.addresses.cidr != "192.168.3.0/24" {
		t.Error(w.addresses.cidr, err)
	}
}

func TestImages(t *testing.T) {
	w := start(t)
	spec := &runtimeapi.ImageSpec{Image: "registry.k8s.io/kube-apiserver:v1.36.3"}
	st, err := w.images.ImageStatus(t.Context(), &runtimeapi.ImageStatusRequest{Image: spec})
	if err != nil || st.Image.GetId() != spec.Image {
		t.Error(st, err)
	}
	if r, err := w.images.PullImage(t.Context(), &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: "another"}}); err != nil || r.ImageRef != "another" {
		t.Error(r, err)
	}
	if _, err := w.images.RemoveImage(t.Context(), &runtimeapi.RemoveImageRequest{Image: &runtimeapi.ImageSpec{Image: "another"}}); err != nil {
		t.Error(err)
	}
	all, err := w.images.ListImages(t.Context(), &runtimeapi.ListImagesRequest{})
	if err != nil || len(all.Images) != 1 || all.Images[0].Id != spec.Image || all.Images[0].Size == 0 {
		t.Error(all, err)
	}
}
