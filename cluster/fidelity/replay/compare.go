package replay

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// compare returns how the simulator's answer differs from the recorded one: status code, headers of long-running operations
// and the set of JSON property paths.
func compare(recorded *Interaction, answer *httptest.ResponseRecorder) []string {
	if code := recorded.Code(); code != answer.Code {
		return []string{fmt.Sprintf("status %d, recorded %d %s", answer.Code, code, errorCode(recorded.Response.Body))}
	}
	var differences []string
	for _, name := range []string{"Azure-AsyncOperation", "Location"} {
		was, is := header(recorded, name) != "", answer.Header().Get(name) != ""
		if was != is {
			differences = append(differences, fmt.Sprintf("header %s present %t, recorded %t", name, is, was))
		}
	}
	was, is := retryClass(header(recorded, "Retry-After")), retryClass(answer.Header().Get("Retry-After"))
	if was != is {
		differences = append(differences, fmt.Sprintf("header Retry-After %s, recorded %s", is, was))
	}
	return append(differences, comparePaths(recorded.Response.Body, answer.Body.String())...)
}

func errorCode(body string) string {
	var parsed struct {
		Code  string `json:"code"`
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(body), &parsed) != nil {
		return ""
	}
	return parsed.Error.Code + parsed.Code
}

// retryClass sorts values of Retry-After: what a client waits is about the same within a class.
func retryClass(value string) string {
	seconds, err := strconv.Atoi(value)
	switch {
	case value == "":
		return "absent"
	case err != nil:
		return "no number"
	case seconds <= 5:
		return "up to 5 s"
	case seconds <= 30:
		return "6 to 30 s"
	}
	return "over 30 s"
}

func comparePaths(recorded, simulated string) []string {
	was, wasJSON := paths(recorded)
	is, isJSON := paths(simulated)
	if wasJSON != isJSON {
		return []string{fmt.Sprintf("JSON body %t, recorded %t", isJSON, wasJSON)}
	}
	var differences []string
	for path := range was {
		if !is[path] {
			differences = append(differences, "lacks "+path)
		}
	}
	for path := range is {
		if !was[path] {
			differences = append(differences, "adds "+path)
		}
	}
	sort.Strings(differences)
	return differences
}

// paths is the set of property paths of a JSON body; a body that is none is no JSON.
func paths(body string) (map[string]bool, bool) {
	var value any
	if strings.TrimSpace(body) == "" || json.Unmarshal([]byte(body), &value) != nil {
		return nil, false
	}
	found := map[string]bool{}
	collect(value, "", found)
	return found, true
}

// identifier matches names that a server makes up, such as those below userAssignedIdentities.
var identifier = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func collect(value any, path string, found map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			p := path + "." + identifier.ReplaceAllString(name, "{id}")
			found[strings.TrimPrefix(p, ".")] = true
			collect(field, p, found)
		}
	case []any:
		for _, item := range v {
			collect(item, path+"[]", found)
		}
	}
}
