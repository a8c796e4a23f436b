package leaks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Files searches a file, or all in a folder, which findings name from the folder base on. What goes meanwhile was temporary.
func (s *Search) Files(base, path string) error {
	return filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		file, err := os.Open(path) //nolint:gosec // Whoever can change the folder can write what is searched.
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		name, err := filepath.Rel(base, path)
		if err != nil {
			return err
		}
		return s.Stream(name, file)
	})
}
