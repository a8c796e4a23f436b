package cri

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// logFile is a container's log in the CRI's format: time, stream, F for a full line, text.
type logFile struct {
	path string

	mu   sync.Mutex
	file *os.File
}

// open opens the file, and closes the one before.
func (l *logFile) open() error {
	if l.path == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
	}
	l.file = file
	return nil
}

// close closes the file; what is written later is lost.
func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
	}
	l.file = nil
}

func (l *logFile) line(stream, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return
	}
	_, _ = io.WriteString(l.file, time.Now().UTC().Format(time.RFC3339Nano)+" "+stream+" F "+text+"\n") // A full disk loses logs.
}

// stream returns a pipe for a process to write to. It is read until all its writers have gone, which the channel tells.
func (l *logFile) stream(name string) (*os.File, <-chan struct{}, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer r.Close()
		reader := bufio.NewReader(r)
		for {
			text, err := reader.ReadString('\n')
			if text != "" {
				l.line(name, strings.TrimSuffix(text, "\n"))
			}
			if err != nil {
				return
			}
		}
	}()
	return w, read, nil
}
