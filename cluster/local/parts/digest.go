package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// digest returns a hash over the Go version, the module's own files (go.mod, go.sum and sources, to a depth of one folder) and the arguments:
// everything that the result of a build in that module depends on, as go.sum fixes all the rest.
func digest(module string, args ...string) (string, error) {
	files, err := filepath.Glob(filepath.Join(module, "*.go"))
	if err != nil {
		return "", err
	}
	below, err := filepath.Glob(filepath.Join(module, "*", "*.go"))
	if err != nil {
		return "", err
	}
	files = append(append(files, below...), filepath.Join(module, "go.mod"), filepath.Join(module, "go.sum"))
	slices.Sort(files)

	h := sha256.New()
	fmt.Fprintf(h, "%s %s %s\n%q\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, args)
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", filepath.Base(f), len(content))
		h.Write(content)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
