package leaks

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Value is a piece of a secret, and whose it is.
type Value struct {
	// Source is the Secret as namespace/name, or what else has it.
	Source string
	piece  piece
}

// A Haul is all that is secret, as it was at any time. Its zero value is empty.
type Haul struct {
	mu     sync.Mutex
	seen   map[[sha256.Size]byte]bool
	pieces map[string]bool
	values []Value
}

// Add takes what is secret in the value of a Secret's key.
func (h *Haul) Add(source, key string, value []byte) {
	sum := sha256.Sum256(append([]byte(source+"\x00"+key+"\x00"), value...))
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen == nil {
		h.seen, h.pieces = map[[sha256.Size]byte]bool{}, map[string]bool{}
	}
	if h.seen[sum] {
		return
	}
	h.seen[sum] = true
	for _, p := range piecesOf(key, value) {
		// A copy is told by who had it first.
		if !h.pieces[p.value] && len(p.value) >= shortest {
			h.pieces[p.value] = true
			h.values = append(h.values, Value{source, p})
		}
	}
}

// AddSecret takes what is secret in a Secret.
func (h *Haul) AddSecret(source string, data map[string][]byte) {
	for _, key := range slices.Sorted(maps.Keys(data)) {
		h.Add(source, key, data[key])
	}
}

// Values returns what has been taken so far.
func (h *Haul) Values() []Value {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.values)
}

// Count returns how many values have this in their source and this in what they are.
func (h *Haul) Count(source, what string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	count := 0
	for _, v := range h.values {
		if strings.Contains(v.Source, source) && strings.Contains(v.piece.what, what) {
			count++
		}
	}
	return count
}
