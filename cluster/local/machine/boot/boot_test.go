package boot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

const (
	hostname = "boot-1234.westus.cloudapp.azure.com"
	publicIP = "20.0.0.1"
	endpoint = hostname + ":6443"
)

// frontend has the load balancer of the API servers forward to control plane machines.
func (w *world) frontend(t *testing.T, ips ...string) {
	t.Helper()
	f := power.Frontend{IP: publicIP, Port: 6443, ProbePath: "/readyz", ProbeTLS: true, ProbePort: 6443}
	for _, ip := range ips {
		f.Backends = append(f.Backends, power.Backend{IP: ip, Port: 6443})
	}
	lb := power.LoadBalancer{ID: subscription + "Microsoft.Network/loadBalancers/boot-public-lb", VirtualNetwork: vnet, Frontends: []power.Frontend{f}}
	if err := w.SetLoadBalancer(t.Context(), lb); err != nil {
		t.Fatal(err)
	}
	if err := w.SetNames(t.Context(), "", map[string]string{hostname: publicIP}); err != nil {
		t.Fatal(err)
	}
}

func (w *world) on(t *testing.T, m power.Machine) {
	t.Helper()
	if err := w.Start(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// ready waits until a Node is Ready, and gives it the address that a cloud controller manager would.
func (w *world) ready(t *testing.T, client kubernetes.Interface, m power.Machine) *corev1.Node {
	t.Helper()
	var node *corev1.Node
	w.eventually(t, 2*time.Minute, m.Name+" is Ready", func(ctx context.Context) (err error) {
		if node, err = client.CoreV1().Nodes().Get(ctx, m.Name, metav1.GetOptions{}); err != nil {
			return err
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
				return nil
			}
		}
		return fmt.Errorf("conditions %+v", node.Status.Conditions)
	})
	patch := fmt.Sprintf(`{"status":{"addresses":[{"type":"InternalIP","address":%q},{"type":"Hostname","address":%q}]}}`, m.NICs[0].IP, m.Name)
	node, err := client.CoreV1().Nodes().PatchStatus(t.Context(), m.Name, []byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// TestCluster is the life of a cluster of one control plane machine and one worker.
func TestCluster(t *testing.T) {
	t.Parallel()
	w := start(t, os.Geteuid())
	c := newCluster(t, "boot", endpoint, "v1.36.3")
	first := machine("boot-control-plane-0", "10.0.0.4", "1.36.3", c.controlPlane(t))
	first.DataDisks = []power.Disk{{LUN: 0, Name: "etcddisk", SizeGiB: 256}}
	w.frontend(t, "10.0.0.4")
	w.on(t, first)
	w.bootstrapped(t, first)
	config := c.config(t, w.dial)
	client := kubernetes.NewForConfigOrDie(config)
	node := w.ready(t, client, first)
	if got := node.Status.NodeInfo.KubeletVersion; got != "v1.36.3" {
		t.Errorf("kubelet %s", got)
	}
	if cpu, memory := node.Status.Capacity.Cpu().Value(), node.Status.Capacity.Memory().Value(); cpu != 2 || memory != 8<<30 {
		t.Errorf("capacity: %d CPUs, %d bytes", cpu, memory)
	}
	c.createToken(t.Context(), t, client)
	worker := machine("boot-md-1", "10.1.0.4", "1.36.3", c.worker(t))
	w.on(t, worker)
	w.bootstrapped(t, worker)
	w.ready(t, client, worker)

	t.Run("static pods are Ready", func(t *testing.T) {
		w.eventually(t, time.Minute, "four pods are Ready", func(ctx context.Context) error {
			return readyPods(ctx, client, "tier=control-plane", 4)
		})
	})
	t.Run("logs and commands pass the API server", func(t *testing.T) { logsAndExec(t, w, config, client) })
	t.Run("a worker reboots", func(t *testing.T) {
		if err := w.Stop(t.Context(), worker.ID); err != nil {
			t.Fatal(err)
		}
		if s, err := w.State(t.Context(), worker.ID); err != nil || s.Phase != power.Off {
			t.Errorf("%+v, %v", s, err)
		}
		off := time.Now()
		w.on(t, worker)
		w.eventually(t, time.Minute, "its kubelet renews its lease", func(ctx context.Context) error {
			lease, err := client.CoordinationV1().Leases("kube-node-lease").Get(ctx, worker.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if lease.Spec.RenewTime.After(off) {
				return nil
			}
			return fmt.Errorf("renewed at %s", lease.Spec.RenewTime)
		})
	})
	t.Run("the control plane reboots", func(t *testing.T) {
		if err := w.Stop(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		impatient := rest.CopyConfig(config)
		impatient.Timeout = time.Second
		client := kubernetes.NewForConfigOrDie(impatient)
		w.eventually(t, 20*time.Second, "the frontend is down", func(context.Context) error {
			if _, err := client.Discovery().ServerVersion(); err != nil {
				return nil //nolint:nilerr // It is what is waited for.
			}
			return errors.New("the API server answers")
		})
		w.on(t, first)
		w.eventually(t, time.Minute, "the API server answers", func(context.Context) error {
			_, err := client.Discovery().ServerVersion()
			return err
		})
		if _, err := client.CoreV1().Nodes().Get(t.Context(), worker.Name, metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a deleted machine is gone", func(t *testing.T) {
		if err := w.Delete(t.Context(), worker.ID); err != nil {
			t.Fatal(err)
		}
		if s, err := w.State(t.Context(), worker.ID); err != nil || s.Phase != power.Off {
			t.Errorf("%+v, %v", s, err)
		}
		if left, _ := filepath.Glob(filepath.Join(w.dir, "machines", "boot-md-1-*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		if _, err := w.Dial(t.Context(), "10.1.0.4:10250"); err == nil {
			t.Error("its address can be dialed")
		}
	})
}

func readyPods(ctx context.Context, client kubernetes.Interface, selector string, want int) error {
	pods, err := client.CoreV1().Pods("kube-system").List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return err
	}
	ready := 0
	for _, p := range pods.Items {
		for _, c := range p.Status.Conditions {
			if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
				ready++
			}
		}
	}
	if ready != want {
		return fmt.Errorf("%d of %d pods are Ready", ready, want)
	}
	return nil
}

func logsAndExec(t *testing.T, w *world, config *rest.Config, client *kubernetes.Clientset) {
	t.Helper()
	w.eventually(t, time.Minute, "the log of etcd", func(ctx context.Context) error {
		raw, err := client.CoreV1().Pods("kube-system").GetLogs("etcd-boot-control-plane-0", &corev1.PodLogOptions{}).DoRaw(ctx)
		if err == nil && !bytes.Contains(raw, []byte("etcd")) {
			err = fmt.Errorf("log: %s", raw)
		}
		return err
	})
	request := client.CoreV1().RESTClient().Post().Resource("pods").Namespace("kube-system").Name("etcd-boot-control-plane-0").SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{
			Command: []string{"/bin/sh", "-c", "hostname; getent hosts " + hostname + "; ls /dev/disk/azure/scsi1; grep -c . /etc/resolv.conf"}, Stdout: true, Stderr: true,
		}, scheme.ParameterCodec)
	direct := w.direct(t, config)
	target := *request.URL()
	target.Host = strings.TrimPrefix(direct.Host, "https://")
	executor, err := remotecommand.NewSPDYExecutor(direct, http.MethodPost, &target)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if err := executor.StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdout: &out, Stderr: &errs}); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	for _, want := range []string{"boot-control-plane-0", publicIP, "lun0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q lacks %s", out.String(), want)
		}
	}
}

