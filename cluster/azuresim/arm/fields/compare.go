package fields

import (
	"reflect"
	"strings"
)

// IsZero reports whether a value is empty or the number zero.
func IsZero(value any) bool {
	if n, ok := value.(int64); ok {
		return n == 0
	}
	return IsEmpty(value)
}

// Same compares what was stored with what is asked for. Of an object only what is asked for counts: Azure may have added to it.
func Same(have, want any) bool {
	if w, ok := want.(map[string]any); ok {
		h, _ := have.(map[string]any)
		return !Differs(h, w)
	}
	h, isText := have.(string)
	w, wantText := want.(string)
	return isText && wantText && strings.EqualFold(h, w) || reflect.DeepEqual(have, want)
}

// Differs tells whether requested asks for anything that present does not have.
func Differs(present, requested map[string]any) bool {
	for name, want := range requested {
		have, ok := present[name]
		if !ok && IsEmpty(want) {
			continue
		}
		wantMap, isMap := want.(map[string]any)
		haveMap, hasMap := have.(map[string]any)
		if isMap && hasMap && name != "tags" {
			if Differs(haveMap, wantMap) {
				return true
			}
			continue
		}
		if !reflect.DeepEqual(have, want) {
			return true
		}
	}
	return false
}

// IsEmpty reports whether a value is null, false, or without any content.
func IsEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case string:
		return v == ""
	case bool:
		return !v
	}
	return false
}
