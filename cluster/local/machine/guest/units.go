package guest

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// unitsSocket is where systemctl asks PID 1.
const unitsSocket = "/run/systemd/machine.sock"

// unitAnswer is what systemctl prints and how it ends.
type unitAnswer struct {
	Out  string `json:"out,omitempty"`
	Err  string `json:"err,omitempty"`
	Code int    `json:"code,omitempty"`
}

// units are the services that the machine has: the kubelet, and a container runtime that cannot be stopped.
type units struct {
	kubelet interface {
		start()
		stop()
		active() bool
	}
	// written tells whether there is a unit file of a name that user data has written. Such units are not played.
	written func(name string) bool
}

func serveUnits(k *kubelet) error {
	listener, err := net.Listen("unix", unitsSocket)
	if err != nil {
		return err
	}
	u := units{kubelet: k, written: func(name string) bool {
		_, err := os.Stat(filepath.Join("/etc/systemd/system", name+".service"))
		return err == nil
	}}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				var args []string
				if json.NewDecoder(conn).Decode(&args) == nil {
					_ = json.NewEncoder(conn).Encode(u.answer(args)) // Who asked has gone.
				}
			}()
		}
	}()
	return nil
}

// answer is systemctl, as far as kubeadm and scripts in CAPZ's templates use it. What is not played of units that exist succeeds.
func (u units) answer(args []string) unitAnswer {
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") && a != "--now" })
	now := slices.Contains(args, "--now")
	args = slices.DeleteFunc(args, func(a string) bool { return a == "--now" })
	if len(args) == 0 {
		return unitAnswer{}
	}
	if len(args) == 1 {
		if slices.Contains([]string{"daemon-reload", "daemon-reexec", "reset-failed", "list-units"}, args[0]) {
			return unitAnswer{}
		}
		return unitAnswer{Err: "systemctl " + args[0] + ": a simulated machine does not know this\n", Code: 1}
	}
	var all unitAnswer
	for _, name := range args[1:] {
		one := u.unit(args[0], strings.TrimSuffix(name, ".service"), now)
		all.Out, all.Err, all.Code = all.Out+one.Out, all.Err+one.Err, max(all.Code, one.Code)
	}
	return all
}

func (u units) unit(verb, name string, now bool) unitAnswer {
	kubelet := name == "kubelet"
	known := kubelet || name == "containerd"
	active := name == "containerd" || kubelet && u.kubelet.active()
	switch verb {
	case "is-active", "is-failed":
		if active {
			return unitAnswer{Out: "active\n"}
		}
		return unitAnswer{Out: "inactive\n", Code: 3}
	case "status":
		switch {
		case active:
			return unitAnswer{Out: name + ".service: active (running)\n"}
		case known:
			return unitAnswer{Out: name + ".service: inactive (dead)\n", Code: 3}
		}
		return unitAnswer{Err: "Unit " + name + ".service could not be found.\n", Code: 4}
	case "is-enabled":
		if known {
			return unitAnswer{Out: "enabled\n"}
		}
		return unitAnswer{Out: "not-found\n", Code: 4}
	}
	if !known && u.written(name) {
		return unitAnswer{Err: name + ".service is not played by a simulated machine\n"}
	}
	if !known {
		return unitAnswer{Err: "Failed to " + verb + " " + name + ".service: Unit " + name + ".service not found.\n", Code: 5}
	}
	if kubelet {
		u.act(verb, now)
	}
	return unitAnswer{}
}

// act does with the kubelet what a verb says.
func (u units) act(verb string, now bool) {
	switch verb {
	case "restart", "try-restart", "reload-or-restart":
		u.kubelet.stop()
		u.kubelet.start()
	case "start":
		u.kubelet.start()
	case "stop":
		u.kubelet.stop()
	case "enable":
		if now {
			u.kubelet.start()
		}
	case "disable", "mask":
		if now {
			u.kubelet.stop()
		}
	}
}
