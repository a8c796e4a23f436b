package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInOrder shows that results come in order, each once, and that nothing more is taken than is wanted.
func TestInOrder(t *testing.T) {
	var got []uint64
	inOrder(7, func(number uint64) uint64 {
		for range (20 - number) * 1000 { // The first take longest.
			number++
			number--
		}
		return number * 2
	}, func(result uint64) bool {
		got = append(got, result)
		return len(got) < 9
	})
	if diff := cmp.Diff([]uint64{14, 16, 18, 20, 22, 24, 26, 28, 30}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
