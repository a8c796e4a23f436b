package written

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/crossplane-capz/crossplane-capz/internal/leaks"
)

// A Spool is a file with many texts, to be searched once all values are known. What differs little from an earlier text, as an
// object does from its last version, takes little room.
type Spool struct {
	mu      sync.Mutex
	file    *os.File
	encoder *zstd.Encoder
	err     error
}

// Create returns an empty spool in a file that only its owner may read.
func Create(path string) (*Spool, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	encoder, err := zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(8<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Spool{file: file, encoder: encoder}, nil
}

// Add keeps a text. Close tells an error.
func (s *Spool) Add(where, place string, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, field := range [][]byte{[]byte(where), []byte(place), text} {
		if s.err != nil {
			return
		}
		if _, s.err = s.encoder.Write(binary.AppendUvarint(nil, uint64(len(field)))); s.err == nil {
			_, s.err = s.encoder.Write(field)
		}
	}
}

// Flush has everything so far in the file. Close tells an error.
func (s *Spool) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = s.encoder.Flush()
	}
}

// Close makes the file complete, and returns the first error there was.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.err, s.encoder.Close(), s.file.Close())
}

// Search searches a spool that is closed or flushed, and returns how many texts it has. Of JSON it says in which field a value is.
func Search(s *leaks.Search, path string) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	decoder, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return 0, err
	}
	defer decoder.Close()
	reader := bufio.NewReader(decoder)
	for texts := 0; ; texts++ {
		where, err := readField(reader)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && len(where) == 0 {
			return texts, nil // It may still be open, and is whole up to here.
		}
		place, err2 := readField(reader)
		text, err3 := readField(reader)
		if err := errors.Join(err, err2, err3); err != nil {
			return texts, err
		}
		s.Text(string(where), text, func(at int) string { return string(place) + fieldAt(text, at) })
	}
}

func readField(from *bufio.Reader) ([]byte, error) {
	length, err := binary.ReadUvarint(from)
	if err != nil {
		return nil, err
	}
	field := make([]byte, length)
	_, err = io.ReadFull(from, field)
	return field, err
}
