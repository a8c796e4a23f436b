package guest

import (
	"bytes"
	"strings"
	"testing"
)

func TestJQ(t *testing.T) {
	const in = `{"compute":{"name":"m","tags":["a","b"]}}`
	for name, c := range map[string]struct {
		args      []string
		in        string
		out, errs string
		code      int
	}{
		"a text as it is":     {args: []string{"-r", ".compute.name"}, in: in, out: "m\n"},
		"a text":              {args: []string{".compute.name"}, in: in, out: "\"m\"\n"},
		"several":             {args: []string{"--raw-output", ".compute.tags[]"}, in: in, out: "a\nb\n"},
		"over several values": {args: []string{"-c", "."}, in: "{\"a\": 1} 2", out: "{\"a\":1}\n2\n"},
		"no filter":           {args: nil, in: in, out: `{"compute":{"name":"m","tags":["a","b"]}}` + "\n"},
		"a broken filter":     {args: []string{".["}, in: in, errs: "jq:", code: 3},
		"broken input":        {args: []string{"."}, in: "{", errs: "jq:", code: 2},
		"what does not fit":   {args: []string{".compute.name.x"}, in: in, errs: "jq:", code: 5},
		"an unknown option":   {args: []string{"--slurp", "."}, in: in, errs: "--slurp", code: 2},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := jq(c.args, strings.NewReader(c.in), &out, &errs)
			if code != c.code || out.String() != c.out || !strings.Contains(errs.String(), c.errs) {
				t.Errorf("%d %q %q", code, out.String(), errs.String())
			}
		})
	}
}
