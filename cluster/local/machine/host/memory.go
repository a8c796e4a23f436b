package host

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/crossplane-capz/crossplane-capz/cluster/azuresim/power"
)

// memory is what the host was told of networks. Who told it does not know when the process has been replaced, and does not tell again;
// machines are told of again, as they are seen to be off.
type memory struct {
	Balancers map[string]power.LoadBalancer `json:"balancers"`
	Names     map[string]map[string]string  `json:"names"`
}

func (h *Host) memoryFile() string { return filepath.Join(h.dir, "networks.json") }

// recall does what the process before was told. It runs before anything else is asked of the host.
func (h *Host) recall() error {
	h.memory = memory{Balancers: map[string]power.LoadBalancer{}, Names: map[string]map[string]string{}}
	raw, err := os.ReadFile(h.memoryFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &h.memory); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for vnet, names := range h.memory.Names {
		if err := h.setNames(vnet, names); err != nil {
			return err
		}
	}
	for _, spec := range h.memory.Balancers {
		if err := h.setBalancer(spec); err != nil {
			return err
		}
	}
	return nil
}

// remember writes the memory down. The caller holds the lock.
func (h *Host) remember() error {
	raw, err := json.Marshal(h.memory)
	if err != nil {
		return err
	}
	next := h.memoryFile() + ".next"
	if err := os.WriteFile(next, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(next, h.memoryFile())
}
