package leaks

import (
	"encoding/binary"
)

const (
	// block is how much of a value is enough to find it: a log may have cut it. Values shorter than two blocks are
	// looked for as a whole.
	block = 24
	// keyLength is how many bytes of a block are looked up, at every byte of what is searched.
	keyLength = 8
	// filterBits is the size of the filter before the map, in bits as a power of two: it fits into a processor's cache.
	filterBits = 23
)

// An index finds blocks of many values in one pass, whose time does not depend on how many they are: the eight bytes from each
// byte on are looked up in a table. Automata for many texts need thousands of times the memory.
type index struct {
	filter []uint64
	blocks map[uint64][]hit
	values []Value
}

// A hit is a block of a value.
type hit struct {
	value    int32
	encoding uint8
	text     string
}

func newIndex(values []Value) *index {
	x := &index{filter: make([]uint64, 1<<(filterBits-6)), blocks: map[uint64][]hit{}, values: values}
	for i, v := range values {
		for e, encoding := range encodings {
			text := encoding.write(v.piece.value)
			// Most values look the same in some encodings.
			if e == 0 || text != v.piece.value {
				x.add(int32(i), uint8(e), text)
			}
		}
	}
	return x
}

func (x *index) add(value int32, encoding uint8, text string) {
	for len(text) >= keyLength {
		part := text
		if len(text) >= 2*block {
			part = text[:block]
		}
		text = text[len(part):]
		key := binary.LittleEndian.Uint64([]byte(part[:keyLength]))
		at := slot(key)
		x.filter[at>>6] |= 1 << (at & 63)
		x.blocks[key] = append(x.blocks[key], hit{value, encoding, part})
	}
}

func slot(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 >> (64 - filterBits) }

// search calls report for every block in the text, with where it begins.
func (x *index) search(text []byte, report func(at int, f hit)) {
	for i := 0; i+keyLength <= len(text); i++ {
		key := binary.LittleEndian.Uint64(text[i:])
		at := slot(key)
		if x.filter[at>>6]&(1<<(at&63)) == 0 {
			continue
		}
		for _, f := range x.blocks[key] {
			if len(text)-i >= len(f.text) && string(text[i:i+len(f.text)]) == f.text {
				report(i, f)
			}
		}
	}
}
