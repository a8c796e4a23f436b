package process

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Records is a folder with one file per process, so that several can start processes side by side. A process is in it
// from its start on, and stays when it has ended.
type Records string

const recordExtension = ".json"

// Write keeps a process under its name, in the place of an earlier one. No reader ever sees half of it.
func (r Records) Write(p *Process) error {
	raw, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(r), 0o700); err != nil {
		return err
	}
	// A name of its own, as another may write the same record at this moment.
	f, err := os.CreateTemp(string(r), ".unfinished-")
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), r.file(p.Name))
}

// Read returns the process of a name; nil when there is none.
func (r Records) Read(name string) (*Process, error) {
	raw, err := os.ReadFile(r.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p := &Process{}
	if err := json.Unmarshal(raw, p); err != nil {
		return nil, fmt.Errorf("read %s: %w", r.file(name), err)
	}
	return p, nil
}

// All returns every process in the order of their names; none when the folder is not there.
func (r Records) All() ([]*Process, error) {
	entries, err := os.ReadDir(string(r))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*Process
	for _, e := range entries {
		name, isRecord := strings.CutSuffix(e.Name(), recordExtension)
		if !isRecord {
			continue
		}
		p, err := r.Read(name)
		if err != nil {
			return nil, err
		}
		// It may have been removed since.
		if p != nil {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b *Process) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// Remove forgets a process; it is no error when there is none of that name.
func (r Records) Remove(name string) error {
	if err := os.Remove(r.file(name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (r Records) file(name string) string { return filepath.Join(string(r), name+recordExtension) }
