package settings

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/crossplane-capz/crossplane-capz/apis/provider/v1alpha1"
)

// FuzzWith shows that no ProviderConfig makes settings that provider-capz could not work by, and that an error names the field.
func FuzzWith(f *testing.F) {
	for _, s := range []string{
		"{}", `{"namespace": "a/b"}`, `{"watchFilter": " "}`, `{"concurrency": 0}`, `{"concurrency": 2147483647}`, `{"syncPeriod": "1ns"}`, `{"syncPeriod": "2562047h"}`, `{"logLevel": "x"}`,
		`{"namespace": "\u0000", "watchFilter": "\u202e", "concurrency": -1, "syncPeriod": "-1h"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		spec := v1alpha1.ProviderConfigSpec{}
		if json.Unmarshal(raw, &spec) != nil {
			return
		}
		s, err := flags.With(spec)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "spec.") {
				t.Errorf("%v names no field", err)
			}
			return
		}
		if s.Concurrency < 1 || s.SyncPeriod < time.Minute || strings.ContainsAny(s.Namespace+s.WatchFilter, "/ \x00") {
			t.Errorf("%s makes %+v", raw, s)
		}
		if again, err := s.With(spec); err != nil || !cmp.Equal(again, s) {
			t.Errorf("with the same once more: %+v, %v", again, err)
		}
	})
}
