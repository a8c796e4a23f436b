package written

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// fieldAt says which field of a JSON object has the byte; nothing if it is none.
func fieldAt(text []byte, at int) string {
	if !json.Valid(text) {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	var path []string
	// For each open list or object: how many of its tokens there were.
	type open struct {
		list  bool
		count int
	}
	var levels []open
	for decoder.InputOffset() <= int64(at) {
		token, err := decoder.Token()
		if err != nil {
			return ""
		}
		closing := token == json.Delim('}') || token == json.Delim(']')
		if closing {
			levels, path = levels[:len(levels)-1], path[:len(path)-1]
			continue
		}
		if n := len(levels); n > 0 {
			last := &levels[n-1]
			switch {
			case last.list:
				path[n-1] = strconv.Itoa(last.count)
			case last.count%2 == 0:
				path[n-1] = fmt.Sprint(token)
			}
			last.count++
		}
		if delim, ok := token.(json.Delim); ok {
			levels, path = append(levels, open{list: delim == '['}), append(path, "")
		}
	}
	return ", field " + strings.Join(path, ".")
}
