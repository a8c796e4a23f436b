package shape

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

type reference struct {
	ARMID string `json:"armId,omitempty"`
	Name  string `json:"name,omitempty"`
}

type common struct {
	Label string `json:"label"`
}

type example struct {
	common `json:",inline"`

	Name      string            `json:"name"`
	Count     *int              `json:"count"`
	Share     float64           `json:"share"`
	On        bool              `json:"enabled"`
	Since     time.Time         `json:"since"`
	Raw       json.RawMessage   `json:"raw"`
	Content   []byte            `json:"content"`
	Tags      map[string]string `json:"tags"`
	Zones     []string          `json:"zones"`
	Reference *reference        `json:"reference"`
	Password  struct {
		Key  string `json:"key"`
		Name string `json:"name"`
	} `json:"password"`
	Items  []reference `json:"items"`
	hidden string      //nolint:unused // No field of the JSON may come of it.
}

const exampleSchema = `
type: object
required: [name]
properties:
  name: {type: string, minLength: 2, pattern: "^[a-z]+$"}
  label: {type: string, enum: [a, b]}
  count: {type: integer, minimum: 1, maximum: 3}
  share: {type: number}
  enabled: {type: boolean}
  since: {type: string}
  raw: {x-kubernetes-preserve-unknown-fields: true}
  content: {type: string}
  port: {x-kubernetes-int-or-string: true}
  tags: {type: object, additionalProperties: {type: string}}
  free: {type: object}
  zones: {type: array, maxItems: 2, items: {type: string}}
  reference: {type: object, properties: {armId: {type: string}, name: {type: string}}}
  password: {type: object, properties: {key: {type: string}, name: {type: string}}}
  items: {type: array, items: {type: object, properties: {armId: {type: string}, name: {type: string}}}}
`

func value(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func schema(t *testing.T) Shape {
	t.Helper()
	s, err := structpb.NewStruct(value(t, exampleSchema).(map[string]any))
	if err != nil {
		t.Fatal(err)
	}
	return OpenAPI(s)
}

// TestTypes shows that a Go type and a schema are told alike.
func TestTypes(t *testing.T) {
	const anID = `an object such as {armId: /subscriptions/...} or, for an object in Kubernetes, {group: ..., kind: ..., name: ...}`
	for text, want := range map[string]string{
		"{}": "",
		"{name: a, label: b, count: 1, share: 0.5, enabled: true, since: x, raw: {a: 1}, content: YQ==, tags: {a: b}, zones: [a], reference: {armId: x}, items: [{name: a}]}": "",
		"{name: null, zones: null}":   "",
		"{nam: a}":                    "x.nam must be absent: the kind has no such field; did you mean name?",
		"{something: a}":              "x.something must be absent: the kind has no such field",
		"{hidden: a}":                 "x.hidden must be absent: the kind has no such field",
		"{name: 1}":                   "x.name is 1, but must be a string",
		"{count: 1.5}":                "x.count is 1.5, but must be a whole number",
		"{count: '1'}":                `x.count is "1", but must be a whole number`,
		"{share: many}":               `x.share is "many", but must be a number`,
		"{enabled: 'yes'}":            `x.enabled is "yes", but must be true or false`,
		"{zones: a}":                  `x.zones is "a", but must be a list of strings`,
		"{zones: [a, 1]}":             "x.zones[1] is 1, but must be a string",
		"{tags: {a.b: 1}}":            `x.tags["a.b"] is 1, but must be a string`,
		"{tags: [a]}":                 `x.tags is ["a"], but must be an object`,
		"{reference: /subscriptions}": `x.reference is "/subscriptions", but must be ` + anID,
		"{items: [{nam: a}]}":         "x.items[0].nam must be absent: the kind has no such field; did you mean name?",
		"{password: hunter2}":         "x.password is a string, but must be an object such as {name: ..., key: ...} that names a Secret and a key of it",
		"{count: [], nam: 1}":         "x.count is [], but must be a whole number; x.nam must be absent: the kind has no such field; did you mean name?",
	} {
		for of, s := range map[string]Shape{"Go": Go(reflect.TypeFor[*example]()), "OpenAPI": schema(t)} {
			if got := Sentence(Types(value(t, text), s), "x.", "the kind"); got != want {
				t.Errorf("%s by %s:\n%s, want\n%s", text, of, got, want)
			}
		}
	}
}

func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                                  "name is missing, but the kind needs it",
		"{name: null}":                        "name is missing, but the kind needs it",
		"{name: ab, port: 1, free: {a: [1]}}": "",
		"{name: a}":                           `name is "a", but must be text of at least 2 characters`,
		"{name: Ab}":                          `name is "Ab", but must be text that matches ^[a-z]+$`,
		"{name: ab, label: c}":                `label is "c", but must be one of "a", "b"`,
		"{name: ab, count: 0}":                "count is 0, but must be at least 1",
		"{name: ab, count: 4}":                "count is 4, but must be at most 3",
		"{name: ab, zones: [a, b, c]}":        `zones is ["a","b","c"], but must be at most 2 items`,
		"{name: ab, zones: a}":                `zones is "a", but must be a list of strings`,
	} {
		if got := Sentence(Values(value(t, text), schema(t)), "", "the kind"); got != want {
			t.Errorf("%s:\n%s, want\n%s", text, got, want)
		}
	}
}

