package e2e

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// archives are the files that kubectl capz collect has written. Secrets are looked for in them as in everything else.
var archives struct {
	mu    sync.Mutex
	files []string
}

// archive is the folder that collect writes to.
func (w *world) archive() string { return filepath.Join(w.stack.Dir(), "collected", w.namespace) }

// collect has written what a bug report about the cluster needs.
func collect(w *world) error {
	if err := os.MkdirAll(filepath.Dir(w.archive()), 0o700); err != nil {
		return err
	}
	if _, _, err := w.kubectlCapz(nil, "collect", "--cluster", clusterName, "--output", w.archive()); err != nil {
		return err
	}
	archives.mu.Lock()
	defer archives.mu.Unlock()
	return filepath.WalkDir(w.archive(), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			archives.files = append(archives.files, path)
		}
		return err
	})
}

// collected expects it to have the files, by patterns.
func collected(patterns ...string) expectation {
	return func(w *world) []string {
		var missing []string
		for _, pattern := range patterns {
			if found, err := filepath.Glob(filepath.Join(w.archive(), pattern)); err != nil || len(found) == 0 {
				missing = append(missing, "the archive has no "+pattern)
			}
		}
		return missing
	}
}
