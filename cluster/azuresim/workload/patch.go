package workload

import (
	"encoding/json"
	"mime"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/yaml"
)

// patch applies the patch in the request and returns the HTTP status with the object: server-side apply creates one that is
// not there. It is merged strategically: field ownership is not kept, so a field that an applier stops giving stays.
func (e *endpoint) patch(w http.ResponseWriter, r *http.Request, name types.NamespacedName) (object, int, error) {
	raw, err := readBody(w, r)
	if err != nil {
		return nil, 0, err
	}
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, 0, apierrors.NewBadRequest(err.Error())
	}
	kind := types.PatchType(mediaType)
	o, err := e.update(name, func(o object) (object, error) { return e.patched(kind, o, raw, name) })
	if kind != types.ApplyYAMLPatchType || !apierrors.IsNotFound(err) || !e.creates() {
		return o, http.StatusOK, err
	}
	empty := e.newObject()
	empty.SetName(name.Name)
	if o, err = e.patched(kind, empty, raw, name); err != nil {
		return nil, 0, err
	}
	o, err = e.createValid(o)
	return o, http.StatusCreated, err
}

// patched returns what a patch makes of an object.
func (e *endpoint) patched(kind types.PatchType, o object, patch []byte, name types.NamespacedName) (object, error) {
	document, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	if document, err = e.applyPatch(kind, document, patch); err != nil {
		return nil, err
	}
	out := e.newObject()
	if err := decodeInto(document, out); err != nil {
		return nil, err
	}
	return out, e.checkPath(out, name)
}

func (r *apiResource) applyPatch(kind types.PatchType, document, patch []byte) ([]byte, error) {
	var patched []byte
	var err error
	switch kind {
	case types.JSONPatchType:
		var operations jsonpatch.Patch
		if operations, err = jsonpatch.DecodePatch(patch); err == nil {
			patched, err = operations.Apply(document)
		}
	case types.MergePatchType:
		patched, err = jsonpatch.MergePatch(document, patch)
	case types.StrategicMergePatchType:
		patched, err = strategicpatch.StrategicMergePatch(document, patch, r.newObject())
	case types.ApplyYAMLPatchType:
		if patch, err = yaml.YAMLToJSON(patch); err == nil {
			patched, err = strategicpatch.StrategicMergePatch(document, patch, r.newObject())
		}
	default:
		return nil, apierrors.NewGenericServerResponse(http.StatusUnsupportedMediaType, "patch", r.groupResource(), "", "unsupported patch type "+string(kind), 0, true)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return patched, nil
}