func TestSentenceIsShort(t *testing.T) {
	got := Sentence(Types(value(t, "{q1: 1, q2: 1, q3: 1, q4: 1, q5: 1, q6: 1, q7: 1}"), schema(t)), "", "the kind")
	if !strings.HasSuffix(got, "; and 2 more") || strings.Contains(got, "q6") {
		t.Error(got)
	}
}

// TestDecode shows that no message names a type of Go, and that what is unknown is passed over.
func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"a","x":1}`:                  "",
		`{"reference":"a","x":1}`:             `reference is "a", but must be an object such as`,
		`[]`:                                  "it is [], but must be an object",
		`{"since":"x"}`:                       "parsing time",
		`{"count":1e300}`:                     "count is 1e+300, but must be a whole number",
		`{"count":9223372036854775808}`:       "count is 9223372036854776000, but must be a whole number",
		`{"name":`:                            "unexpected end of JSON input",
		`{"items":[{"name":"a"},{"name":1}]}`: "items[1].name is 1, but must be a string",
	} {
		err := Decode([]byte(text), &example{})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "shape.")) {
			t.Errorf("%s: %v names a type of Go", text, err)
		}
	}
}

// TestConvert has objects be read as Decode reads their JSON, and be refused in the same words.
func TestConvert(t *testing.T) {
	type numbers struct {
		Small *int32 `json:"small"`
		Large int64  `json:"large"`
	}
	type typed struct {
		common  `json:",inline"`
		numbers `json:",inline"`

		Name      string            `json:"name"`
		Count     *int              `json:"count"`
		Share     float64           `json:"share"`
		On        bool              `json:"enabled"`
		Since     *metav1.Time      `json:"since"`
		Content   []byte            `json:"content"`
		Tags      map[string]string `json:"tags"`
		Zones     []string          `json:"zones"`
		Reference *reference        `json:"reference"`
		Items     []reference       `json:"items"`
	}
	for name, object := range map[string]map[string]any{
		"nothing":             {},
		"all":                 {"label": "l", "name": "n", "count": int64(3), "enabled": true, "since": "2026-01-02T03:04:05Z", "content": "YWJj", "tags": map[string]any{"a": "b"}, "zones": []any{"1"}},
		"floats of protobuf":  {"small": 3.0, "count": 4.0, "share": 0.5, "large": 1e15},
		"empty":               {"tags": map[string]any{}, "zones": []any{}, "reference": map[string]any{}, "items": []any{map[string]any{}}},
		"nulls":               {"tags": nil, "zones": nil, "reference": nil, "name": nil, "count": nil},
		"unknown":             {"nobody": map[string]any{"knows": "it"}},
		"in other letters":    {"Name": "n", "COUNT": int64(1)},
		"too large":           {"small": int64(1) << 40},
		"too large a float":   {"small": 1e12},
		"not whole":           {"small": 1.5},
		"a text for a number": {"small": "3"},
		"a number for a text": {"name": int64(3)},
		"a list for a map":    {"tags": []any{"a"}},
		"no time":             {"since": "yesterday"},
		"no base64":           {"content": "%"},
		"of Go's own types":   {"small": 3, "zones": []string{"1"}},
	} {
		t.Run(name, func(t *testing.T) {
			content, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			var want, got typed
			wanted, err := Decode(content, &want), Convert(object, &got)
			if (wanted == nil) != (err == nil) || err != nil && err.Error() != wanted.Error() {
				t.Errorf("error %v, want %v", err, wanted)
			}
			if err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
