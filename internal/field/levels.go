package field

// Deeper reports whether a value has more levels of fields within fields.
func Deeper(value any, levels int) bool {
	if levels < 0 {
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			if Deeper(inner, levels-1) {
				return true
			}
		}
	case []any:
		for _, inner := range v {
			if Deeper(inner, levels-1) {
				return true
			}
		}
	}
	return false
}
