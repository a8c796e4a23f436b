package drift

import (
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane-capz/crossplane-capz/internal/aso"
	"github.com/crossplane-capz/crossplane-capz/internal/kubeyaml"
	"github.com/crossplane-capz/crossplane-capz/internal/test/reported"
)

// recordings are folders with objects of this project's end-to-end runs, in which nobody has changed anything in Azure.
var recordings = []string{"testdata", "../../cluster/local/gitops/testdata/*"}

// recordedObjects returns ASO's objects among them, and what one of them means by a reference.
func recordedObjects(t *testing.T) (objects []*unstructured.Unstructured, resolve func(*unstructured.Unstructured) Resolve) {
	t.Helper()
	ids := map[string]string{}
	for _, pattern := range recordings {
		folders, err := filepath.Glob(pattern)
		if err != nil || len(folders) == 0 {
			t.Fatalf("%s: %d folders, error %v", pattern, len(folders), err)
		}
		for _, folder := range folders {
			found, err := kubeyaml.Read(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range found {
				if aso.IsASO(o.GroupVersionKind().Group) {
					objects = append(objects, o)
					ids[o.GetNamespace()+"/"+o.GroupVersionKind().GroupKind().String()+"/"+o.GetName()] = aso.StatusID.Value(o)
				}
			}
		}
	}
	return objects, func(o *unstructured.Unstructured) Resolve {
		return func(ref aso.Reference) string { return ids[o.GetNamespace()+"/"+ref.GroupKind.String()+"/"+ref.Name] }
	}
}

// TestRecorded has nothing be drift in what was recorded, and each text be drift that is changed.
func TestRecorded(t *testing.T) {
	objects, resolve := recordedObjects(t)
	kinds, changed := map[string]bool{}, 0
	for _, o := range objects {
		if !Settled(o) {
			continue
		}
		kinds[o.GetKind()] = true
		for _, d := range Of(o, resolve(o)) {
			t.Errorf("%s %s: %s", o.GetKind(), o.GetName(), d)
		}
		r := rulesOf(o)
		spec, _ := o.Object["spec"].(map[string]any)
		status, _ := o.Object["status"].(map[string]any)
		reported.Texts(spec, status, func(path string, in map[string]any, name string) {
			if r.skips(place{path: path}, name) || name == "type" {
				return
			}
			before := in[name]
			in[name] = "changed"
			if len(Of(o, resolve(o))) == 0 {
				t.Errorf("%s %s: Azure reports another value of %s, and that is not found", o.GetKind(), o.GetName(), path)
			}
			in[name] = before
			changed++
		})
	}
	if len(kinds) < 20 || changed < 100 {
		t.Errorf("%d values of %d kinds were changed, want at least 100 of 20", changed, len(kinds))
	}
}
