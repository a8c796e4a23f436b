package collect

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// An Output takes files.
type Output interface {
	// Add writes a file, whose name has slashes.
	Add(name string, content []byte) error
	// Close makes all complete.
	Close() error
	// Discard takes away what was written.
	Discard() error
}

// NewOutput returns a .tar.gz archive if that is how the path ends, else a folder. Nothing may be there yet. Only its owner may read what is written.
func NewOutput(to string, when time.Time) (Output, error) {
	if strings.HasSuffix(to, ".tar.gz") || strings.HasSuffix(to, ".tgz") {
		return newArchive(to, when)
	}
	if entries, err := os.ReadDir(to); err == nil && len(entries) > 0 {
		return nil, fmt.Errorf("folder %s is not empty; --output must name a new one, or a file that ends in .tar.gz", to)
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return nil, err
	}
	return folder(to), nil
}

// A folder has the files as they are.
type folder string

func (f folder) Add(name string, content []byte) error {
	file := filepath.Join(string(f), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o600)
}

func (f folder) Close() error   { return nil }
func (f folder) Discard() error { return os.RemoveAll(string(f)) }

// An archive is written beside the place where it belongs until it is complete.
type archive struct {
	path, top string
	when      time.Time
	file      *os.File
	gzip      *gzip.Writer
	tar       *tar.Writer
}

// unfinished is how the name of an archive ends that is not complete.
const unfinished = ".part"

func newArchive(to string, when time.Time) (*archive, error) {
	if _, err := os.Stat(to); err == nil {
		return nil, fmt.Errorf("file %s is there already; --output must name a new one", to)
	}
	file, err := os.OpenFile(to+unfinished, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	a := &archive{path: to, when: when, file: file}
	a.top = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(to), ".gz"), ".tar")
	a.top = strings.TrimSuffix(a.top, ".tgz")
	a.gzip = gzip.NewWriter(file)
	a.tar = tar.NewWriter(a.gzip)
	return a, nil
}

func (a *archive) Add(name string, content []byte) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(a.top, name), Mode: 0o600, Size: int64(len(content)), ModTime: a.when}
	if err := a.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := a.tar.Write(content)
	return err
}

func (a *archive) Close() error {
	if err := errors.Join(a.tar.Close(), a.gzip.Close(), a.file.Close()); err != nil {
		return err
	}
	return os.Rename(a.path+unfinished, a.path)
}

func (a *archive) Discard() error {
	return errors.Join(a.file.Close(), os.Remove(a.path+unfinished))
}