// direct is a configuration for streams, which heed no dialer.
func (w *world) direct(t *testing.T, config *rest.Config) *rest.Config {
	t.Helper()
	direct := rest.CopyConfig(config)
	direct.Host, direct.ServerName, direct.Dial = "https://"+w.forward(t, endpoint), hostname, nil
	return direct
}

// TestControlPlanes joins a second control plane machine, and a worker of another image.
func TestControlPlanes(t *testing.T) {
	t.Parallel()
	w := start(t, os.Geteuid())
	c := newCluster(t, "boot", endpoint, "v1.36.3")
	first := machine("boot-control-plane-0", "10.0.0.4", "1.36.3", c.controlPlane(t))
	first.DataDisks = []power.Disk{{LUN: 0, Name: "etcddisk", SizeGiB: 256}}
	w.frontend(t, "10.0.0.4", "10.0.0.5")
	w.on(t, first)
	w.bootstrapped(t, first)
	config := c.config(t, w.dial)
	client := kubernetes.NewForConfigOrDie(config)
	w.ready(t, client, first)
	c.createToken(t.Context(), t, client)
	second := machine("boot-control-plane-1", "10.0.0.5", "1.36.3", c.anotherControlPlane(t))
	flatcar := machine("boot-flatcar-2", "10.1.0.4", "1.36.3", c.flatcarWorker(t))
	w.on(t, second)
	w.on(t, flatcar)
	w.bootstrapped(t, flatcar)
	w.ready(t, client, flatcar)
	w.bootstrapped(t, second)
	w.ready(t, client, second)
	w.eventually(t, time.Minute, "eight pods are Ready", func(ctx context.Context) error {
		return readyPods(ctx, client, "tier=control-plane", 8)
	})
	members, err := c.etcd(t, w.direct(t, config), second.Name).Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range members {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{first.Name, second.Name}) {
		t.Errorf("members of etcd: %v", names)
	}
}

