package field

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// mostShown is how many bytes of a value a message has.
const mostShown = 120

// Item returns the path of item i of the list at path, as Kubernetes writes it in its own errors.
func Item(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Show writes a value as it would stand in the manifest, cut where it is long.
func Show(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return Cut(string(b), mostShown+len("…"))
}

// Cut returns a text of so many bytes at most, and of whole characters: protobuf carries no others.
func Cut(text string, most int) string {
	if len(text) > most {
		text = text[:most-len("…")] + "…"
	}
	return strings.ToValidUTF8(text, "")
}
