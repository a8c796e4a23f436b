package leaks

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkText searches text for as many values as a run of all end-to-end tests has.
func BenchmarkText(b *testing.B) {
	haul := &Haul{}
	for i := range 4000 {
		haul.Add(fmt.Sprintf("Secret a/%d", i), "token", []byte(rand.Text()+rand.Text()))
	}
	s := NewSearch(haul.Values())
	text := []byte(strings.Repeat(`{"kind":"ManagedCluster","metadata":{"name":"my-cluster","uid":"6dae42f8-4368-4678-94ff-3960e28e3630"},"status":{"x":"`+rand.Text()+`"}}`, 8000))
	b.SetBytes(int64(len(text)))
	b.ResetTimer()
	for range b.N {
		s.Text("text", text, func(int) string { return "" })
	}
	if len(s.findings) > 0 {
		b.Fatal("something was found")
	}
}
