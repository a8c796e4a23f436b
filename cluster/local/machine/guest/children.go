package guest

import (
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// children are the processes that PID 1 started itself. All others that end become its children when their parents have gone, and nobody
// else waits for them.
type children struct {
	mu  sync.Mutex
	own map[int]bool
}

// start starts a process that is waited for by who starts it.
func (c *children) start(cmd *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	if c.own == nil {
		c.own = map[int]bool{}
	}
	c.own[cmd.Process.Pid] = true
	return nil
}

// run starts a process and waits for it.
func (c *children) run(cmd *exec.Cmd) error {
	if err := c.start(cmd); err != nil {
		return err
	}
	return cmd.Wait()
}

// reap waits for orphans, for good.
func (c *children) reap() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	for range ended {
		c.collect()
		time.Sleep(time.Second) // Zombies cost nothing.
	}
}

// collect waits for zombies that nobody else waits for.
func (c *children) collect() {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[int]bool{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		seen[pid] = true
		if !c.own[pid] && orphanedZombie(pid) {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil) // It is there.
		}
	}
	for pid := range c.own {
		if !seen[pid] {
			delete(c.own, pid)
		}
	}
}

// orphanedZombie reads proc_pid_stat(5): the state and the parent follow the name in parentheses.
func orphanedZombie(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	return len(fields) > 1 && fields[0] == "Z" && fields[1] == "1"
}
