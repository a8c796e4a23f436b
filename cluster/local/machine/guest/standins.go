package guest

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"syscall"
)

// StandIns are the commands of a machine that this program plays, by the name that it is called by. Each is given its arguments and returns
// an exit code.
var StandIns = map[string]func(args []string) int{
	// Images have these two, the machine below may not.
	"az":        func(args []string) int { return az(args, os.Stderr) },
	"jq":        func(args []string) int { return jq(args, os.Stdin, os.Stdout, os.Stderr) },
	"kubeadm":   kubeadm,
	"systemctl": systemctl,
}

// ignoredChecks are preflight checks of kubeadm that are about the machine below: its kernel's cgroups, swap, processors and memory.
const ignoredChecks = "--ignore-preflight-errors=SystemVerification,Swap,NumCPU,Mem"

// lockedGate is a feature gate that Cluster API sets before Kubernetes 1.36. In the code of that release, which machines of each release run here,
// the feature is always on, and its gate is gone.
var lockedGate = regexp.MustCompile(`(?m)^ *ControlPlaneKubeletLocalMode: true\n`)

// kubeadm is the real one, told which of its checks do not apply.
func kubeadm(args []string) int {
	if len(args) > 0 && slices.Contains([]string{"init", "join"}, args[0]) {
		if err := dropLockedGate(args); err != nil {
			fmt.Fprintf(os.Stderr, "the configuration of kubeadm: %v\n", err)
			return 1
		}
		args = append(slices.Clone(args), ignoredChecks)
	}
	err := syscall.Exec(programs+"/kubernetes", append([]string{"kubeadm"}, args...), os.Environ())
	fmt.Fprintf(os.Stderr, "kubeadm does not start: %v\n", err)
	return 126
}

// dropLockedGate takes the gate out of the configuration file that the arguments of kubeadm name, if they name one.
func dropLockedGate(args []string) error {
	at := slices.Index(args, "--config") + 1
	if at == 0 || at == len(args) {
		return nil
	}
	config, err := os.ReadFile(args[at])
	if err != nil || !lockedGate.Match(config) {
		return err
	}
	return os.WriteFile(args[at], lockedGate.ReplaceAll(config, nil), 0o600)
}

func systemctl(args []string) int {
	conn, err := net.Dial("unix", unitsSocket)
	if err != nil {
		fmt.Fprintf(os.Stderr, "systemctl: %v\n", err)
		return 1
	}
	defer conn.Close()
	var answer unitAnswer
	if err = json.NewEncoder(conn).Encode(args); err == nil {
		err = json.NewDecoder(conn).Decode(&answer)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "systemctl: %v\n", err)
		return 1
	}
	fmt.Fprint(os.Stdout, answer.Out)
	fmt.Fprint(os.Stderr, answer.Err)
	return answer.Code
}
