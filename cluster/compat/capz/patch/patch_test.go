package patch

import (
	"reflect"
	"testing"
)

func TestKeep(t *testing.T) {
	type object = map[string]any
	for name, c := range map[string]struct{ manifest, before, after, want object }{
		"a false that the type leaves out":   {object{"on": false}, object{}, object{"name": "n"}, object{"on": false, "name": "n"}},
		"what the webhook takes away":        {object{"old": "x"}, object{"old": "x"}, object{}, object{}},
		"what the webhook writes":            {object{"on": false}, object{}, object{"on": true}, object{"on": true}},
		"within objects":                     {object{"in": object{"on": false}}, object{"in": object{}}, object{"in": object{"n": 1}}, object{"in": object{"on": false, "n": 1}}},
		"within items, of which one is new":  {object{"l": []any{object{"on": false}}}, object{"l": []any{object{}}}, object{"l": []any{object{}, object{}}}, object{"l": []any{object{"on": false}, object{}}}},
		"within items that are not the same": {object{"l": []any{object{"on": false}}}, object{"l": []any{object{}}}, object{"l": []any{}}, object{"l": []any{}}},
	} {
		t.Run(name, func(t *testing.T) {
			if Keep(c.manifest, c.before, c.after); !reflect.DeepEqual(c.after, c.want) {
				t.Errorf("got %v, want %v", c.after, c.want)
			}
		})
	}
}