// TestVersion boots a control plane of another release.
func TestVersion(t *testing.T) {
	t.Parallel()
	w := start(t, os.Geteuid())
	c := newCluster(t, "boot", endpoint, "v1.35.6")
	first := machine("boot-control-plane-0", "10.0.0.4", "1.35.6", c.controlPlane(t))
	first.DataDisks = []power.Disk{{LUN: 0, Name: "etcddisk", SizeGiB: 256}}
	w.frontend(t, "10.0.0.4")
	w.on(t, first)
	w.bootstrapped(t, first)
	client := kubernetes.NewForConfigOrDie(c.config(t, w.dial))
	node := w.ready(t, client, first)
	version, err := client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if kubelet := node.Status.NodeInfo.KubeletVersion; kubelet != "v1.35.6" || version.GitVersion != "v1.35.6" || version.Minor != "35" {
		t.Errorf("kubelet %s, API server %+v", kubelet, version)
	}
}

// TestUserData has machines that no cluster needs.
func TestUserData(t *testing.T) {
	t.Parallel()
	w := start(t, os.Geteuid())
	boots(t, w)
}

// TestOrdinaryUser is TestUserData by a user that is nobody.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("all tests are those of an ordinary user already")
	}
	boots(t, start(t, 12345))
}

func boots(t *testing.T, w *world) {
	t.Helper()
	metadata := `curl -s -H Metadata:true --noproxy '*' 'http://169.254.169.254/metadata/instance/compute/name?api-version=2020-09-01&format=text'`
	for name, c := range map[string]struct {
		data, version, os, phase, message string
		bootstrapped, ended               bool
	}{
		"a script that succeeds": {data: "#!/bin/sh\nmkdir /run/cluster-api && echo > /run/cluster-api/bootstrap-success.complete\n",
			phase: power.Provisioned, bootstrapped: true, ended: true},
		"a script that fails":    {data: "#!/bin/sh\nexit 3\n", phase: power.Provisioned, ended: true, message: "exit status 3"},
		"one that forgets":       {data: "#cloud-config\nruncmd: [ls]\n", phase: power.Provisioned, ended: true, message: "there is no /run/cluster-api"},
		"data that nobody reads": {data: "S3cr3t", phase: power.Provisioned, ended: true, message: "neither a cloud-config"},
		"no data":                {phase: power.Provisioned, ended: true},
		"the machine is isolated": {data: "#!/bin/sh\n! touch /usr/x && test $(id -u) = 0 && test ! -e " + w.dir + " && touch /usr/local/bin/x /etc/x /opt/x || exit 4\n" +
			"test \"$(" + metadata + ")\" = boot-m-5 || exit 5\nmkdir /run/cluster-api && echo > /run/cluster-api/bootstrap-success.complete\n",
			phase: power.Provisioned, bootstrapped: true, ended: true},
		"an image of long ago": {version: "1.20.0", phase: power.Failed, message: "Kubernetes 1.20.0; simulated machines have"},
		"Windows":              {os: "Windows", phase: power.Provisioned, message: "Windows: nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			m := machine("boot-m-5", "10.0.0.5", "1.36.3", []byte(c.data))
			if c.version != "" {
				m.ImageID = gallery + c.version
			}
			if c.os != "" {
				m.OS = c.os
			}
			w.on(t, m)
			defer func() {
				if err := w.Delete(t.Context(), m.ID); err != nil {
					t.Error(err)
				}
			}()
			var s power.State
			w.eventually(t, 30*time.Second, "it is as it should be", func(ctx context.Context) (err error) {
				s, err = w.State(ctx, strings.ToUpper(m.ID))
				if err == nil && (s.Phase != c.phase || s.CustomDataEnded != c.ended || s.Bootstrapped != c.bootstrapped) {
					err = fmt.Errorf("%+v", s)
				}
				return err
			})
			if !strings.Contains(s.Message, c.message) || (c.message == "") != (s.Message == "") || strings.Contains(s.Message, "S3cr3t") {
				t.Errorf("message %q", s.Message)
			}
		})
	}
	if _, err := w.Dial(t.Context(), net.JoinHostPort("10.0.0.5", "22")); err == nil {
		t.Error("an address of nobody can be dialed")
	}
}
