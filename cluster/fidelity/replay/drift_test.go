package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/drift"
	"github.com/crossplane-capz/crossplane-capz/internal/test/reported"
)

// TestNothingHasDrifted compares what ASO has asked the real Azure for with what that has reported afterwards, as an object of ASO has both. Nobody else
// has written there, so nothing has drifted; a value that is changed then has.
func TestNothingHasDrifted(t *testing.T) {
	recordings, err := allRecordings()
	if err != nil {
		t.Fatal(err)
	}
	kinds, fields := map[string]int{}, 0
	for _, recording := range recordings {
		for _, o := range written(t, recording) {
			kinds[o.GetKind()]++
			for _, d := range drift.Of(o, nil) {
				if strings.HasPrefix(d.Field, "spec.accessPolicies[0].") {
					continue // The recording has other IDs in the answer than in the request, as both are hidden.
				}
				t.Errorf("%s: %s %s: %s", recording.Name, o.GetKind(), o.GetName(), d)
			}
			fields += changed(t, recording.Name, o)
		}
	}
	t.Logf("%d fields of %v", fields, kinds)
	if len(kinds) < 20 || fields < 500 {
		t.Errorf("%d fields of %d kinds were compared, want at least 500 of 20", fields, len(kinds))
	}
}

// written returns an object for each request to write a resource of a kind in the catalogue that Azure has carried out and reported of.
func written(t *testing.T, recording *Recording) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	asked := map[string]map[string]any{}
	for i := range recording.Interactions {
		interaction := &recording.Interactions[i]
		path := interaction.path()
		kind, ok := kindAt(path)
		switch {
		case !ok:
			continue
		case interaction.Request.Method == http.MethodPut && interaction.Code() < http.StatusBadRequest:
			asked[path] = content(interaction.Request.Body)
			continue
		case interaction.writes():
			delete(asked, path)
			continue
		}
		status := content(interaction.Response.Body)
		if asked[path] == nil || interaction.Code() != http.StatusOK || status == nil {
			continue
		}
		o := &unstructured.Unstructured{Object: map[string]any{"spec": asked[path], "status": status}}
		o.SetGroupVersionKind(kind.GroupKind().WithVersion("v1"))
		o.SetName(path[strings.LastIndex(path, "/")+1:])
		o.SetGeneration(1)
		o.SetAnnotations(map[string]string{aso.AnnotationSent: "1"})
		status["conditions"] = []any{map[string]any{"type": "Ready", "status": "True", "observedGeneration": int64(1)}}
		if drift.Settled(o) {
			all = append(all, o)
			delete(asked, path)
		}
	}
	return all
}

// kindAt returns the kind of the catalogue that a resource is of.
func kindAt(path string) (aso.Kind, bool) {
	id := aso.ParseID(path)
	if id == nil {
		return aso.Kind{}, false
	}
	all := aso.Catalogue()
	i := slices.IndexFunc(all, func(k aso.Kind) bool { return strings.EqualFold(k.ARM(), id.ResourceType.String()) })
	if i < 0 {
		return aso.Kind{}, false
	}
	return all[i], true
}

// content returns a body as ASO has it in an object: without what Azure calls properties, which its fields stand in.
func content(body string) map[string]any {
	var found map[string]any
	if json.Unmarshal([]byte(body), &found) != nil {
		return nil
	}
	flat, _ := flattened(found).(map[string]any)
	delete(flat, "name") // ASO has it as azureName.
	return flat
}

func flattened(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner := flattened(v[name])
			if below, ok := inner.(map[string]any); ok && name == "properties" {
				maps.Copy(out, below)
				continue
			}
			if _, set := out[name]; !set {
				out[name] = inner
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			out = append(out, flattened(item))
		}
		return out
	}
	return value
}

// changed changes what Azure reports of each field that is asked for with a text, one at a time, and has that be found. It returns how many there are.
func changed(t *testing.T, where string, o *unstructured.Unstructured) int {
	t.Helper()
	found := 0
	status, _ := o.Object["status"].(map[string]any)
	spec, _ := o.Object["spec"].(map[string]any)
	reported.Texts(spec, status, func(path string, in map[string]any, name string) {
		before := in[name]
		in[name] = fmt.Sprint(before) + "-changed"
		if len(drift.Of(o, nil)) == 0 && !excepted(path, before) {
			t.Errorf("%s: %s %s reports %s of %s, and that is not found", where, o.GetKind(), o.GetName(), in[name], path)
		}
		in[name] = before
		found++
	})
	return found
}

// excepted reports whether a field is one that is not compared: another value than the latest is none, and ASO has by another name than the request
// what is called as the type of the resource is.
func excepted(path string, value any) bool {
	return value == "latest" || path == "type" || strings.HasPrefix(path, "configurationProtectedSettings.")
}
