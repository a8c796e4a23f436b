package guest

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	// kubeletConfig is what kubeadm writes before it starts the kubelet.
	kubeletConfig = "/var/lib/kubelet/config.yaml"
	kubeletLog    = "/var/log/kubelet.log"
	// kubeletCommand is the unit of kubeadm's packages: https://kubernetes.io/docs/setup/production-environment/tools/kubeadm/kubelet-integration/.
	kubeletCommand = `[ ! -f /var/lib/kubelet/kubeadm-flags.env ] || . /var/lib/kubelet/kubeadm-flags.env
[ ! -f /etc/default/kubelet ] || . /etc/default/kubelet
exec kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf \
  --config=` + kubeletConfig + ` $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS`

	// restartDelay is how long the kubelet is left when it has ended, or has nothing to start with.
	restartDelay = 500 * time.Millisecond
	// stopPatience is how long it has to end.
	stopPatience = 10 * time.Second
)

// kubelet is the unit of that name, enabled from the start. It runs when there is a configuration; without one a real kubelet starts and
// ends again and again.
type kubelet struct {
	boot     Boot
	children *children

	mu      sync.Mutex
	wanted  bool
	process *os.Process
	changed *sync.Cond
}

func newKubelet(boot Boot, children *children) *kubelet {
	k := &kubelet{boot: boot, children: children, wanted: true}
	k.changed = sync.NewCond(&k.mu)
	return k
}

// supervise starts the kubelet whenever it should run and does not, for good.
func (k *kubelet) supervise() {
	for {
		k.mu.Lock()
		for !k.wanted {
			k.changed.Wait()
		}
		k.mu.Unlock()
		if _, err := os.Stat(kubeletConfig); err == nil {
			k.run()
		}
		time.Sleep(restartDelay)
	}
}

func (k *kubelet) run() {
	log, err := os.OpenFile(kubeletLog, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return // A full disk; it is tried again.
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", "-c", kubeletCommand)
	cmd.Dir, cmd.Env = "/", environment(k.boot)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	k.mu.Lock()
	if !k.wanted {
		k.mu.Unlock()
		return
	}
	err = k.children.start(cmd)
	if err == nil {
		k.process = cmd.Process
	}
	k.mu.Unlock()
	if err == nil {
		err = cmd.Wait()
	}
	k.mu.Lock()
	k.process = nil
	k.changed.Broadcast()
	k.mu.Unlock()
	fmt.Fprintf(log, "kubelet ended: %v\n", err)
}

// start has it run.
func (k *kubelet) start() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wanted = true
	k.changed.Broadcast()
}

// stop ends it, and returns when it has ended.
func (k *kubelet) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wanted = false
	if k.process == nil {
		return
	}
	pid := k.process.Pid
	_ = syscall.Kill(-pid, syscall.SIGTERM)                                                   // It may have ended.
	force := time.AfterFunc(stopPatience, func() { _ = syscall.Kill(-pid, syscall.SIGKILL) }) // As above.
	defer force.Stop()
	for k.process != nil {
		k.changed.Wait()
	}
}

// active tells whether it runs, or is about to.
func (k *kubelet) active() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.wanted
}
