// Package state keeps the simulator's documents in an append-only journal, so that they survive the death of the process.
package state

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// compactAfter is the number of superseded records at which the journal is rewritten.
const compactAfter = 4096

// record is one line of the journal; a nil value deletes the key.
type record struct {
	Key   string          `json:"k"`
	Value json.RawMessage `json:"v,omitempty"`
}

// Journal is a key-value store of JSON documents. A journal without a file keeps everything in memory.
type Journal struct {
	mu     sync.Mutex
	path   string
	file   *os.File
	values map[string]json.RawMessage
	stale  int
}

// InMemory returns a journal that persists nothing.
func InMemory() *Journal {
	return &Journal{values: map[string]json.RawMessage{}}
}

// Open reads the journal in dir, creating both if absent. A last line cut short by a crash is dropped;
// any other unreadable line is an error.
func Open(dir string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create state directory: %w", err)
	}
	j := &Journal{path: filepath.Join(dir, "state.jsonl"), values: map[string]json.RawMessage{}}
	if err := j.load(); err != nil {
		return nil, err
	}
	if err := j.compact(); err != nil {
		return nil, err
	}
	return j, nil
}

func (j *Journal) load() error {
	f, err := os.Open(j.path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			return nil // what follows the last newline was cut short
		}
		if err != nil {
			return fmt.Errorf("read journal: %w", err)
		}
		var rec record
		if err := json.Unmarshal(line, &rec); err != nil {
			return fmt.Errorf("journal %s line %d: %w", j.path, n, err)
		}
		j.apply(rec)
	}
}

func (j *Journal) apply(rec record) {
	if _, had := j.values[rec.Key]; had {
		j.stale++
	}
	if rec.Value == nil {
		delete(j.values, rec.Key)
		return
	}
	j.values[rec.Key] = rec.Value
}

// compact writes the present values to a new file and moves it over the old one.
func (j *Journal) compact() error {
	var buf bytes.Buffer
	for _, k := range j.keys("") {
		if err := writeRecord(&buf, record{Key: k, Value: j.values[k]}); err != nil {
			return err
		}
	}
	tmp := j.path + ".tmp"
	if err := os.WriteFile(tmp, buf.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	if err := os.Rename(tmp, j.path); err != nil {
		return fmt.Errorf("replace journal: %w", err)
	}
	f, err := os.OpenFile(j.path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	if j.file != nil {
		_ = j.file.Close() // its content has just been replaced
	}
	j.file, j.stale = f, 0
	return nil
}

func writeRecord(w io.Writer, rec record) error {
	line, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("encode journal record %s: %w", rec.Key, err)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("append to journal: %w", err)
	}
	return nil
}

// Put stores value under key; it is in the file when Put returns.
func (j *Journal) Put(key string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s: %w", key, err)
	}
	return j.write(record{Key: key, Value: raw})
}

// Delete removes key; an absent key is no error.
func (j *Journal) Delete(key string) error {
	j.mu.Lock()
	_, had := j.values[key]
	j.mu.Unlock()
	if !had {
		return nil
	}
	return j.write(record{Key: key})
}

func (j *Journal) write(rec record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		if err := writeRecord(j.file, rec); err != nil {
			return err
		}
	}
	j.apply(rec)
	if j.file != nil && j.stale > compactAfter {
		return j.compact()
	}
	return nil
}

// Get decodes the document under key into value and tells whether there is one.
func (j *Journal) Get(key string, value any) (bool, error) {
	j.mu.Lock()
	raw, ok := j.values[key]
	j.mu.Unlock()
	if !ok {
		return false, nil
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return false, fmt.Errorf("decode %s: %w", key, err)
	}
	return true, nil
}

// Each calls fn with every document whose key starts with prefix, in the order of their keys.
func (j *Journal) Each(prefix string, fn func(key string, raw json.RawMessage) error) error {
	j.mu.Lock()
	keys := j.keys(prefix)
	raws := make([]json.RawMessage, len(keys))
	for i, k := range keys {
		raws[i] = j.values[k]
	}
	j.mu.Unlock()
	for i, k := range keys {
		if err := fn(k, raws[i]); err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) keys(prefix string) []string {
	var keys []string
	for k := range j.values {
		if strings.HasPrefix(k, prefix) {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	return keys
}

// Close releases the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}
